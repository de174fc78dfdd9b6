//! The checkpoints of the execution, from the facts: data, code, outputs, report.

use serde_json::Value;

use super::facts::{Build, CheckpointFacts, OutputFacts};
use super::numbers::reported;
use super::words::{CheckResult, clean, listed, verb};
use crate::domain::execution::Ending;
use crate::domain::ids::ExecutionId;
use crate::verdict::trace::{Output, WrittenNumber};

/// 2.1.1: the planned data was read, as far as opened files tell.
pub(super) fn data_loaded(facts: &CheckpointFacts) -> CheckResult {
    if facts.entries.iter().all(|entry| entry.ending.is_none()) {
        return (Some(false), "No script ran, so no data was read.".to_owned());
    }
    let Some(opened) = &facts.opened else {
        return (None, "Which files the code opened was not recorded.".to_owned());
    };
    let (read, unread): (Vec<_>, Vec<_>) = facts
        .planned_data
        .iter()
        .cloned()
        .partition(|path| opened.files.contains(clean(path)));
    let ran = facts
        .entries
        .iter()
        .any(|entry| entry.ending.is_some_and(Ending::ok));
    let is_planned = |path: &str| facts.planned_data.iter().any(|planned| clean(planned) == path);
    let others: Vec<String> = opened
        .files
        .iter()
        .filter(|path| !is_planned(path))
        .cloned()
        .collect();
    if facts.planned_data.is_empty() {
        return (
            None,
            format!(
                "The plan names no data file; the code opened {}.",
                opened.files.len()
            ),
        );
    }
    match (read.is_empty(), ran) {
        (false, true) if unread.is_empty() => (Some(true), format!("The code read {}.", listed(&read))),
        (false, true) => (
            Some(true),
            format!("The code read {}, and not {}.", listed(&read), listed(&unread)),
        ),
        (false, false) => (
            None,
            format!(
                "The code opened {} and then failed, so it is not known to have been read.",
                listed(&read)
            ),
        ),
        (true, _) if !opened.complete => (
            None,
            "No planned data file was seen to be opened, and the record may have gaps.".to_owned(),
        ),
        (true, _) if others.is_empty() => (Some(false), "The code opened no data file.".to_owned()),
        (true, _) => (
            Some(false),
            format!(
                "The code opened none of the planned data, and {} instead.",
                listed(&others)
            ),
        ),
    }
}

/// 2.2.2: every script ended well.
pub(super) fn code_ran(facts: &CheckpointFacts) -> CheckResult {
    if facts.entries.is_empty() {
        return (Some(false), "The plan names no script to run.".to_owned());
    }
    for entry in &facts.entries {
        let path = &entry.path;
        let said = match entry.ending {
            Some(Ending::Exited(0)) => continue,
            None if matches!(facts.environment.build, Build::Infrastructure(_)) => {
                (None, format!("`{path}` never ran, because the machine failed."))
            }
            None => (Some(false), format!("`{path}` never ran.")),
            Some(Ending::Exited(code)) => (Some(false), format!("`{path}` ended with exit code {code}.")),
            Some(Ending::Signalled(signal)) => {
                (Some(false), format!("`{path}` was ended by signal {signal}."))
            }
            Some(Ending::TimedOut) => (Some(false), format!("`{path}` did not end within its time.")),
            Some(Ending::OutOfMemory) => (Some(false), format!("`{path}` ran out of memory.")),
            Some(Ending::Cancelled) => (None, format!("`{path}` was cancelled while it ran.")),
        };
        return said;
    }
    let count = facts.entries.len();
    (
        Some(true),
        format!("Every script ended with exit code 0 ({count})."),
    )
}

