//! The versions that go together: each step says which page or metadata is wanted next.
//!
//! Of every package the newest version of the day is taken that fits all bounds on it. Where bounds of
//! two packages exclude one another, an older version of one of them is tried.

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;
use pep508_rs::pep440_rs::Version;

use super::page::IndexPage;
use super::pick::{PickConditions, PickRefusal, PickedFile, pick};
use super::platform::TargetPlatform;
use super::requirement::{MetadataRequirements, RequiredHere};
use crate::environment::release_wheels::LackedWheel;

/// Rounds until versions stand still, and versions that are set aside.
const MOST_ROUNDS: usize = 60;
const MOST_EXCLUDED: usize = 40;
/// Packages of one environment.
pub const MOST_PACKAGES: usize = 500;

/// A package of which more than its name is known beforehand.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RootPackage {
    /// In the usual spelling.
    pub name: String,
    pub bounds: Vec<String>,
    /// The digests of which its file must have one; none where any will do.
    pub sha256: Vec<String>,
    /// False of one that is only bounded, where another package needs it.
    pub is_wanted: bool,
}

/// The next wish of a resolution.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ResolutionStep {
    /// The page of a package.
    Page(String),
    /// The metadata of a file that is taken.
    Metadata(Box<PickedFile>),
}

/// A package that is taken.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ResolvedPackage {
    pub name: String,
    pub picked: PickedFile,
    /// The packages that require it.
    pub required_by: Vec<String>,
    /// Requirements of it that cannot be followed.
    pub not_read: Vec<String>,
    /// Requirements of it that hold or do not by the patch release of Python, which nothing tells.
    pub by_patch: Vec<String>,
}

/// A package that is wanted and not had.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RefusedPackage {
    pub name: String,
    pub refusal: PickRefusal,
    pub required_by: Vec<String>,
}

/// The end of a resolution.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ResolvedEnvironment {
    pub packages: Vec<ResolvedPackage>,
    pub refused: Vec<RefusedPackage>,
    /// Whether the versions stood still at the end; where they did not, the last ones are here.
    pub settled: bool,
}

/// Bounds of one package, with those that set them.
#[derive(Debug, Default, Clone)]
struct PackageBounds {
    bounds: Vec<String>,
    extras: BTreeSet<String>,
    required_by: BTreeSet<String>,
    /// Those that bound it, apart from the roots.
    bounded_by: BTreeSet<String>,
}

/// A resolution that goes on.
#[derive(Debug)]
pub struct Resolution {
    target: TargetPlatform,
    until: Timestamp,
    roots: Vec<RootPackage>,
    /// `None` of a package that the index does not have.
    pages: BTreeMap<String, Option<IndexPage>>,
    metadata: BTreeMap<String, MetadataRequirements>,
    excluded: BTreeMap<String, Vec<Version>>,
    picks: BTreeMap<String, Result<PickedFile, PickRefusal>>,
    rounds: usize,
    is_settled: bool,
}

impl Resolution {
    /// A resolution that begins.
    pub fn new(target: TargetPlatform, until: Timestamp, roots: Vec<RootPackage>) -> Self {
        Self {
            target,
            until,
            roots,
            pages: BTreeMap::new(),
            metadata: BTreeMap::new(),
            excluded: BTreeMap::new(),
            picks: BTreeMap::new(),
            rounds: 0,
            is_settled: false,
        }
    }

    /// The same for another interpreter, with what is known of the index.
    pub fn with_target(self, target: TargetPlatform) -> Self {
        Self {
            pages: self.pages,
            metadata: self.metadata,
            ..Self::new(target, self.until, self.roots)
        }
    }

    /// The interpreter that files have to fit.
    pub fn target(&self) -> &TargetPlatform {
        &self.target
    }

    /// Takes a page in.
    pub fn give_page(&mut self, name: &str, page: Option<IndexPage>) {
        self.pages.insert(name.to_owned(), page);
    }

    /// Takes the metadata of a file in.
    pub fn give_metadata(&mut self, file: &str, metadata: MetadataRequirements) {
        self.metadata.insert(file.to_owned(), metadata);
    }

