//! The same gradings without the arithmetic's accidents.
//!
//! An item that was not applicable counts nowhere; a list counts once, each of
//! its fields as the mean over its items; a root prefix is not an aspect; marks
//! that the scale does not have and fields that the schema does not have are
//! left out; and a file that lacks a field, or is of another schema, is refused
//! rather than averaged.

use std::collections::BTreeMap;

use super::execution::execution;
use super::few::listed;
use super::fields::{Fields, incomplete};
use super::grading::{GradedStage, Gradings, Mark, repeated};
use super::items::{GradedItems, flatten};
use super::summary::{AspectScore, StageScore, Summary, mean};
use crate::scoring::released::json::Node;

/// Sums up the gradings of one run; what is refused or left out is named.
pub fn summarise(gradings: &Gradings<'_>) -> Summary {
    let mut summary = Summary::default();
    for stage in GradedStage::all() {
        let Some(bytes) = gradings.get(stage) else {
            continue;
        };
        let file = stage.file_name();
        match Node::parse(bytes) {
            Err(error) => summary.problems.push(format!(
                "`{file}` is not JSON ({error}), so {stage} is not scored."
            )),
            Ok(node) => {
                repeated(&node, file, &mut summary.problems);
                let asked = gradings.asked(stage);
                if stage == GradedStage::Execute {
                    execution(&node, asked.is_some(), &mut summary);
                } else {
                    flat(&node, stage, asked, &mut summary);
                }
            }
        }
    }
    summary
}

fn flat(node: &Node<'_>, stage: GradedStage, asked: Option<&[String]>, summary: &mut Summary) {
    let file = stage.file_name();
    if node.members().is_none() {
        summary.problems.push(format!(
            "`{file}` is not a JSON object, so {stage} is not scored."
        ));
        return;
    }
    let mut found = GradedItems::default();
    flatten(node, &mut Vec::new(), &mut found);
    let fields = Fields::new(stage, asked);
    let sorted = fields.sort(found, file, &mut summary.problems);
    let missing = fields.missing(&sorted);
    if missing.count > 0 {
        summary
            .problems
            .push(incomplete(&missing, &fields, &sorted, stage));
        return;
    }
    let rooted = sorted.places.iter().filter(|place| place.had_root).count();
    if rooted > 0 {
        summary.changes.push(format!(
            "`{file}`: {rooted} keys stand below a root; the root is not taken for an aspect."
        ));
    }
    let scores = (fields.aspects.iter())
        .filter_map(|aspect| Some(aspect_score(aspect, sorted.groups.get(aspect)?, file, summary)));
    let scores: Vec<AspectScore> = scores.collect();
    let empty: Vec<_> = scores.iter().filter(|aspect| aspect.score.is_none()).collect();
    if empty.len() == scores.len() {
        summary.problems.push(format!(
            "`{file}` has no mark at all, so {stage} is not scored; grade it again against a reference."
        ));
        return;
    }
    let (not_applicable, unusable): (Vec<&AspectScore>, Vec<_>) =
        empty.into_iter().partition(|aspect| aspect.not_applicable > 0);
    for (aspects, why) in [
        (not_applicable, "had nothing applicable"),
        (unusable, "has no mark that can be used"),
    ] {
        let names = listed(aspects.iter().map(|aspect| aspect.name.as_str()));
        if !names.is_empty() {
            summary.changes.push(format!(
                "`{file}`: {names} {why} and is left out instead of counted as 0."
            ));
        }
    }
    summary.stages.push(StageScore::new(stage.name(), scores));
}

