//! Python in a lock in the making: the releases that may be taken, and the answers of the index.

use super::language::Language;
use super::lock::LockedPackage;
use super::lock_draft::LockDraft;
use super::python_index::release_choice::ChosenRelease;
use super::release_span::release_numbers;
use super::release_wheels;
use super::tables::releases::releases;

/// Releases that are tried in another's place.
const MOST_OTHERS: usize = 4;

/// The releases of Python that files are looked for.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PythonReleases {
    /// The chosen one, then those that may stand in its place, the nearest first.
    pub order: Vec<String>,
    /// Those of the day besides, to tell what there is for them.
    pub others: Vec<String>,
}

impl LockDraft {
    /// The same with the releases of Python, such as `3.8`, that a sandbox has besides the chosen one.
    pub fn with_releases(mut self, had: Vec<String>) -> Self {
        self.had = Some(had);
        self
    }

    /// The same with the version of the Python that the sandbox has, to its patch release.
    pub fn with_python(mut self, full: Option<&str>) -> Self {
        self.full_python = full.map(str::to_owned);
        self
    }

    /// The chosen Python, to its patch release where the sandbox or the evidence tells it.
    pub fn full_python(&self) -> Option<&str> {
        let chosen = self.interpreter(Language::Python)?;
        let here = self.full_python.as_deref();
        let is_it = |here: &&str| release_numbers(here) == release_numbers(chosen);
        Some(here.filter(is_it).unwrap_or(chosen))
    }

    /// Whether another release may stand in that of Python's place for the packages that are asked for.
    pub fn may_change_release(&self) -> bool {
        self.others.is_some() && self.python_roots().iter().any(|root| root.is_wanted)
    }

    /// The releases of Python for which files are looked for.
    pub fn python_releases(&self) -> PythonReleases {
        let chosen = self.interpreter(Language::Python);
        let Some((chosen, (major, minor))) = chosen.and_then(|text| Some((text, release_numbers(text)?)))
        else {
            return PythonReleases::default();
        };
        let day = self.day();
        let known = releases(Language::Python)
            .iter()
            .filter(|release| release.from <= day);
        let known: Vec<&str> = known.map(|release| release.version.as_str()).collect();
        let had: Vec<&str> = match &self.had {
            Some(had) => had.iter().map(String::as_str).collect(),
            None => known.clone(),
        };
        let mut near: Vec<(u32, u32, &str)> = had
            .into_iter()
            .filter(|release| self.others.as_ref().is_some_and(|others| others.admits(release)))
            .filter_map(|release| Some((release_numbers(release)?.1, release)))
            .filter(|(other, _)| *other != minor)
            .map(|(other, release)| (other.abs_diff(minor), other, release))
            .collect();
        near.sort_unstable();
        near.dedup();
        let nearest = near.into_iter().take(MOST_OTHERS).map(|(_, _, release)| release);
        let order: Vec<String> = std::iter::once(chosen)
            .chain(nearest)
            .map(str::to_owned)
            .collect();
        let is_other = |release: &&str| {
            let numbers = release_numbers(release);
            let is_tried = order.iter().any(|one| release_numbers(one) == numbers);
            numbers.is_some_and(|numbers| numbers.0 == major) && !is_tried
        };
        let others = known.into_iter().filter(is_other).map(str::to_owned).collect();
        PythonReleases { order, others }
    }

    fn take_release(&mut self, chosen: &ChosenRelease) {
        let language = Language::Python;
        let mut interpreters = self.lock.interpreters.iter_mut();
        let Some(choice) = interpreters.find(|one| one.language == language) else {
            return;
        };
        if chosen
            .wheels
            .first()
            .is_some_and(|first| first.release != chosen.release)
        {
            choice.version = Some(chosen.release.clone());
        }
        if chosen.resolved.packages.is_empty() && chosen.wheels.iter().all(|one| one.lacking.is_empty()) {
            return;
        }
        let sentence = release_wheels::sentence(&chosen.wheels, &chosen.release);
        choice.reason = format!("{} {sentence}", choice.reason).trim().to_owned();
        if chosen.wheels.iter().any(|one| !one.lacking.is_empty()) {
            choice.wheels.clone_from(&chosen.wheels);
        }
    }

    /// Takes the answers of the Python index in.
    pub fn take_python(&mut self, address: &str, chosen: &ChosenRelease) {
        let language = Language::Python;
        self.source(language, address);
        self.take_release(chosen);
        let resolved = &chosen.resolved;
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
            for line in &package.by_patch {
                self.lock.notes.push(format!(
                    "{} asks for `{line}`, which goes by the patch release of Python {}: nothing tells that, and it is taken \
                     as for a late one.",
                    package.name, chosen.release
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
        self.note_late(locked);
    }
}
