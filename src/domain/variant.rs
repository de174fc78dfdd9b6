//! A further analysis that is fixed before any result is seen, and decides nothing.

use std::collections::{BTreeMap, BTreeSet};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The most variants of one study or plan.
pub const MOST: usize = 64;
/// The variable that tells code which variant it is run as; unset in the main analysis.
pub const NAME_VARIABLE: &str = "REPRISE_VARIANT";

/// The most characters of a name, and of a variable's value.
const LONGEST_NAME: usize = 64;
const LONGEST_VALUE: usize = 1000;
/// Variables that belong to the sandbox and to the helpers.
const RESERVED: [&str; 4] = ["PATH", "HOME", "TMPDIR", "PYTHONPATH"];
const RESERVED_BEGINNINGS: [&str; 2] = ["REPRISE_", "LD_"];

/// One variant of the main analysis.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Variant {
    pub name: String,
    /// one sentence
    pub changes: String,
    /// scripts; absent: the main ones
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub entry: Vec<String>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    #[schemars(title = "environment variables beside REPRISE_VARIANT")]
    pub variables: BTreeMap<String, String>,
    /// absent: the main one
    #[serde(skip_serializing_if = "Option::is_none")]
    pub focal_term: Option<String>,
}

/// A fault in a list of variants.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum VariantFault {
    #[error("{0} variants are registered, and at most {MOST} are run")]
    TooMany(usize),
    #[error("a variant has no `name`")]
    NoName,
    #[error(
        "the variant `{0}` has a name of more than {LONGEST_NAME} characters, or with control characters"
    )]
    BadName(String),
    #[error("two variants have the name `{0}`: give each its own")]
    Duplicate(String),
    #[error("the variant `{0}` does not say in `changes` what it changes")]
    NoChange(String),
    #[error("the variant `{0}` names {1} scripts, and at most {MOST} are run")]
    TooManyScripts(String, usize),
    #[error(
        "the variant `{variant}` sets the variable `{variable}`: take a name of letters, digits and `_` that \
         belongs neither to the system nor to reprise"
    )]
    BadVariable { variant: String, variable: String },
    #[error(
        "the variant `{variant}` sets `{variable}` to more than {LONGEST_VALUE} characters, or to control characters"
    )]
    BadValue { variant: String, variable: String },
}

/// Everything that is wrong with the variants of one study or plan.
pub fn faults(variants: &[Variant]) -> Vec<VariantFault> {
    let mut faults = Vec::new();
    if variants.len() > MOST {
        faults.push(VariantFault::TooMany(variants.len()));
    }
    let mut seen = BTreeSet::new();
    for variant in variants {
        let name = variant.name.trim();
        let shown = || {
            name.chars()
                .filter(|one| !one.is_control())
                .take(LONGEST_NAME)
                .collect::<String>()
        };
        if name.is_empty() {
            faults.push(VariantFault::NoName);
            continue;
        }
        if name.chars().count() > LONGEST_NAME || name.contains(char::is_control) {
            faults.push(VariantFault::BadName(shown()));
        }
        if !seen.insert(name.to_lowercase()) {
            faults.push(VariantFault::Duplicate(shown()));
        }
        if variant.changes.trim().is_empty() {
            faults.push(VariantFault::NoChange(shown()));
        }
        if variant.entry.len() > MOST {
            faults.push(VariantFault::TooManyScripts(shown(), variant.entry.len()));
        }
        for (variable, value) in &variant.variables {
            let variable_shown = || {
                variable
                    .chars()
                    .filter(|one| !one.is_control())
                    .take(LONGEST_NAME)
                    .collect()
            };
            if !is_variable(variable) {
                faults.push(VariantFault::BadVariable {
                    variant: shown(),
                    variable: variable_shown(),
                });
            } else if value.chars().count() > LONGEST_VALUE || value.contains(char::is_control) {
                faults.push(VariantFault::BadValue {
                    variant: shown(),
                    variable: variable_shown(),
                });
            }
        }
    }
    faults
}

