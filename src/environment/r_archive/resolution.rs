//! The versions of R packages at an instant: each step says whose `DESCRIPTION` is wanted next.

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;

use super::description::Description;
use super::tables::{ArchiveTables, ArchivedVersion};
use crate::environment::names::nearest;
use crate::environment::tables::r_packages::{ROrigin, origin};

/// Names that are told of one that the archive lacks.
const MOST_NEAR: usize = 3;

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

impl RRoot {
    /// The bounds of files that a version does not keep.
    fn unkept<'b>(&'b self, version: &'b ArchivedVersion) -> impl Iterator<Item = &'b str> {
        let bounds = self.bounds.iter().flat_map(|bounds| bounds.split(','));
        bounds.map(str::trim).filter(|bound| !version.version.fits(bound))
    }
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
    pub version: ArchivedVersion,
    pub required_by: Vec<String>,
    /// Bounds of other packages that it does not keep, a sentence each.
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
    /// The strictest bounds on R itself, by package.
    pub r_bounds: BTreeMap<String, String>,
    /// What packages ask of the system, by package.
    pub system: BTreeMap<String, String>,
}

/// A resolution that goes on.
#[derive(Debug)]
pub struct RResolution<'a> {
    tables: &'a ArchiveTables,
    until: Timestamp,
    roots: Vec<RRoot>,
    /// By path.
    descriptions: BTreeMap<String, Description>,
}

impl<'a> RResolution<'a> {
    /// A resolution that begins.
    pub fn new(tables: &'a ArchiveTables, until: Timestamp, roots: Vec<RRoot>) -> Self {
        Self {
            tables,
            until,
            roots,
            descriptions: BTreeMap::new(),
        }
    }

    /// Takes the `DESCRIPTION` of a file in.
    pub fn give(&mut self, path: &str, description: Description) {
        self.descriptions.insert(path.to_owned(), description);
    }

