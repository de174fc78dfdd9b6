//! From the end of a command to a named cause and the line that says why.

use super::waiting;
use crate::domain::excerpt;
use crate::domain::execution::Ending;
use crate::domain::failure::FailureCause;
use crate::domain::lazy_regex::LazyRegex;

/// The diagnosis of a failed command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diagnosis {
    pub cause: FailureCause,
    /// The line of standard error that says why, without what differs between machines.
    pub key: Option<String>,
}

static PYTHON: LazyRegex =
    LazyRegex::new(r"^((?:[A-Za-z_][\w.]*\.)?[A-Z]\w*(?:Error|Exception|Warning|Exit|Interrupt))\b(.*)$");

/// The text that a command printed.
#[derive(Debug, Clone, Copy, Default)]
pub struct PrintedText<'a> {
    pub stdout: &'a str,
    pub stderr: &'a str,
}

/// Diagnoses a finished command; `None` when it succeeded.
pub fn execution(ending: Ending, printed: PrintedText<'_>) -> Option<Diagnosis> {
    let stderr = printed.stderr;
    let cause = match ending {
        Ending::Exited(0) => return None,
        Ending::TimedOut => match waiting::prompt(printed.stdout).or_else(|| waiting::prompt(stderr)) {
            Some(prompt) => {
                return Some(Diagnosis {
                    cause: FailureCause::WaitedForInput,
                    key: Some(short(&format!("the last that it printed is `{prompt}`"))),
                });
            }
            None => FailureCause::Timeout,
        },
        Ending::OutOfMemory => FailureCause::OutOfMemory,
        Ending::Cancelled => FailureCause::Interrupted,
        Ending::Exited(126 | 127) => FailureCause::Setup,
        Ending::Exited(_) | Ending::Signalled(_) => return Some(from_text(printed)),
    };
    Some(Diagnosis {
        cause,
        key: key_line(stderr),
    })
}

fn from_text(printed: PrintedText<'_>) -> Diagnosis {
    let stderr = printed.stderr;
    let key = key_line(stderr);
    let text = key.as_deref().unwrap_or_default();
    if waiting::ended_at_input(text) {
        let place = waiting::place(stderr).map_or_else(String::new, |place| format!(" ({place})"));
        return Diagnosis {
            cause: FailureCause::WaitedForInput,
            key: Some(short(&format!("{text}{place}"))),
        };
    }
    if let Some(prompt) = waiting::empty_answer(printed.stdout, text) {
        return Diagnosis {
            cause: FailureCause::WaitedForInput,
            key: Some(short(&format!("{text}, behind `{prompt}`"))),
        };
    }
    let cause = if contains(text, SETUP) {
        FailureCause::Setup
    } else if contains(text, INPUT) {
        FailureCause::InputData
    } else if contains(text, MEMORY) {
        FailureCause::OutOfMemory
    } else {
        FailureCause::Implementation
    };
    Diagnosis { cause, key }
}

const SETUP: &[&str] = &[
    "ModuleNotFoundError",
    "ImportError",
    "there is no package called",
    "command not found",
    "not installed",
    "cannot open shared object file",
    "could not find function \"render\"",
    // Of Stata: the command is not known.
    "r(199);",
];
const INPUT: &[&str] = &[
    "FileNotFoundError",
    "No such file or directory",
    "cannot open file",
    "cannot open the connection",
    "PermissionError",
    "KeyError",
    "EmptyDataError",
    "ParserError",
    "UnicodeDecodeError",
    "undefined columns selected",
    "more columns than column names",
    "not in index",
    "does not exist in current working directory",
    // Of Stata: the file is not there.
    "r(601);",
];
const MEMORY: &[&str] = &[
    "MemoryError",
    "cannot allocate vector of size",
    "Cannot allocate memory",
];

fn contains(text: &str, needles: &[&str]) -> bool {
    needles.iter().any(|needle| text.contains(needle))
}

