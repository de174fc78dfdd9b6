//! The newest version of a package that was there at an instant and fits.

use std::collections::BTreeMap;
use std::str::FromStr as _;

use jiff::Timestamp;
use pep508_rs::pep440_rs::{Version, VersionSpecifiers};

use super::file_name::{FileKind, parse};
use super::page::{IndexFile, IndexPage};
use super::platform::TargetPlatform;
use super::repairs;
use crate::domain::format;

/// The file that is taken.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PickedFile {
    pub version: Version,
    pub file: IndexFile,
    /// Whether it has to be built, in the sandbox.
    pub is_source: bool,
}

/// The reason for which no version is taken.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PickRefusal {
    #[error("the index has no package of this name")]
    NoSuchPackage,
    #[error("the index gives no dates for its files, so that nothing can be told by date")]
    NoDates,
    #[error("nothing of it was there on the day: its first file came on {first}")]
    NothingExisted { first: String },
    #[error("every version of the day that fits was withdrawn: {versions}")]
    Withdrawn { versions: String },
    #[error("{versions} of the day do not fit Python {python}{later}")]
    OtherPython {
        versions: String,
        python: String,
        /// The first that does, in a clause; empty where none came.
        later: String,
    },
    #[error("no version of the day fits {bounds}; it had {versions}")]
    Bounds { bounds: String, versions: String },
    #[error(
        "the index has {file} with the SHA-256 {digest}, which is none of those that the requirement lists"
    )]
    OtherDigest { file: String, digest: String },
    #[error("the index has no version of it that can be read")]
    NoVersions,
}

/// The conditions of a pick.
#[derive(Debug, Clone, Copy)]
pub struct PickConditions<'a> {
    pub target: &'a TargetPlatform,
    pub until: Timestamp,
    /// All have to hold.
    pub bounds: &'a [String],
    /// The digests of which its file must have one; none where any will do.
    pub sha256: &'a [String],
    /// Versions that were tried and do not go with others.
    pub excluded: &'a [Version],
}

/// A version with the files of it that were there.
#[derive(Default)]
struct VersionFiles<'a> {
    /// The best wheel and its rank.
    wheel: Option<(u32, &'a IndexFile)>,
    source: Option<&'a IndexFile>,
    /// Whether there was a file for another interpreter.
    has_other: bool,
    is_yanked: bool,
}

/// Picks a version.
///
/// # Errors
/// No version that was there and fits, with the reason.
pub fn pick(name: &str, page: &IndexPage, conditions: PickConditions<'_>) -> Result<PickedFile, PickRefusal> {
    let picked = pick_listed(name, page, conditions);
    if picked.is_ok() || conditions.sha256.is_empty() {
        return picked;
    }
    let any = PickConditions {
        sha256: &[],
        ..conditions
    };
    // What would be taken without the list says that it is the digests.
    match pick_listed(name, page, any) {
        Ok(other) => Err(PickRefusal::OtherDigest {
            digest: other
                .file
                .sha256
                .unwrap_or_else(|| "that it does not give".to_owned()),
            file: other.file.name,
        }),
        Err(refusal) => Err(refusal),
    }
}

