//! Failed tool calls of a released agent log, whatever its style.
//!
//! The released counts see one style of log only. Here every tool result is
//! read in both: its tool is known, it failed if it says so, and its cause is
//! taken from the kind of error instead of from words that happen to occur.
//! Records whose time lies before the ones above them are quotations of other
//! logs and are passed over. Results that the log has cut are read as far as they go.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::domain::excerpt;
use crate::domain::execution::Ending;
use crate::domain::failure::FailureCause;
use crate::domain::lazy_regex::LazyRegex;
use crate::policy::diagnose::{self, PrintedText};
use crate::scoring::cut_json;

/// Most characters of an error that are kept.
const KEPT: usize = 500;

/// The result of one tool call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LoggedCall {
    pub tool: String,
    /// `None` of a call that succeeded.
    pub failure: Option<LoggedFailure>,
}

/// A failed call: its cause, and the text that tells it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LoggedFailure {
    pub cause: FailureCause,
    pub text: String,
}

struct Patterns {
    record: LazyRegex,
    native: LazyRegex,
    running: LazyRegex,
    not_ok: LazyRegex,
}

static PATTERNS: Patterns = Patterns {
    record: LazyRegex::new(r"(?m)^(\d{4}-\d\d-\d\d \d\d:\d\d:\d\d,\d{3}) - [\w.]+ - [A-Z]+ - "),
    native: LazyRegex::new(r"^\*\*\*Observation \(([^)\n]{1,80})\):\s*"),
    running: LazyRegex::new(r"^\s*-- Running Action: (\w{1,80})"),
    not_ok: LazyRegex::new(r#"^\{\s*"ok":\s*false"#),
};

/// What a log writes in the place of the rest of a long result.
const CUT: &str = "... (truncated)";
/// Where the results of a text-style log begin.
const TEXT_RESULT: &str = "***Agent input: Observation: ";

/// Every tool result of a log, in order; of an error the first 500 characters.
pub fn read_calls(log: &str) -> Vec<LoggedCall> {
    read_calls_keeping(log, KEPT)
}

/// As [`read_calls`], with so many characters of an error.
pub fn read_calls_keeping(log: &str, kept: usize) -> Vec<LoggedCall> {
    let patterns = &PATTERNS;
    let mut calls = Vec::new();
    let mut running: Option<String> = None;
    for body in records(log, patterns) {
        if let Some(found) = patterns.running.captures(body) {
            running = Some(found[1].to_owned());
        } else if let Some(found) = patterns.native.captures(body) {
            let text = body.get(found[0].len()..).unwrap_or_default();
            calls.push(call(&found[1], text, patterns, kept));
        } else if let Some(text) = body.strip_prefix(TEXT_RESULT) {
            let tool = running.take().unwrap_or_else(|| "unknown".to_owned());
            calls.push(call(&tool, text, patterns, kept));
        }
    }
    calls
}

/// The bodies of the records that are the log's own.
fn records<'a>(log: &'a str, patterns: &Patterns) -> Vec<&'a str> {
    let starts: Vec<(usize, usize, &str)> = (patterns.record.captures_iter(log))
        .filter_map(|found| {
            let (whole, time) = (found.get(0)?, found.get(1)?);
            Some((whole.start(), whole.end(), time.as_str()))
        })
        .collect();
    let mut latest = "";
    let mut bodies = Vec::new();
    for (at, (_, from, time)) in starts.iter().enumerate() {
        if *time < latest {
            continue;
        }
        latest = time;
        let to = starts.get(at + 1).map_or(log.len(), |next| next.0);
        bodies.push(log.get(*from..to).unwrap_or_default());
    }
    bodies
}

fn call(tool: &str, text: &str, patterns: &Patterns, kept: usize) -> LoggedCall {
    let text = text.split("\n--- Turn").next().unwrap_or_default().trim();
    LoggedCall {
        tool: tool.to_owned(),
        failure: failure(tool, text, patterns, kept),
    }
}

