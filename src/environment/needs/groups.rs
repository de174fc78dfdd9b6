//! Packages of a project's extras and groups: those that a script loads count, the others are told.

use std::collections::{BTreeMap, BTreeSet};

use jiff::civil::Date;

use super::super::evidence::Pin;
use super::super::language::Language;
use super::super::need::Mention;
use super::super::tables::python_names::distribution;
use crate::domain::names::normalized;

/// Packages that are named in one sentence.
const MOST_NAMED: usize = 8;

/// Takes the pins of extras and groups out whose packages no script loads; each extra or group is a sentence. A
/// package that is wanted in any case goes by what is said of it there.
pub fn unloaded(pins: &mut Vec<Pin>, mentions: &[Mention], day: Option<Date>) -> Vec<String> {
    let python = mentions
        .iter()
        .filter(|mention| mention.language == Language::Python);
    let modules = python.flat_map(|mention| {
        let first = mention.name.split('.').next().unwrap_or_default();
        [mention.name.as_str(), first]
    });
    let loaded: BTreeSet<String> = modules
        .flat_map(|module| [distribution(module, day), Some(module)])
        .flatten()
        .map(normalized)
        .collect();
    let plain = pins.iter().filter(|pin| pin.group.is_none());
    let plain: BTreeSet<String> = plain.map(|pin| normalized(&pin.name)).collect();
    let mut left: BTreeMap<(String, String), Vec<String>> = BTreeMap::new();
    pins.retain(|pin| {
        let Some(group) = &pin.group else { return true };
        let name = normalized(&pin.name);
        if plain.contains(&name) || loaded.contains(&name) {
            return !plain.contains(&name) || group == Pin::CONSTRAINTS;
        }
        let names = left.entry((pin.file.clone(), group.clone())).or_default();
        if !names.contains(&pin.name) {
            names.push(pin.name.clone());
        }
        false
    });
    let told = left.into_iter().map(|((file, group), names)| {
        let more = names.len().saturating_sub(MOST_NAMED);
        let first: Vec<&str> = names.iter().take(MOST_NAMED).map(String::as_str).collect();
        let more = if more > 0 {
            format!(" and {more} more")
        } else {
            String::new()
        };
        format!(
            "{file}: of {group} no script loads {}{more}: not taken.",
            first.join(", ")
        )
    });
    told.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::environment::evidence::EvidenceKind;
    use crate::environment::need::{MentionForm, SourcePlace};

    fn pin(name: &str, group: &str) -> Pin {
        Pin {
            group: Some(group.to_owned()).filter(|group| !group.is_empty()),
            ..Pin::new(
                Language::Python,
                name,
                EvidenceKind::LockFile,
                "pyproject.toml",
                1,
            )
        }
    }

    #[test]
    fn what_is_loaded_counts_and_the_rest_is_told_by_group() {
        let loads = |name: &str| Mention {
            language: Language::Python,
            name: name.to_owned(),
            place: SourcePlace {
                file: "a.py".to_owned(),
                line: 1,
            },
            form: MentionForm::Loads,
        };
        let mentions = [loads("sklearn.linear_model"), loads("sea_born")];
        let mut pins = vec![
            pin("pandas", ""),
            pin("Pandas", "the extra `all`"),
            pin("scikit_learn", "the extra `all`"),
            pin("sea-born", "the group `plots`"),
            pin("flask", "the extra `all`"),
            pin("pytest", "the group `dev`"),
            pin("black", "the group `dev`"),
            pin("pandas", Pin::CONSTRAINTS),
            pin("flask", Pin::CONSTRAINTS),
        ];
        let told = unloaded(&mut pins, &mentions, None);
        let kept: Vec<&str> = pins.iter().map(|pin| pin.name.as_str()).collect();
        assert_eq!(kept, ["pandas", "scikit_learn", "sea-born", "pandas"]);
        assert_eq!(
            told,
            [
                "pyproject.toml: of the constraints no script loads flask: not taken.",
                "pyproject.toml: of the extra `all` no script loads flask: not taken.",
                "pyproject.toml: of the group `dev` no script loads pytest, black: not taken."
            ]
        );
    }
}
