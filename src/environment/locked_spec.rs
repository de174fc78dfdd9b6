//! A declared environment, held to a lock.

use std::collections::BTreeSet;
use std::str::FromStr as _;

use pep508_rs::VersionOrUrl;
use pep508_rs::pep440_rs::Version;

use crate::domain::excerpt;
use crate::domain::execution::{Environment, EnvironmentSpec, LockedFiles};

use super::interpreter::InterpreterChoice;
use super::language::Language;
use super::lock::{EnvironmentLock, LockedPackage};
use super::python_index::bounded;
use super::tables::python_names::stood_for;
use super::tables::r_packages::{ROrigin, origin};
use crate::domain::names::normalized;

/// The refusal of a declared package that a lock does not hold.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum LockRefusal {
    #[error(
        "the run's lock has no {language} package `{name}`{why}: do without it, or ask the operator for a lock \
         that has it"
    )]
    Absent {
        language: Language,
        name: String,
        /// Why the lock was made without it; empty where it says nothing.
        why: String,
    },
    #[error("`{wanted}` is declared, and the run's lock has {name} {locked}: leave the version out")]
    OtherVersion {
        wanted: String,
        name: String,
        locked: String,
    },
    #[error(
        "`{0}` is no requirement that a lock can be held against: write a name and, if needed, a version"
    )]
    Unreadable(String),
}

/// Repositories of images with an interpreter and nothing else.
const INTERPRETERS: [&str; 3] = ["python", "r-base", "rocker/r-ver"];

/// Whether an image is that of an interpreter alone.
pub fn is_of_interpreter(image: &str) -> bool {
    let name = image
        .trim_start_matches("docker.io/")
        .trim_start_matches("library/");
    let repository = name.split([':', '@']).next().unwrap_or_default();
    INTERPRETERS.contains(&repository)
}

impl EnvironmentLock {
    /// The specification with every version as the lock has it, and with all that its packages need.
    ///
    /// # Errors
    /// Every declared package that the lock lacks, or has in a version that was not asked for.
    pub fn held_to(&self, spec: &EnvironmentSpec) -> Result<EnvironmentSpec, Vec<LockRefusal>> {
        let mut refused = Vec::new();
        let python = spec
            .python
            .as_ref()
            .map(|declared| self.python(declared, &mut refused));
        let r = spec.r.as_ref().map(|declared| {
            let mut held = std::collections::BTreeMap::new();
            let mut taken = BTreeSet::new();
            let declared = declared
                .iter()
                .filter(|(name, _)| self.own(Language::R, name).is_none());
            for (name, version) in declared {
                match self.r(name, version.as_deref()) {
                    Ok(None) => drop(held.insert(name.clone(), version.clone())),
                    Ok(Some(package)) => drop(taken.insert(package.name.clone())),
                    Err(why) => refused.push(why),
                }
            }
            for package in self.with_needs(Language::R, taken) {
                held.insert(package.name.clone(), Some(package.version.clone()));
            }
            held
        });
        if !refused.is_empty() {
            return Err(refused);
        }
        Ok(EnvironmentSpec {
            python_files: python.is_some().then(|| self.python_files()).flatten(),
            python_version: python
                .is_some()
                .then(|| self.interpreter(Language::Python))
                .flatten(),
            r_version: r.is_some().then(|| self.interpreter(Language::R)).flatten(),
            base_image: spec.base_image.clone().filter(|image| !self.chooses(image)),
            python,
            r,
            ..spec.clone()
        })
    }

    /// The digests of its Python packages; `None` where it does not say of which Python they are.
    fn python_files(&self) -> Option<LockedFiles> {
        let python = self.interpreter(Language::Python)?;
        let digests = self
            .packages_of(Language::Python)
            .filter_map(|package| Some((normalized(&package.name), package.sha256.clone()?)));
        Some(LockedFiles {
            python,
            sha256: digests.collect(),
        })
    }

    /// Whether an image is that of an interpreter alone, in whose place stands the one of the lock's interpreter.
    pub fn chooses(&self, image: &str) -> bool {
        is_of_interpreter(image) && self.interpreters.iter().any(|choice| choice.version.is_some())
    }

    /// The version of an interpreter that it is of.
    pub fn interpreter(&self, language: Language) -> Option<String> {
        let is_it = |choice: &&InterpreterChoice| choice.language == language;
        self.interpreters.iter().find(is_it)?.version.clone()
    }

    /// Whether it has a package, or the package is part of its language.
    pub fn has(&self, language: Language, name: &str) -> bool {
        let is_part = language == Language::R && origin(name) == ROrigin::Base;
        is_part || self.own(language, name).is_some() || self.package(language, name).is_some()
    }

