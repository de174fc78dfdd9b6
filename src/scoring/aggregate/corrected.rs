//! The same gradings without the arithmetic's accidents.
//!
//! An item that was not applicable counts nowhere; a list counts once, each of
//! its fields as the mean over its items; a root prefix is not an aspect; marks
//! outside the scale are left out; and a file that lacks an aspect, or is of
//! another schema, is refused rather than averaged.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::grading::{EXECUTE_HALVES, GradedStage, Gradings, Mark, mark, repeated, short};
use super::items::{Found, flatten, leaf};
use super::json::Node;
use super::summary::{AspectScore, StageScore, Summary, mean};
use crate::scoring::checkpoints::checkpoint::Checkpoint;

/// The aspects of a stage's schema; none for the execution.
pub fn aspects(stage: GradedStage) -> &'static [&'static str] {
    match stage {
        GradedStage::Extract => &["claim", "data", "method", "results", "metadata"],
        GradedStage::Design => &[
            "hypothesis",
            "study_type",
            "data_plan",
            "planned_method",
            "codebase",
            "docker_specs",
            "analysis",
        ],
        GradedStage::Execute => &[],
        GradedStage::Interpret => &[
            "interpretation_summary",
            "execute_status",
            "fidelity_assessment",
            "results_comparison",
            "replication_report",
            "failure_handling",
            "notes",
        ],
    }
}

/// Sums up the gradings of one run; what is refused or left out is named.
pub fn summarise(gradings: &Gradings<'_>) -> Summary {
    let mut summary = Summary::default();
    for stage in GradedStage::all() {
        let Some(bytes) = gradings.of(stage) else {
            continue;
        };
        let file = stage.file_name();
        match Node::parse(bytes) {
            Err(error) => summary.problems.push(format!(
                "`{file}` is not JSON ({error}), so {stage} is not scored."
            )),
            Ok(node) => {
                repeated(&node, file, &mut summary.problems);
                if stage == GradedStage::Execute {
                    execute(&node, file, &mut summary);
                } else {
                    flat(&node, stage, &mut summary);
                }
            }
        }
    }
    summary
}

fn flat(node: &Node<'_>, stage: GradedStage, summary: &mut Summary) {
    let file = stage.file_name();
    if node.members().is_none() {
        summary.problems.push(format!(
            "`{file}` is not a JSON object, so {stage} is not scored."
        ));
        return;
    }
    let mut found = Found::default();
    flatten(node, &mut Vec::new(), &mut found);
    let known = aspects(stage);
    let mut groups: HashMap<&str, Vec<(String, Mark)>> = HashMap::new();
    let (mut invented, mut rooted) = (BTreeSet::new(), 0);
    // What cannot be used is there all the same: its aspect is not missing.
    for (path, what) in found.unusable {
        let shown = short(&path.join("."));
        summary
            .problems
            .push(format!("`{file}`: `{shown}` {what} and is left out."));
        let (leaf, _) = leaf(&path);
        let aspect = leaf.split('.').next().unwrap_or_default();
        if let Some(aspect) = known.iter().find(|known| **known == aspect) {
            groups.entry(*aspect).or_default();
        }
    }
    let items = found.items;
    for item in items {
        let (leaf, had_root) = leaf(&item.path);
        rooted += usize::from(had_root);
        let aspect = leaf.split('.').next().unwrap_or_default();
        match known.iter().find(|known| **known == aspect) {
            Some(aspect) => groups.entry(*aspect).or_default().push((leaf, item.mark)),
            None => {
                invented.insert(aspect.to_owned());
            }
        }
    }
    let absent: Vec<_> = known
        .iter()
        .filter(|aspect| !groups.contains_key(*aspect))
        .copied()
        .collect();
    if !absent.is_empty() {
        summary.problems.push(format!(
            "`{file}` has no item of {}, so it is incomplete or of another schema and {stage} is not scored.",
            listed(&absent)
        ));
        return;
    }
    if rooted > 0 {
        summary.changes.push(format!(
            "`{file}`: {rooted} keys stand below a root; the root is not taken for an aspect."
        ));
    }
    if !invented.is_empty() {
        let names: Vec<_> = invented.iter().take(5).map(|name| short(name)).collect();
        let names: Vec<_> = names.iter().map(String::as_str).collect();
        summary.changes.push(format!(
            "`{file}`: {} aspects that the schema does not have are left out, such as {}.",
            invented.len(),
            listed(&names)
        ));
    }
    let scores: Vec<_> = known
        .iter()
        .filter_map(|aspect| Some(aspect_score(aspect, groups.get(aspect)?, file, summary)))
        .collect();
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
        let names: Vec<&str> = aspects.iter().map(|aspect| aspect.name.as_str()).collect();
        if !names.is_empty() {
            summary.changes.push(format!(
                "`{file}`: {} {why} and is left out instead of counted as 0.",
                listed(&names)
            ));
        }
    }
    summary.stages.push(StageScore::new(stage.name(), scores));
}