/// 2.3.1: the expected outputs are there.
pub(super) fn outputs_written(facts: &CheckpointFacts) -> CheckResult {
    let size = |path: &str| {
        let found = facts.outputs.iter().find(|(output, _)| output == clean(path));
        found.map(|(_, bytes)| *bytes)
    };
    if facts.expected_outputs.is_empty() {
        let filled = facts.outputs.iter().filter(|(_, bytes)| *bytes > 0).count();
        let printed = facts
            .output
            .as_ref()
            .is_some_and(|output| !output.text.trim().is_empty());
        return match (filled, printed) {
            (0, false) if facts.output.is_none() => (
                None,
                "No output file was written, and what was printed was not kept.".to_owned(),
            ),
            (0, false) => (
                Some(false),
                "Nothing was written and nothing was printed.".to_owned(),
            ),
            (0, true) => (
                Some(true),
                "The plan expects no file, and results were printed.".to_owned(),
            ),
            (count, _) => (
                Some(true),
                format!("Output that is not empty was written ({count} files)."),
            ),
        };
    }
    let lacking: Vec<String> = facts
        .expected_outputs
        .iter()
        .filter(|path| size(path).is_none_or(|bytes| bytes == 0))
        .cloned()
        .collect();
    if lacking.is_empty() {
        let count = facts.expected_outputs.len();
        return (
            Some(true),
            format!("Every expected output is there and not empty ({count})."),
        );
    }
    (
        Some(false),
        format!("{} missing or empty.", verb(&lacking, "is", "are")),
    )
}

/// 2.3.2: the report is filled in, with numbers that the output holds.
pub(super) fn report_filled(facts: &CheckpointFacts) -> CheckResult {
    let Some(report) = &facts.report else {
        return (Some(false), "There is no execution report.".to_owned());
    };
    let is_filled = |pointer: &str| match report.pointer(pointer) {
        Some(Value::String(text)) => !text.trim().is_empty(),
        Some(Value::Array(items)) => !items.is_empty(),
        _ => false,
    };
    let ran = facts
        .entries
        .iter()
        .any(|entry| entry.ending.is_some_and(Ending::ok));
    // A run that failed has no findings to report.
    let parts = [
        "/execution_summary",
        "/code_executed",
        "/results/findings_summary",
    ];
    let empty: Vec<String> = (parts.iter().take(if ran { 3 } else { 2 }))
        .filter(|pointer| !is_filled(pointer))
        .map(|pointer| pointer[1..].replace('/', "."))
        .collect();
    if !empty.is_empty() {
        return (
            Some(false),
            format!("{} empty in the report.", verb(&empty, "is", "are")),
        );
    }
    let numbers = reported(report);
    match (&facts.output, numbers.is_empty(), ran) {
        (_, true, true) => (
            None,
            "The report is filled in, and no finding has a number to check.".to_owned(),
        ),
        (_, true, false) => (
            Some(true),
            "The report is filled in for a run that did not succeed.".to_owned(),
        ),
        (None, false, _) => (
            None,
            "The report is filled in, and there is no output to check its numbers against.".to_owned(),
        ),
        (Some(output), false, _) => numbers_held(&numbers, output),
    }
}

fn numbers_held(numbers: &[WrittenNumber], output: &OutputFacts) -> CheckResult {
    let mut held = Output::default();
    // Which execution printed it does not matter here.
    held.add(ExecutionId(0), &output.text);
    let absent: Vec<String> = (numbers.iter())
        .filter(|number| !held.holds(number))
        .map(|number| number.text.clone())
        .collect();
    let (all, missing) = (numbers.len(), absent.len());
    if missing == 0 {
        return (
            Some(true),
            format!("The report is filled in, and all {all} of its numbers occur in the output."),
        );
    }
    if missing == all && output.complete {
        return (
            Some(false),
            format!("None of the {all} numbers of the report occurs in the output."),
        );
    }
    let part = if output.complete {
        "the output"
    } else {
        "the part of the output that was kept"
    };
    (
        None,
        format!(
            "{missing} of the {all} numbers of the report do not occur in {part}, such as {}.",
            listed(&absent)
        ),
    )
}