/// The line that says why: a Python exception, an R error with its message, or
/// the last line that is not empty.
fn key_line(stderr: &str) -> Option<String> {
    let lines: Vec<&str> = stderr
        .lines()
        .map(str::trim_end)
        .filter(|line| !line.trim().is_empty())
        .collect();
    let python = lines
        .iter()
        .rev()
        .find(|line| PYTHON.is_match(line))
        .map(|line| (*line).to_owned());
    if python.is_some() {
        return python.map(|line| short(&line));
    }
    if let Some(at) = lines.iter().position(|line| line.starts_with("Error")) {
        let mut error = lines[at].to_owned();
        // R breaks a long call and its message over two lines; a warning that
        // goes with a file error names the file.
        if let Some(next) = lines
            .get(at + 1)
            .filter(|next| error.ends_with(':') && next.starts_with(' '))
        {
            error.push(' ');
            error.push_str(next.trim());
        }
        if error.contains("cannot open the connection")
            && let Some(warning) = lines.iter().find(|line| line.contains("cannot open file"))
        {
            error.push(' ');
            error.push_str(warning.trim());
        }
        return Some(short(&error));
    }
    lines.last().map(|line| short(line))
}

fn short(line: &str) -> String {
    excerpt::start(line, 300).to_owned()
}

#[cfg(test)]
mod tests {
    use crate::policy::diagnose::*;

    fn with(stderr: &str) -> PrintedText<'_> {
        PrintedText { stdout: "", stderr }
    }

    fn cause(stderr: &str) -> (FailureCause, String) {
        let diagnosis = execution(Ending::Exited(1), with(stderr)).unwrap();
        (diagnosis.cause, diagnosis.key.unwrap())
    }

    #[test]
    fn python_and_r_errors_are_told_apart() {
        let trace = "Traceback (most recent call last):\n  File \"/workspace/work/a.py\", line 3, in <module>\n    \
                     x['incom']\nKeyError: 'incom'\n";
        assert_eq!(
            cause(trace),
            (FailureCause::InputData, "KeyError: 'incom'".into())
        );
        let (found, _) = cause("ModuleNotFoundError: No module named 'statsmodels'\n");
        assert_eq!(found, FailureCause::Setup);
        let (found, key) = cause(
            "Error in file(file, \"rt\") : cannot open the connection\nCalls: read.csv -> read.table -> file\n\
             In addition: Warning message:\nIn file(file, \"rt\") :\n  cannot open file 'x.csv': No such file or \
             directory\nExecution halted\n",
        );
        assert_eq!(found, FailureCause::InputData);
        assert!(key.contains("cannot open file 'x.csv'"), "{key}");
        let (found, key) =
            cause("Error in eval(predvars, data, env) : object 'incom' not found\nExecution halted\n");
        assert_eq!(
            (found, key.as_str()),
            (
                FailureCause::Implementation,
                "Error in eval(predvars, data, env) : object 'incom' not found"
            )
        );
    }

    #[test]
    fn limits_are_causes_of_their_own() {
        assert_eq!(
            execution(Ending::TimedOut, with("")).unwrap().cause,
            FailureCause::Timeout
        );
        assert_eq!(
            execution(Ending::OutOfMemory, with("")).unwrap().cause,
            FailureCause::OutOfMemory
        );
        assert_eq!(
            execution(Ending::Exited(127), with("")).unwrap().cause,
            FailureCause::Setup
        );
        assert_eq!(execution(Ending::Exited(0), with("warning")), None);
    }

    #[test]
    fn a_question_that_nobody_answers_is_a_cause_of_its_own() {
        let trace = "Traceback (most recent call last):\n  File \"/workspace/work/a.py\", line 3, in <module>\n    \
                     ask()\n  File \"/workspace/work/b.py\", line 7, in ask\n    input('go on? ')\n\
                     EOFError: EOF when reading a line\n";
        assert_eq!(
            cause(trace),
            (
                FailureCause::WaitedForInput,
                "EOFError: EOF when reading a line (b.py, line 7)".into()
            )
        );
        let timed = |stdout, stderr| execution(Ending::TimedOut, PrintedText { stdout, stderr }).unwrap();
        let asked = timed("fitting\nUpdate all/some/none? [a/s/n]: ", "");
        assert_eq!(asked.cause, FailureCause::WaitedForInput);
        assert!(asked.key.unwrap().contains("Update all/some/none? [a/s/n]:"));
        assert_eq!(
            timed("iteration 1\niteration 2\n", "").cause,
            FailureCause::Timeout
        );
    }
}