    /// How a made environment differs from the lock, a sentence each: a machine has one Python, and a lock
    /// may be of the time of another.
    pub fn differences_of(&self, made: &Environment) -> Vec<String> {
        let interpreters = self.interpreters.iter().filter_map(|choice| {
            let key = match choice.language {
                Language::Python => "python",
                Language::R => "R",
                _ => return None,
            };
            let (wanted, here) = (choice.version.as_ref()?, made.versions.get(key)?);
            let is_same = here == wanted || here.starts_with(&format!("{wanted}."));
            (!is_same).then(|| {
                format!(
                    "The lock is of {} {wanted}, and the environment has {here}.",
                    choice.language
                )
            })
        });
        interpreters.collect()
    }

    fn python(&self, declared: &[String], refused: &mut Vec<LockRefusal>) -> Vec<String> {
        let mut held = Vec::new();
        let mut taken = BTreeSet::new();
        for text in declared {
            let shown = || excerpt::shortened(text, 100);
            let Some(requirement) = bounded::requirement(text) else {
                refused.push(LockRefusal::Unreadable(shown()));
                continue;
            };
            let name = requirement.name.to_string();
            // It stands in the folder, and no index has it.
            if self.own(Language::Python, &name).is_some() {
                continue;
            }
            let Some(package) = self.package(Language::Python, &name) else {
                refused.push(self.absent(Language::Python, &name));
                continue;
            };
            let is_other = normalized(&package.name) != normalized(&name);
            let fits = match &requirement.version_or_url {
                None => true,
                // Versions of what stands for it are not its own.
                Some(VersionOrUrl::VersionSpecifier(_)) if is_other => true,
                Some(VersionOrUrl::VersionSpecifier(bounds)) => {
                    Version::from_str(&package.version).is_ok_and(|version| bounds.contains(&version))
                }
                Some(VersionOrUrl::Url(_)) => false,
            };
            if !fits {
                refused.push(LockRefusal::OtherVersion {
                    wanted: shown(),
                    name: package.name.clone(),
                    locked: package.version.clone(),
                });
                continue;
            }
            let extras: Vec<String> = requirement.extras.iter().map(ToString::to_string).collect();
            if !extras.is_empty() {
                held.push(format!("{name}[{}]=={}", extras.join(","), package.version));
            }
            taken.insert(package.name.clone());
        }
        for package in self.with_needs(Language::Python, taken) {
            let prefix = format!("{}[", normalized(&package.name));
            if !held.iter().any(|one| one.starts_with(&prefix)) {
                held.push(format!("{}=={}", package.name, package.version));
            }
        }
        held
    }

    /// The locked package of R that was declared; none of what is part of R.
    fn r(&self, name: &str, version: Option<&str>) -> Result<Option<&LockedPackage>, LockRefusal> {
        let Some(package) = self.package(Language::R, name) else {
            return match origin(name) {
                ROrigin::Base => Ok(None),
                _ => Err(self.absent(Language::R, name)),
            };
        };
        match version {
            Some(wanted) if wanted.replace('-', ".") != package.version.replace('-', ".") => {
                Err(LockRefusal::OtherVersion {
                    wanted: format!("{name} {wanted}"),
                    name: name.to_owned(),
                    locked: package.version.clone(),
                })
            }
            _ => Ok(Some(package)),
        }
    }

    /// The package of a name; of a name that stands in the index for another, that other one.
    fn package(&self, language: Language, name: &str) -> Option<&LockedPackage> {
        let find = |name: &str| {
            let is_it = |package: &&LockedPackage| match language {
                Language::Python => normalized(&package.name) == normalized(name),
                _ => package.name == name,
            };
            self.packages_of(language).find(is_it)
        };
        let other = || stood_for(name, Some(self.as_of.day)).filter(|_| language == Language::Python);
        find(name).or_else(|| find(other()?))
    }

    fn absent(&self, language: Language, name: &str) -> LockRefusal {
        let lacking = (self.not_had.iter())
            .find(|one| one.language == language && normalized(&one.name) == normalized(name));
        LockRefusal::Absent {
            language,
            name: excerpt::shortened(name, 100),
            why: lacking.map_or_else(String::new, |one| {
                format!(" ({})", excerpt::shortened(&one.why, 200))
            }),
        }
    }

    /// Packages of the lock with all that they need, in the lock's order.
    fn with_needs(&self, language: Language, mut taken: BTreeSet<String>) -> Vec<&LockedPackage> {
        loop {
            let more: Vec<String> = self
                .packages_of(language)
                .filter(|package| !taken.contains(&package.name))
                .filter(|package| package.required_by.iter().any(|other| taken.contains(other)))
                .map(|package| package.name.clone())
                .collect();
            if more.is_empty() {
                break;
            }
            taken.extend(more);
        }
        self.packages_of(language)
            .filter(|package| taken.contains(&package.name))
            .collect()
    }
}

#[cfg(test)]
#[path = "locked_spec_tests.rs"]
mod tests;