/// An aspect as the mean over its distinct fields, each the mean over list items.
fn aspect_score(name: &str, items: &[(String, Mark)], file: &str, summary: &mut Summary) -> AspectScore {
    let mut fields: BTreeMap<&str, Vec<f64>> = BTreeMap::new();
    let (mut not_applicable, mut scored) = (0, 0);
    for (leaf, mark) in items {
        match mark {
            Mark::NotApplicable => not_applicable += 1,
            Mark::Score(score) if (0.0..=3.0).contains(score) => {
                scored += 1;
                let score = score / 3.0;
                fields.entry(leaf).or_default().push(score);
            }
            Mark::Score(score) => summary.problems.push(format!(
                "`{file}`: `{}` has the score {score}, outside 0 to 3, and is left out.",
                short(leaf)
            )),
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

fn execute(node: &Node<'_>, file: &str, summary: &mut Summary) {
    let mut absent = Vec::new();
    let mut stages: Vec<StageScore> = Vec::new();
    for (half, name) in EXECUTE_HALVES {
        let mut aspects: Vec<(&str, Vec<f64>, usize)> = Vec::new();
        for checkpoint in Checkpoint::all().filter(|one| one.half() == half) {
            let (aspect, key) = (checkpoint.aspect(), checkpoint.key());
            let Some(value) = node
                .get(half)
                .and_then(|half| half.get(aspect))
                .and_then(|aspect| aspect.get(key))
            else {
                absent.push(key);
                continue;
            };
            if aspects.last().is_none_or(|(known, _, _)| *known != aspect) {
                aspects.push((aspect, Vec::new(), 0));
            }
            let Some((_, scores, not_applicable)) = aspects.last_mut() else {
                continue;
            };
            match mark(value.get("score")) {
                // A half: the median of an even number of gradings.
                Ok(Mark::Score(score)) if [0.0, 0.5, 1.0].contains(&score) => scores.push(score),
                Ok(Mark::NotApplicable) => *not_applicable += 1,
                Ok(Mark::Score(score)) => summary.problems.push(format!(
                    "`{file}`: `{key}` has the score {score}, which is neither 0 nor 1, and is left out."
                )),
                Err(what) => summary
                    .problems
                    .push(format!("`{file}`: `{key}` {what} and is left out.")),
            }
        }
        let aspects = aspects
            .into_iter()
            .map(|(aspect, scores, not_applicable)| AspectScore {
                name: aspect.to_owned(),
                score: mean(&scores),
                scored: scores.len(),
                not_applicable,
            });
        stages.push(StageScore::new(name, aspects.collect()));
    }
    if !absent.is_empty() {
        summary.problems.push(format!(
            "`{file}` has no checkpoint {}, so it is incomplete or of another schema and execute is not scored.",
            listed(&absent)
        ));
        return;
    }
    summary.stages.extend(stages);
}

fn listed(names: &[&str]) -> String {
    let quoted: Vec<_> = names.iter().map(|name| format!("`{name}`")).collect();
    quoted.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn interpret(extra: &str) -> Summary {
        let rest = r#""interpretation_summary": {"score": 3}, "execute_status": {"score": 3},
            "fidelity_assessment.method_alignment": {"score": 3}, "results_comparison.overall_answer": {"score": 3},
            "replication_report": {"score": 3}, "notes": {"score": "NA"}"#;
        let text = format!("{{{rest}{extra}}}");
        summarise(&Gradings {
            interpret: Some(text.as_bytes()),
            ..Gradings::default()
        })
    }

    #[test]
    fn a_list_counts_once_in_every_spelling() {
        let summary = interpret(
            r#", "failure_handling[0].type": {"score": 0}, "failure_handling.1.type": {"score": 3},
               "failure_handling.[2].type": {"score": 3}, "failure_handling[3].type": {"score": 0}"#,
        );
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
    fn incomplete_files_are_refused() {
        let summary = interpret("");
        assert!(summary.stages.is_empty());
        assert!(
            summary.problems[0].contains("no item of `failure_handling`"),
            "{:?}",
            summary.problems
        );
    }

    #[test]
    fn marks_off_the_scale_and_invented_aspects_are_named() {
        let summary = interpret(r#", "failure_handling": {"score": 7}, "style": {"score": 0}"#);
        assert!(summary.problems[0].contains("score 7, outside 0 to 3"));
        assert!(summary.changes.iter().any(|change| change.contains("`style`")));
        assert_eq!(summary.stage("interpret").unwrap().average, Some(1.0));
    }

    #[test]
    fn a_mark_that_cannot_be_used_costs_its_aspect_and_not_the_stage() {
        for bad in ["NaN", "7", "[3]"] {
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

    #[test]
    fn an_execution_needs_all_ten_checkpoints() {
        let one = |score: &str| {
            let item = |key: &str| format!(r#""{key}": {{"score": {score}}}"#);
            format!(
                r#"{{"evaluate_design": {{"environment": {{{}, {}}}, "dependecy": {{{}}}, "file_system": {{{}, {}, {}}}}},
                    "execute": {{"code_execution": {{{}, {}}}, "execution_report": {{{}, {}}}}}}}"#,
                item("1.1.1"),
                item("1.1.2"),
                item("1.2"),
                item("1.3.1"),
                item("1.3.2"),
                item("1.3.3"),
                item("2.1.1"),
                item("2.2.2"),
                item("2.3.1"),
                item("2.3.2")
            )
        };
        let of = |text: &str| {
            summarise(&Gradings {
                execute: Some(text.as_bytes()),
                ..Gradings::default()
            })
        };
        assert_eq!(of(&one("\"1\"")).execute(), Some(1.0));
        assert_eq!(of(&one("2")).problems.len(), 10);
        let short = of(&one("1").replace("2.3.2", "2.3.9"));
        assert!(short.stages.is_empty() && short.problems[0].contains("`2.3.2`"));
    }
}