fn failure(tool: &str, text: &str, patterns: &Patterns, kept: usize) -> Option<LoggedFailure> {
    let error = match first_json(text) {
        Some(Value::Object(members)) if is_content(tool, &members) => return None,
        Some(Value::Object(members)) => told(&members)?,
        _ if patterns.not_ok.is_match(text) => text.to_owned(),
        _ if ["Error", "Entry not found", "Traceback (most recent call last)"]
            .iter()
            .any(|start| text.starts_with(start)) =>
        {
            text.to_owned()
        }
        _ => return None,
    };
    Some(LoggedFailure {
        cause: cause(tool, &error),
        text: excerpt::start(&error, kept).to_owned(),
    })
}

/// The JSON value that a result begins with, as far as the log has it.
fn first_json(text: &str) -> Option<Value> {
    let mut values = serde_json::Deserializer::from_str(text).into_iter::<Value>();
    match values.next()? {
        Ok(value) => Some(value),
        Err(error) if error.is_eof() || text.ends_with(CUT) => {
            cut_json::read(text.strip_suffix(CUT).unwrap_or(text).trim_end())
        }
        Err(_) => None,
    }
}

/// True if an object is what a file holds, such as the record of an execution that failed:
/// the reading of it has not.
fn is_content(tool: &str, members: &serde_json::Map<String, Value>) -> bool {
    tool.starts_with("read_") && ["plan_id", "steps"].iter().any(|key| members.contains_key(*key))
}

/// The words of an object about its failure; `None` where it tells of none.
fn told(members: &serde_json::Map<String, Value>) -> Option<String> {
    let is_false = |members: &serde_json::Map<String, Value>| members.get("ok") == Some(&Value::Bool(false));
    let steps = members.get("steps").and_then(Value::as_array);
    let failed_step = steps
        .into_iter()
        .flatten()
        .filter_map(Value::as_object)
        .find(|step| is_false(step));
    let said = failed_step.or_else(|| is_false(members).then_some(members))?;
    let words = [
        "stderr",
        "error",
        "message",
        "build_log",
        "content",
        "failure",
        "stdout",
    ]
    .iter()
    .filter_map(|key| said.get(*key)?.as_str())
    .find(|text| !text.trim().is_empty());
    Some(words.map_or_else(|| Value::Object(said.clone()).to_string(), str::to_owned))
}

/// The machine's own failures, wherever they occur.
const MACHINE: &[&str] = &[
    "Cannot connect to the Docker daemon",
    "No space left on device",
    "Connection refused",
    "Connection reset",
    "TLS handshake timeout",
];
/// Words of an error that only a limit of time leaves.
const TIME: &[&str] = &["timed out", "TimeoutError", "TimeoutExpired", "timeout exceeded"];
/// Phrases which tell that code was to be run and could not be, for want of an environment.
const ENVIRONMENT: &[&str] = &[
    "Entry not found",
    "pull access denied",
    "No such container",
    "OCI runtime exec failed",
    "executable file not found",
    "exec format error",
];
/// Errors about the data rather than the code that reads them.
const DATA: &[&str] = &[
    "IndexError",
    "ValueError",
    "TypeError",
    "Dataset not loaded",
    "dataset not loaded",
];

/// The cause by the kind of error; the tool tells a build from an execution.
pub fn cause(tool: &str, error: &str) -> FailureCause {
    let holds = |needles: &[&str]| needles.iter().any(|needle| error.contains(needle));
    if holds(MACHINE) {
        FailureCause::Infrastructure
    } else if holds(TIME) {
        FailureCause::Timeout
    } else if error.contains("unexpected keyword argument") || error.contains("missing 1 required") {
        FailureCause::Implementation
    } else if holds(ENVIRONMENT) || matches!(tool, "orchestrator_build_image" | "orchestrator_run_container")
    {
        FailureCause::Setup
    } else {
        let printed = PrintedText {
            stdout: "",
            stderr: error,
        };
        match diagnose::execution(Ending::Exited(1), printed).map(|found| (found.cause, found.key)) {
            // The published classes know no such cause.
            Some((FailureCause::WaitedForInput, _)) => FailureCause::Implementation,
            Some((FailureCause::Implementation, key)) => {
                let key = key.unwrap_or_default();
                if DATA.iter().any(|needle| key.contains(needle)) {
                    FailureCause::InputData
                } else {
                    FailureCause::Implementation
                }
            }
            Some((cause, _)) => cause,
            None => FailureCause::Implementation,
        }
    }
}

/// The calls of one tool.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct ToolCalls {
    pub calls: u64,
    pub failed: u64,
}

