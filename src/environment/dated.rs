//! The needs of a run by date: what its task tells of its time, joined with what its plan declares.

use std::str::FromStr as _;

use pep508_rs::VersionOrUrl;
use pep508_rs::pep440_rs::Version;
use serde::{Deserialize, Serialize};

use crate::domain::excerpt;
use crate::domain::execution::EnvironmentSpec;

use super::date::AsOf;
use super::evidence::EvidenceKind;
use super::interpreter::{self, InterpreterChoice};
use super::language::Language;
use super::lock::EnvironmentLock;
use super::lock_draft::LockDraft;
use super::locked_spec::is_of_interpreter;
use super::need::{Certainty, PackageNeed};
use super::python_index::bounded;
use super::release_span::{ReleaseSpan, release_numbers};
use super::survey::EnvironmentSurvey;
use super::tables::python_names::stood_for;
use super::tables::r_packages::{ROrigin, origin};
use crate::domain::names::normalized;

/// The reason of a package that only the plan names.
const DECLARED: &str = "The plan declares it.";

/// The part of its task's survey that a run keeps, so that environments are of the task's time.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DatedNeeds {
    pub as_of: AsOf,
    pub interpreters: Vec<InterpreterChoice>,
    /// Packages of which the task's files say more than a name.
    pub packages: Vec<PackageNeed>,
    /// Packages that are the task's own.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub own: Vec<PackageNeed>,
    /// Contradictions of the evidence, whole sentences.
    pub notes: Vec<String>,
}

/// The reason for which a task tells no date that could be gone by.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NoDate {
    #[error("nothing in {0} tells the date of its analysis")]
    Nothing(String),
    #[error("the files of {folder} tell no date but that of their copy ({day})")]
    CopyOnly { folder: String, day: String },
}

impl DatedNeeds {
    /// The needs of a survey; `folder` is what was surveyed, for messages.
    ///
    /// # Errors
    /// A folder whose files tell no date of an analysis.
    pub fn of(survey: EnvironmentSurvey, folder: &str) -> Result<Self, NoDate> {
        let Some(as_of) = survey.as_of else {
            return Err(NoDate::Nothing(folder.to_owned()));
        };
        if as_of.from == EvidenceKind::CopyDay {
            return Err(NoDate::CopyOnly {
                folder: folder.to_owned(),
                day: as_of.day.to_string(),
            });
        }
        let packages = survey.packages.into_iter();
        let (own, packages): (Vec<_>, Vec<_>) = packages.partition(|need| need.certainty == Certainty::Own);
        let packages = packages.into_iter();
        let asked = packages.filter(|need| matches!(need.certainty, Certainty::Exact | Certainty::ByDate));
        Ok(Self {
            as_of,
            interpreters: survey.interpreters,
            packages: asked.collect(),
            own,
            notes: [survey.contradictions, survey.left_out, survey.not_locked].concat(),
        })
    }

    /// The interpreter of a language: as the task tells it, else that of the day.
    pub fn interpreter(&self, language: Language) -> InterpreterChoice {
        let told = self.interpreters.iter().find(|one| one.language == language);
        told.filter(|one| one.version.is_some())
            .cloned()
            .unwrap_or_else(|| interpreter::choose(language, Some(self.as_of.day), &[]).choice)
    }

    /// The same with an interpreter that is no older than a version; `why` says for what, as a clause.
    pub fn no_older_than(mut self, language: Language, oldest: &str, why: &str) -> Self {
        let mut wanted = self.interpreter(language);
        wanted.others = wanted.others.map(|others| others.not_before(oldest));
        let is_older = |version: &str| release_numbers(version) < release_numbers(oldest);
        let Some(version) = wanted.version.as_deref().filter(|version| is_older(version)) else {
            self.replace(wanted);
            return self;
        };
        let reason = format!(
            "{language} {version} would be that of the time ({}), but {why}.",
            wanted.reason.trim_end_matches('.')
        );
        self.replace(InterpreterChoice {
            others: Some(ReleaseSpan::since(oldest)),
            ..InterpreterChoice::new(language, Some(oldest.to_owned()), reason)
        });
        self
    }

    fn replace(&mut self, choice: InterpreterChoice) {
        self.interpreters.retain(|one| one.language != choice.language);
        self.interpreters.push(choice);
    }

    /// A specification that asks for the interpreters of the day.
    pub fn of_the_day(&self, spec: &EnvironmentSpec) -> EnvironmentSpec {
        let version = |language| self.interpreter(language).version;
        EnvironmentSpec {
            python_version: (spec.python.as_ref()).and_then(|_| version(Language::Python)),
            r_version: spec.r.as_ref().and_then(|_| version(Language::R)),
            base_image: spec.base_image.clone().filter(|image| !is_of_interpreter(image)),
            ..spec.clone()
        }
    }

