//! The differences between two locks.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use super::language::Language;
use super::lock::{EnvironmentLock, LockedPackage};

/// A part of two locks that differs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct LockChange {
    /// `date`, `platform`, `interpreter`, `version`, `file` or `not-had`.
    pub what: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub language: Option<Language>,
    /// Of the package.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// `None` where it is not in the first lock.
    pub first: Option<String>,
    /// `None` where it is not in the second.
    pub second: Option<String>,
}

/// Compares two locks.
pub fn compare(first: &EnvironmentLock, second: &EnvironmentLock) -> Vec<LockChange> {
    let mut changes = Vec::new();
    let mut whole = |what: &'static str, one: String, other: String| {
        if one != other {
            changes.push(LockChange {
                what,
                language: None,
                name: None,
                first: Some(one),
                second: Some(other),
            });
        }
    };
    whole(
        "date",
        first.as_of.instant.to_string(),
        second.as_of.instant.to_string(),
    );
    whole("platform", first.platform.clone(), second.platform.clone());
    interpreters(first, second, &mut changes);
    packages(first, second, &mut changes);
    not_had(first, second, &mut changes);
    changes
}

/// Compares two environments of which one or both are as a run found them: by interpreters and versions, since
/// nothing else is known of such a one. A release that only says less is the same.
pub fn compare_made(first: &EnvironmentLock, second: &EnvironmentLock) -> Vec<LockChange> {
    let mut changes = compare(first, second);
    changes.retain(|change| match change.what {
        "version" => true,
        "interpreter" => {
            let says_less = |one: &Option<String>, other: &Option<String>| match (one, other) {
                (Some(one), Some(other)) => one == "any" || other.starts_with(&format!("{one}.")),
                _ => false,
            };
            !says_less(&change.first, &change.second) && !says_less(&change.second, &change.first)
        }
        _ => false,
    });
    changes
}

fn interpreters(first: &EnvironmentLock, second: &EnvironmentLock, changes: &mut Vec<LockChange>) {
    let versions = |lock: &EnvironmentLock| -> BTreeMap<Language, String> {
        let all = lock.interpreters.iter();
        all.map(|one| {
            (
                one.language,
                one.version.clone().unwrap_or_else(|| "any".to_owned()),
            )
        })
        .collect()
    };
    let (first, second) = (versions(first), versions(second));
    let languages: BTreeSet<Language> = first.keys().chain(second.keys()).copied().collect();
    for language in languages {
        let (one, other) = (first.get(&language), second.get(&language));
        if one != other {
            changes.push(LockChange {
                what: "interpreter",
                language: Some(language),
                name: None,
                first: one.cloned(),
                second: other.cloned(),
            });
        }
    }
}

/// A package of a language.
type PackageKey<'a> = (Language, &'a str);

fn packages(first: &EnvironmentLock, second: &EnvironmentLock, changes: &mut Vec<LockChange>) {
    fn by_key(lock: &EnvironmentLock) -> BTreeMap<PackageKey<'_>, &LockedPackage> {
        let all = lock.packages.iter();
        all.map(|package| ((package.language, package.name.as_str()), package))
            .collect()
    }
    let (first, second) = (by_key(first), by_key(second));
    let keys: BTreeSet<PackageKey<'_>> = first.keys().chain(second.keys()).copied().collect();
    for key in keys {
        let (one, other) = (first.get(&key), second.get(&key));
        let versions = [one, other].map(|package| package.map(|package| package.version.clone()));
        let files = [one, other].map(|package| {
            package.map(|package| {
                format!(
                    "{} {}",
                    package.file,
                    package.sha256.as_deref().unwrap_or("without digest")
                )
            })
        });
        let (what, [first, second]) = match () {
            () if versions[0] != versions[1] => ("version", versions),
            () if files[0] != files[1] => ("file", files),
            () => continue,
        };
        changes.push(LockChange {
            what,
            language: Some(key.0),
            name: Some(key.1.to_owned()),
            first,
            second,
        });
    }
}

fn not_had(first: &EnvironmentLock, second: &EnvironmentLock, changes: &mut Vec<LockChange>) {
    fn by_key(lock: &EnvironmentLock) -> BTreeMap<PackageKey<'_>, &str> {
        let all = lock.not_had.iter();
        all.map(|lacking| ((lacking.language, lacking.name.as_str()), lacking.why.as_str()))
            .collect()
    }
    let (first, second) = (by_key(first), by_key(second));
    let keys: BTreeSet<PackageKey<'_>> = first.keys().chain(second.keys()).copied().collect();
    for key in keys {
        let (one, other) = (first.get(&key), second.get(&key));
        if one != other {
            changes.push(LockChange {
                what: "not-had",
                language: Some(key.0),
                name: Some(key.1.to_owned()),
                first: one.map(|why| (*why).to_owned()),
                second: other.map(|why| (*why).to_owned()),
            });
        }
    }
}
