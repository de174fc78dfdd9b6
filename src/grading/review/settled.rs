//! The values that code leaves to each field of a review, and why.

use std::collections::{BTreeMap, BTreeSet};

use crate::catalog::rubrics::trace_rubric::{ClosedField, FieldInvariant, TraceRubric};

/// The facts that code has of a run, before any judge is asked.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CodeFacts {
    pub restrictions: Vec<FieldRestriction>,
    /// What code noticed and does not decide, a sentence each.
    pub noticed: Vec<String>,
}

/// The values that are left of a field.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FieldRestriction {
    pub field: String,
    pub values: Vec<String>,
    /// Why, as a clause.
    pub why: String,
}

/// The values that each field of a rubric may take, as far as code knows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Settled<'a> {
    rubric: &'a TraceRubric,
    left: BTreeMap<&'a str, LeftValues<'a>>,
    noticed: &'a [String],
}

/// The rest of a field's values.
#[derive(Debug, Clone, PartialEq, Eq)]
struct LeftValues<'a> {
    values: BTreeSet<&'a str>,
    /// Why some are gone; empty where none is.
    why: Vec<String>,
}

impl<'a> Settled<'a> {
    /// What facts, and the rubric's invariants on them, leave of each field. Facts on a field or on
    /// values that the rubric does not have, and those that leave nothing, say nothing.
    pub fn new(rubric: &'a TraceRubric, facts: &'a CodeFacts) -> Self {
        let left = rubric.fields.iter().map(|field| {
            let values = LeftValues {
                values: field.names().collect(),
                why: Vec::new(),
            };
            (field.name.as_str(), values)
        });
        let mut settled = Self {
            rubric,
            left: left.collect(),
            noticed: &facts.noticed,
        };
        for fact in &facts.restrictions {
            let keeps = |value: &str| fact.values.iter().any(|one| one == value);
            settled.restrict(&fact.field, &keeps, &fact.why);
        }
        // Each round takes a value away, of which there are few.
        while rubric.invariants.iter().any(|one| settled.follow(one)) {}
        settled
    }

    /// The value of a field that code settles, and why.
    pub fn value(&self, field: &str) -> Option<SettledValue<'a>> {
        let left = self.left.get(field)?;
        let mut values = left.values.iter();
        match (values.next(), values.next()) {
            (Some(value), None) => Some(SettledValue {
                value,
                why: left.why.join("; "),
            }),
            _ => None,
        }
    }

    /// The fields that are left to a judge, with the values that may be given.
    pub fn open(&self) -> Vec<OpenField<'a>> {
        let open = self
            .rubric
            .fields
            .iter()
            .filter(|field| self.value(&field.name).is_none());
        open.map(|field| OpenField {
            field,
            values: self
                .left
                .get(field.name.as_str())
                .map_or_else(BTreeSet::new, |left| left.values.clone()),
        })
        .collect()
    }

    /// What a judge is told, in lines.
    pub fn words(&self) -> String {
        let mut lines = Vec::new();
        for field in &self.rubric.fields {
            if let Some(settled) = self.value(&field.name) {
                lines.push(format!(
                    "- `{}` is `{}`: {}",
                    field.name, settled.value, settled.why
                ));
            } else if let Some(left) = self
                .left
                .get(field.name.as_str())
                .filter(|left| !left.why.is_empty())
            {
                lines.push(format!(
                    "- of `{}` only the values above are left: {}",
                    field.name,
                    left.why.join("; ")
                ));
            }
        }
        lines.extend(
            self.noticed
                .iter()
                .map(|line| format!("- noticed, and to be judged by you: {line}")),
        );
        match lines.is_empty() {
            true => "- nothing".to_owned(),
            false => lines.join("\n"),
        }
    }

    /// Takes away the values of a field that do not stay; true where some went.
    fn restrict(&mut self, field: &str, keeps: &dyn Fn(&str) -> bool, why: &str) -> bool {
        let is_guess = self.rubric.field(field).is_none_or(|field| field.guess);
        let Some(left) = self.left.get_mut(field).filter(|_| !is_guess) else {
            return false;
        };
        let kept: BTreeSet<&str> = left.values.iter().copied().filter(|value| keeps(value)).collect();
        if kept.is_empty() || kept.len() == left.values.len() {
            return false;
        }
        left.values = kept;
        left.why.push(why.to_owned());
        true
    }

    /// Follows an invariant one step, forwards or backwards; true where a value went.
    fn follow(&mut self, one: &FieldInvariant) -> bool {
        let why = || format!("{} by the rubric", one.words());
        let is = |settled: &Self, field: &str, value: &str| {
            settled.value(field).is_some_and(|settled| settled.value == value)
        };
        if one.when.iter().all(|(field, value)| is(self, field, value)) {
            for (field, value) in &one.then {
                if self.restrict(field, &|kept| kept == value.as_str(), &why()) {
                    return true;
                }
            }
            for (field, value) in &one.never {
                if self.restrict(field, &|kept| kept != value.as_str(), &why()) {
                    return true;
                }
            }
        }
        let mut when = one.when.iter();
        let (Some((field, value)), None) = (when.next(), when.next()) else {
            return false;
        };
        let is_gone = |(field, value): (&String, &String)| {
            let known = self.rubric.field(field).is_some_and(|field| !field.guess);
            known
                && self
                    .left
                    .get(field.as_str())
                    .is_some_and(|left| !left.values.contains(value.as_str()))
        };
        let is_ruled_out =
            one.then.iter().any(is_gone) || one.never.iter().any(|(field, value)| is(self, field, value));
        is_ruled_out && self.restrict(field, &|kept| kept != value.as_str(), &why())
    }
}

