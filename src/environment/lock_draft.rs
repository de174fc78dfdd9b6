//! A lock in the making: what has to be asked of the indexes, and their answers as a lock.

use jiff::Timestamp;
use jiff::civil::Date;

use crate::domain::digest::Digest;

use super::ado_folder::{AdoFolder, AdoPackage};
use super::date::{AsOf, end_of};
use super::interpreter::InterpreterChoice;
use super::language::Language;
use super::lock::{EnvironmentLock, FORMAT, LockSource, LockedPackage, NotHad};
use super::need::{Certainty, PackageNeed};
use super::python_index::resolution::{ResolvedEnvironment, RootPackage};
use super::r_archive::resolution::{RRoot, ResolvedR};
use super::survey::EnvironmentSurvey;
use super::tables::commands::stata_packages;

/// A lock without the packages of the indexes.
#[derive(Debug)]
pub struct LockDraft {
    needs: Vec<PackageNeed>,
    /// Packages that are held to their versions where others need them.
    held: Vec<PackageNeed>,
    lock: EnvironmentLock,
}

impl LockDraft {
    /// The draft of what a folder needs, as of an instant.
    pub fn new(survey: &EnvironmentSurvey, as_of: AsOf, platform: &str) -> Self {
        let elsewhere = survey.packages.iter().filter(|need| !is_asked(need));
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
        draft.lock.not_had = not_had;
        draft.lock.questions.clone_from(&survey.questions);
        draft.with_notes(survey.contradictions.clone())
    }

