//! Deviations from the plan, as rows of a table.
//!
//! The columns are those of Willroth and Atherton (2024), Advances in Methods and
//! Practices in Psychological Science 7: type, original wording, deviation, reason,
//! timing, and what the deviation means for the reader.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::domain::criterion::Criterion;
use crate::domain::doubt::{Doubt, DoubtCause};
use crate::domain::excerpt;
use crate::domain::plan_departure::PlanDeparture;
use crate::domain::verdict::Outcome;

use super::contrary_evidence::DataFacts;
use super::deviation_kind::{DeviationKind, Timing};

/// The most characters of a quotation.
const QUOTED: usize = 500;
/// The most rows for one plan's later copy.
const MOST: usize = 40;

/// One departure of what was done from what was planned.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Deviation {
    /// One clause.
    pub what: String,
    /// The code file, or the key of the plan such as `data_used.expected_rows`; absent if it is neither.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub place: Option<String>,
    pub kind: DeviationKind,
    pub when: Timing,
    /// The reason that was given for it; absent if none was.
    pub why: Option<String>,
    /// Whether the verdict could be another one without it; absent if that is not known.
    pub could_change: Option<bool>,
    /// The plan's words.
    pub plan: Option<String>,
    /// What was done instead.
    pub code: Option<String>,
    /// The agent's report on it.
    pub report: Option<String>,
}

impl Deviation {
    /// Whether it is at a place: `work/a.R` or `a.R`, `criterion.alpha` or `replication_study.criterion.alpha`.
    fn is_at(&self, place: &str) -> bool {
        let place = place
            .trim()
            .trim_start_matches("./")
            .trim_start_matches("replication_study.");
        let own = self.place.as_deref();
        own.is_some_and(|own| own == place || own.strip_prefix("work/") == Some(place))
    }

    pub(super) fn new(what: impl Into<String>, kind: DeviationKind, when: Timing) -> Self {
        Self {
            what: what.into(),
            place: None,
            kind,
            when,
            why: None,
            could_change: None,
            plan: None,
            code: None,
            report: None,
        }
    }
}

/// The plan's rule against the one that is fixed for the claim.
///
/// A verdict of 'met' is held against the fixed rule too, and one of its `doubts`
/// says where that is not met; of another outcome it is not known.
pub fn in_criterion(
    criterion: &Criterion,
    departure: Option<&str>,
    outcome: Option<Outcome>,
    doubts: &[Doubt],
) -> Option<Deviation> {
    let departure = departure?;
    let reason = criterion.reason.trim();
    let weaker = doubts.iter().any(|doubt| doubt.cause == DoubtCause::WeakerRule);
    Some(Deviation {
        why: (!reason.is_empty()).then(|| quoted(reason)),
        could_change: match outcome {
            _ if weaker => Some(true),
            Some(Outcome::Met) => Some(false),
            _ => None,
        },
        place: Some("criterion".to_owned()),
        plan: serde_json::to_string(criterion).ok().map(|text| quoted(&text)),
        ..Deviation::new(
            format!("the rule is not the one that is fixed: {}", quoted(departure)),
            DeviationKind::InferenceCriteria,
            Timing::WhenPlanned,
        )
    })
}

/// The rows that the model used against what the plan expects.
pub fn in_sample_size(n: Option<u64>, facts: &DataFacts, doubts: &[Doubt]) -> Option<Deviation> {
    let (n, expected) = (n?, facts.expected?);
    if n == expected {
        return None;
    }
    let tolerance = match facts.tolerance {
        Some(tolerance) => format!(" (± {tolerance})"),
        None => String::new(),
    };
    let decides = doubts
        .iter()
        .any(|doubt| doubt.decides && doubt.cause == DoubtCause::SampleSize);
    Some(Deviation {
        place: Some("data_used.expected_rows".to_owned()),
        could_change: Some(decides),
        plan: Some(format!("{expected} rows{tolerance}")),
        code: Some(format!("{n} rows")),
        ..Deviation::new(
            "the model used another number of rows than planned",
            DeviationKind::SampleSize,
            Timing::InExecution,
        )
    })
}

/// Data files that were opened against those that the plan names.
pub fn in_data(facts: &DataFacts, doubts: &[Doubt]) -> Option<Deviation> {
    let unopened: Vec<&str> = facts
        .planned
        .iter()
        .filter(|file| facts.complete && !facts.opened.contains(file))
        .map(String::as_str)
        .collect();
    if unopened.is_empty() && facts.unplanned.is_empty() {
        return None;
    }
    let decides = doubts
        .iter()
        .any(|doubt| doubt.decides && doubt.cause == DoubtCause::Data);
    let what = match (unopened.is_empty(), facts.unplanned.is_empty()) {
        (true, _) => "data were opened that the plan does not name",
        (_, true) => "planned data were not opened",
        _ => "other data were opened than planned",
    };
    let opened: Vec<&str> = facts
        .opened
        .iter()
        .chain(&facts.unplanned)
        .map(String::as_str)
        .collect();
    Some(Deviation {
        place: Some("data_used.files".to_owned()),
        // A file beside the planned ones may be a table of codes or the whole result.
        could_change: decides.then_some(true),
        plan: Some(quoted(&facts.planned.join(", "))),
        code: Some(quoted(&if opened.is_empty() {
            "no data file".to_owned()
        } else {
            opened.join(", ")
        })),
        ..Deviation::new(what, DeviationKind::Data, Timing::InExecution)
    })
}