fn pick_listed(
    name: &str,
    page: &IndexPage,
    conditions: PickConditions<'_>,
) -> Result<PickedFile, PickRefusal> {
    if page.files.is_empty() {
        return Err(PickRefusal::NoVersions);
    }
    if page.files.iter().all(|file| file.uploaded.is_none()) {
        return Err(PickRefusal::NoDates);
    }
    let versions = versions(name, page, conditions);
    if versions.is_empty() {
        let first = page.files.iter().filter_map(|file| file.uploaded).min();
        return Err(match first.filter(|first| *first > conditions.until) {
            Some(first) => PickRefusal::NothingExisted {
                first: format::day(first),
            },
            None => PickRefusal::NoVersions,
        });
    }
    let bounds: Vec<VersionSpecifiers> = (conditions.bounds.iter())
        .filter_map(|text| VersionSpecifiers::from_str(&repairs::specifiers(text)).ok())
        .collect();
    let is_exact = conditions
        .bounds
        .iter()
        .any(|text| text.trim_start().starts_with("=="));
    let admits = |version: &Version| {
        bounds.iter().all(|bound| bound.contains(version)) && !conditions.excluded.contains(version)
    };
    let admitted: Vec<(&Version, &VersionFiles<'_>)> = versions
        .iter()
        .rev()
        .filter(|(version, _)| admits(version))
        .collect();
    // What was withdrawn is taken where a lock has that very version, as installers do.
    let fitting = admitted.iter().filter(|(_, files)| is_exact || !files.is_yanked);
    let has_stable = admitted
        .iter()
        .any(|(version, files)| version.is_stable() && files.fits());
    let fitting: Vec<_> = fitting
        .filter(|(version, _)| version.is_stable() || !has_stable)
        .collect();
    let wheel = fitting.iter().find(|(_, files)| files.wheel.is_some());
    let source = fitting.iter().find(|(_, files)| files.source.is_some());
    match wheel.or(source) {
        Some((version, files)) => {
            let (file, is_source) = match (files.wheel, files.source) {
                (Some((_, file)), _) => (file, false),
                (None, Some(file)) => (file, true),
                (None, None) => return Err(PickRefusal::NoVersions),
            };
            Ok(PickedFile {
                version: (*version).clone(),
                file: file.clone(),
                is_source,
            })
        }
        None => Err(match refusal(&versions, &admitted, conditions) {
            PickRefusal::OtherPython { versions, python, .. } => PickRefusal::OtherPython {
                versions,
                python,
                later: first_later(name, page, conditions).unwrap_or_default(),
            },
            other => other,
        }),
    }
}

/// The first wheel behind the day that fits, in a clause.
fn first_later(name: &str, page: &IndexPage, conditions: PickConditions<'_>) -> Option<String> {
    let bounds: Vec<VersionSpecifiers> = (conditions.bounds.iter())
        .filter_map(|text| VersionSpecifiers::from_str(&repairs::specifiers(text)).ok())
        .collect();
    let fitting = page
        .files
        .iter()
        .filter(|file| file.yanked.is_none())
        .filter_map(|file| {
            let uploaded = file.uploaded.filter(|uploaded| *uploaded > conditions.until)?;
            let read = parse(&file.name, name)?;
            let FileKind::Wheel(tags) = &read.kind else {
                return None;
            };
            let required = file.requires_python.as_deref();
            let fits = conditions.target.rank(tags).is_some()
                && required.is_none_or(|bounds| admits_python(bounds, conditions.target))
                && read.version.is_stable()
                && bounds.iter().all(|bound| bound.contains(&read.version));
            fits.then_some((uploaded, read.version))
        });
    let (uploaded, version) = fitting.min()?;
    let day = format::day(uploaded);
    Some(format!("; the first wheel that does came on {day}, of {version}"))
}

impl VersionFiles<'_> {
    fn fits(&self) -> bool {
        (self.wheel.is_some() || self.source.is_some()) && !self.is_yanked
    }
}

fn versions<'a>(
    name: &str,
    page: &'a IndexPage,
    conditions: PickConditions<'_>,
) -> BTreeMap<Version, VersionFiles<'a>> {
    let mut versions: BTreeMap<Version, VersionFiles<'a>> = BTreeMap::new();
    let pinned = pinned(conditions.bounds);
    let is_listed = |file: &IndexFile| {
        let digest = file.sha256.as_deref();
        let is_it = |digest: &str| {
            conditions
                .sha256
                .iter()
                .any(|listed| listed.eq_ignore_ascii_case(digest))
        };
        conditions.sha256.is_empty() || digest.is_some_and(is_it)
    };
    for file in page.files.iter().filter(|file| is_listed(file)) {
        let was_there = file.uploaded.is_some_and(|uploaded| uploaded <= conditions.until);
        // A lock weighs more than a date.
        let is_wanted = |version: &Version| was_there || pinned.as_ref() == Some(version);
        let Some(read) = parse(&file.name, name).filter(|read| is_wanted(&read.version)) else {
            continue;
        };
        let known = versions.entry(read.version).or_default();
        known.is_yanked |= file.yanked.is_some();
        let fits_python = file
            .requires_python
            .as_deref()
            .is_none_or(|bounds| admits_python(bounds, conditions.target));
        match read.kind {
            FileKind::Wheel(tags) => match conditions.target.rank(&tags).filter(|_| fits_python) {
                Some(rank) if known.wheel.is_none_or(|(best, _)| rank < best) => {
                    known.wheel = Some((rank, file))
                }
                Some(_) => {}
                None => known.has_other = true,
            },
            FileKind::Source if fits_python => known.source = Some(file),
            FileKind::Source => known.has_other = true,
        }
    }
    versions
}

/// The version that a bound such as `==1.2` names.
fn pinned(bounds: &[String]) -> Option<Version> {
    let exact = bounds.iter().find_map(|text| text.trim().strip_prefix("=="))?;
    Version::from_str(exact.trim_start_matches('=').trim()).ok()
}