    /// The draft of packages that are all to be asked of indexes.
    pub fn of_needs(
        needs: Vec<PackageNeed>,
        interpreters: Vec<InterpreterChoice>,
        as_of: AsOf,
        platform: &str,
    ) -> Self {
        Self {
            needs,
            held: Vec::new(),
            lock: EnvironmentLock {
                format: FORMAT.to_owned(),
                as_of,
                platform: platform.to_owned(),
                interpreters,
                sources: Vec::new(),
                packages: Vec::new(),
                not_had: Vec::new(),
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
        Digest::compute_json(&(self.digest(), &self.lock.notes))
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
            is_wanted,
        };
        let wanted = self.needs_of(Language::R).map(|need| root(need, true));
        let held = self.held_of(Language::R).map(|need| root(need, false));
        wanted.chain(held).collect()
    }

    fn need(&self, language: Language, name: &str) -> Option<&PackageNeed> {
        let mut known = self.needs_of(language).chain(self.held_of(language));
        known.find(|need| need.package == name)
    }

    fn certainty(&self, language: Language, name: &str) -> Certainty {
        self.need(language, name)
            .map_or(Certainty::ByDate, |need| need.certainty)
    }

    fn reasons(&self, language: Language, name: &str, required_by: &[String]) -> Vec<String> {
        let mut reasons = self
            .need(language, name)
            .map(|need| need.reasons.clone())
            .unwrap_or_default();
        reasons.extend(required_by.iter().map(|other| format!("{other} needs it.")));
        reasons
    }

    fn not_had(&mut self, language: Language, name: &str, why: String, required_by: &[String]) {
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

    /// Takes the answers of the Python index in.
    pub fn take_python(&mut self, address: &str, resolved: &ResolvedEnvironment) {
        let language = Language::Python;
        self.source(language, address);
        if !resolved.settled {
            self.lock.notes.push(
                "The versions of Python's packages did not stand still: the last ones are here.".to_owned(),
            );
        }
        for package in &resolved.packages {
            let file = &package.picked.file;
            let locked = LockedPackage {
                language,
                name: package.name.clone(),
                version: package.picked.version.to_string(),
                file: file.name.clone(),
                url: file.url.clone(),
                sha256: file.sha256.clone(),
                size: file.size,
                came: file.uploaded,
                build: package.picked.is_source,
                certainty: self.certainty(language, &package.name),
                required_by: package.required_by.clone(),
                reasons: self.reasons(language, &package.name, &package.required_by),
            };
            self.notes_of(&locked, file.yanked.as_deref());
            for line in &package.not_read {
                self.lock.notes.push(format!(
                    "{} asks for `{line}`, which cannot be followed.",
                    package.name
                ));
            }
            self.lock.packages.push(locked);
        }
        for refused in &resolved.refused {
            self.not_had(
                language,
                &refused.name,
                refused.refusal.to_string(),
                &refused.required_by,
            );
        }
    }

    fn notes_of(&mut self, locked: &LockedPackage, yanked: Option<&str>) {
        let LockedPackage { name, version, .. } = locked;
        if let Some(reason) = yanked {
            let reason = if reason.is_empty() {
                "without a reason"
            } else {
                reason
            };
            self.lock.notes.push(format!(
                "{name} {version} was withdrawn ({reason}); that very version was asked for."
            ));
        }
        if locked.build {
            self.lock.notes.push(format!(
                "{name} {version} has no wheel that fits: it is built in the sandbox, and what it needs is known then."
            ));
        }
        if let Some(came) = locked.came.filter(|came| *came > self.lock.as_of.instant) {
            let day: String = came.to_string().chars().take(10).collect();
            self.lock.notes.push(format!(
                "{name} {version} came on {day}, behind the chosen day; that very version was asked for."
            ));
        }
    }

    /// Takes the versions of an archive of R in.
    pub fn take_r(&mut self, address: &str, resolved: &ResolvedR) {
        let language = Language::R;
        self.source(language, address);
        for package in &resolved.packages {
            let version = &package.version;
            let locked = LockedPackage {
                language,
                name: package.name.clone(),
                version: version.version.as_str().to_owned(),
                file: version.path.rsplit('/').next().unwrap_or_default().to_owned(),
                url: format!("{}/src/contrib/{}", address.trim_end_matches('/'), version.path),
                sha256: None,
                size: version.size,
                came: version.came,
                build: true,
                certainty: self.certainty(language, &package.name),
                required_by: package.required_by.clone(),
                reasons: self.reasons(language, &package.name, &package.required_by),
            };
            if let Some(came) = locked.came.filter(|came| *came > self.lock.as_of.instant) {
                let day: String = came.to_string().chars().take(10).collect();
                let note = format!(
                    "{} {} came on {day}, behind the chosen day; that very version was asked for.",
                    locked.name, locked.version
                );
                self.lock.notes.push(note);
            }
            self.lock.notes.extend(package.unkept.iter().cloned());
            self.lock.packages.push(locked);
        }
        for (name, system) in &resolved.system {
            self.lock
                .notes
                .push(format!("{name} asks the system for: {system}"));
        }
        for refused in &resolved.refused {
            self.not_had(
                language,
                &refused.name,
                refused.refusal.to_string(),
                &refused.required_by,
            );
        }
    }

    fn source(&mut self, language: Language, address: &str) {
        self.lock.sources.push(LockSource {
            language,
            address: address.to_owned(),
        });
    }

    /// Takes the packages of Stata in that a folder of ado-files has of the day.
    pub fn take_ado(&mut self, folder: &AdoFolder) {
        let language = Language::Stata;
        let lacking = std::mem::take(&mut self.lock.not_had);
        let (wanted, others): (Vec<_>, Vec<_>) =
            lacking.into_iter().partition(|one| one.language == language);
        self.lock.not_had = others;
        if !wanted.is_empty() {
            self.source(language, &folder.shown);
        }
        for lacking in wanted {
            let known = stata_packages()
                .iter()
                .find(|package| package.name == lacking.name);
            let commands = known.map_or(&[][..], |package| &package.commands);
            match folder.package(&lacking.name, commands) {
                Ok(found) => self.ado(lacking, found),
                Err(why) => self.lock.not_had.push(NotHad {
                    why: why.to_string(),
                    ..lacking
                }),
            }
        }
    }

    fn ado(&mut self, wanted: NotHad, found: AdoPackage) {
        let name = wanted.name;
        if found.day.is_none() {
            let note = format!("No day is told of {name}, so that it may be newer than the chosen one.");
            self.lock.notes.push(note);
        }
        let day = found.day.map(|day| format!("of {day}"));
        self.lock.packages.push(LockedPackage {
            language: Language::Stata,
            version: found.version.or(day).unwrap_or_else(|| "not told".to_owned()),
            url: format!("ado:{}", found.file),
            file: found.file,
            sha256: Some(found.sha256),
            size: Some(found.size),
            came: found.day.and_then(end_of),
            build: false,
            certainty: match found.day {
                Some(_) => Certainty::ByDate,
                None => Certainty::Elsewhere,
            },
            required_by: Vec::new(),
            reasons: wanted.reasons,
            name,
        });
    }

    /// The lock.
    pub fn finish(mut self) -> EnvironmentLock {
        self.lock
            .not_had
            .sort_by(|one, other| (one.language, &one.name).cmp(&(other.language, &other.name)));
        self.lock
    }
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
