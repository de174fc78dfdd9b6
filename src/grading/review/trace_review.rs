//! The review of a run: each field with what decided it, and how far repeats agree.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::block::BlockId;
use super::settled::Settled;
use super::shown::ShownConversation;
use crate::analysis::bench::reviews::{CellField, ReviewedCell};
use crate::catalog::rubrics::trace_rubric::TraceRubric;
use crate::domain::digest::Digest;
use crate::grading::judge::grade::GradedBy;
use crate::grading::scorecard::card::Cost;
use crate::statistics::proportion::Proportion;

/// The format of a review's file.
pub const FORMAT: &str = "reprise-review/1";

/// One repeat, as a judge gave it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct GivenReview {
    /// The order in which the values were shown; absent: the rubric's own.
    pub order: Option<u32>,
    pub values: BTreeMap<String, String>,
    pub explanation: Option<String>,
    pub citations: BTreeSet<BlockId>,
    /// What could not be used.
    pub faults: Vec<String>,
}

/// One field of a review.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ReviewedField {
    pub field: String,
    /// Absent where nobody could tell, or where repeats part.
    pub value: Option<String>,
    pub by: GradedBy,
    /// Why code decided so, or why there is no value.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
    /// Of each repeat of a judge.
    pub given: Vec<Option<String>>,
    /// The share of pairs of repeats that gave the same; absent of fewer than two.
    pub agreement: Option<f64>,
}

/// The review of a run by one judge, or by code alone.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TraceReview {
    pub format: String,
    pub run: String,
    pub task: String,
    pub track: String,
    /// The run's model, or the program that was its agent.
    pub agent: String,
    /// The judge's full name; `code` where none was asked.
    pub judge: String,
    /// Digest over the rubric's words.
    pub rubric: Digest,
    /// Digest over the conversation as it was shown.
    pub conversation: Digest,
    /// Blocks that were shown, of all.
    pub shown: Proportion,
    pub repeats: u32,
    pub fields: Vec<ReviewedField>,
    /// The prose of the repeat that has most of the values.
    pub explanation: Option<String>,
    pub citations: BTreeSet<BlockId>,
    /// Whether the run reached what it was asked for, by its grade; absent where that does not count.
    pub success: Option<bool>,
    pub given: Vec<GivenReview>,
    pub cost: Cost,
}

/// The run that a review is of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReviewedRun {
    pub run: String,
    pub task: String,
    pub track: String,
    pub agent: String,
    pub success: Option<bool>,
}

/// The material of a review that was asked for.
pub struct ReviewParts<'a> {
    pub rubric: &'a TraceRubric,
    pub settled: &'a Settled<'a>,
    pub shown: &'a ShownConversation,
    pub judge: &'a str,
    pub given: Vec<GivenReview>,
    pub cost: Cost,
}

impl TraceReview {
    /// Sums up what code and a judge say.
    pub fn new(run: ReviewedRun, parts: ReviewParts<'_>) -> Self {
        let fields: Vec<ReviewedField> = (parts.rubric.fields.iter())
            .map(|field| reviewed(&field.name, parts.settled, &parts.given))
            .collect();
        let best = best(&fields, &parts.given);
        Self {
            format: FORMAT.to_owned(),
            run: run.run,
            task: run.task,
            track: run.track,
            agent: run.agent,
            judge: parts.judge.to_owned(),
            rubric: parts.rubric.digest(),
            conversation: Digest::compute(&parts.shown.text),
            shown: Proportion {
                hits: parts.shown.blocks.len() as u64,
                of: parts.shown.all as u64,
            },
            repeats: u32::try_from(parts.given.len()).unwrap_or(u32::MAX),
            explanation: best.and_then(|best| best.explanation.clone()),
            citations: best.map_or_else(BTreeSet::new, |best| best.citations.clone()),
            success: run.success,
            fields,
            given: parts.given,
            cost: parts.cost,
        }
    }

    /// The review as a line of a bench's: of a cell by an agent.
    pub fn cell(&self, cell: &str, agent: &str) -> ReviewedCell {
        ReviewedCell {
            cell: cell.to_owned(),
            task: self.task.clone(),
            agent: agent.to_owned(),
            judge: self.judge.clone(),
            success: self.success,
            fields: (self.fields.iter())
                .map(|field| CellField {
                    field: field.field.clone(),
                    value: field.value.clone(),
                    by_code: field.by == GradedBy::Code,
                    given: field.given.clone(),
                })
                .collect(),
        }
    }

    /// The review in the form of CORE-Bench's analysis of logs: one judgement of a run, or why there
    /// is none.
    pub fn record(&self) -> Value {
        let mut record = json!({
            "agent_run_id": self.run,
            "capsule_id": self.task,
            "model": self.agent,
            "scaffold": "reprise",
            "accuracy": self.success.map(|success| f64::from(u8::from(success))),
        });
        let lacking: Vec<&str> = (self.fields.iter())
            .filter(|field| field.value.is_none())
            .map(|field| field.field.as_str())
            .collect();
        match (&self.explanation, lacking.as_slice()) {
            (Some(explanation), []) => {
                let mut output: Map<String, Value> = (self.fields.iter())
                    .map(|field| (field.field.clone(), json!(field.value)))
                    .collect();
                output.insert("explanation".to_owned(), json!(explanation));
                record["result_type"] = json!("DIRECT_RESULT");
                record["output"] = Value::Object(output);
            }
            (_, lacking) => {
                record["result_type"] = json!("FAILURE");
                record["error"] = match lacking.is_empty() {
                    true => json!("there is no explanation whose citations hold"),
                    false => json!(format!("without a value: {}", lacking.join(", "))),
                };
            }
        }
        record
    }

