//! Attempts out of the answers that other harnesses kept, graded here.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use crate::analysis::attempts::attempt::ScoredAttempt;
use crate::capsule::task_file::{CapsuleId, TaskFile};
use crate::domain::lazy_regex::LazyRegex;
use crate::grading::discovery::bounded_file;
use crate::scoring::capsule::report_file::Report;
use crate::scoring::released::capsule::grade::grade;
use crate::scoring::released::capsule::tallies::{Aliases, GraderName};
use crate::scoring::released::capsule::value::PythonValue;

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

/// Grades files of answers: one file an agent and repeat, named after the agent.
///
/// # Errors
/// A file that cannot be read or holds no answers by task.
pub fn graded(files: &[PathBuf], tasks: &TaskFile, grader: GraderName) -> Result<GradedAnswers, String> {
    let mut graded = GradedAnswers::default();
    for file in files {
        let unusable = |what: &str| format!("{}: {what}", file.display());
        let bytes = bounded_file::up_to(file, LARGEST).map_err(|error| unusable(&error.to_string()))?;
        let text = String::from_utf8(bytes).map_err(|_| unusable("it is no text in UTF-8"))?;
        let answers = match Report::parse(&text).map_err(|fault| unusable(&fault.to_string()))? {
            Report::ByTask(answers) => answers,
            Report::Unnamed(_) => {
                return Err(unusable(
                    "it holds no answers by task: give a harness's output.json or *_RAW_SUBMISSIONS.jsonl",
                ));
            }
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
            let gold = PythonValue::parse(task.gold.json())
                .map_err(|fault| format!("the gold of {name} is no JSON: {fault}"))?;
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
        let without = tasks.tasks.len() - seen.len();
        if without > 0 {
            graded.notes.push(unusable(&format!(
                "{without} of the {} tasks have no answers, and are in no share, as HAL counts",
                tasks.tasks.len()
            )));
        }
        if unknown > 0 {
            graded.notes.push(unusable(&format!(
                "{unknown} answers are to tasks that the task file does not have"
            )));
        }
    }
    match graded.attempts.is_empty() {
        true => Err("no file has an answer to a task of the task file".to_owned()),
        false => Ok(graded),
    }
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
