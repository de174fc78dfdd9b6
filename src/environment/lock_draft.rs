//! A lock in the making: what has to be asked of the indexes, and their answers as a lock.

use super::date::AsOf;
use super::language::Language;
use super::lock::{EnvironmentLock, FORMAT, LockSource, LockedPackage, NotHad};
use super::need::{Certainty, PackageNeed};
use super::python_index::resolution::{ResolvedEnvironment, RootPackage};
use super::r_archive::resolution::{RRoot, ResolvedR};
use super::survey::EnvironmentSurvey;

/// A lock without the packages of the indexes.
#[derive(Debug)]
pub struct LockDraft {
    needs: Vec<PackageNeed>,
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
        Self {
            needs: survey
                .packages
                .iter()
                .filter(|need| is_asked(need))
                .cloned()
                .collect(),
            lock: EnvironmentLock {
                format: FORMAT.to_owned(),
                as_of,
                platform: platform.to_owned(),
                interpreters: survey.interpreters.clone(),
                sources: Vec::new(),
                packages: Vec::new(),
                not_had: not_had.collect(),
                questions: survey.questions.clone(),
                notes: survey.contradictions.clone(),
            },
        }
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

    /// The packages that are asked of the Python index.
    pub fn python_roots(&self) -> Vec<RootPackage> {
        let root = |need: &PackageNeed| RootPackage {
            name: need.package.clone(),
            bounds: match &need.version {
                Some(version) => vec![format!("=={version}")],
                None => need.bounds.clone(),
            },
        };
        self.needs_of(Language::Python).map(root).collect()
    }

    /// The packages that are asked of the archive of R.
    pub fn r_roots(&self) -> Vec<RRoot> {
        let root = |need: &PackageNeed| RRoot {
            name: need.package.clone(),
            version: need.version.clone(),
        };
        self.needs_of(Language::R).map(root).collect()
    }

    fn need(&self, language: Language, name: &str) -> Option<&PackageNeed> {
        self.needs_of(language).find(|need| need.package == name)
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
                "{name} {version} was withdrawn ({reason}); a lock asks for it."
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
                "{name} {version} came on {day}, behind the chosen day; a lock asks for it."
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
                    "{} {} came on {day}, behind the chosen day; a lock asks for it.",
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
