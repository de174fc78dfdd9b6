//! The released arithmetic's summary, with what it counts or leaves out amiss.

use std::collections::HashSet;

use super::execution::strangers;
use super::few::FirstLines;
use super::grading::{
    EXECUTE_HALVES, GradedStage, Gradings, Mark, MarkError, mark, number, off_scale, repeated, short,
};
use super::items::place;
use super::schema::{self, Schema};
use super::summary::Summary;
use crate::scoring::released::aggregate;
use crate::scoring::released::json::{Node, distinct};

/// Sums up the gradings of one run as the released script does; a file that cannot be
/// used is left out and named.
pub fn summarise(gradings: &Gradings<'_>) -> Summary {
    let mut summary = Summary {
        stages: aggregate::stages(gradings),
        ..Summary::default()
    };
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
                if stage == GradedStage::Execute {
                    execute(&node, &mut told, &mut summary.problems);
                } else {
                    flat(&node, stage, &mut told, &mut summary.problems);
                }
                told.tell(&mut summary.problems);
            }
        }
    }
    summary
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
            _ => Err(MarkError::NoItem),
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
                Err(what) => Some(what.to_string().trim_end_matches(',').to_owned()),
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

fn flat(node: &Node<'_>, stage: GradedStage, told: &mut Told<'_>, problems: &mut Vec<String>) {
    let Some(members) = node.members() else {
        let file = stage.file_name();
        problems.push(format!("`{file}` is not a JSON object, so {stage} is left out."));
        return;
    };
    for (key, value) in distinct(members) {
        let found = told.mark(key, value, 3);
        if found.is_some() && !is_known(key, schema::for_stage(stage), told.asked.as_ref()) {
            told.stranger(key);
        }
    }
}

fn execute(node: &Node<'_>, told: &mut Told<'_>, problems: &mut Vec<String>) {
    let file = told.file;
    let halves: Vec<_> = EXECUTE_HALVES
        .iter()
        .filter_map(|(key, _)| node.get(key)?.members())
        .collect();
    if halves.len() < EXECUTE_HALVES.len() {
        problems.push(format!(
            "`{file}` lacks `evaluate_design` or `execute`, so it is of another schema and execute is left out."
        ));
        return;
    }
    // What stands outside of the halves is counted by nobody.
    let counted = |key: &String| EXECUTE_HALVES.iter().any(|(half, _)| key.starts_with(half));
    for key in strangers(node).iter().filter(|key| counted(key)) {
        told.stranger(key);
    }
    for (_, items) in halves.into_iter().flat_map(distinct) {
        for (key, value) in distinct(items.members().unwrap_or_default()) {
            told.mark(key, value, 1);
        }
    }
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