/// Whether bounds on Python admit the target; bounds that cannot be read admit everything.
fn admits_python(bounds: &str, target: &TargetPlatform) -> bool {
    let Ok(specifiers) = VersionSpecifiers::from_str(&repairs::specifiers(bounds)) else {
        return true;
    };
    // Where the patch release is not told, any will do: `>=3.7.1` is met by some 3.7.
    target.patches().any(|patch| {
        let version = Version::new([target.major, target.minor, patch].map(u64::from));
        specifiers.contains(&version)
    })
}

fn refusal(
    versions: &BTreeMap<Version, VersionFiles<'_>>,
    admitted: &[(&Version, &VersionFiles<'_>)],
    conditions: PickConditions<'_>,
) -> PickRefusal {
    let shown = |versions: &mut dyn Iterator<Item = &Version>| {
        let all: Vec<String> = versions.map(ToString::to_string).collect();
        let more = all.len().saturating_sub(5);
        let first = all.iter().take(5).cloned().collect::<Vec<_>>().join(", ");
        match more {
            0 => first,
            more => format!("{first} and {more} more"),
        }
    };
    let mut withdrawn = admitted
        .iter()
        .filter(|(_, files)| files.is_yanked && (files.wheel.is_some() || files.source.is_some()));
    if admitted.is_empty() {
        return PickRefusal::Bounds {
            bounds: conditions.bounds.join(" and "),
            versions: shown(&mut versions.keys().rev()),
        };
    }
    let first_withdrawn = withdrawn.next();
    if let Some((version, _)) = first_withdrawn {
        let rest = withdrawn.map(|(version, _)| *version);
        return PickRefusal::Withdrawn {
            versions: shown(&mut std::iter::once(*version).chain(rest)),
        };
    }
    PickRefusal::OtherPython {
        versions: shown(&mut admitted.iter().map(|(version, _)| *version)),
        python: conditions.target.python(),
        later: String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(name: &str, day: Option<&str>) -> IndexFile {
        IndexFile {
            name: name.to_owned(),
            url: format!("https://files.example.org/{name}"),
            sha256: None,
            requires_python: None,
            uploaded: day.map(|day| format!("{day}T00:00:00Z").parse().unwrap()),
            yanked: None,
            size: None,
            has_metadata: false,
        }
    }

    fn picked(files: Vec<IndexFile>, day: &str, bounds: &[&str]) -> Result<String, PickRefusal> {
        let target = TargetPlatform::new("3.7", "x86_64").unwrap();
        let bounds: Vec<String> = bounds.iter().map(|text| (*text).to_owned()).collect();
        let conditions = PickConditions {
            target: &target,
            until: format!("{day}T23:59:59Z").parse().unwrap(),
            bounds: &bounds,
            sha256: &[],
            excluded: &[],
        };
        let page = IndexPage { files };
        pick("x", &page, conditions).map(|picked| {
            format!(
                "{}{}",
                picked.version,
                if picked.is_source { " source" } else { "" }
            )
        })
    }

    fn some() -> Vec<IndexFile> {
        vec![
            file("x-1.0-py3-none-any.whl", Some("2018-01-01")),
            file("x-1.1-py3-none-any.whl", Some("2019-01-01")),
            file("x-1.2-cp38-cp38-manylinux2014_x86_64.whl", Some("2019-02-01")),
            file("x-2.0rc1-py3-none-any.whl", Some("2019-03-01")),
            file("x-2.0-py3-none-any.whl", Some("2020-01-01")),
        ]
    }

    #[test]
    fn the_newest_of_the_day_that_fits() {
        assert_eq!(picked(some(), "2018-06-01", &[]), Ok("1.0".into()));
        assert_eq!(picked(some(), "2019-06-01", &[]), Ok("1.1".into()));
        assert_eq!(picked(some(), "2020-06-01", &[]), Ok("2.0".into()));
        assert_eq!(picked(some(), "2020-06-01", &["<2", "!=1.1"]), Ok("1.0".into()));
        assert_eq!(picked(some(), "2019-06-01", &["==2.0rc1"]), Ok("2.0rc1".into()));
        // A file that was added later to an old version was not there.
        let mut late = some();
        late.push(file("x-1.2-py3-none-any.whl", Some("2021-01-01")));
        assert_eq!(picked(late, "2019-06-01", &[]), Ok("1.1".into()));
        // A lock weighs more than the day.
        assert_eq!(picked(some(), "2018-06-01", &["==2.0"]), Ok("2.0".into()));
        assert_eq!(
            picked(vec![file("x-1.tar.gz", Some("2018-01-01"))], "2019-01-01", &[]),
            Ok("1 source".into())
        );
    }

    #[test]
    fn each_lack_has_its_own_words() {
        let refused = |files, day, bounds: &[&str]| picked(files, day, bounds).unwrap_err();
        assert_eq!(
            refused(vec![file("x-1-py3-none-any.whl", None)], "2019-01-01", &[]),
            PickRefusal::NoDates
        );
        let early = refused(some(), "2017-01-01", &[]);
        assert_eq!(
            early,
            PickRefusal::NothingExisted {
                first: "2018-01-01".into()
            }
        );
        assert!(matches!(
            refused(some(), "2019-06-01", &["==1.2"]),
            PickRefusal::OtherPython { .. }
        ));
        let bounds = refused(some(), "2019-06-01", &[">=7"]);
        assert_eq!(
            bounds.to_string(),
            "no version of the day fits >=7; it had 2.0rc1, 1.2, 1.1, 1.0"
        );
        let mut yanked = some();
        yanked[0].yanked = Some("broken".into());
        assert_eq!(
            refused(yanked.clone(), "2018-06-01", &[]),
            PickRefusal::Withdrawn {
                versions: "1.0".into()
            }
        );
        assert_eq!(picked(yanked, "2018-06-01", &["==1.0"]), Ok("1.0".into()));
        let mut newer = vec![file("x-1-py3-none-any.whl", Some("2018-01-01"))];
        newer[0].requires_python = Some(">=3.8.*".into());
        assert!(matches!(
            refused(newer.clone(), "2019-01-01", &[]),
            PickRefusal::OtherPython { .. }
        ));
        newer.push(file("x-3-py3-none-any.whl", Some("2021-05-05")));
        assert_eq!(
            refused(newer.clone(), "2019-01-01", &[]).to_string(),
            "1 of the day do not fit Python 3.7; the first wheel that does came on 2021-05-05, of 3"
        );
        newer.pop();
        newer[0].requires_python = Some(">=3.7.1".into());
        assert_eq!(picked(newer, "2019-01-01", &[]), Ok("1".into()));
        assert_eq!(refused(vec![], "2019-01-01", &[]), PickRefusal::NoVersions);
    }

    #[test]
    fn the_patch_release_counts_where_it_is_told() {
        let mut file = file("x-1-py3-none-any.whl", Some("2018-01-01"));
        file.requires_python = Some(">=3.7.1".to_owned());
        let page = IndexPage { files: vec![file] };
        for (python, is_had) in [("3.7", true), ("3.7.0", false), ("3.7.1", true), ("3.7.16", true)] {
            let target = TargetPlatform::new(python, "x86_64").unwrap();
            let conditions = PickConditions {
                target: &target,
                until: "2019-01-01T00:00:00Z".parse().unwrap(),
                bounds: &[],
                sha256: &[],
                excluded: &[],
            };
            assert_eq!(pick("x", &page, conditions).is_ok(), is_had, "{python}");
        }
    }

    #[test]
    fn only_a_file_with_a_listed_digest_is_taken() {
        let mut files = vec![
            file("x-1.0-py3-none-any.whl", Some("2018-01-01")),
            file("x-1.0.tar.gz", Some("2018-01-01")),
            file("x-1.1-py3-none-any.whl", Some("2018-02-01")),
        ];
        for (file, letter) in files.iter_mut().zip(["a", "b", "c"]) {
            file.sha256 = Some(letter.repeat(64));
        }
        let target = TargetPlatform::new("3.7", "x86_64").unwrap();
        let bounds = ["==1.0".to_owned()];
        let picked = |files: &[IndexFile], sha256: &[String]| {
            let conditions = PickConditions {
                target: &target,
                until: "2019-01-01T00:00:00Z".parse().unwrap(),
                bounds: &bounds,
                sha256,
                excluded: &[],
            };
            let page = IndexPage {
                files: files.to_vec(),
            };
            pick("x", &page, conditions).map(|picked| picked.file.name)
        };
        let listed = |letter: &str| vec![letter.repeat(64)];
        assert_eq!(picked(&files, &listed("A")).unwrap(), "x-1.0-py3-none-any.whl");
        assert_eq!(picked(&files, &listed("b")).unwrap(), "x-1.0.tar.gz");
        let other = picked(&files, &listed("c")).unwrap_err();
        assert!(
            other
                .to_string()
                .contains("x-1.0-py3-none-any.whl with the SHA-256 aaaa"),
            "{other}"
        );
        files.iter_mut().for_each(|file| file.sha256 = None);
        assert!(matches!(
            picked(&files, &listed("a")),
            Err(PickRefusal::OtherDigest { .. })
        ));
        assert!(matches!(
            picked(&files[2..], &listed("a")),
            Err(PickRefusal::Bounds { .. })
        ));
    }
}