    /// Says what is wanted next; nothing at the end.
    pub fn step(&mut self) -> Vec<ResolutionStep> {
        loop {
            let bounds = self.bounds();
            let wanted = bounds.keys().take(MOST_PACKAGES);
            let lacking = wanted.clone().filter(|name| !self.pages.contains_key(*name));
            let lacking: Vec<_> = lacking.map(|name| ResolutionStep::Page(name.clone())).collect();
            if !lacking.is_empty() {
                return lacking;
            }
            let picks: BTreeMap<String, Result<PickedFile, PickRefusal>> = wanted
                .map(|name| (name.clone(), self.pick(name, &bounds[name])))
                .collect();
            let is_settled = picks == self.picks;
            self.picks = picks;
            let wanted = self.wanted_metadata();
            if !wanted.is_empty() {
                return wanted;
            }
            self.rounds += 1;
            self.is_settled = is_settled;
            if self.rounds > MOST_ROUNDS || (is_settled && !self.set_aside(&bounds)) {
                return Vec::new();
            }
        }
    }

    fn wanted_metadata(&self) -> Vec<ResolutionStep> {
        let taken = self.picks.values().filter_map(|picked| picked.as_ref().ok());
        // What a source requires is known once it is built.
        let wanted =
            taken.filter(|picked| !picked.is_source && !self.metadata.contains_key(&picked.file.name));
        wanted
            .map(|picked| ResolutionStep::Metadata(Box::new(picked.clone())))
            .collect()
    }

    fn pick(&self, name: &str, bounds: &PackageBounds) -> Result<PickedFile, PickRefusal> {
        let excluded = self.excluded.get(name).map_or(&[][..], Vec::as_slice);
        self.pick_for(&self.target, name, bounds, excluded)
    }

    fn pick_for(
        &self,
        target: &TargetPlatform,
        name: &str,
        bounds: &PackageBounds,
        excluded: &[Version],
    ) -> Result<PickedFile, PickRefusal> {
        let page = self.pages.get(name).and_then(Option::as_ref);
        let page = page.ok_or(PickRefusal::NoSuchPackage)?;
        let conditions = PickConditions {
            target,
            until: self.until,
            bounds: &bounds.bounds,
            sha256: self.listed(name),
            excluded,
        };
        pick(name, page, conditions)
    }

    fn listed(&self, name: &str) -> &[String] {
        let root = self.roots.iter().find(|root| root.name == name);
        root.map_or(&[], |root| root.sha256.as_slice())
    }

    fn required(&self, name: &str, extras: &BTreeSet<String>) -> RequiredHere {
        let file = self.picks.get(name).and_then(|picked| picked.as_ref().ok());
        let metadata = file.and_then(|picked| self.metadata.get(&picked.file.name));
        let Some(metadata) = metadata else {
            return RequiredHere::default();
        };
        let extras: Vec<String> = extras.iter().cloned().collect();
        metadata.here(name, &self.target, &extras)
    }

    /// The bounds on every package that is reached from the roots by what is taken so far.
    fn bounds(&self) -> BTreeMap<String, PackageBounds> {
        let mut all: BTreeMap<String, PackageBounds> = BTreeMap::new();
        for root in self.roots.iter().filter(|root| root.is_wanted) {
            let known = all.entry(root.name.clone()).or_default();
            known.bounds.extend(root.bounds.iter().cloned());
        }
        let held = self.roots.iter().filter(|root| !root.is_wanted);
        let held: BTreeMap<&str, &[String]> = held
            .map(|root| (root.name.as_str(), root.bounds.as_slice()))
            .collect();
        let mut done: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        loop {
            let next = all
                .iter()
                .find(|(name, bounds)| done.get(*name) != Some(&bounds.extras));
            let Some((name, extras)) = next.map(|(name, bounds)| (name.clone(), bounds.extras.clone()))
            else {
                return all;
            };
            for required in self.required(&name, &extras).packages {
                let first = held.get(required.name.as_str()).copied().unwrap_or_default();
                let known = all.entry(required.name).or_insert_with(|| PackageBounds {
                    bounds: first.to_vec(),
                    ..PackageBounds::default()
                });
                known.required_by.insert(name.clone());
                known.extras.extend(required.extras);
                if let Some(bounds) = required.bounds {
                    known.bounded_by.insert(name.clone());
                    if !known.bounds.contains(&bounds) {
                        known.bounds.push(bounds);
                    }
                }
            }
            done.insert(name, extras);
        }
    }

