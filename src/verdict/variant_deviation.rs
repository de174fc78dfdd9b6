//! Variants that did not come about as they were registered.

use crate::domain::format;
use crate::domain::variant::Variant;

use super::deviation::{Deviation, quoted};
use super::deviation_kind::{DeviationKind, Timing};
use super::variant::{VariantEnd, VariantResult};

/// Each registered variant that did not run to its end.
pub fn in_results(results: &[VariantResult]) -> Vec<Deviation> {
    let unended = results.iter().filter(|one| one.ended != VariantEnd::Ran);
    unended
        .map(|one| Deviation {
            could_change: Some(false),
            plan: Some(quoted(&one.changes)),
            code: one.why.as_deref().map(quoted),
            ..Deviation::new(
                format!("the variant `{}` {}", one.name, one.ended.words()),
                DeviationKind::Analysis,
                Timing::InExecution,
            )
        })
        .collect()
}

/// Each variant of the plan that stands otherwise in its later copy, which is not what
/// is run: variants are run as they were registered.
pub fn in_plan(fixed: &[Variant], later: &[Variant], when: Timing) -> Vec<Deviation> {
    let same_name = |one: &Variant, other: &Variant| one.name.trim() == other.name.trim();
    let row = |what: String, plan: Option<&Variant>, code: Option<&Variant>| {
        let text = |variant: &Variant| serde_json::to_string(variant).ok().map(|text| quoted(&text));
        let code = code.and_then(text).map(|text| format!("later copy: {text}"));
        Deviation {
            could_change: Some(false),
            plan: plan.and_then(text),
            code: Some(code.unwrap_or_else(|| "left out of the later copy".to_owned())),
            ..Deviation::new(what, DeviationKind::Analysis, when)
        }
    };
    let changed = fixed.iter().filter_map(|one| {
        let other = later.iter().find(|other| same_name(one, other));
        let name = one.name.trim();
        match other {
            None => Some(row(
                format!("the variant `{name}` was taken out of the plan"),
                Some(one),
                None,
            )),
            Some(other) if other != one => Some(row(
                format!("the variant `{name}` of the plan was changed"),
                Some(one),
                Some(other),
            )),
            Some(_) => None,
        }
    });
    let added = later
        .iter()
        .filter(|other| !fixed.iter().any(|one| same_name(one, other)))
        .map(|other| {
            let name = other.name.trim();
            row(
                format!("the variant `{name}` was added to the plan, and is not run"),
                None,
                Some(other),
            )
        });
    changed.chain(added).collect()
}

/// The row on a changed file, if it is a script of variants, with their names.
pub fn with_names(mut row: Deviation, path: &str, variants: &[Variant]) -> Deviation {
    let runs = |variant: &&Variant| {
        variant.entry.iter().any(|script| {
            let script = script.trim().trim_start_matches("./");
            path == script || path.strip_prefix("work/") == Some(script)
        })
    };
    let names: Vec<String> = variants
        .iter()
        .filter(runs)
        .map(|one| format!("`{}`", one.name))
        .collect();
    if !names.is_empty() {
        let word = format::plural(names.len(), "variant", "variants");
        row.what = format!("{} (script of the {word} {})", row.what, names.join(", "));
    }
    row
}

#[cfg(test)]
mod tests {
    use super::*;

    fn variant(name: &str, entry: &str) -> Variant {
        Variant {
            name: name.into(),
            changes: "something".into(),
            entry: vec![entry.into()],
            ..Variant::default()
        }
    }

    #[test]
    fn what_became_of_registered_variants_is_named() {
        let result = |name: &str, ended| VariantResult {
            name: name.into(),
            changes: "another sample".into(),
            ended,
            why: (ended == VariantEnd::Failed).then(|| "`work/b.R` ended with exit status 1".into()),
            finding: None,
            outcome: None,
        };
        let rows = in_results(&[
            result("a", VariantEnd::Ran),
            result("b", VariantEnd::Failed),
            result("c", VariantEnd::NotRun),
        ]);
        let told: Vec<_> = rows
            .iter()
            .map(|row| (row.what.as_str(), row.code.as_deref()))
            .collect();
        assert_eq!(
            told,
            [
                (
                    "the variant `b` failed",
                    Some("`work/b.R` ended with exit status 1")
                ),
                ("the variant `c` was not run", None),
            ]
        );
    }

    #[test]
    fn a_later_copy_of_the_plan_changes_drops_and_adds() {
        let fixed = [
            variant("a", "work/a.R"),
            variant("b", "work/b.R"),
            variant("c", "work/c.R"),
        ];
        let later = [
            variant("a", "work/a.R"),
            variant("b", "work/other.R"),
            variant("d", "work/d.R"),
        ];
        let rows = in_plan(&fixed, &later, Timing::AfterResult);
        let told: Vec<&str> = rows.iter().map(|row| row.what.as_str()).collect();
        assert_eq!(
            told,
            [
                "the variant `b` of the plan was changed",
                "the variant `c` was taken out of the plan",
                "the variant `d` was added to the plan, and is not run",
            ]
        );
        assert!(rows.iter().all(|row| row.could_change == Some(false)));
    }

    #[test]
    fn a_changed_script_is_told_with_its_variants() {
        let row = || Deviation::new("`work/a.R` was changed", DeviationKind::Code, Timing::NotSaid);
        let variants = [
            variant("a", "work/a.R"),
            variant("again", "a.R"),
            variant("b", "work/ba.R"),
        ];
        assert_eq!(
            with_names(row(), "work/a.R", &variants).what,
            "`work/a.R` was changed (script of the variants `a`, `again`)"
        );
        assert_eq!(with_names(row(), "work/main.R", &variants), row());
    }
}
