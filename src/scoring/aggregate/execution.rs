//! The ten checkpoints of an execution without the arithmetic's accidents.

use super::few::{FirstLines, listed};
use super::grading::{EXECUTE_HALVES, GradedStage, Mark, number, off_scale, short};
use super::summary::{AspectScore, StageScore, Summary, mean};
use crate::scoring::checkpoints::checkpoint::Checkpoint;
use crate::scoring::released::json::{Node, distinct};

/// Sums up an execution's grading; `has_halves` where marks can be medians.
pub(super) fn execution(node: &Node<'_>, has_halves: bool, summary: &mut Summary) {
    let file = GradedStage::Execute.file_name();
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
            match number(value.get("score")) {
                Ok(Mark::Score(score)) => match off_scale(score, 1, has_halves) {
                    None => scores.push(score),
                    Some(why) => summary.problems.push(format!(
                        "`{file}`: `{key}` has the score {score}, {why}, and is left out."
                    )),
                },
                Ok(Mark::NotApplicable) => *not_applicable += 1,
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
    let mut unknown = FirstLines::default();
    for key in strangers(node) {
        unknown.add(|| {
            format!(
                "`{file}`: the schema does not have `{}`, which is left out.",
                short(&key)
            )
        });
    }
    unknown.tell(&mut summary.problems, |more| {
        format!("`{file}`: and {more} more that the schema does not have.")
    });
    if !absent.is_empty() {
        summary.problems.push(format!(
            "`{file}` has no checkpoint {}, so it is incomplete or of another schema and execute is not scored.",
            listed(absent)
        ));
        return;
    }
    summary.stages.extend(stages);
}

/// The keys of an execution's grading that are no checkpoint nor above one, the
/// outermost of each.
pub(in crate::scoring) fn strangers(node: &Node<'_>) -> Vec<String> {
    let mut found = Vec::new();
    for (half, aspects) in distinct(node.members().unwrap_or_default()) {
        if half == "stage" {
            continue;
        }
        if !Checkpoint::all().any(|one| one.half() == half) {
            found.push(half.to_owned());
            continue;
        }
        for (aspect, items) in distinct(aspects.members().unwrap_or_default()) {
            let mut of = Checkpoint::all().filter(|one| (one.half(), one.aspect()) == (half, aspect));
            if of.next().is_none() {
                found.push(format!("{half}.{aspect}"));
                continue;
            }
            for (key, _) in distinct(items.members().unwrap_or_default()) {
                let is_known = |one: Checkpoint| (one.half(), one.aspect(), one.key()) == (half, aspect, key);
                if !Checkpoint::all().any(is_known) {
                    found.push(format!("{half}.{aspect}.{key}"));
                }
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::super::corrected::summarise;
    use super::super::grading::Gradings;
    use super::*;

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
        assert_eq!(of(&one("true")).problems.len(), 10);
        let half = of(&one("1").replacen("\"score\": 1", "\"score\": 0.5", 1));
        assert!(half.problems[0].contains("has the score 0.5, which is neither 0 nor 1, and is left out"));
        let invented = of(&one("1").replacen('{', r#"{"hats": {"1.1.1": {"score": 0}}, "#, 1));
        assert!(invented.execute() == Some(1.0) && invented.problems[0].contains("`hats`"));
        let short = of(&one("1").replace("2.3.2", "2.3.9"));
        assert!(short.stages.is_empty(), "{:?}", short.stages);
        let [stranger, absent] = short.problems.as_slice() else {
            panic!("{:?}", short.problems);
        };
        assert!(
            stranger.contains("`execute.execution_report.2.3.9`"),
            "{stranger}"
        );
        assert!(absent.contains("no checkpoint `2.3.2`"), "{absent}");
    }

    #[test]
    fn what_is_no_checkpoint_is_named() {
        let text = r#"{"stage": "execute", "hats": {"a": 1}, "execute": {"code_execution": {"2.1.1": {"score": 1},
            "9.9.9": {"score": 0}}, "wild": {}}}"#;
        let node = Node::parse(text.as_bytes()).unwrap();
        assert_eq!(
            strangers(&node),
            ["hats", "execute.code_execution.9.9.9", "execute.wild"]
        );
    }
}
