//! The versions that R packages had at an instant: what R is asked, and what it answers.

use jiff::Timestamp;

use super::version::is_r_version;
use crate::domain::excerpt;
use crate::domain::names::nearest;
use crate::environment::tables::r_packages::{ROrigin, origin};

/// The script that R runs; its head says what it is given and what it prints.
pub const SCRIPT: &str = include_str!("by_date.R");
/// The variable with the archive's address.
pub const ADDRESS: &str = "REPRISE_CRAN";
/// Names that are told of one that the archive lacks.
const MOST_NEAR: usize = 3;
/// Letters of what a package asks of the system.
const MOST_SHOWN: usize = 300;

/// A package of which more than its name is known beforehand.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RRoot {
    pub name: String,
    /// The very version that evidence gives.
    pub version: Option<String>,
    /// Bounds that files of the folder give, such as `>=1.0,<2`.
    pub bounds: Vec<String>,
    /// False of one that is only held to its version, where another package needs it.
    pub is_wanted: bool,
}

/// The arguments of the script; without an instant the archive is of one day.
pub fn arguments(until: Option<Timestamp>, roots: &[RRoot]) -> Vec<String> {
    let until = until.map_or_else(|| "day".to_owned(), |until| until.as_second().to_string());
    let plain = |text: &str| text.replace('|', "");
    let root = |root: &RRoot| {
        let (name, version) = (
            plain(&root.name),
            plain(root.version.as_deref().unwrap_or_default()),
        );
        let bounds = plain(&root.bounds.join(","));
        format!("{name}|{version}|{bounds}|{}", u8::from(root.is_wanted))
    };
    std::iter::once(until).chain(roots.iter().map(root)).collect()
}

/// The reason for which a package is not had.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RRefusal {
    #[error("the archive has no package of this name{}", near_words(near))]
    NoSuchPackage { near: Vec<String> },
    #[error("nothing of it was there on the day: its first version came on {first}")]
    NothingExisted { first: String },
    #[error("the archive has no version {version} of it; it has {others}")]
    NoSuchVersion { version: String, others: String },
}

/// A package that is taken.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ResolvedRPackage {
    pub name: String,
    pub version: String,
    /// Its file below `src/contrib/`.
    pub path: String,
    pub size: Option<u64>,
    /// When the archive had it; `None` if the archive is of one day.
    pub came: Option<Timestamp>,
    pub required_by: Vec<String>,
    /// What it asks of the system, in its author's words.
    pub system: Option<String>,
    /// Bounds of files and of other packages that it does not keep, a sentence each.
    pub unkept: Vec<String>,
}

/// A package that is not had.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RefusedRPackage {
    pub name: String,
    pub refusal: RRefusal,
    pub required_by: Vec<String>,
}

/// The versions of an instant, in an order in which they can be installed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ResolvedR {
    pub packages: Vec<ResolvedRPackage>,
    pub refused: Vec<RefusedRPackage>,
}

/// An answer of R that gives no versions.
#[derive(Debug, thiserror::Error)]
pub enum RAnswerFault {
    #[error("{0}")]
    Failed(String),
    #[error("R broke off before its last answer")]
    BrokenOff,
    #[error("R answers with a line that cannot be read: `{0}`")]
    Unread(String),
}

impl ResolvedR {
    /// Reads what the script prints of some packages.
    ///
    /// # Errors
    /// Its own fault, or an answer that is not whole.
    pub fn parse(printed: &str, roots: &[RRoot]) -> Result<Self, RAnswerFault> {
        let mut resolved = Self::default();
        for line in printed.lines() {
            let facts: Vec<&str> = line.split('\t').collect();
            let is_read = match facts.as_slice() {
                ["done"] => return Ok(resolved),
                ["failed", why] => return Err(RAnswerFault::Failed((*why).to_owned())),
                ["had", rest @ ..] => had(rest).map(|package| resolved.packages.push(package)),
                ["unkept", name, by, bound] => resolved.unkept(name, by, bound),
                ["refused", name, kind, detail, by] => {
                    let by = words(by);
                    refusal(name, kind, detail, roots, by.is_empty()).map(|refusal| {
                        resolved.refused.push(RefusedRPackage {
                            name: (*name).to_owned(),
                            refusal,
                            required_by: by,
                        });
                    })
                }
                _ => None,
            };
            is_read.ok_or_else(|| RAnswerFault::Unread(line.escape_debug().take(80).collect()))?;
        }
        Err(RAnswerFault::BrokenOff)
    }

    fn unkept(&mut self, name: &str, by: &str, bound: &str) -> Option<()> {
        let package = self.packages.last_mut().filter(|package| package.name == name)?;
        let taken = &package.version;
        package.unkept.push(match by {
            "" => format!(
                "The folder's files ask for {name} {bound}, and {taken} is taken: it is what the day or another file gives."
            ),
            by => format!("{by} asks for {name} {bound}, and {taken} is taken."),
        });
        Some(())
    }
}