    /// Sets a version aside whose bounds leave nothing of another package; false where none is left.
    fn set_aside(&mut self, bounds: &BTreeMap<String, PackageBounds>) -> bool {
        let total: usize = self.excluded.values().map(Vec::len).sum();
        if total >= MOST_EXCLUDED {
            return false;
        }
        let is_pinned = |name: &str| {
            let mut roots = self.roots.iter();
            roots.any(|root| root.name == name && root.bounds.iter().any(|bound| bound.starts_with("==")))
        };
        let conflicts = self.picks.iter().filter(|(_, picked)| {
            matches!(
                picked,
                Err(PickRefusal::Bounds { .. } | PickRefusal::OtherPython { .. })
            )
        });
        let blamed = conflicts
            .flat_map(|(name, _)| bounds.get(name))
            .flat_map(|bounds| &bounds.bounded_by);
        let newest = blamed
            .filter(|name| !is_pinned(name))
            .filter_map(|name| Some((self.picks.get(name)?.as_ref().ok()?, name)))
            .filter(|(picked, name)| self.has_other_than(name, &picked.version, bounds))
            .max_by_key(|(picked, name)| (picked.file.uploaded, (*name).clone()));
        let Some((version, name)) = newest.map(|(picked, name)| (picked.version.clone(), name.clone()))
        else {
            return false;
        };
        self.excluded.entry(name).or_default().push(version);
        true
    }

    /// Whether another version of a package can be taken in a version's place.
    fn has_other_than(
        &self,
        name: &str,
        version: &Version,
        bounds: &BTreeMap<String, PackageBounds>,
    ) -> bool {
        let excluded = self.excluded.get(name).into_iter().flatten().chain([version]);
        let excluded: Vec<Version> = excluded.cloned().collect();
        bounds
            .get(name)
            .is_some_and(|bounds| self.pick_for(&self.target, name, bounds, &excluded).is_ok())
    }

    /// The packages without a wheel that have one for other interpreters, within the same bounds and of no older
    /// version than the source that would be built.
    pub fn lacking_wheels(&self, others: &[&TargetPlatform]) -> Vec<LackedWheel> {
        let bounds = self.bounds();
        let lacking = self.picks.iter().filter_map(|(name, picked)| {
            let source = picked.as_ref().ok();
            let bounds = bounds
                .get(name)
                .filter(|_| source.is_none_or(|picked| picked.is_source))?;
            let has_one = |target: &&&TargetPlatform| {
                let wheel = self.pick_for(target, name, bounds, &[]).ok();
                let wheel = wheel.filter(|picked| !picked.is_source);
                wheel.is_some_and(|wheel| source.is_none_or(|source| wheel.version >= source.version))
            };
            let had_for: Vec<String> = others
                .iter()
                .filter(has_one)
                .map(|other| other.python())
                .collect();
            (!had_for.is_empty()).then(|| LackedWheel {
                package: name.clone(),
                had_for,
            })
        });
        lacking.collect()
    }

    /// The versions that go together, and what is not had.
    pub fn finish(&self) -> ResolvedEnvironment {
        let bounds = self.bounds();
        let mut resolved = ResolvedEnvironment {
            settled: self.is_settled,
            ..ResolvedEnvironment::default()
        };
        for (name, picked) in &self.picks {
            let known = bounds.get(name).cloned().unwrap_or_default();
            let required_by: Vec<String> = known.required_by.iter().cloned().collect();
            match picked {
                Ok(picked) => {
                    let required = self.required(name, &known.extras);
                    resolved.packages.push(ResolvedPackage {
                        name: name.clone(),
                        picked: picked.clone(),
                        required_by,
                        not_read: required.not_read,
                        by_patch: required.by_patch,
                    });
                }
                Err(refusal) => resolved.refused.push(RefusedPackage {
                    name: name.clone(),
                    refusal: refusal.clone(),
                    required_by,
                }),
            }
        }
        resolved
    }
}

#[cfg(test)]
mod tests {
    use super::super::page::IndexFile;
    use super::*;

