//! A judge's answer to a review, held against the closed values, the invariants and the blocks.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::block::{BlockId, cited};
use super::settled::{OpenField, Settled};
use crate::agent::answer::{NoAnswer, find_answer};
use crate::catalog::rubrics::trace_load::EXPLANATION;
use crate::catalog::rubrics::trace_rubric::{FieldInvariant, TraceRubric};
use crate::domain::excerpt;
use crate::domain::lenient_json::RepairKind;

/// Most characters that are kept of an explanation.
const KEPT: usize = 4_000;
/// Blocks that a fault names.
const MOST_BLOCKS: usize = 8;

/// An answer as far as it can be used.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ReadReview {
    /// The fields that can be used.
    pub values: BTreeMap<String, String>,
    /// The prose, where each block that it cites was shown.
    pub explanation: Option<String>,
    pub citations: BTreeSet<BlockId>,
    /// What cannot be used, and why: the ends of sentences that a judge is told.
    pub faults: Vec<ReviewFault>,
}

/// Something in an answer that cannot be used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReviewFault {
    /// The field; `None`: the whole answer.
    pub field: Option<String>,
    pub what: String,
}

impl ReviewFault {
    fn whole(what: impl Into<String>) -> Self {
        Self {
            field: None,
            what: what.into(),
        }
    }

    fn of(field: &str, what: String) -> Self {
        Self {
            field: Some(field.to_owned()),
            what,
        }
    }

    /// It in words.
    pub fn words(&self) -> String {
        match &self.field {
            Some(field) => format!("`{field}` {}", self.what),
            None => self.what.clone(),
        }
    }
}

/// The measure of an answer.
#[derive(Debug, Clone, Copy)]
pub struct ReviewMeasure<'a> {
    pub rubric: &'a TraceRubric,
    pub settled: &'a Settled<'a>,
    pub open: &'a [OpenField<'a>],
    /// The blocks that were shown.
    pub shown: &'a BTreeSet<BlockId>,
}

impl ReviewMeasure<'_> {
    /// Reads an answer.
    pub fn read(&self, text: &str) -> ReadReview {
        let mut read = ReadReview::default();
        let (value, repairs) = match find_answer(text) {
            Ok(found) => found,
            Err(NoAnswer::Truncated) => {
                read.faults
                    .push(ReviewFault::whole("the answer ends inside its JSON object"));
                return read;
            }
            Err(error) => {
                read.faults.push(ReviewFault::whole(error.to_string()));
                return read;
            }
        };
        let twice: BTreeSet<&str> = (repairs.iter())
            .filter_map(|repair| match &repair.kind {
                RepairKind::DuplicateKey(key) => Some(key.as_str()),
                _ => None,
            })
            .collect();
        for open in self.open {
            let name = open.field.name.as_str();
            let given = match value.get(name) {
                Some(_) if twice.contains(name) => Err("stands in the answer twice".to_owned()),
                None => Err("is missing".to_owned()),
                Some(given) => one_of(given, open),
            };
            match given {
                Ok(given) => drop(read.values.insert(name.to_owned(), given)),
                Err(what) => read.faults.push(ReviewFault::of(name, what)),
            }
        }
        self.explained(&value, &mut read);
        self.hold(&mut read);
        read
    }

    /// Reads the prose, and holds the blocks that it cites against those that were shown.
    fn explained(&self, value: &Value, read: &mut ReadReview) {
        let text = value
            .get(EXPLANATION)
            .and_then(Value::as_str)
            .unwrap_or_default()
            .trim();
        if text.is_empty() {
            read.faults
                .push(ReviewFault::of(EXPLANATION, "is missing".to_owned()));
            return;
        }
        let cited = cited(text);
        let unknown: Vec<String> = cited.difference(self.shown).map(ToString::to_string).collect();
        if !unknown.is_empty() {
            let named: Vec<&str> = unknown.iter().take(MOST_BLOCKS).map(String::as_str).collect();
            let what = format!("cites blocks that were not shown: {}", named.join(", "));
            read.faults.push(ReviewFault::of(EXPLANATION, what));
            return;
        }
        if cited.is_empty() {
            let what = "cites no block: name those that show what it says, such as [T0B3]".to_owned();
            read.faults.push(ReviewFault::of(EXPLANATION, what));
            return;
        }
        read.explanation = Some(excerpt::start(text, KEPT).to_owned());
        read.citations = cited;
    }

    /// Holds the values against the invariants; those that do not fit one another all go.
    fn hold(&self, read: &mut ReadReview) {
        let mut gone = BTreeSet::new();
        for one in self.rubric.invariants.iter().filter(|one| self.is_asked(one)) {
            if !self.is_broken(one, &read.values) {
                continue;
            }
            for field in one.fields().filter(|field| self.settled.value(field).is_none()) {
                gone.insert(field.to_owned());
            }
            read.faults.push(ReviewFault::whole(format!(
                "{} has to hold, and does not",
                one.words()
            )));
        }
        for field in gone {
            read.values.remove(&field);
        }
    }

    /// Whether an invariant speaks of what was asked. What is guessed at is not held against what code
    /// knows, which would tell the guess.
    fn is_asked(&self, one: &FieldInvariant) -> bool {
        let is_guess = |field: &str| self.rubric.field(field).is_some_and(|field| field.guess);
        let is_settled = |field: &str| self.settled.value(field).is_some();
        let tells_guess = one.fields().any(is_guess) && one.fields().any(is_settled);
        let has_open = one.fields().any(|field| !is_settled(field));
        has_open && !tells_guess
    }

    fn is_broken(&self, one: &FieldInvariant, given: &BTreeMap<String, String>) -> bool {
        let value = |field: &str| {
            let settled = self.settled.value(field).map(|settled| settled.value);
            settled.or_else(|| given.get(field).map(String::as_str))
        };
        let applies = one
            .when
            .iter()
            .all(|(field, when)| value(field) == Some(when.as_str()));
        let is_other =
            |(field, then): (&String, &String)| value(field).is_some_and(|value| value != then.as_str());
        let is_that = |(field, never): (&String, &String)| value(field) == Some(never.as_str());
        applies && (one.then.iter().any(is_other) || one.never.iter().any(is_that))
    }
}

