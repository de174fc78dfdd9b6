//! The failed executions in ReplicatorBench's released runs, held against the table.
//!
//! Runs of studies with an even number were read while the table was written; those with an odd number were
//! not, and were counted once, after it stood.

use std::fs;
use std::path::{Path, PathBuf};

use reprise::environment::rescue::find::{self, Evidence};
use reprise::environment::rescue::script::ScriptLanguage;
use reprise::environment::rescue::table::Table;
use reprise::scoring::failed_calls;
use serde_json::Value;

use super::need;

/// The tool of the released agents that executes code.
const EXECUTE: &str = "orchestrator_execute_entry";

const REFUSED: &str = "Error executing orchestrator_execute_entry";

/// The text of every failed execution of a run that has one: in its log, and in its last result.
fn failures(run: &Path) -> Vec<String> {
    let mut texts = Vec::new();
    for file in files(&run.join("_log"), "execute") {
        let log = fs::read_to_string(file).unwrap_or_default();
        let calls = failed_calls::read_calls_keeping(&log, usize::MAX);
        let failed = calls.into_iter().filter(|call| call.tool == EXECUTE);
        // A call that the released tool refused executed nothing.
        texts.extend(
            failed
                .filter_map(|call| Some(call.failure?.text))
                .filter(|text| !text.starts_with(REFUSED)),
        );
    }
    // Where there is no log, the result of the last execution is what is left.
    if texts.is_empty()
        && let Ok(text) = fs::read_to_string(run.join("execution_result.json"))
        && let Ok(result) = serde_json::from_str::<Value>(&text)
        && result["ok"] == false
    {
        let step = result["steps"]
            .as_array()
            .and_then(|steps| steps.iter().find(|step| step["ok"] == false));
        let said = step
            .and_then(|step| step["stderr"].as_str())
            .or_else(|| result["error"].as_str());
        texts.push(said.unwrap_or_default().to_owned());
    }
    texts
}

fn files(folder: &Path, start: &str) -> Vec<PathBuf> {
    let mut files: Vec<PathBuf> = (fs::read_dir(folder).into_iter().flatten().filter_map(Result::ok))
        .map(|entry| entry.path())
        .filter(|path| {
            path.file_name()
                .is_some_and(|name| name.to_string_lossy().starts_with(start))
        })
        .collect();
    files.sort();
    files
}

#[derive(Default)]
struct Share {
    failed: usize,
    diagnosed: usize,
}

#[test]
fn failed_executions_of_released_runs_are_held_against_the_table() {
    let Some(results) = need::shared("data/replicatorbench/results/python") else {
        return;
    };
    let table = Table::embedded().unwrap();
    let (mut seen, mut held_out) = (Share::default(), Share::default());
    for study in files(&results, "") {
        let number: u32 = study.file_name().unwrap().to_string_lossy().parse().unwrap();
        let (half, name) = match number % 2 {
            0 => (&mut seen, "seen"),
            _ => (&mut held_out, "held out"),
        };
        for model in files(&study, "") {
            for text in failures(&model.join("input")) {
                let evidence = Evidence {
                    language: ScriptLanguage::Python,
                    interpreter: None,
                    printed: &text,
                    script: None,
                    installed: &[],
                };
                let found = find::find(table, evidence);
                half.failed += 1;
                half.diagnosed += usize::from(!found.is_empty());
                let ids: Vec<&str> = found.iter().map(|finding| finding.id.as_str()).collect();
                let last = text.trim().lines().last().unwrap_or_default();
                let last: String = last.chars().take(100).collect();
                println!(
                    "{name}: study {number}, {}: {} | {last}",
                    model.file_name().unwrap().to_string_lossy(),
                    if ids.is_empty() {
                        "nothing".to_owned()
                    } else {
                        ids.join(", ")
                    },
                );
            }
        }
    }
    println!(
        "failed executions that the table diagnoses: {} of {} seen while it was written, {} of {} held out",
        seen.diagnosed, seen.failed, held_out.diagnosed, held_out.failed
    );
    assert!(
        seen.failed > 0 && held_out.failed > 0,
        "the released runs hold failed executions"
    );
}