/// A value that code settles.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SettledValue<'a> {
    pub value: &'a str,
    pub why: String,
}

/// A field that is left to a judge.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OpenField<'a> {
    pub field: &'a ClosedField,
    pub values: BTreeSet<&'a str>,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fact(field: &str, values: &[&str]) -> FieldRestriction {
        FieldRestriction {
            field: field.to_owned(),
            values: values.iter().map(|value| (*value).to_owned()).collect(),
            why: "code knows".to_owned(),
        }
    }

    #[test]
    fn what_code_knows_is_followed_through_the_invariants() {
        let rubric = TraceRubric::load(None).unwrap();
        let settled = |restrictions: Vec<FieldRestriction>| CodeFacts {
            restrictions,
            noticed: Vec::new(),
        };
        let nothing = settled(vec![fact("primary_obstacle", &["none"])]);
        let found = Settled::new(&rubric, &nothing);
        assert_eq!(
            found.value("obstacle_resolution").unwrap().value,
            "not_applicable"
        );
        // What a judge guesses at is never settled: the invariant on it takes nothing away.
        assert_eq!(found.value("label"), None);
        let open: Vec<&str> = found.open().iter().map(|open| open.field.name.as_str()).collect();
        assert_eq!(
            open,
            [
                "label",
                "answer_source",
                "answer_verification",
                "strategy_pattern"
            ]
        );
        assert!(
            found
                .words()
                .contains("- `primary_obstacle` is `none`: code knows"),
            "{}",
            found.words()
        );

        let failed = settled(vec![fact(
            "primary_obstacle",
            &["code_bug_original", "code_bug_introduced"],
        )]);
        let found = Settled::new(&rubric, &failed);
        let open = found.open();
        let of = |name: &str| {
            open.iter()
                .find(|one| one.field.name == name)
                .unwrap()
                .values
                .len()
        };
        // There was an obstacle, so that its resolution applies.
        assert_eq!((of("primary_obstacle"), of("obstacle_resolution")), (2, 6));
    }

    #[test]
    fn facts_that_do_not_fit_the_rubric_say_nothing() {
        let rubric = TraceRubric::load(None).unwrap();
        let facts = CodeFacts {
            restrictions: vec![
                fact("colour", &["red"]),
                fact("strategy_pattern", &["green"]),
                fact("label", &["success"]),
            ],
            noticed: vec!["a value stands in a log".to_owned()],
        };
        let found = Settled::new(&rubric, &facts);
        assert_eq!(found.open().len(), rubric.fields.len());
        assert_eq!(
            found.words(),
            "- noticed, and to be judged by you: a value stands in a log"
        );
    }
}
