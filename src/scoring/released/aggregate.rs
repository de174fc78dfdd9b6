//! ReplicatorBench's arithmetic, quirks included.
//!
//! An aspect is the text before a key's first dot, so every list item and every
//! root prefix makes its own; its score is the sum of numbers over three times
//! their count, and 0 where there is none; a stage is the mean of its aspects.
//! Source: `validator/aggregate_eval_scores.py` of the released benchmark.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

use crate::scoring::aggregate::execution::strangers;
use crate::scoring::aggregate::few::FirstLines;
use crate::scoring::aggregate::grading::{
    EXECUTE_HALVES, GradedStage, Gradings, Mark, distinct, mark, number, off_scale, repeated, short,
};
use crate::scoring::aggregate::items::place;
use crate::scoring::aggregate::json::Node;
use crate::scoring::aggregate::schema::{self, Schema};
use crate::scoring::aggregate::summary::{AspectScore, StageScore, Summary, mean};

/// Sums up the gradings of one run; a file that cannot be used is left out and named.
pub fn summarise(gradings: &Gradings<'_>) -> Summary {
    let mut summary = Summary::default();
    for stage in GradedStage::all() {
        let Some(bytes) = gradings.get(stage) else {
            continue;
        };
        let file = stage.file_name();
        match Node::parse(bytes) {
            Err(error) => summary
                .problems
                .push(format!("`{file}` is not JSON ({error}), so {stage} is left out.")),
            Ok(node) => {
                repeated(&node, file, &mut summary.problems);
                let mut told = Told::new(file, gradings.asked(stage));
                let stages = if stage == GradedStage::Execute {
                    execute(&node, &mut told, &mut summary.problems)
                } else {
                    flat(&node, stage, &mut told, &mut summary.problems)
                };
                told.tell(&mut summary.problems);
                summary.stages.extend(stages);
            }
        }
    }
    summary
}

#[derive(Default)]
struct Sum {
    name: String,
    total: f64,
    scored: usize,
    not_applicable: usize,
}

/// Remarks about one file's items.
struct Told<'a> {
    file: &'static str,
    /// The fields that the writer was asked for, where it says.
    asked: Option<HashSet<&'a str>>,
    marks: FirstLines,
    /// Keys that the schema does not have, of which the first is named.
    strangers: Vec<String>,
    others: usize,
}

impl<'a> Told<'a> {
    fn new(file: &'static str, asked: Option<&'a [String]>) -> Self {
        Self {
            file,
            asked: asked.map(|asked| asked.iter().map(String::as_str).collect()),
            marks: FirstLines::default(),
            strangers: Vec::new(),
            others: 0,
        }
    }

    /// The mark of an item, as the released arithmetic reads it; what counts
    /// although the scale does not have it is named.
    fn mark(&mut self, key: &str, value: &Node<'_>, highest: u8) -> Option<Mark> {
        let file = self.file;
        let read = match value {
            Node::Members(_) => mark(value.get("score")),
            _ => Err("is not an object with a `score`".to_owned()),
        };
        let found = match read {
            Ok(found) => found,
            Err(what) => {
                self.marks
                    .add(|| format!("`{file}`: `{}` {what} and is left out.", short(key)));
                return None;
            }
        };
        let odd = match found {
            Mark::Score(score) => match number(value.get("score")) {
                Err(what) => Some(what.trim_end_matches(',').to_owned()),
                Ok(_) => off_scale(score, highest, self.asked.is_some())
                    .map(|why| format!("has the score {score}, {why}")),
            },
            Mark::NotApplicable => None,
        };
        if let Some(odd) = odd {
            self.marks.add(|| {
                format!(
                    "`{file}`: `{}` {odd}; the released arithmetic counts it, and `--mode corrected` leaves it out.",
                    short(key)
                )
            });
        }
        Some(found)
    }