fn one_of(given: &Value, open: &OpenField<'_>) -> Result<String, String> {
    let Some(text) = given.as_str().map(str::trim) else {
        return Err("is no text".to_owned());
    };
    match open.values.contains(text) {
        true => Ok(text.to_owned()),
        false => {
            let shown = excerpt::start(text, 60);
            let values: Vec<&str> = open.values.iter().copied().collect();
            Err(format!("is `{shown}`, and not one of {}", values.join(", ")))
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::grading::review::settled::{CodeFacts, FieldRestriction};

    fn read(facts: &CodeFacts, answer: &Value) -> ReadReview {
        let rubric = TraceRubric::load(None).unwrap();
        let settled = Settled::new(&rubric, facts);
        let open = settled.open();
        let shown = (0..4).map(|block| BlockId { part: 0, block }).collect();
        let measure = ReviewMeasure {
            rubric: &rubric,
            settled: &settled,
            open: &open,
            shown: &shown,
        };
        measure.read(&answer.to_string())
    }

    fn whole() -> Value {
        json!({
            "explanation": "It ran the script [T0B1] and printed the value [T0B2].",
            "label": "success", "answer_source": "original_pipeline", "primary_obstacle": "code_bug_original",
            "obstacle_resolution": "direct_fix", "answer_verification": "single_pass",
            "strategy_pattern": "mostly_linear_progress",
        })
    }

    #[test]
    fn a_whole_answer_is_taken_whole() {
        let found = read(&CodeFacts::default(), &whole());
        assert_eq!(
            (found.values.len(), found.faults.len(), found.citations.len()),
            (6, 0, 2)
        );
        assert!(found.explanation.is_some());
    }

    #[test]
    fn values_outside_the_closed_ones_are_sent_back() {
        let mut answer = whole();
        answer["strategy_pattern"] = json!("brilliant");
        answer["label"] = json!(1);
        answer.as_object_mut().unwrap().remove("answer_source");
        let found = read(&CodeFacts::default(), &answer);
        let words: Vec<String> = found.faults.iter().map(ReviewFault::words).collect();
        assert_eq!(found.values.len(), 3);
        for named in [
            "`strategy_pattern` is `brilliant`",
            "`label` is no text",
            "`answer_source` is missing",
        ] {
            assert!(
                words.iter().any(|word| word.starts_with(named)),
                "{named}: {words:?}"
            );
        }
    }

    #[test]
    fn citations_have_to_be_of_blocks_that_were_shown() {
        let mut answer = whole();
        for (text, named) in [
            ("It is right [T0B1] [T0B4] [T1B0].", "not shown: T0B4, T1B0"),
            ("It is right.", "cites no block"),
            ("", "is missing"),
        ] {
            answer["explanation"] = json!(text);
            let found = read(&CodeFacts::default(), &answer);
            assert!(
                found.faults[0].words().contains(named),
                "{text}: {:?}",
                found.faults
            );
            // The fields stand: their values are not made wrong by it.
            assert_eq!((found.values.len(), found.explanation), (6, None));
        }
    }

    #[test]
    fn fields_that_do_not_fit_one_another_all_go() {
        let mut answer = whole();
        answer["primary_obstacle"] = json!("none");
        let found = read(&CodeFacts::default(), &answer);
        assert!(
            !found.values.contains_key("primary_obstacle")
                && !found.values.contains_key("obstacle_resolution")
        );
        assert!(
            found.faults[0].words().contains("has to hold"),
            "{:?}",
            found.faults
        );
        answer["primary_obstacle"] = json!("none");
        answer["obstacle_resolution"] = json!("not_applicable");
        answer["label"] = json!("failure");
        let found = read(&CodeFacts::default(), &answer);
        assert!(!found.values.contains_key("label"), "{found:?}");
    }

    #[test]
    fn what_code_settles_is_not_asked_and_does_not_tell_the_guess() {
        let facts = CodeFacts {
            restrictions: vec![FieldRestriction {
                field: "primary_obstacle".to_owned(),
                values: vec!["none".to_owned()],
                why: "nothing failed".to_owned(),
            }],
            noticed: Vec::new(),
        };
        let mut answer = whole();
        answer["label"] = json!("failure");
        let found = read(&facts, &answer);
        assert_eq!(found.values["label"], "failure");
        assert!(
            !found.values.contains_key("obstacle_resolution") && found.faults.is_empty(),
            "{found:?}"
        );
    }
}