    /// The draft of a lock of what a plan declares. `python` is the Python that the sandbox has for it, for
    /// which files are chosen.
    pub fn draft(&self, spec: &EnvironmentSpec, python: Option<&str>) -> LockDraft {
        let mut needs = Vec::new();
        let mut interpreters = Vec::new();
        let mut notes = self.notes.clone();
        if let Some(declared) = &spec.python {
            let wanted = self.interpreter(Language::Python);
            let read = declared.iter().filter_map(|text| self.python(text, &mut notes));
            needs.extend(read);
            interpreters.push(here(wanted, python));
        }
        if let Some(declared) = &spec.r {
            let elsewhere = declared.iter().filter(|(name, _)| origin(name) != ROrigin::Base);
            needs.extend(elsewhere.map(|(name, version)| self.r(name, version.as_deref())));
            interpreters.push(self.interpreter(Language::R));
        }
        let own = self.own.iter();
        let own: Vec<&PackageNeed> = own
            .filter(|own| needs.iter().any(|need| is_same(need, own)))
            .collect();
        needs.retain(|need| !own.iter().any(|own| is_same(need, own)));
        needs.sort_by(|one, other| (one.language, &one.package).cmp(&(other.language, &other.package)));
        needs.dedup_by(|later, first| (later.language, &later.package) == (first.language, &first.package));
        let is_declared = |told: &PackageNeed| {
            let is_it = |need: &PackageNeed| (need.language, &need.package) == (told.language, &told.package);
            needs.iter().any(is_it)
        };
        let held = self.packages.iter();
        let held = held.filter(|told| told.version.is_some() && !is_declared(told));
        let held = held.cloned().collect();
        let platform = EnvironmentLock::platform_here();
        let draft = LockDraft::of_needs(needs, interpreters, self.as_of.clone(), &platform);
        let draft = draft.with_held(held).with_own(own.into_iter());
        draft.with_notes(notes).with_python(python)
    }

    fn told(&self, language: Language, is_it: impl Fn(&str) -> bool) -> Option<&PackageNeed> {
        let mut told = self.packages.iter();
        told.find(|need| need.language == language && is_it(&need.package))
    }

    /// The need of a declared requirement; `None` of one that leads to an address, which no lock holds.
    fn python(&self, text: &str, notes: &mut Vec<String>) -> Option<PackageNeed> {
        let requirement = bounded::requirement(text)?;
        let declared = normalized(requirement.name.as_ref());
        let other = stood_for(&declared, Some(self.as_of.day)).map(normalized);
        if let Some(other) = &other {
            notes.push(format!(
                "`{declared}` is declared, which holds nothing and stands in the index for {other}: that is taken in its place."
            ));
        }
        let is_other = other.is_some();
        let name = other.unwrap_or(declared);
        let bounds = match requirement.version_or_url.filter(|_| !is_other) {
            None => None,
            Some(VersionOrUrl::VersionSpecifier(bounds)) => Some(bounds),
            Some(VersionOrUrl::Url(_)) => return None,
        };
        let told = self.told(Language::Python, |package| normalized(package) == name);
        let admits = |version: &str| {
            let version = Version::from_str(version);
            let bounds = bounds.as_ref();
            version.is_ok_and(|version| bounds.is_none_or(|bounds| bounds.contains(&version)))
        };
        let given = told.and_then(|need| need.version.clone());
        let version = given.clone().filter(|version| admits(version));
        if let Some(given) = given.filter(|_| version.is_none()) {
            notes.push(format!(
                "The plan declares `{}`, and the study's own files give {name} {given}: the plan is followed.",
                excerpt::shortened(text, 100)
            ));
        }
        let is_given = version.is_some();
        let declared = bounds.iter().flat_map(|bounds| bounds.iter());
        let mut all: Vec<String> = declared.map(ToString::to_string).collect();
        if version.is_none() && all.is_empty() {
            all.extend(told.into_iter().flat_map(|need| need.bounds.iter().cloned()));
        }
        let mut reasons = told.map_or_else(Vec::new, |need| need.reasons.clone());
        reasons.push(DECLARED.to_owned());
        Some(PackageNeed {
            language: Language::Python,
            package: name,
            loaded_as: Vec::new(),
            certainty: match version {
                Some(_) => Certainty::Exact,
                None => Certainty::ByDate,
            },
            version,
            bounds: all,
            sha256: told
                .filter(|_| is_given)
                .map_or_else(Vec::new, |need| need.sha256.clone()),
            reasons,
        })
    }

    fn r(&self, name: &str, declared: Option<&str>) -> PackageNeed {
        let told = self.told(Language::R, |package| package == name);
        let given = told.and_then(|need| need.version.clone());
        let version = declared.map(str::to_owned).or(given);
        let mut reasons = told.map_or_else(Vec::new, |need| need.reasons.clone());
        reasons.push(DECLARED.to_owned());
        PackageNeed {
            language: Language::R,
            package: name.to_owned(),
            loaded_as: Vec::new(),
            certainty: match version {
                Some(_) => Certainty::Exact,
                None => Certainty::ByDate,
            },
            version,
            bounds: Vec::new(),
            sha256: Vec::new(),
            reasons,
        }
    }
}

fn is_same(one: &PackageNeed, other: &PackageNeed) -> bool {
    (one.language, &one.package) == (other.language, &other.package)
}

/// The interpreter that there is, with what was wanted of it where that is another.
fn here(wanted: InterpreterChoice, here: Option<&str>) -> InterpreterChoice {
    let Some(here) = here.and_then(release) else {
        return wanted;
    };
    let asked = wanted.version.as_deref().and_then(release);
    if asked.as_deref() == Some(here.as_str()) {
        return InterpreterChoice {
            version: Some(here),
            ..wanted
        };
    }
    // What stands in for another may as well be a third, but none that is older than what evidence names.
    let others = wanted.others.or_else(|| asked.as_deref().map(ReleaseSpan::since));
    let reason = match asked {
        Some(asked) => format!(
            "{} {asked} is that of the time ({}), and the sandbox has none: it has {here}.",
            wanted.language,
            wanted.reason.trim_end_matches('.')
        ),
        None => format!("The sandbox has {} {here}.", wanted.language),
    };
    InterpreterChoice {
        others,
        ..InterpreterChoice::new(wanted.language, Some(here), reason)
    }
}

/// The first two numbers of a version.
fn release(version: &str) -> Option<String> {
    let (major, minor) = release_numbers(version)?;
    Some(format!("{major}.{minor}"))
}

#[cfg(test)]
#[path = "dated_tests.rs"]
mod tests;
