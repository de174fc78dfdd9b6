//! ReplicatorBench's counts of failures by class, to the letter.
//!
//! Source: `data/error_distribution.py` of the released benchmark at commit 424baf9,
//! which gives Table 5 of the paper. Its rules only see the text style of log, take
//! `nan` inside a word for an empty value, and call everything unknown an
//! implementation error.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::domain::failure::FailureCause;
use crate::domain::lazy_regex::LazyRegex;
use crate::scoring::released::python;

/// The part of a log that gave an error away.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Signal {
    /// An observation in JSON whose `ok` is false.
    Observation,
    /// A step of such an observation.
    Step,
    /// A line that begins with `Error` or `Entry not found`.
    Line,
    /// The last error line of a Python traceback.
    Traceback,
    /// A phrase of a build log.
    Build,
}

/// One error found in a log.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LoggedError {
    /// From 1, as the log counts its turns.
    pub turn: usize,
    pub signal: Signal,
    pub text: String,
    pub cause: FailureCause,
}

/// The phrases of each class, in the order in which they are tried; the first
/// that an error's lower-cased text holds decides.
const PHRASES: &[(FailureCause, &[&str])] = {
    use FailureCause::{Implementation, InputData, Setup, Timeout};
    &[
        (
            Implementation,
            &[
                "old_text not found",
                "end_marker not found",
                "requires anchor",
                "requires insert_text",
                "requires old_text",
                "unexpected keyword argument",
                "missing required argument",
                "missing 1 required positional argument",
                "unknown tool error",
                "invalid json observation",
            ],
        ),
        (
            Setup,
            &[
                "access denied",
                "outside of the study directory",
                "entry not found",
                "filenotfound",
                "no such file",
                "does not exist",
            ],
        ),
        (Implementation, &["could not find function"]),
        (
            Setup,
            &[
                "there is no package called",
                "execution halted",
                "installing packages into",
                "oci runtime exec failed",
            ],
        ),
        (
            Timeout,
            &[
                "timeout",
                "timed out",
                "connection",
                "httperror",
                "urlerror",
                "incomplete",
                "max retries",
            ],
        ),
        (
            Setup,
            &[
                "docker",
                "build failed",
                "executor failed",
                "returned non-zero exit status",
                "modulenotfound",
                "importerror",
                "no module named",
            ],
        ),
        (
            InputData,
            &[
                "not supported between instances",
                "keyerror",
                "indexerror",
                "valueerror",
                "typeerror",
                "empty",
                "none",
                "nan",
                "null",
                "dataset not loaded",
            ],
        ),
    ]
};

/// Longest text of an observation's error, in characters.
const OBSERVATION_CHARACTERS: usize = 500;

struct Patterns {
    error_line: LazyRegex,
    entry_line: LazyRegex,
    traceback_line: LazyRegex,
}

static PATTERNS: Patterns = Patterns {
    error_line: LazyRegex::new(r"(?m)^Error(?: executing \w+)?: .+$"),
    entry_line: LazyRegex::new(r"(?m)^Entry not found.+$"),
    traceback_line: LazyRegex::new(r"(?m)^[A-Z][a-zA-Z]*Error: .+$"),
};

/// The class of an error text by ReplicatorBench's keywords.
pub fn classify(text: &str) -> FailureCause {
    let text = text.to_lowercase();
    // Two phrases of one class have to come together.
    let is_copy = text.contains("cp: ") && text.contains("cannot stat");
    let is_dtype = text.contains("cannot interpret") && text.contains("dtype");
    for (position, (cause, phrases)) in PHRASES.iter().enumerate() {
        if phrases.iter().any(|phrase| text.contains(phrase)) {
            return *cause;
        }
        match position {
            1 if is_copy => return FailureCause::Setup,
            5 if is_dtype => return FailureCause::InputData,
            _ => {}
        }
    }
    FailureCause::Implementation
}

/// The errors of one execution log, turn by turn.
pub fn read_log(log: &str) -> Vec<LoggedError> {
    let patterns = &PATTERNS;
    // Python reads a text file's line ends as one.
    let log = log.replace("\r\n", "\n").replace('\r', "\n");
    let mut errors = Vec::new();
    for (turn, text) in log.split("--- Turn").enumerate().skip(1) {
        let mut found = |signal, text: &str| {
            errors.push(LoggedError {
                turn,
                signal,
                text: text.to_owned(),
                cause: classify(text),
            });
        };
        observation(text, &mut found);
        for pattern in [&patterns.error_line, &patterns.entry_line] {
            for line in pattern.find_iter(text) {
                found(Signal::Line, line.as_str().trim());
            }
        }
        if text.contains("Traceback (most recent call last)")
            && let Some(last) = patterns.traceback_line.find_iter(text).last()
        {
            found(Signal::Traceback, last.as_str());
        }
        if text.contains("build_log") && text.to_lowercase().contains("error") {
            if text.contains("pip dependency mismatch") {
                found(Signal::Build, "Pip Dependency Mismatch");
            } else if text.contains("executor failed running") {
                found(Signal::Build, "Docker Executor Failed");
            }
        }
    }
    errors
}

