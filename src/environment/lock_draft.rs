//! A lock in the making: what has to be asked of the indexes, and their answers as a lock.

use std::collections::BTreeMap;

use jiff::Timestamp;
use jiff::civil::Date;

use crate::domain::digest::Digest;
use crate::domain::format;

use super::date::AsOf;
use super::interpreter::InterpreterChoice;
use super::language::Language;
use super::lock::{EnvironmentLock, FORMAT, LockSource, LockedPackage, NotHad, OwnPackage};
use super::need::{Certainty, PackageNeed, Question, SourcePlace};
use super::python_index::resolution::RootPackage;
use super::r_archive::resolution::{RRefusal, RRoot, ResolvedR, one_of};
use super::release_span::ReleaseSpan;
use super::survey::EnvironmentSurvey;

/// A lock without the packages of the indexes.
#[derive(Debug)]
pub struct LockDraft {
    needs: Vec<PackageNeed>,
    /// Packages that are held to their versions where others need them.
    held: Vec<PackageNeed>,
    /// Packages of R whose names are likely slips: an archive that has one says that it is none.
    doubted: Vec<PackageNeed>,
    /// The places of scripts that load packages of R.
    places: BTreeMap<String, Vec<SourcePlace>>,
    pub(super) lock: EnvironmentLock,
    /// The releases that may stand in that of Python's place.
    pub(super) others: Option<ReleaseSpan>,
    /// The releases of Python that the sandbox has besides; `None` where any is as good.
    pub(super) had: Option<Vec<String>>,
    /// The version of the sandbox's Python.
    pub(super) full_python: Option<String>,
}

impl LockDraft {
    /// The draft of what a folder needs, as of an instant.
    pub fn new(survey: &EnvironmentSurvey, as_of: AsOf, platform: &str) -> Self {
        let elsewhere = survey
            .packages
            .iter()
            .filter(|need| !is_asked(need) && !is_own(need));
        let not_had = elsewhere.map(|need| NotHad {
            language: need.language,
            name: need.package.clone(),
            wanted: wanted(need),
            why: match need.certainty {
                Certainty::Unknown => "it is not known to be a package, and is asked about".to_owned(),
                _ => "it is not had from an index by date".to_owned(),
            },
            reasons: need.reasons.clone(),
        });
        let not_had = not_had.collect();
        let needs = survey.packages.iter().filter(|need| is_asked(need)).cloned();
        let mut draft = Self::of_needs(needs.collect(), survey.interpreters.clone(), as_of, platform);
        draft.had = None;
        draft.places.clone_from(&survey.r_places);
        // A version under a name that is asked about counts where another package needs that very name.
        let doubted = survey.packages.iter().filter(|need| {
            let is_doubted = need.certainty == Certainty::Unknown && need.version.is_some();
            is_doubted && matches!(need.language, Language::Python | Language::R)
        });
        draft.held = doubted
            .map(|need| PackageNeed {
                certainty: Certainty::Exact,
                ..need.clone()
            })
            .collect();
        let doubted = survey.packages.iter().filter(|need| {
            (need.language, need.certainty) == (Language::R, Certainty::Unknown) && need.version.is_none()
        });
        draft.doubted = doubted
            .map(|need| PackageNeed {
                certainty: Certainty::ByDate,
                ..need.clone()
            })
            .collect();
        draft.lock.not_had = not_had;
        draft = draft.with_own(survey.packages.iter().filter(|need| is_own(need)));
        draft.lock.questions.clone_from(&survey.questions);
        let notes = survey.contradictions.iter().chain(&survey.left_out);
        let notes = notes.chain(&survey.not_locked);
        draft.with_notes(notes.cloned().collect())
    }

    /// The draft of packages that are all to be asked of indexes.
    pub fn of_needs(
        needs: Vec<PackageNeed>,
        mut interpreters: Vec<InterpreterChoice>,
        as_of: AsOf,
        platform: &str,
    ) -> Self {
        let mut python = interpreters
            .iter_mut()
            .filter(|choice| choice.language == Language::Python);
        let others = python.find_map(|choice| choice.others.take());
        Self {
            needs,
            held: Vec::new(),
            doubted: Vec::new(),
            places: BTreeMap::new(),
            others,
            had: Some(Vec::new()),
            full_python: None,
            lock: EnvironmentLock {
                format: FORMAT.to_owned(),
                as_of,
                platform: platform.to_owned(),
                interpreters,
                sources: Vec::new(),
                packages: Vec::new(),
                not_had: Vec::new(),
                own: Vec::new(),
                questions: Vec::new(),
                notes: Vec::new(),
            },
        }
    }

