use std::path::Path;

use reprise::domain::execution::Ending;
use reprise::scoring::checkpoints::checkpoint::Checkpoint;
use reprise::scoring::checkpoints::decide::decide;
use reprise::scoring::checkpoints::facts::{CheckpointFacts, EntryFacts, OutputFacts};
use serde_json::Value;

use crate::shared::{files_named, released};

fn read(path: &Path) -> Option<Value> {
    serde_json::from_slice(&std::fs::read(path).ok()?).ok()
}

/// The facts that a released run left behind: how its script ended, what it
/// printed, and the agent's report.
fn facts(input: &Path) -> CheckpointFacts {
    let mut facts = CheckpointFacts {
        report: read(&input.join("execution_results.json")),
        ..CheckpointFacts::default()
    };
    let result = read(&input.join("execution_result.json")).unwrap();
    for step in result
        .get("steps")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
    {
        if step.get("name").and_then(Value::as_str) == Some("run-analysis") {
            let code = step.get("exit_code").and_then(Value::as_i64);
            facts.entries.push(EntryFacts {
                path: step
                    .get("entry")
                    .and_then(Value::as_str)
                    .unwrap_or("?")
                    .to_owned(),
                ending: code.map(|code| Ending::Exited(i32::try_from(code).unwrap())),
            });
            let text = |key| step.get(key).and_then(Value::as_str).unwrap_or_default();
            facts.output = Some(OutputFacts {
                text: format!("{}\n{}", text("stdout"), text("stderr")),
                complete: false,
            });
        }
    }
    facts
}

/// Judge's score of one checkpoint.
fn judged(file: &Path, checkpoint: Checkpoint) -> Option<bool> {
    let grading = read(file)?;
    let item = grading
        .get(checkpoint.half())?
        .get(checkpoint.aspect())?
        .get(checkpoint.key())?;
    Some(item.get("score")?.as_u64()? == 1)
}

#[test]
fn the_exit_code_and_the_judges_mostly_agree() {
    let Some(root) = released() else { return };
    let mut rows = Vec::new();
    for path in files_named(&root.join("results"), "execution_result.json") {
        let input = path.parent().unwrap();
        let decisions = decide(&facts(input));
        for judge in ["gpt-4o", "gpt-5"] {
            let grading = input
                .parent()
                .unwrap()
                .join("evals")
                .join(judge)
                .join("execute_llm_eval.json");
            for decision in &decisions {
                if let Some(judged) = judged(&grading, decision.checkpoint) {
                    rows.push((judge, decision.clone(), judged, path.clone()));
                }
            }
        }
    }
    for checkpoint in [Checkpoint::CodeRan, Checkpoint::ReportFilled] {
        for judge in ["gpt-4o", "gpt-5"] {
            let mine: Vec<_> = (rows.iter())
                .filter(|(by, decision, _, _)| *by == judge && decision.checkpoint == checkpoint)
                .collect();
            let decided: Vec<_> = mine
                .iter()
                .filter(|(_, decision, _, _)| decision.passed.is_some())
                .collect();
            let same = decided
                .iter()
                .filter(|(_, decision, judged, _)| decision.passed == Some(*judged))
                .count();
            println!(
                "{checkpoint} {judge}: {} runs, {} decided, {same} as the judge",
                mine.len(),
                decided.len()
            );
            for (_, decision, judged, path) in &mine {
                if decision.passed != Some(*judged) {
                    println!(
                        "  judge {judged}, facts {:?}: {} {}",
                        decision.passed,
                        decision.evidence,
                        path.display()
                    );
                }
            }
            if checkpoint == Checkpoint::CodeRan {
                assert!(mine.len() >= 20 && decided.len() == mine.len());
                assert!(4 * same >= 3 * mine.len(), "{same} of {}", mine.len());
            }
        }
    }
}