/// Calls and failures by tool.
pub fn by_tool(calls: &[LoggedCall]) -> BTreeMap<String, ToolCalls> {
    let mut tools: BTreeMap<String, ToolCalls> = BTreeMap::new();
    for call in calls {
        let tool = tools.entry(call.tool.clone()).or_default();
        tool.calls += 1;
        tool.failed += u64::from(call.failure.is_some());
    }
    tools
}

#[cfg(test)]
mod tests {
    use super::*;

    const AT: &str = "2026-02-03 21:13:24,820 - replication - INFO - ";

    #[test]
    fn both_styles_are_read_and_quotations_passed_over() {
        let log = format!(
            "{AT} -- Running Action: orchestrator_execute_entry [x]\n\
             {AT}***Agent input: Observation: {{\"ok\": false, \"error\": \"KeyError: 'income'\"}}\n\
             {AT}***Observation (read_file):\nText with ValueError inside.\n\
             2020-01-01 00:00:00,000 - replication - INFO - ***Observation (read_file):\nError: quoted\n\
             {AT}***Observation (orchestrator_build_image):\n{{\"ok\": false, \"build_log\": \"no matching ver\n{AT}\n--- Turn 3 ---"
        );
        let found: Vec<_> = read_calls(&log)
            .into_iter()
            .map(|call| (call.tool, call.failure.map(|failure| failure.cause)))
            .collect();
        assert_eq!(
            found,
            [
                (
                    "orchestrator_execute_entry".to_owned(),
                    Some(FailureCause::InputData)
                ),
                ("read_file".to_owned(), None),
                ("orchestrator_build_image".to_owned(), Some(FailureCause::Setup)),
            ]
        );
    }

    #[test]
    fn a_result_that_the_log_has_cut_is_read_as_far_as_it_goes() {
        let steps = |ok: bool, rest: &str| {
            format!(
                "{{\"plan_id\": \"study\", \"steps\": [{{\"name\": \"prepare-env\", \"ok\": true}}, \
                 {{\"name\": \"run-analysis\", \"ok\": {ok}, \"exit_code\": 1, {rest}"
            )
        };
        let long = "row\\n".repeat(500);
        let cut_out = format!("{}\n{CUT}", steps(false, &format!("\"stdout\": \"{long}")));
        let cut_error = format!(
            "{}\n{CUT}",
            steps(
                false,
                "\"stdout\": \"\", \"stderr\": \"Traceback\\nKeyError: 'income'\\n  at li"
            )
        );
        let passed = format!("{}\n{CUT}", steps(true, &format!("\"stdout\": \"{long}")));
        // The file that holds the record of a failed execution was read without one.
        for (tool, text, cause) in [
            (
                "orchestrator_execute_entry",
                &cut_out,
                Some(FailureCause::Implementation),
            ),
            (
                "orchestrator_execute_entry",
                &cut_error,
                Some(FailureCause::InputData),
            ),
            ("orchestrator_execute_entry", &passed, None),
            ("read_json", &cut_out, None),
        ] {
            let log = format!("{AT}***Observation ({tool}):\n{text}\n{AT}\n--- Turn 3 ---");
            let found = read_calls(&log).remove(0).failure.map(|failure| failure.cause);
            assert_eq!(found, cause, "{tool}: {text}");
        }
    }

    #[test]
    fn the_kind_of_error_decides_and_not_a_word_in_it() {
        for (tool, error, cause) in [
            (
                "x",
                "NameError: name 'finance' is not defined",
                FailureCause::Implementation,
            ),
            (
                "x",
                "ModuleNotFoundError: No module named 'pandas'",
                FailureCause::Setup,
            ),
            (
                "x",
                "ValueError: could not convert string to float: ''",
                FailureCause::InputData,
            ),
            (
                "edit_file",
                "Error executing edit_file: edit_file() got an unexpected keyword argument 'insert_text'",
                FailureCause::Implementation,
            ),
            (
                "x",
                "Cannot connect to the Docker daemon at unix:///var/run/docker.sock",
                FailureCause::Infrastructure,
            ),
            (
                "x",
                "subprocess.TimeoutExpired: Command timed out",
                FailureCause::Timeout,
            ),
        ] {
            assert_eq!(super::cause(tool, error), cause, "{error}");
        }
    }
}