/// Each part of the plan that stands otherwise in its later copy. The rule is
/// applied as it was fixed, so that no later one can change the verdict.
pub fn in_plan(fixed: &Value, later: &Value, when: Timing) -> Vec<Deviation> {
    let mut found = Vec::new();
    compare(fixed, later, String::new(), &mut found);
    found
        .into_iter()
        .take(MOST)
        .map(|(pointer, before, after)| Deviation {
            place: Some(named(&pointer)),
            could_change: pointer
                .starts_with("/replication_study/criterion")
                .then_some(false),
            plan: before.map(|text| quoted(&text)),
            code: Some(after.map_or_else(
                || "left out of the later copy".to_owned(),
                |text| format!("later copy: {}", quoted(&text)),
            )),
            ..Deviation::new(
                format!("`{}` of the plan was changed", named(&pointer)),
                DeviationKind::from_pointer(&pointer),
                when,
            )
        })
        .collect()
}

/// A code file that was changed after the plan was fixed.
pub fn in_code(path: &str, planned: Option<&str>, diff: &str, when: Timing, doubts: &[Doubt]) -> Deviation {
    let decides = doubts.iter().any(|doubt| {
        doubt.decides
            && doubt.cause == DoubtCause::ChangedAfterResult
            && doubt.files.iter().any(|file| file == path)
    });
    let changed: Vec<&str> = diff
        .lines()
        .filter(|line| matches!(line.as_bytes(), [b'+' | b'-', rest @ ..] if !matches!(rest, [b'+' | b'-', b'+' | b'-', ..])))
        .collect();
    Deviation {
        place: Some(path.to_owned()),
        could_change: decides.then_some(true),
        plan: planned.map(quoted),
        code: Some(quoted(&changed.join("\n"))),
        ..Deviation::new(
            format!("`{path}` was changed after the plan was fixed"),
            DeviationKind::Code,
            when,
        )
    }
}

/// Puts a departure that the execution's answer states at the rows of its place, or else in a row
/// of its own.
pub fn state(rows: &mut Vec<Deviation>, stated: &PlanDeparture) {
    let what = quoted(&stated.what);
    let why = Some(quoted(&stated.why)).filter(|why| !why.is_empty());
    let mut found = false;
    let of_place = rows.iter_mut().filter(|row| row.is_at(&stated.place));
    for row in of_place {
        row.why = row.why.take().or_else(|| why.clone());
        row.could_change = row.could_change.or(stated.could_change);
        row.report = Some(what.clone());
        found = true;
    }
    if !found {
        let place = stated.place.trim();
        rows.push(Deviation {
            place: (!place.is_empty()).then(|| quoted(place)),
            why,
            could_change: stated.could_change,
            report: Some(what),
            ..Deviation::new("stated in the report", DeviationKind::Other, Timing::NotSaid)
        });
    }
}

/// A text of others, cut to what a table holds.
pub fn quoted(text: &str) -> String {
    excerpt::shortened(text.trim(), QUOTED)
}

type Leaf = (String, Option<String>, Option<String>);

fn compare(fixed: &Value, later: &Value, pointer: String, found: &mut Vec<Leaf>) {
    match (fixed, later) {
        (Value::Object(one), Value::Object(other)) => {
            for (key, value) in one {
                let below = format!("{pointer}/{key}");
                compare(value, other.get(key).unwrap_or(&Value::Null), below, found);
            }
            for (key, value) in other.iter().filter(|(key, _)| !one.contains_key(*key)) {
                compare(&Value::Null, value, format!("{pointer}/{key}"), found);
            }
        }
        _ if is_same(fixed, later) => {}
        _ => found.push((pointer, text(fixed), text(later))),
    }
}

/// Equal as read: numbers by value, and what is empty as what is absent.
fn is_same(one: &Value, other: &Value) -> bool {
    let is_empty = |value: &Value| match value {
        Value::Null => true,
        Value::String(text) => text.trim().is_empty(),
        Value::Array(items) => items.is_empty(),
        Value::Object(fields) => fields.is_empty(),
        _ => false,
    };
    one == other
        || (is_empty(one) && is_empty(other))
        || one
            .as_f64()
            .zip(other.as_f64())
            .is_some_and(|(one, other)| one == other)
}

fn text(value: &Value) -> Option<String> {
    match value {
        Value::Null => None,
        Value::String(text) => Some(text.clone()),
        other => Some(other.to_string()),
    }
}