    /// The value of a field.
    pub fn value(&self, field: &str) -> Option<&str> {
        let own = self.fields.iter().find(|one| one.field == field)?;
        own.value.as_deref()
    }

    /// Fields with a value, of all.
    pub fn coverage(&self) -> Proportion {
        Proportion::count(self.fields.iter().map(|field| field.value.is_some()))
    }

    /// The mean over fields of the share of pairs of repeats that agree.
    pub fn agreement(&self) -> Option<f64> {
        let known: Vec<f64> = self.fields.iter().filter_map(|field| field.agreement).collect();
        (!known.is_empty()).then(|| known.iter().sum::<f64>() / known.len() as f64)
    }
}

fn reviewed(field: &str, settled: &Settled<'_>, given: &[GivenReview]) -> ReviewedField {
    if let Some(settled) = settled.value(field) {
        return ReviewedField {
            field: field.to_owned(),
            value: Some(settled.value.to_owned()),
            by: GradedBy::Code,
            why: Some(settled.why),
            given: Vec::new(),
            agreement: None,
        };
    }
    let given: Vec<Option<String>> = given.iter().map(|one| one.values.get(field).cloned()).collect();
    let mut counts = BTreeMap::<&str, usize>::new();
    for value in given.iter().flatten() {
        *counts.entry(value).or_default() += 1;
    }
    let all: usize = counts.values().sum();
    let most = counts
        .iter()
        .find(|(_, count)| 2 * **count > all)
        .map(|(value, _)| (*value).to_owned());
    let why = match (&most, all) {
        (Some(_), _) => None,
        (None, 0) if given.is_empty() => Some("no judge was asked".to_owned()),
        (None, 0) => Some("no repeat gave a value that can be used".to_owned()),
        (None, _) => {
            let told = counts.iter().map(|(value, count)| format!("{value} {count}"));
            Some(format!("repeats part: {}", told.collect::<Vec<_>>().join(", ")))
        }
    };
    ReviewedField {
        field: field.to_owned(),
        value: most,
        by: GradedBy::Judge,
        why,
        agreement: agreement(&counts),
        given,
    }
}

/// The share of pairs that are of one value; `None` of fewer than two values.
fn agreement(counts: &BTreeMap<&str, usize>) -> Option<f64> {
    let pairs = |count: usize| (count * count.saturating_sub(1)) as f64;
    let all: usize = counts.values().sum();
    (all > 1).then(|| counts.values().map(|count| pairs(*count)).sum::<f64>() / pairs(all))
}

/// The repeat that has most of the values that stand, and prose.
fn best<'a>(fields: &[ReviewedField], given: &'a [GivenReview]) -> Option<&'a GivenReview> {
    let same = |one: &GivenReview| {
        let fields = fields.iter().filter(|field| field.by == GradedBy::Judge);
        let stands = |field: &&ReviewedField| {
            field.value.is_some() && field.value.as_ref() == one.values.get(&field.field)
        };
        fields.filter(stands).count()
    };
    let explained = given.iter().filter(|one| one.explanation.is_some());
    // Of several, the first.
    explained.rev().max_by_key(|one| same(one))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::grading::review::settled::CodeFacts;

    fn given(source: Option<&str>, resolution: &str, prose: &str) -> GivenReview {
        let mut values = BTreeMap::from([("obstacle_resolution".to_owned(), resolution.to_owned())]);
        values.extend(source.map(|source| ("answer_source".to_owned(), source.to_owned())));
        GivenReview {
            values,
            explanation: Some(prose.to_owned()),
            ..GivenReview::default()
        }
    }

    #[test]
    fn most_repeats_decide_and_a_tie_decides_nothing() {
        let rubric = TraceRubric::load(None).unwrap();
        let facts = CodeFacts::default();
        let settled = Settled::new(&rubric, &facts);
        let run = ReviewedRun {
            run: "r".to_owned(),
            task: "t".to_owned(),
            track: "capsule".to_owned(),
            agent: "a".to_owned(),
            success: Some(true),
        };
        let parts = ReviewParts {
            rubric: &rubric,
            settled: &settled,
            shown: &ShownConversation {
                text: String::new(),
                blocks: BTreeSet::new(),
                all: 0,
            },
            judge: "j",
            given: vec![
                given(Some("repo_artifacts"), "gave_up", "first"),
                given(Some("original_pipeline"), "direct_fix", "second"),
                given(None, "direct_fix", "third"),
            ],
            cost: Cost::default(),
        };
        let review = TraceReview::new(run, parts);
        assert_eq!(review.value("obstacle_resolution"), Some("direct_fix"));
        assert_eq!(review.value("answer_source"), None);
        let field = |name: &str| review.fields.iter().find(|field| field.field == name).unwrap();
        assert_eq!(
            field("answer_source").why.as_deref(),
            Some("repeats part: original_pipeline 1, repo_artifacts 1")
        );
        assert_eq!(
            field("strategy_pattern").why.as_deref(),
            Some("no repeat gave a value that can be used")
        );
        assert!((field("obstacle_resolution").agreement.unwrap() - 1.0 / 3.0).abs() < 1e-12);
        assert_eq!(field("answer_source").agreement, Some(0.0));
        assert_eq!((review.coverage().hits, review.coverage().of), (1, 6));
        assert_eq!(review.explanation.as_deref(), Some("second"));
        let text = serde_json::to_string(&review).unwrap();
        assert_eq!(serde_json::from_str::<TraceReview>(&text).unwrap(), review);
        let record = review.record();
        assert_eq!(
            (&record["result_type"], &record["accuracy"]),
            (&json!("FAILURE"), &json!(1.0))
        );
        assert!(
            record["error"].as_str().unwrap().contains("answer_source") && record.get("output").is_none()
        );
    }
}
