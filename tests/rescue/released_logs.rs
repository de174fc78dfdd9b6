//! The failed executions in ReplicatorBench's released runs, held against the table.
//!
//! Runs of studies with an even number were read while the table was written (seen); those with an odd number
//! are counted and not read (held out), but for the names of their exceptions, which this test prints of both
//! together.

use std::collections::BTreeMap;
use std::fmt::Display;
use std::fs;
use std::path::{Path, PathBuf};

use reprise::environment::language::Language;
use reprise::environment::rescue::find::{self, Evidence};
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

/// A failed execution, and what the table says of it.
struct FailedExecution {
    study: u32,
    model: String,
    /// The exception that ended it, by its name.
    cause: String,
    last_line: String,
    /// Entries of the table.
    found: Vec<String>,
}

impl FailedExecution {
    fn new(study: u32, model: &Path, text: &str, table: &Table) -> Self {
        let evidence = Evidence {
            language: Language::Python,
            interpreter: None,
            printed: text,
            script: None,
            installed: &[],
        };
        let last_line = text.trim().lines().last().unwrap_or_default();
        Self {
            study,
            model: model.file_name().unwrap().to_string_lossy().into_owned(),
            cause: exception(last_line),
            last_line: last_line.chars().take(100).collect(),
            found: find::find(table, evidence)
                .into_iter()
                .map(|finding| finding.id)
                .collect(),
        }
    }

    fn half(&self) -> &'static str {
        match self.study % 2 {
            0 => "seen",
            _ => "held out",
        }
    }
}

/// The name of the exception at the head of a line.
fn exception(line: &str) -> String {
    let name = line.split(':').next().unwrap_or_default().trim();
    let is_name = !name.is_empty() && !name.contains(char::is_whitespace);
    match is_name
        && ["Error", "Exception", "Exit"]
            .iter()
            .any(|end| name.ends_with(end))
    {
        true => name.rsplit('.').next().unwrap_or(name).to_owned(),
        false => "no exception".to_owned(),
    }
}

#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
struct Share {
    failed: usize,
    diagnosed: usize,
}

/// The shares of failed executions by a key of theirs.
fn shares<K: Ord>(all: &[FailedExecution], key: impl Fn(&FailedExecution) -> K) -> BTreeMap<K, Share> {
    let mut shares = BTreeMap::<K, Share>::new();
    for one in all {
        let share = shares.entry(key(one)).or_default();
        share.failed += 1;
        share.diagnosed += usize::from(!one.found.is_empty());
    }
    shares
}

fn tell<K: Display>(what: &str, shares: &BTreeMap<K, Share>) {
    for (key, share) in shares {
        println!("{what} {key}: {} of {} diagnosed", share.diagnosed, share.failed);
    }
}

/// Failed executions of the studies with an even number that the table diagnoses, at the least.
const FLOOR: usize = 4;

#[test]
fn failed_executions_of_released_runs_are_held_against_the_table() {
    let Some(results) = need::shared("data/replicatorbench/results/python") else {
        return;
    };
    let table = Table::embedded().unwrap();
    let mut all = Vec::new();
    for study in files(&results, "") {
        let number: u32 = study.file_name().unwrap().to_string_lossy().parse().unwrap();
        for model in files(&study, "") {
            let texts = failures(&model.join("input"));
            all.extend(
                texts
                    .iter()
                    .map(|text| FailedExecution::new(number, &model, text, table)),
            );
        }
    }
    // What ended those that were held out is not shown, so that whoever adds a row has not read it.
    for one in all.iter().filter(|one| one.half() == "seen") {
        let found = match one.found.as_slice() {
            [] => "nothing".to_owned(),
            found => found.join(", "),
        };
        println!("study {}, {}: {found} | {}", one.study, one.model, one.last_line);
    }
    let by_half = shares(&all, FailedExecution::half);
    tell("study", &shares(&all, |one| one.study));
    tell("cause", &shares(&all, |one| one.cause.clone()));
    tell("half", &by_half);
    let (seen, held_out) = (by_half["seen"], by_half["held out"]);
    assert!(held_out.failed > 0, "{by_half:?}");
    assert!(seen.diagnosed >= FLOOR, "{by_half:?}");
}

#[test]
fn an_exception_is_told_by_its_name() {
    for (line, name) in [
        ("FileNotFoundError: [Errno 2] No such file", "FileNotFoundError"),
        (
            "xlrd.biffh.XLRDError: Excel xlsx file; not supported",
            "XLRDError",
        ),
        ("SystemExit: 2", "SystemExit"),
        ("Entry not found at runtime", "no exception"),
        ("the build ended with an Error: none", "no exception"),
        ("", "no exception"),
    ] {
        assert_eq!(exception(line), name, "{line}");
    }
}