    /// Counts a key that the schema does not have.
    fn stranger(&mut self, key: &str) {
        if self.strangers.is_empty() {
            self.strangers.push(short(key));
        } else {
            self.others += 1;
        }
    }

    fn tell(self, problems: &mut Vec<String>) {
        let file = self.file;
        self.marks.tell(problems, |more| {
            format!("`{file}`: and {more} more whose marks the scale does not have.")
        });
        for first in self.strangers {
            let others = match self.others {
                0 => String::new(),
                others => format!(" and {others} more"),
            };
            problems.push(format!(
                "`{file}`: the schema does not have `{first}`{others}; the released arithmetic counts what stands \
                 there, and `--mode corrected` leaves it out."
            ));
        }
    }
}

/// True if a key is of a field of the schema, or of one that was asked for.
fn is_known(key: &str, schema: &Schema, asked: Option<&HashSet<&str>>) -> bool {
    schema.field(key).is_some()
        || asked.is_some_and(|asked| asked.contains(key))
        || schema.field(&place(&[key.to_owned()]).leaf).is_some()
}

fn flat(
    node: &Node<'_>,
    stage: GradedStage,
    told: &mut Told<'_>,
    problems: &mut Vec<String>,
) -> Vec<StageScore> {
    let file = stage.file_name();
    let Some(members) = node.members() else {
        problems.push(format!("`{file}` is not a JSON object, so {stage} is left out."));
        return Vec::new();
    };
    let mut sums: Vec<Sum> = Vec::new();
    let mut places: HashMap<&str, usize> = HashMap::new();
    for (key, value) in distinct(members) {
        let aspect = key.split('.').next().unwrap_or_default();
        let at = *places.entry(aspect).or_insert_with(|| {
            sums.push(Sum {
                name: aspect.to_owned(),
                ..Sum::default()
            });
            sums.len() - 1
        });
        let sum = &mut sums[at];
        let found = told.mark(key, value, 3);
        match found {
            Some(Mark::Score(score)) => {
                sum.total += score;
                sum.scored += 1;
            }
            Some(Mark::NotApplicable) => sum.not_applicable += 1,
            None => {}
        }
        if found.is_some() && !is_known(key, schema::for_stage(stage), told.asked.as_ref()) {
            told.stranger(key);
        }
    }
    let aspects = sums.into_iter().map(|sum| AspectScore {
        score: Some(if sum.scored == 0 {
            0.0
        } else {
            sum.total / (3 * sum.scored) as f64
        }),
        name: sum.name,
        scored: sum.scored,
        not_applicable: sum.not_applicable,
    });
    let mut score = StageScore::new(stage.name(), aspects.collect());
    // A grading without any item is stored as 0.
    score.average.get_or_insert(0.0);
    vec![score]
}