    fn pick(&self, name: &str) -> Result<&'a ArchivedVersion, RRefusal> {
        let versions = self.tables.versions(name);
        let unknown = || RRefusal::NoSuchPackage { near: Vec::new() };
        let first = versions.first().ok_or_else(unknown)?;
        let root = self.roots.iter().find(|root| root.name == name);
        if let Some(wanted) = root.and_then(|root| root.version.as_deref()) {
            let found = versions
                .iter()
                .rev()
                .find(|known| known.version.as_str() == wanted);
            return found.ok_or_else(|| RRefusal::NoSuchVersion {
                version: wanted.to_owned(),
                others: some(versions),
            });
        }
        let there = || {
            let all = versions.iter().rev();
            all.filter(|known| known.came.is_none_or(|came| came <= self.until))
        };
        let fitting = there().find(|known| root.is_none_or(|root| root.unkept(known).next().is_none()));
        fitting
            .or_else(|| there().next())
            .ok_or_else(|| RRefusal::NothingExisted {
                first: first
                    .came
                    .map_or(String::new(), |came| came.to_string().chars().take(10).collect()),
            })
    }

    /// Every package that is reached, with those that need it.
    fn reached(&self) -> BTreeMap<String, BTreeSet<String>> {
        let mut reached: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        let mut queue: Vec<String> = Vec::new();
        for root in self.roots.iter().filter(|root| root.is_wanted) {
            reached.entry(root.name.clone()).or_default();
            queue.push(root.name.clone());
        }
        while let Some(name) = queue.pop() {
            let picked = self.pick(&name).ok();
            let description = picked.and_then(|picked| self.descriptions.get(&picked.path));
            for need in description.map_or(&[][..], |description| &description.needs) {
                if origin(&need.name) == ROrigin::Base {
                    continue;
                }
                let is_new = !reached.contains_key(&need.name);
                reached.entry(need.name.clone()).or_default().insert(name.clone());
                if is_new {
                    queue.push(need.name.clone());
                }
            }
        }
        reached
    }

    /// The next file whose `DESCRIPTION` is wanted; `None` at the end.
    pub fn step(&self) -> Option<&'a ArchivedVersion> {
        let reached = self.reached();
        let picks = reached.keys().filter_map(|name| self.pick(name).ok());
        let mut wanted = picks.filter(|picked| !self.descriptions.contains_key(&picked.path));
        wanted.next()
    }

    /// The versions, those first that others need.
    pub fn finish(&self) -> ResolvedR {
        let reached = self.reached();
        let mut resolved = ResolvedR::default();
        let mut order = Vec::new();
        let mut done = BTreeSet::new();
        for name in reached.keys() {
            self.visit(name, &mut done, &mut order);
        }
        for name in order {
            let required_by: Vec<String> = reached.get(&name).into_iter().flatten().cloned().collect();
            match self.pick(&name) {
                Ok(version) => {
                    if let Some(description) = self.descriptions.get(&version.path) {
                        resolved
                            .r_bounds
                            .extend(description.r.clone().map(|bound| (name.clone(), bound)));
                        resolved
                            .system
                            .extend(description.system.clone().map(|system| (name.clone(), system)));
                    }
                    resolved.packages.push(ResolvedRPackage {
                        unkept: self.unkept(&name, version, &required_by),
                        name,
                        version: version.clone(),
                        required_by,
                    });
                }
                Err(refusal) => resolved.refused.push(RefusedRPackage {
                    refusal: match refusal {
                        RRefusal::NoSuchPackage { .. } if required_by.is_empty() => RRefusal::NoSuchPackage {
                            near: self.near(&name),
                        },
                        other => other,
                    },
                    name,
                    required_by,
                }),
            }
        }
        resolved
    }

    /// The archive's names that an unknown one may be a slip of; those of the tables first.
    fn near(&self, name: &str) -> Vec<String> {
        let mut near = nearest(name, self.tables.names());
        near.sort_by_key(|other| origin(other) == ROrigin::NotListed);
        near.into_iter().take(MOST_NEAR).map(str::to_owned).collect()
    }

    fn needs(&self, name: &str) -> &[super::description::NeededRPackage] {
        let description = self
            .pick(name)
            .ok()
            .and_then(|picked| self.descriptions.get(&picked.path));
        description.map_or(&[], |description| &description.needs)
    }

    /// Depth first, without recursion, since hostile descriptions may lead far.
    fn visit(&self, name: &str, done: &mut BTreeSet<String>, order: &mut Vec<String>) {
        let mut stack = vec![(name.to_owned(), false)];
        while let Some((name, is_left)) = stack.pop() {
            if is_left {
                order.push(name);
                continue;
            }
            if !done.insert(name.clone()) {
                continue;
            }
            stack.push((name.clone(), true));
            let needs = self.needs(&name).iter().rev();
            stack.extend(
                needs
                    .filter(|need| origin(&need.name) != ROrigin::Base)
                    .map(|need| (need.name.clone(), false)),
            );
        }
    }

    fn unkept(&self, name: &str, version: &ArchivedVersion, required_by: &[String]) -> Vec<String> {
        let taken = version.version.as_str();
        let of_files = self.roots.iter().filter(|root| root.name == name);
        let of_files = of_files.flat_map(|root| root.unkept(version));
        let of_files = of_files.map(|bound| {
            format!("The folder's files ask for {name} {bound}, and {taken} is taken: it is what the day or another file gives.")
        });
        let of_packages = required_by.iter().flat_map(|other| {
            let needs = self.needs(other).iter().filter(|need| need.name == name);
            let bounds = needs.filter_map(|need| need.bound.as_deref());
            let unkept = bounds.filter(|bound| !version.version.fits(bound));
            unkept.map(move |bound| format!("{other} asks for {name} {bound}, and {taken} is taken."))
        });
        of_files.chain(of_packages).collect()
    }
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

fn some(versions: &[ArchivedVersion]) -> String {
    let newest: Vec<&str> = versions
        .iter()
        .rev()
        .take(5)
        .map(|known| known.version.as_str())
        .collect();
    newest.join(", ")
}