fn is_variable(name: &str) -> bool {
    let upper = name.to_ascii_uppercase();
    let plain = name
        .bytes()
        .all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
        && name.bytes().next().is_some_and(|first| !first.is_ascii_digit())
        && name.len() <= LONGEST_NAME;
    plain
        && !RESERVED.contains(&upper.as_str())
        && !RESERVED_BEGINNINGS
            .iter()
            .any(|beginning| upper.starts_with(beginning))
}

/// The variants of a study and of a plan as one list. A plan's variant that has the
/// name of a study's gives it what the study leaves open, such as its scripts.
pub fn registered(study: &[Variant], plan: &[Variant]) -> Vec<Variant> {
    let is_same =
        |one: &Variant, other: &Variant| one.name.trim().to_lowercase() == other.name.trim().to_lowercase();
    let mut all: Vec<Variant> = study
        .iter()
        .map(|fixed| {
            let own = plan.iter().find(|own| is_same(own, fixed));
            own.map_or_else(|| fixed.clone(), |own| completed(fixed, own))
        })
        .collect();
    let further = plan
        .iter()
        .filter(|own| !study.iter().any(|fixed| is_same(own, fixed)));
    all.extend(further.cloned());
    for variant in &mut all {
        variant.name = variant.name.trim().to_owned();
        variant.changes = variant.changes.trim().to_owned();
        variant.focal_term = variant
            .focal_term
            .take()
            .map(|term| term.trim().to_owned())
            .filter(|term| !term.is_empty());
    }
    all
}

fn completed(fixed: &Variant, own: &Variant) -> Variant {
    let mut variables = own.variables.clone();
    variables.extend(fixed.variables.clone());
    Variant {
        entry: if fixed.entry.is_empty() {
            own.entry.clone()
        } else {
            fixed.entry.clone()
        },
        variables,
        focal_term: fixed.focal_term.clone().or_else(|| own.focal_term.clone()),
        ..fixed.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn variant(name: &str) -> Variant {
        Variant {
            name: name.into(),
            changes: "something".into(),
            ..Variant::default()
        }
    }

    #[test]
    fn what_cannot_be_registered_is_said() {
        let with = |change: &dyn Fn(&mut Variant)| {
            let mut one = variant("a");
            change(&mut one);
            let told: Vec<String> = faults(&[one, variant("b")])
                .iter()
                .map(ToString::to_string)
                .collect();
            told.join("; ")
        };
        assert_eq!(with(&|_| {}), "");
        assert!(with(&|it| it.name = " ".into()).contains("no `name`"));
        assert!(with(&|it| it.name = "x\u{1b}[2J".into()).contains("`x[2J`"));
        assert!(with(&|it| it.name = "B ".into()).contains("two variants have the name `b`"));
        assert!(with(&|it| it.changes.clear()).contains("`changes`"));
        for name in [
            "PATH",
            "pythonpath",
            "REPRISE_RESULTS",
            "LD_PRELOAD",
            "1A",
            "a b",
            "",
        ] {
            let told = with(&|it| drop(it.variables.insert(name.into(), "1".into())));
            assert!(told.contains(&format!("the variable `{name}`")), "{name}: {told}");
        }
        assert!(with(&|it| drop(it.variables.insert("A".into(), "\0".into()))).contains("sets `A`"));
        let many: Vec<Variant> = (0..=MOST).map(|number| variant(&number.to_string())).collect();
        assert_eq!(faults(&many), [VariantFault::TooMany(MOST + 1)]);
    }

    #[test]
    fn a_plan_gives_a_studys_variant_its_scripts_and_changes_nothing_of_it() {
        let fixed = Variant {
            focal_term: Some("x".into()),
            ..variant("a")
        };
        let own = Variant {
            changes: "something else".into(),
            entry: vec!["work/a.py".into()],
            focal_term: Some("y".into()),
            ..variant("A ")
        };
        let all = registered(std::slice::from_ref(&fixed), &[own, variant("b")]);
        assert_eq!(
            all,
            [
                Variant {
                    entry: vec!["work/a.py".into()],
                    ..fixed
                },
                variant("b")
            ]
        );
    }
}