fn had(facts: &[&str]) -> Option<ResolvedRPackage> {
    let [name, version, path, size, came, by, system] = facts else {
        return None;
    };
    let file = format!("{name}_{version}.tar.gz");
    let is_file = *path == file || *path == format!("Archive/{name}/{file}");
    let second = came.parse().ok().map(Timestamp::from_second);
    (is_file && is_r_version(version)).then(|| ResolvedRPackage {
        name: (*name).to_owned(),
        version: (*version).to_owned(),
        path: (*path).to_owned(),
        size: size.parse().ok(),
        came: second.and_then(Result::ok),
        required_by: words(by),
        system: Some(excerpt::start(system, MOST_SHOWN).to_owned()).filter(|system| !system.is_empty()),
        unkept: Vec::new(),
    })
}

fn refusal(name: &str, kind: &str, detail: &str, roots: &[RRoot], is_root: bool) -> Option<RRefusal> {
    Some(match kind {
        "none" => RRefusal::NoSuchPackage {
            near: match is_root {
                true => near(name, detail),
                false => Vec::new(),
            },
        },
        "later" => RRefusal::NothingExisted {
            first: detail.to_owned(),
        },
        "version" => RRefusal::NoSuchVersion {
            version: roots.iter().find(|root| root.name == name)?.version.clone()?,
            others: detail.to_owned(),
        },
        _ => return None,
    })
}

/// The archive's names that an unknown one may be a slip of; those of the tables first.
fn near(name: &str, candidates: &str) -> Vec<String> {
    let mut candidates = words(candidates);
    candidates.sort();
    let mut near = nearest(name, candidates.iter().map(String::as_str));
    near.sort_by_key(|other| origin(other) == ROrigin::NotListed);
    near.into_iter().take(MOST_NEAR).map(str::to_owned).collect()
}

fn words(text: &str) -> Vec<String> {
    text.split_whitespace().map(str::to_owned).collect()
}

/// Names as the end of a sentence.
pub fn near_words(near: &[String]) -> String {
    match near {
        [] => String::new(),
        near => format!("; near it is {}", one_of(near)),
    }
}

/// Names, of which one is meant.
pub fn one_of(names: &[String]) -> String {
    let names: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    names.join(" or ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn root(name: &str, version: Option<&str>) -> RRoot {
        RRoot {
            name: name.to_owned(),
            version: version.map(str::to_owned),
            bounds: vec![">=1.0".to_owned(), "<2".to_owned()],
            is_wanted: true,
        }
    }

    #[test]
    fn arguments_hold_what_is_known_of_each_package() {
        let until = Timestamp::from_second(1_577_836_799).unwrap();
        let roots = [root("alpha", Some("1.0")), root("a|b", None)];
        assert_eq!(
            arguments(Some(until), &roots),
            ["1577836799", "alpha|1.0|>=1.0,<2|1", "ab||>=1.0,<2|1"]
        );
        assert_eq!(arguments(None, &[]), ["day"]);
    }

    #[test]
    fn an_answer_is_read_whole_or_not_at_all() {
        let printed = "had\talpha\t1.0\tArchive/alpha/alpha_1.0.tar.gz\t383\t1519905600\tbeta\tGDAL\n\
                       unkept\talpha\tbeta\t>= 1.1\nunkept\talpha\t\t>=1.1\nhad\tbeta\t0.9-1\tbeta_0.9-1.tar.gz\t\t\t\t\n\
                       refused\tplyrd\tnone\tdplyr plyr\t\nrefused\tgone\tnone\tgane\tbeta\nrefused\tlate\tlater\t2020-01-02\t\n\
                       refused\tother\tversion\t2.0, 1.0\t\ndone\n";
        let roots = [root("other", Some("9.9"))];
        let read = ResolvedR::parse(printed, &roots).unwrap();
        let alpha = &read.packages[0];
        assert_eq!(alpha.came.unwrap().to_string(), "2018-03-01T12:00:00Z");
        assert_eq!(alpha.unkept[0], "beta asks for alpha >= 1.1, and 1.0 is taken.");
        assert!(alpha.unkept[1].starts_with("The folder's files ask for alpha >=1.1, and 1.0"));
        assert_eq!((&read.packages[1].came, &read.packages[1].system), (&None, &None));
        let refused: Vec<String> = read.refused.iter().map(|one| one.refusal.to_string()).collect();
        assert_eq!(
            refused,
            [
                "the archive has no package of this name; near it is `dplyr` or `plyr`",
                "the archive has no package of this name",
                "nothing of it was there on the day: its first version came on 2020-01-02",
                "the archive has no version 9.9 of it; it has 2.0, 1.0",
            ]
        );
        for (odd, why) in [
            ("had\talpha\t1.0\talpha_1.0.tar.gz\t\t\t\t\n", "broke off"),
            ("failed\tno list\n", "no list"),
            (
                "had\talpha\t1.0\t../alpha_1.0.tar.gz\t\t\t\t\ndone\n",
                "cannot be read",
            ),
            ("had\talpha\tx\talpha_x.tar.gz\t\t\t\t\ndone\n", "cannot be read"),
            ("unkept\talpha\t\t>=1\ndone\n", "cannot be read"),
            ("refused\tnever\tversion\t1.0\t\ndone\n", "cannot be read"),
            ("Warning\ndone\n", "cannot be read"),
        ] {
            let fault = ResolvedR::parse(odd, &[]).unwrap_err().to_string();
            assert!(fault.contains(why), "{odd}: {fault}");
        }
    }
}