/// An aspect as the mean over its distinct fields, each the mean over list items.
fn aspect_score(name: &str, items: &[(String, Mark)], file: &str, summary: &mut Summary) -> AspectScore {
    let mut fields: BTreeMap<&str, Vec<f64>> = BTreeMap::new();
    let (mut not_applicable, mut scored) = (0, 0);
    for (field, mark) in items {
        match mark {
            Mark::NotApplicable => not_applicable += 1,
            Mark::Score(score) => {
                scored += 1;
                fields.entry(field).or_default().push(score / 3.0);
            }
        }
    }
    if scored > fields.len() {
        summary.changes.push(format!(
            "`{file}`: in `{name}` {scored} marks of list items count as {} fields.",
            fields.len()
        ));
    }
    let means: Vec<f64> = fields.values().filter_map(|scores| mean(scores)).collect();
    AspectScore {
        name: name.to_owned(),
        score: mean(&means),
        scored,
        not_applicable,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scoring::aggregate::fields::aspects;

    fn interpret(extra: &str) -> Summary {
        let rest = r#""interpretation_summary": {"score": 3}, "execute_status": {"score": 3},
            "fidelity_assessment.method_alignment": {"score": 3}, "fidelity_assessment.deviations": {"score": 3},
            "results_comparison.hypothesis_tested": {"score": 3}, "results_comparison.original_results": {"score": 3},
            "results_comparison.replication_results": {"score": 3}, "results_comparison.overall_answer": {"score": 3},
            "replication_report": {"score": 3}, "notes": {"score": "NA"}"#;
        corrected(&format!("{{{rest}{extra}}}"))
    }

    fn corrected(text: &str) -> Summary {
        summarise(&Gradings {
            interpret: Some(text.as_bytes()),
            ..Gradings::default()
        })
    }

    const SUGGESTED: &str = r#", "failure_handling.suggestions": {"score": 3}"#;

    #[test]
    fn a_list_counts_once_in_every_spelling() {
        let summary = interpret(
            r#", "failure_handling[0]": {"score": 0}, "failure_handling.1": {"score": 3},
               "failure_handling.[2]": {"score": 3}, "failure_handling[3]": {"score": 0}"#,
        );
        assert_eq!(summary.problems, Vec::<String>::new());
        let stage = summary.stage("interpret").unwrap();
        let list = stage
            .aspects
            .iter()
            .find(|aspect| aspect.name == "failure_handling")
            .unwrap();
        assert_eq!((list.score, list.scored), (Some(0.5), 4));
        assert!((stage.average.unwrap() - 5.5 / 6.0).abs() < 1e-12);
        assert!(
            summary
                .changes
                .iter()
                .any(|change| change.contains("`notes` had nothing applicable"))
        );
        assert!(
            summary
                .changes
                .iter()
                .any(|change| change.contains("4 marks of list items count as 1"))
        );
    }

    #[test]
    fn a_file_that_lacks_an_aspect_or_one_field_is_refused() {
        let refusal = |summary: Summary| {
            assert!(summary.stages.is_empty(), "{:?}", summary.stages);
            summary.problems.join("\n")
        };
        let told = refusal(interpret(""));
        assert!(
            told.contains("no item of `failure_handling`, so it is incomplete"),
            "{told}"
        );
        let told = refusal(interpret(SUGGESTED));
        assert!(
            told.contains("lacks 1 field, `failure_handling.failure_type`, so"),
            "{told}"
        );
        // A mark an aspect is no grading.
        let one: Vec<String> = (aspects(GradedStage::Interpret).iter())
            .map(|aspect| format!(r#""{aspect}.x": {{"score": 3}}"#))
            .collect();
        let told = refusal(corrected(&format!("{{{}}}", one.join(", "))));
        assert!(
            told.contains("no item of `fidelity_assessment`, `results_comparison`"),
            "{told}"
        );
    }

    #[test]
    fn what_the_writer_was_asked_for_decides_where_it_says() {
        let by = |asked: &[&str], text: &str| {
            let asked = asked.iter().map(|path| (*path).to_owned()).collect();
            let asked = BTreeMap::from([(GradedStage::Interpret.file_name().to_owned(), asked)]);
            summarise(&Gradings {
                interpret: Some(text.as_bytes()),
                asked: Some(&asked),
                ..Gradings::default()
            })
        };
        let text = r#"{"notes": {"score": 1.5}, "notes.own": {"score": 3}}"#;
        let whole = by(&["notes"], text);
        assert_eq!(
            (whole.problems.len(), whole.stage("interpret").unwrap().average),
            (0, Some(0.75))
        );
        let short = by(&["notes", "execute_status", "replication_report"], text);
        assert!(short.stages.is_empty());
        assert!(
            short.problems[0].contains("lacks 2 fields") || short.problems[0].contains("no item of"),
            "{:?}",
            short.problems
        );
    }

    #[test]
    fn marks_off_the_scale_and_invented_fields_are_named_a_few_of_them() {
        let summary = interpret(r#", "failure_handling": {"score": 7}, "style": {"score": 0}"#);
        let [off, style] = summary.problems.as_slice() else {
            panic!("{:?}", summary.problems);
        };
        assert!(
            off.contains("`failure_handling` has the score 7, outside 0 to 3"),
            "{off}"
        );
        assert!(style.contains("does not have the field `style`"), "{style}");
        assert_eq!(summary.stage("interpret").unwrap().average, Some(1.0));
        let many: String = (0..400)
            .map(|at| format!(r#", "notes_{at}.of": {{"score": 0}}, "{at}": 3"#))
            .collect();
        let summary = interpret(&format!(r#", "failure_handling": {{"score": 3}}{many}"#));
        assert_eq!(summary.stage("interpret").unwrap().average, Some(1.0));
        assert_eq!(summary.problems.len(), 12, "{:?}", summary.problems);
        assert!(
            summary.problems[11].contains("and 395 more fields"),
            "{:?}",
            summary.problems
        );
    }

    #[test]
    fn a_mark_that_cannot_be_used_costs_its_aspect_and_not_the_stage() {
        for bad in ["NaN", "7", "[3]", "true", "2.5", "-1"] {
            let summary = interpret(&format!(r#", "failure_handling": {{"score": {bad}}}"#));
            let [problem] = summary.problems.as_slice() else {
                panic!("{bad}: {:?}", summary.problems);
            };
            assert!(problem.contains("`failure_handling` has"), "{problem}");
            assert_eq!(summary.stage("interpret").unwrap().average, Some(1.0), "{bad}");
            let left_out = "`failure_handling` has no mark that can be used";
            assert!(
                summary.changes.iter().any(|change| change.contains(left_out)),
                "{:?}",
                summary.changes
            );
        }
        let list = summarise(&Gradings {
            design: Some(b"[]"),
            ..Gradings::default()
        });
        assert_eq!(
            list.problems,
            ["`design_llm_eval.json` is not a JSON object, so design is not scored."]
        );
    }
}
