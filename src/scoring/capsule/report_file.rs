//! Reports of answers, as harnesses write them.
//!
//! A `report.json` with answers by question; answers by task (HAL's `output.json`), wrapped in
//! `answer` or written as JSON within a text; and lines of such objects
//! (`*_RAW_SUBMISSIONS.jsonl`), of which the last of a task counts.

use indexmap::IndexMap;

use crate::scoring::released::capsule::value::{NotJson, PythonValue};

/// The answers of a file.
#[derive(Debug, Clone, PartialEq)]
pub enum Report {
    /// Answers to one task, which the file does not name.
    Unnamed(PythonValue),
    /// Answers by the task's name, in the order of the file.
    ByTask(IndexMap<String, PythonValue>),
}

/// The error of a report that holds no answers.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ReportFault {
    #[error("it is no JSON: {0}")]
    NotJson(NotJson),
    #[error("line {line} is no JSON: {fault}")]
    Line { line: usize, fault: NotJson },
    #[error("line {0} holds no answers by task")]
    NoTask(usize),
}

impl Report {
    /// Reads a report, whatever harness wrote it.
    ///
    /// # Errors
    /// A text that is no JSON, nor lines of it.
    pub fn parse(text: &str) -> Result<Self, ReportFault> {
        let whole = match PythonValue::parse(text) {
            Ok(value) => value,
            Err(fault) => {
                let lines = text.lines().filter(|line| !line.trim().is_empty()).count();
                let is_lines = lines > 1
                    && text
                        .lines()
                        .next()
                        .is_some_and(|line| PythonValue::parse(line).is_ok());
                return match is_lines {
                    true => Self::from_lines(text),
                    false => Err(ReportFault::NotJson(fault)),
                };
            }
        };
        Ok(match by_task(&whole) {
            Some(tasks) => Self::ByTask(tasks),
            None => Self::Unnamed(whole),
        })
    }

    fn from_lines(text: &str) -> Result<Self, ReportFault> {
        let mut tasks = IndexMap::new();
        for (number, line) in text.lines().enumerate() {
            if line.trim().is_empty() {
                continue;
            }
            let line_number = number + 1;
            let value = PythonValue::parse(line).map_err(|fault| ReportFault::Line {
                line: line_number,
                fault,
            })?;
            let found = by_task(&value).ok_or(ReportFault::NoTask(line_number))?;
            tasks.extend(found);
        }
        Ok(Self::ByTask(tasks))
    }
}

/// Answers by task; `None` where a key is no capsule's name.
fn by_task(value: &PythonValue) -> Option<IndexMap<String, PythonValue>> {
    let PythonValue::Dict(members) = value else {
        return None;
    };
    let is_task = |key: &String| key.starts_with("capsule-");
    (!members.is_empty() && members.keys().all(is_task)).then(|| members.clone())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_harness_is_read() {
        let answers = PythonValue::parse(r#"{"q": 1}"#).unwrap();
        assert_eq!(
            Report::parse(r#"{"q": 1}"#).unwrap(),
            Report::Unnamed(answers.clone())
        );
        let Report::ByTask(tasks) = Report::parse(r#"{"capsule-0000001": {"answer": {"q": 1}}}"#).unwrap()
        else {
            panic!("no tasks");
        };
        assert_eq!(tasks.keys().collect::<Vec<_>>(), ["capsule-0000001"]);
        let lines = "{\"capsule-0000001\": {\"q\": 0}}\n\n{\"capsule-0000002\": \"{}\"}\n{\"capsule-0000001\": {\"q\": 1}}\n";
        let Report::ByTask(tasks) = Report::parse(lines).unwrap() else {
            panic!("no tasks");
        };
        assert_eq!(tasks.len(), 2);
        assert_eq!(tasks["capsule-0000001"], answers);
    }

    #[test]
    fn what_is_no_report_is_named_by_its_line() {
        assert!(matches!(Report::parse("nothing"), Err(ReportFault::NotJson(_))));
        let torn = Report::parse("{\"capsule-0000001\": {}}\n{\"capsule-0000002\": {");
        assert!(matches!(torn, Err(ReportFault::Line { line: 2, .. })), "{torn:?}");
        let other = Report::parse("{\"capsule-0000001\": {}}\n[1]\n");
        assert_eq!(other, Err(ReportFault::NoTask(2)));
    }
}