fn execute(node: &Node<'_>, told: &mut Told<'_>, problems: &mut Vec<String>) -> Vec<StageScore> {
    let file = told.file;
    let halves: Vec<_> = EXECUTE_HALVES
        .iter()
        .filter_map(|(key, name)| Some((*name, node.get(key)?.members()?)))
        .collect();
    if halves.len() < EXECUTE_HALVES.len() {
        problems.push(format!(
            "`{file}` lacks `evaluate_design` or `execute`, so it is of another schema and execute is left out."
        ));
        return Vec::new();
    }
    // What stands outside of the halves is counted by nobody.
    let counted = |key: &String| EXECUTE_HALVES.iter().any(|(half, _)| key.starts_with(half));
    for key in strangers(node).iter().filter(|key| counted(key)) {
        told.stranger(key);
    }
    let mut half = |(name, members): (&str, &[(Cow<'_, str>, Node<'_>)])| {
        let aspects = distinct(members).map(|(aspect, items)| {
            let (mut scores, mut not_applicable) = (Vec::new(), 0);
            for (key, value) in distinct(items.members().unwrap_or_default()) {
                match told.mark(key, value, 1) {
                    Some(Mark::Score(score)) => scores.push(score),
                    Some(Mark::NotApplicable) => not_applicable += 1,
                    None => {}
                }
            }
            AspectScore {
                name: aspect.to_owned(),
                score: Some(mean(&scores).unwrap_or(0.0)),
                scored: scores.len(),
                not_applicable,
            }
        });
        StageScore::new(name, aspects.collect())
    };
    halves.into_iter().map(&mut half).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn design(text: &str) -> Summary {
        summarise(&Gradings {
            design: Some(text.as_bytes()),
            ..Gradings::default()
        })
    }

    #[test]
    fn aspects_are_cut_at_the_first_dot() {
        let summary = design(
            r#"{"data_plan.a": {"score": 3}, "data_plan.b": {"score": "0"}, "analysis.x": {"score": "NA"},
                "failure[0].t": {"score": 3}, "failure[1].t": {"score": 0}}"#,
        );
        let stage = summary.stage("design").unwrap();
        let scores: Vec<_> = stage.aspects.iter().map(|one| one.score.unwrap()).collect();
        assert_eq!(scores, [0.5, 0.0, 1.0, 0.0]);
        assert_eq!(stage.average, Some(0.375));
    }

    #[test]
    fn bad_items_are_named_and_the_rest_is_scored() {
        let summary = design(r#"{"a": {"score": NaN}, "b": {"score": 3}, "b": {"score": 0}, "c": 7}"#);
        assert_eq!(summary.problems.len(), 4, "{:?}", summary.problems);
        assert!(summary.problems[0].contains("`b` twice"));
        assert!(summary.problems[1].contains("`a` has the score `NaN`"));
        let stage = summary.stage("design").unwrap();
        assert_eq!(stage.aspects[1].score, Some(0.0));
        assert!(design("{").problems[0].contains("not JSON"));
        assert!(design("[]").problems[0].contains("not a JSON object"));
    }

    #[test]
    fn a_score_off_the_scale_counts_and_is_named() {
        let summary = design(r#"{"a.x": {"score": 30}, "b.y": {"score": -1}, "c.z": {"score": 3}}"#);
        assert_eq!(summary.stage("design").unwrap().aspects[0].score, Some(10.0));
        let [high, low, strange] = summary.problems.as_slice() else {
            panic!("{:?}", summary.problems);
        };
        assert!(high.contains("`a.x` has the score 30, outside 0 to 3"), "{high}");
        assert!(low.contains("`b.y` has the score -1"), "{low}");
        assert!(
            strange.contains("does not have `a.x` and 2 more; the released arithmetic counts"),
            "{strange}"
        );
        let summary = design(r#"{"hypothesis": {"score": true}, "study_type": {"score": 2.5}}"#);
        assert_eq!(
            summary.stage("design").unwrap().average,
            Some((1.0 / 3.0 + 2.5 / 3.0) / 2.0)
        );
        let [truth, half] = summary.problems.as_slice() else {
            panic!("{:?}", summary.problems);
        };
        assert!(
            truth.contains("`hypothesis` has the score `true`, which is no number; the released"),
            "{truth}"
        );
        assert!(
            half.contains("`study_type` has the score 2.5, which is no whole number"),
            "{half}"
        );
        let gradings = Gradings {
            execute: Some(br#"{"evaluate_design": {"environment": {"1.1.1": {"score": 3}}}, "execute": {}}"#),
            ..Gradings::default()
        };
        let summary = summarise(&gradings);
        assert!(
            summary.problems[0].contains("`1.1.1` has the score 3, which is neither 0 nor 1"),
            "{:?}",
            summary.problems
        );
    }

    #[test]
    fn another_schema_is_left_out_with_a_warning() {
        let gradings = Gradings {
            execute: Some(br#"{"stage": "execute", "results": {}}"#),
            ..Gradings::default()
        };
        let summary = summarise(&gradings);
        assert!(summary.stages.is_empty() && summary.problems[0].contains("another schema"));
        assert_eq!(summary.execute(), None);
    }
}
