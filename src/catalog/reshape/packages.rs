//! Forms of the declared packages.

use serde_json::{Value, json};

use super::moves::{Deviations, Object, note, object, rename};
use crate::catalog::fault::AnswerDeviationKind;
use crate::catalog::fit::{EXTRA, plain};

/// Packages by kind, each a list of names.
pub(super) fn packages(specs: &mut Object, deviations: &mut Deviations) {
    const PATH: &str = "/replication_study/docker_specs/packages";
    if let Some(list @ (Value::Array(_) | Value::String(_))) = specs.get("packages") {
        let python = list.clone();
        specs.insert("packages".to_owned(), json!({"python": python}));
        note(
            deviations,
            PATH,
            AnswerDeviationKind::Moved,
            "The packages are not sorted by kind; they are read as Python's.",
        );
    }
    let Some(packages) = object(specs, "packages") else {
        return;
    };
    rename(packages, PATH, "R", "r", deviations);
    for name in ["system", "apt", "debian"] {
        let Some(Value::Array(more)) = packages.remove(name) else {
            continue;
        };
        note(
            deviations,
            format!("{PATH}/{name}"),
            AnswerDeviationKind::Alias,
            format!("`{name}` stands for `other`."),
        );
        match packages.get_mut("other") {
            Some(Value::Array(other)) => other.extend(more),
            _ => drop(packages.insert("other".to_owned(), Value::Array(more))),
        }
    }
    for (kind, names) in packages.iter_mut().filter(|(kind, _)| *kind != EXTRA) {
        let Value::Object(versions) = names else { continue };
        let list: Vec<Value> = versions
            .iter()
            .map(|(name, version)| {
                let version = plain(version);
                let version = version.trim();
                Value::String(match version.chars().next() {
                    Some(first) if first.is_ascii_digit() => format!("{name}=={version}"),
                    Some('=' | '<' | '>' | '~' | '!') => format!("{name}{version}"),
                    _ => name.clone(),
                })
            })
            .collect();
        *names = Value::Array(list);
        note(
            deviations,
            format!("{PATH}/{kind}"),
            AnswerDeviationKind::Type,
            "The packages are given as an object of versions.",
        );
    }
}