    /// The same with packages that are held to their versions where others need them.
    pub fn with_held(mut self, held: Vec<PackageNeed>) -> Self {
        self.held = held;
        self
    }

    /// The same with sentences that its reader should know.
    pub fn with_notes(mut self, notes: Vec<String>) -> Self {
        self.lock.notes.extend(notes);
        self
    }

    /// The same with packages that are the folder's own, which no index is asked for.
    pub fn with_own<'a>(mut self, own: impl Iterator<Item = &'a PackageNeed>) -> Self {
        self.lock.own.extend(own.map(|need| OwnPackage {
            language: need.language,
            name: need.package.clone(),
            reasons: need.reasons.clone(),
        }));
        self
    }

    /// The digest of the wish: the day, the platform, the interpreters and the packages. The same wish has the
    /// same lock within a run.
    pub fn digest(&self) -> Digest {
        let EnvironmentLock {
            as_of,
            platform,
            interpreters,
            ..
        } = &self.lock;
        Digest::compute_json(&(as_of, platform, interpreters, &self.needs, &self.held))
    }

    /// The digest of all that its lock is made from, with the sentences that its reader should know.
    pub fn content_digest(&self) -> Digest {
        let first = Digest::compute_json(&(self.digest(), &self.lock.notes));
        match self.python_releases().order.as_slice() {
            [] | [_] => first,
            order => Digest::compute_json(&(first, order)),
        }
    }

    /// The day of which it is.
    pub fn day(&self) -> Date {
        self.lock.as_of.day
    }

    /// The instant until which files count.
    pub fn until(&self) -> Timestamp {
        self.lock.as_of.instant
    }

    /// The version of an interpreter.
    pub fn interpreter(&self, language: Language) -> Option<&str> {
        let found = self
            .lock
            .interpreters
            .iter()
            .find(|one| one.language == language)?;
        found.version.as_deref()
    }

    fn needs_of(&self, language: Language) -> impl Iterator<Item = &PackageNeed> {
        self.needs.iter().filter(move |need| need.language == language)
    }

    fn held_of(&self, language: Language) -> impl Iterator<Item = &PackageNeed> {
        self.held.iter().filter(move |need| need.language == language)
    }

    /// The packages that are asked of the Python index.
    pub fn python_roots(&self) -> Vec<RootPackage> {
        let root = |need: &PackageNeed, is_wanted| RootPackage {
            name: need.package.clone(),
            bounds: match &need.version {
                Some(version) => vec![format!("=={version}")],
                None => need.bounds.clone(),
            },
            sha256: need.sha256.clone(),
            is_wanted,
        };
        let wanted = self.needs_of(Language::Python).map(|need| root(need, true));
        let held = self.held_of(Language::Python).map(|need| root(need, false));
        wanted.chain(held).collect()
    }

    /// The packages that are asked of the archive of R.
    pub fn r_roots(&self) -> Vec<RRoot> {
        let root = |need: &PackageNeed, is_wanted| RRoot {
            name: need.package.clone(),
            version: need.version.clone(),
            bounds: need.bounds.clone(),
            is_wanted,
        };
        let wanted = self.needs_of(Language::R).map(|need| root(need, true));
        let doubted = self.doubted.iter().map(|need| root(need, true));
        let held = self.held_of(Language::R).map(|need| root(need, false));
        wanted.chain(doubted).chain(held).collect()
    }

    fn need(&self, language: Language, name: &str) -> Option<&PackageNeed> {
        let doubted = self.doubted.iter().filter(|need| need.language == language);
        let mut known = self
            .needs_of(language)
            .chain(doubted)
            .chain(self.held_of(language));
        known.find(|need| need.package == name)
    }

    pub(super) fn certainty(&self, language: Language, name: &str) -> Certainty {
        self.need(language, name)
            .map_or(Certainty::ByDate, |need| need.certainty)
    }

    pub(super) fn reasons(&self, language: Language, name: &str, required_by: &[String]) -> Vec<String> {
        let mut reasons = self
            .need(language, name)
            .map(|need| need.reasons.clone())
            .unwrap_or_default();
        reasons.extend(required_by.iter().map(|other| format!("{other} needs it.")));
        reasons
    }

    pub(super) fn not_had(&mut self, language: Language, name: &str, why: String, required_by: &[String]) {
        let lacking = NotHad {
            language,
            name: name.to_owned(),
            wanted: self.need(language, name).and_then(wanted),
            why,
            reasons: self.reasons(language, name, required_by),
        };
        self.lock.not_had.push(lacking);
    }

    /// Names the packages of a language that no index was asked for.
    pub fn not_asked(&mut self, language: Language, why: &str) {
        let names: Vec<String> = self.needs_of(language).map(|need| need.package.clone()).collect();
        for name in names {
            self.not_had(language, &name, why.to_owned(), &[]);
        }
    }

    /// Takes the versions of an archive of R in.
    pub fn take_r(&mut self, address: &str, resolved: &ResolvedR) {
        let language = Language::R;
        self.source(language, address);
        for package in &resolved.packages {
            let locked = LockedPackage {
                language,
                name: package.name.clone(),
                version: package.version.clone(),
                file: package.path.rsplit('/').next().unwrap_or_default().to_owned(),
                url: format!("{}/src/contrib/{}", address.trim_end_matches('/'), package.path),
                sha256: None,
                size: package.size,
                came: package.came,
                build: true,
                certainty: self.certainty(language, &package.name),
                required_by: package.required_by.clone(),
                reasons: self.reasons(language, &package.name, &package.required_by),
            };
            self.note_late(&locked);
            self.no_slip(&locked.name);
            self.lock.notes.extend(package.unkept.iter().cloned());
            self.lock.packages.push(locked);
        }
        let asking = resolved.packages.iter();
        let asking: BTreeMap<&String, &String> = asking
            .filter_map(|package| Some((&package.name, package.system.as_ref()?)))
            .collect();
        let asking = asking.into_iter();
        let notes = asking.map(|(name, system)| format!("{name} asks the system for: {system}"));
        self.lock.notes.extend(notes);
        for refused in &resolved.refused {
            let is_it = |lacking: &NotHad| (lacking.language, &lacking.name) == (language, &refused.name);
            self.lock.not_had.retain(|lacking| !is_it(lacking));
            self.not_had(
                language,
                &refused.name,
                refused.refusal.to_string(),
                &refused.required_by,
            );
            if let RRefusal::NoSuchPackage { near } = &refused.refusal {
                self.ask_of_slip(&refused.name, near);
            }
        }
    }

    /// A name that was asked about is none of a slip where the archive has it.
    fn no_slip(&mut self, name: &str) {
        if !self.doubted.iter().any(|need| need.package == name) {
            return;
        }
        let is_it = |question: &Question| question.language == Language::R && question.name == name;
        self.lock.questions.retain(|question| !is_it(question));
        self.lock.notes.push(format!(
            "`{name}` lies near the name of another package; the archive has it, and it is taken as the files have it."
        ));
    }

    fn ask_of_slip(&mut self, name: &str, near: &[String]) {
        let mut questions = self.lock.questions.iter();
        let is_asked = questions.any(|question| question.language == Language::R && question.name == name);
        if is_asked || near.is_empty() {
            return;
        }
        self.lock.questions.push(Question {
            language: Language::R,
            name: name.to_owned(),
            question: format!(
                "`{name}` is no package of the archive, and nearly {}: is it a slip, or had from elsewhere? It is not installed.",
                one_of(near)
            ),
            places: self.places.get(name).cloned().unwrap_or_default(),
        });
    }

    /// Notes a package that came behind the chosen day.
    pub(super) fn note_late(&mut self, locked: &LockedPackage) {
        let LockedPackage { name, version, .. } = locked;
        if let Some(came) = locked.came.filter(|came| *came > self.lock.as_of.instant) {
            let day = format::day(came);
            self.lock.notes.push(format!(
                "{name} {version} came on {day}, behind the chosen day; that very version was asked for."
            ));
        }
    }

    pub(super) fn source(&mut self, language: Language, address: &str) {
        self.lock.sources.push(LockSource {
            language,
            address: address.to_owned(),
        });
    }

    /// The lock.
    pub fn finish(mut self) -> EnvironmentLock {
        let packages = &self.lock.packages;
        self.lock.not_had.retain(|lacking| {
            let is_it = |one: &LockedPackage| (one.language, &one.name) == (lacking.language, &lacking.name);
            !packages.iter().any(is_it)
        });
        self.lock
            .not_had
            .sort_by(|one, other| (one.language, &one.name).cmp(&(other.language, &other.name)));
        self.lock
    }
}

fn is_own(need: &PackageNeed) -> bool {
    need.certainty == Certainty::Own
}

/// Whether an index is asked for it.
fn is_asked(need: &PackageNeed) -> bool {
    let has_index = matches!(need.language, Language::Python | Language::R);
    has_index && matches!(need.certainty, Certainty::Exact | Certainty::ByDate)
}

fn wanted(need: &PackageNeed) -> Option<String> {
    let bounds = Some(need.bounds.join(",")).filter(|bounds| !bounds.is_empty());
    need.version.clone().or(bounds)
}
