//! Attempts out of the answers that other harnesses kept, graded here.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use crate::analysis::attempts::attempt::ScoredAttempt;
use crate::capsule::task_file::{CapsuleId, TaskFile};
use crate::domain::lazy_regex::LazyRegex;
use crate::grading::discovery::bounded_file;
use crate::scoring::capsule::report_file::{Report, ReportFault};
use crate::scoring::released::capsule::grade::grade;
use crate::scoring::released::capsule::tallies::{Aliases, GraderName};
use crate::scoring::released::capsule::value::{NotJson, PythonValue};

/// The largest file of answers, in bytes.
const LARGEST: u64 = 64 << 20;
/// What harnesses add to an agent's name: the kind of the file, and the number of a repeat.
static SUFFIXES: LazyRegex =
    LazyRegex::new(r"(?:_RAW_SUBMISSIONS|_UPLOAD)?(?:_k\d+)?(?:_RAW_SUBMISSIONS|_UPLOAD)?$");

/// Attempts that were graded, and what is to be known of them.
#[derive(Debug, Default)]
pub struct GradedAnswers {
    pub attempts: Vec<ScoredAttempt>,
    /// A sentence each.
    pub notes: Vec<String>,
}

/// Answers that cannot be graded.
#[derive(Debug, thiserror::Error)]
pub enum AnswersError {
    #[error("{path}: {source}")]
    Unreadable { path: PathBuf, source: std::io::Error },
    #[error("{0}: it is no text in UTF-8")]
    NoText(PathBuf),
    #[error("{path}: {fault}")]
    NoReport { path: PathBuf, fault: ReportFault },
    #[error("{0}: it holds no answers by task: give a harness's output.json or *_RAW_SUBMISSIONS.jsonl")]
    Unnamed(PathBuf),
    #[error("the gold of {task} is no JSON: {fault}")]
    Gold { task: String, fault: NotJson },
    #[error("no file has an answer to a task of the task file")]
    NoAnswer,
}

/// Grades files of answers: one file an agent and repeat, named after the agent.
///
/// # Errors
/// A file that cannot be read or holds no answers by task.
pub fn graded(
    files: &[PathBuf],
    tasks: &TaskFile,
    grader: GraderName,
) -> Result<GradedAnswers, AnswersError> {
    let mut graded = GradedAnswers::default();
    for file in files {
        let Report::ByTask(answers) = read(file)? else {
            return Err(AnswersError::Unnamed(file.clone()));
        };
        let agent = agent(file);
        let mut seen = BTreeSet::new();
        let mut unknown = 0;
        for (name, answers) in &answers {
            let task = CapsuleId::parse(name).and_then(|id| tasks.get(&id));
            let Some(task) = task else {
                unknown += 1;
                continue;
            };
            let gold = PythonValue::parse(task.gold.json()).map_err(|fault| AnswersError::Gold {
                task: name.clone(),
                fault,
            })?;
            // What a published grader breaks off at is no success there either.
            let tallies = grade(grader, name, &gold, answers, &Aliases::default());
            graded.attempts.push(ScoredAttempt {
                agent: agent.clone(),
                task: name.clone(),
                success: tallies.is_ok_and(|tallies| tallies.solves(grader)),
                tokens: None,
                cost: None,
                confidence: None,
            });
            seen.insert(name.clone());
        }
        let all = tasks.tasks.len();
        let path = file.display();
        if seen.len() < all {
            graded.notes.push(format!(
                "{path}: {} of the {all} tasks have no answers, and are in no share, as HAL counts",
                all - seen.len()
            ));
        }
        if unknown > 0 {
            graded.notes.push(format!(
                "{path}: {unknown} answers are to tasks that the task file does not have"
            ));
        }
    }
    match graded.attempts.is_empty() {
        true => Err(AnswersError::NoAnswer),
        false => Ok(graded),
    }
}

fn read(file: &Path) -> Result<Report, AnswersError> {
    let path = || file.to_owned();
    let bytes = bounded_file::up_to(file, LARGEST)
        .map_err(|source| AnswersError::Unreadable { path: path(), source })?;
    let text = String::from_utf8(bytes).map_err(|_| AnswersError::NoText(path()))?;
    Report::parse(&text).map_err(|fault| AnswersError::NoReport { path: path(), fault })
}

/// The agent that a file is named after, without the number of a repeat.
fn agent(file: &Path) -> String {
    let name = file
        .file_stem()
        .map_or_else(String::new, |stem| stem.to_string_lossy().into_owned());
    let end = SUFFIXES.find(&name).map_or(name.len(), |found| found.start());
    match end {
        0 => name,
        end => name.get(..end).unwrap_or(&name).to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_named_after_their_agents() {
        for (file, named) in [
            ("a/gpt-5_k1_RAW_SUBMISSIONS.jsonl", "gpt-5"),
            ("gpt-5_RAW_SUBMISSIONS_k12.jsonl", "gpt-5"),
            ("opus.json", "opus"),
            ("k_k2.jsonl", "k"),
            ("_k2.jsonl", "_k2"),
        ] {
            assert_eq!(agent(Path::new(file)), named, "{file}");
        }
    }
}