/// The JSON observation of a turn: from its first brace to the turn's last one
/// or the next record's time stamp.
fn observation(turn: &str, found: &mut impl FnMut(Signal, &str)) {
    let Some((_, after)) = turn.split_once("***Agent input: Observation: {") else {
        return;
    };
    let Some(end) = after.rfind('}') else { return };
    let text = format!("{{{}}}", &after[..end]);
    let text = text.split("\n202").next().unwrap_or_default();
    let Some(Value::Object(observed)) = python::parse(text) else {
        return;
    };
    let first = |members: &Map<String, Value>, keys: &[&str]| {
        let told = (keys.iter())
            .filter_map(|key| members.get(*key))
            .find(|value| python::is_true(value));
        told.map_or_else(|| python::dumped(&Value::Object(members.clone())), python::text)
    };
    if let Some(Value::Array(steps)) = observed.get("steps") {
        // The script gives an observation up at a step that is no object.
        for step in steps.iter().map_while(Value::as_object) {
            if step.get("ok") == Some(&Value::Bool(false)) {
                found(Signal::Step, &first(step, &["stderr", "error"]));
            }
        }
    } else if observed.get("ok") == Some(&Value::Bool(false)) {
        let text = first(&observed, &["error", "message", "content", "failure"]);
        let text: String = text.chars().take(OBSERVATION_CHARACTERS).collect();
        found(Signal::Observation, &text);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keywords_decide_in_order() {
        for (text, cause) in [
            ("FileNotFoundError: data.csv", FailureCause::Setup),
            ("cp: cannot stat 'x'", FailureCause::Setup),
            (
                "ModuleNotFoundError: No module named 'pandas'",
                FailureCause::Setup,
            ),
            (
                "Error in lmer(): could not find function",
                FailureCause::Implementation,
            ),
            ("KeyError: 'income'", FailureCause::InputData),
            (
                "TypeError: Cannot interpret '1' as a data type dtype",
                FailureCause::InputData,
            ),
            ("SyntaxError: invalid syntax", FailureCause::Implementation),
            ("HTTPError: timed out", FailureCause::Timeout),
            ("NameError: finance is not defined", FailureCause::InputData),
            ("Pip Dependency Mismatch", FailureCause::Implementation),
        ] {
            assert_eq!(classify(text), cause, "{text}");
        }
    }

    #[test]
    fn every_signal_is_read_with_its_turn() {
        let log = "before\n--- Turn 1 ---\n***Agent input: Observation: {\"ok\": false, \"error\": \"no such file\"}\n\
            2025-01-01 record\n--- Turn 2 ---\nError executing read_file: KeyError\nEntry not found: main.py\n\
            --- Turn 3 ---\nTraceback (most recent call last)\nValueError: a\nKeyError: 'b'\n\
            --- Turn 4 ---\n***Agent input: Observation: {\"steps\": [{\"ok\": false, \"stderr\": \"SyntaxError\"}, {\"ok\": true}]}\n\
            --- Turn 5 ---\n{\"build_log\": \"error: executor failed running\"}";
        let found: Vec<_> = read_log(log)
            .into_iter()
            .map(|error| (error.turn, error.signal, error.cause))
            .collect();
        assert_eq!(
            found,
            [
                (1, Signal::Observation, FailureCause::Setup),
                (2, Signal::Line, FailureCause::InputData),
                (2, Signal::Line, FailureCause::Setup),
                (3, Signal::Traceback, FailureCause::InputData),
                (4, Signal::Step, FailureCause::Implementation),
                (5, Signal::Build, FailureCause::Setup),
            ]
        );
    }

    fn causes(observation: &str) -> Vec<FailureCause> {
        let log = format!("--- Turn 1 ---\n***Agent input: Observation: {observation}\n");
        read_log(&log).into_iter().map(|error| error.cause).collect()
    }

    #[test]
    fn an_observation_is_read_as_python_reads_it() {
        use FailureCause::{Implementation, InputData, Timeout};
        for (observation, expected) in [
            (r#"{"ok": false, "v": NaN}"#, vec![InputData]),
            (r#"{"ok": false, "v": -Infinity}"#, vec![Implementation]),
            (
                r#"{"ok": false, "error": [null], "message": "timeout"}"#,
                vec![InputData],
            ),
            (
                r#"{"ok": true, "ok": false, "error": "\ud83d timeout"}"#,
                vec![Timeout],
            ),
            (r#"{"ok": false, "ok": true}"#, vec![]),
            (
                r#"{"steps": [{"ok": false, "error": 0, "stderr": "timeout"}, 3, {"ok": false}]}"#,
                vec![Timeout],
            ),
        ] {
            assert_eq!(causes(observation), expected, "{observation}");
        }
        // The cut after 500 characters falls where Python's own spelling has it.
        let cut = |length: usize| {
            format!(
                r#"{{"ok": false, "error": {{"a":"{}timeout"}}}}"#,
                "x".repeat(length)
            )
        };
        let room = OBSERVATION_CHARACTERS - "{'a': '".len() - "timeout".len();
        assert_eq!(causes(&cut(room)), [Timeout]);
        assert_eq!(causes(&cut(room + 1)), [Implementation]);
    }

    #[test]
    fn line_ends_are_one() {
        let log = "--- Turn 1 ---\r\nError: timeout\rEntry not found: x\r\n";
        let found: Vec<_> = read_log(log).into_iter().map(|error| error.text).collect();
        assert_eq!(found, ["Error: timeout", "Entry not found: x"]);
    }
}