    /// An index in words: `name version day requirements`.
    fn resolve(index: &[&str], roots: &[&str]) -> Vec<String> {
        let until = "2020-01-01T23:59:59Z".parse().unwrap();
        let roots = roots.iter().map(|root| {
            let end = root.find(['<', '=', '>']).unwrap_or(root.len());
            RootPackage {
                sha256: Vec::new(),
                is_wanted: !root.ends_with(' '),
                name: root[..end].trim().to_owned(),
                bounds: Some(root[end..].trim().to_owned())
                    .filter(|bounds| !bounds.is_empty())
                    .into_iter()
                    .collect(),
            }
        });
        let target = TargetPlatform::new("3.7", "x86_64").unwrap();
        let mut resolution = Resolution::new(target, until, roots.collect());
        let rows: Vec<Vec<&str>> = index.iter().map(|row| row.splitn(4, ' ').collect()).collect();
        let file = |row: &Vec<&str>| format!("{}-{}-py3-none-any.whl", row[0], row[1]);
        for _ in 0..500 {
            let steps = resolution.step();
            if steps.is_empty() {
                let end = resolution.finish();
                let had = end
                    .packages
                    .iter()
                    .map(|one| format!("{} {}", one.name, one.picked.version));
                let refused = end
                    .refused
                    .iter()
                    .map(|one| format!("{}: {}", one.name, one.refusal));
                return had.chain(refused).collect();
            }
            for step in steps {
                match step {
                    ResolutionStep::Page(name) => {
                        let rows: Vec<_> = rows.iter().filter(|row| row[0] == name).collect();
                        let files = rows.iter().map(|row| IndexFile {
                            name: file(row),
                            url: String::new(),
                            sha256: None,
                            requires_python: None,
                            uploaded: Some(format!("{}T00:00:00Z", row[2]).parse().unwrap()),
                            yanked: None,
                            size: None,
                            has_metadata: false,
                        });
                        let page = IndexPage {
                            files: files.collect(),
                        };
                        resolution.give_page(&name, Some(page).filter(|_| !rows.is_empty()));
                    }
                    ResolutionStep::Metadata(picked) => {
                        let row = rows.iter().find(|row| file(row) == picked.file.name).unwrap();
                        let requires = row.get(3).unwrap_or(&"").split('|').filter(|one| !one.is_empty());
                        let text: String = requires.map(|one| format!("Requires-Dist: {one}\n")).collect();
                        resolution.give_metadata(&picked.file.name, MetadataRequirements::parse(&text));
                    }
                }
            }
        }
        panic!("it does not end");
    }

    #[test]
    fn the_newest_that_go_together() {
        let index = [
            "a 1.0 2018-01-01 c>=1",
            "a 2.0 2019-01-01 c>=2|b",
            "b 1.0 2019-01-01 c<3",
            "c 1.0 2018-01-01",
            "c 2.0 2019-01-01",
            "c 3.0 2019-06-01",
            "c 4.0 2021-01-01",
        ];
        assert_eq!(resolve(&index, &["a"]), ["a 2.0", "b 1.0", "c 2.0"]);
        assert_eq!(resolve(&index, &["a==1.0"]), ["a 1.0", "c 3.0"]);
        // A version that is only held is none that is wanted.
        assert_eq!(
            resolve(&index, &["a==1.0", "c==1.0 ", "b==1.0 "]),
            ["a 1.0", "c 1.0"]
        );
        assert_eq!(
            resolve(&index, &["none"]),
            ["none: the index has no package of this name"]
        );
    }

    #[test]
    fn an_older_version_is_tried_where_bounds_exclude_one_another() {
        let index = [
            "a 1.0 2018-01-01 c<2",
            "a 2.0 2019-01-01 c>=2",
            "b 1.0 2018-06-01 c<2",
            "c 1.0 2018-01-01",
            "c 2.0 2019-01-01",
        ];
        assert_eq!(resolve(&index, &["a", "b"]), ["a 1.0", "b 1.0", "c 1.0"]);
        let refused = resolve(&index, &["a==2.0", "b"]);
        assert!(
            refused
                .iter()
                .any(|one| one.starts_with("c: no version of the day fits")),
            "{refused:?}"
        );
    }

    #[test]
    fn circles_and_packages_that_require_themselves_end() {
        let index = [
            "a 1.0 2018-01-01 b|a",
            "b 1.0 2018-01-01 a>=1",
            "e 1.0 2018-01-01 e>=2",
        ];
        assert_eq!(resolve(&index, &["a"]), ["a 1.0", "b 1.0"]);
        resolve(&index, &["e"]);
    }
}