/// A pointer as people write a field.
fn named(pointer: &str) -> String {
    pointer
        .trim_start_matches("/replication_study")
        .trim_start_matches('/')
        .replace('/', ".")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn parts_of_a_plan_are_compared_one_by_one() {
        let fixed = json!({"replication_study": {
            "criterion": {"alpha": 0.05}, "data_plan": {"sample_size": "102", "notes": ""},
            "entry_points": [{"path": "work/a.py"}]}});
        let later = json!({"replication_study": {
            "criterion": {"alpha": 0.10}, "data_plan": {"sample_size": "98"},
            "entry_points": [{"path": "work/a.py"}], "hypothesis": "another"}});
        let found = in_plan(&fixed, &later, Timing::AfterResult);
        assert_eq!(
            (found[0].could_change, found[1].could_change),
            (Some(false), None)
        );
        let rows: Vec<_> = found
            .iter()
            .map(|one| {
                (
                    one.what.as_str(),
                    one.kind,
                    one.plan.as_deref(),
                    one.code.as_deref(),
                )
            })
            .collect();
        assert_eq!(
            rows,
            [
                (
                    "`criterion.alpha` of the plan was changed",
                    DeviationKind::InferenceCriteria,
                    Some("0.05"),
                    Some("later copy: 0.1")
                ),
                (
                    "`data_plan.sample_size` of the plan was changed",
                    DeviationKind::SampleSize,
                    Some("102"),
                    Some("later copy: 98")
                ),
                (
                    "`hypothesis` of the plan was changed",
                    DeviationKind::Hypothesis,
                    None,
                    Some("later copy: another")
                ),
            ]
        );
    }

    #[test]
    fn a_change_of_code_quotes_its_lines() {
        let diff = "--- a\n+++ a\n@@ -1,2 +1,2 @@\n same\n-x <- 1\n+x <- 2\n";
        let doubts = [Doubt {
            files: vec!["work/a.R".to_owned()],
            ..Doubt::deciding(
                DoubtCause::ChangedAfterResult,
                "x1 gave 1, and the last call gave 2.",
            )
        }];
        let found = in_code("work/a.R", Some("the model"), diff, Timing::AfterResult, &doubts);
        assert_eq!(found.code.as_deref(), Some("-x <- 1\n+x <- 2"));
        assert_eq!(found.could_change, Some(true));
        let other = in_code("work/b.R", None, diff, Timing::BeforeResult, &doubts);
        assert_eq!(other.could_change, None);
    }

    #[test]
    fn a_stated_departure_is_at_its_place_or_in_a_row_of_its_own() {
        let mut rows = vec![in_code("work/slope.sh", None, "+a\n", Timing::AfterResult, &[])];
        let stated = |place: &str| PlanDeparture {
            what: "the separator".to_owned(),
            place: place.to_owned(),
            why: "a comma".to_owned(),
            could_change: Some(false),
            ..PlanDeparture::default()
        };
        state(&mut rows, &stated("slope.sh"));
        assert_eq!(rows.len(), 1);
        assert_eq!(rows[0].why.as_deref(), Some("a comma"));
        assert_eq!(
            (rows[0].report.as_deref(), rows[0].could_change),
            (Some("the separator"), Some(false))
        );
        // Words that name the file elsewhere are not its place.
        state(&mut rows, &stated("the script slope.sh"));
        assert_eq!(rows.len(), 2);
        assert_eq!(rows[1].kind, DeviationKind::Other);
    }

    #[test]
    fn data_and_rows_are_held_against_the_plan() {
        let facts = DataFacts {
            planned: vec!["replication_data/a.csv".to_owned()],
            unplanned: vec!["replication_data/b.csv".to_owned()],
            complete: true,
            expected: Some(100),
            ..DataFacts::default()
        };
        let found = in_data(&facts, &[]).unwrap();
        assert_eq!(found.what, "other data were opened than planned");
        assert_eq!(found.could_change, None);
        let size =
            in_sample_size(Some(90), &facts, &[Doubt::deciding(DoubtCause::SampleSize, "90")]).unwrap();
        assert_eq!(
            (size.could_change, size.code.as_deref()),
            (Some(true), Some("90 rows"))
        );
        assert_eq!(in_sample_size(Some(100), &facts, &[]), None);
    }

    #[test]
    fn a_weaker_rule_could_change_the_verdict() {
        let criterion = Criterion::significance("x", crate::domain::finding::Direction::Positive, 0.1, true);
        let of = |outcome, doubts: &[Doubt]| {
            in_criterion(&criterion, Some("alpha 0.1, not 0.05"), Some(outcome), doubts).unwrap()
        };
        assert_eq!(of(Outcome::Met, &[]).could_change, Some(false));
        assert_eq!(of(Outcome::Unmet, &[]).could_change, None);
        let weaker = Doubt::deciding(DoubtCause::WeakerRule, "not met");
        assert_eq!(of(Outcome::Inconclusive, &[weaker]).could_change, Some(true));
        assert_eq!(in_criterion(&criterion, None, None, &[]), None);
    }
}
