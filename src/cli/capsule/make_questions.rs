//! The questions about a capsule that is made: the candidates that a person chooses from, and the
//! task file that is written from them.

use std::fs;
use std::io;
use std::path::Path;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use crate::capsule::candidates::Candidate;
use crate::cli::exit::{Failure, Status};
use crate::cli::output::Printer;
use crate::scoring::released::capsule::interval::PredictionInterval;

/// The file of candidates.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct CandidateFile {
    pub capsule: String,
    pub title: String,
    pub field: String,
    pub language: String,
    pub prompt: String,
    pub executions: u32,
    pub candidates: Vec<Candidate>,
}

/// The failure of a file, made of what the system says of it.
pub(super) fn failed(path: &Path) -> impl FnOnce(io::Error) -> Failure + use<> {
    let path = path.to_owned();
    move |error| Failure::new(Status::Infrastructure, format!("{}: {error}", path.display()))
}

/// Writes the task file from candidates with questions.
///
/// # Errors
/// A file that is none of candidates, or whose questions cannot be asked.
pub(super) fn ask(printer: Printer, out: &Path, path: &Path) -> Result<Status, Failure> {
    let text = fs::read_to_string(path).map_err(failed(path))?;
    let file: CandidateFile = serde_json::from_str(&text)
        .map_err(|error| Failure::usage(format!("{}: {error}", path.display())))?;
    let asked: Vec<&Candidate> = file
        .candidates
        .iter()
        .filter(|one| !one.question.trim().is_empty())
        .collect();
    if asked.is_empty() {
        return Err(Failure::usage(format!(
            "{}: no candidate has a `question`: write one beside each that is to be asked",
            path.display()
        )));
    }
    let mut runs = vec![Map::new(); file.executions as usize];
    let mut intervals = Vec::new();
    for one in &asked {
        let question = question(one);
        if runs[0].contains_key(&question) {
            return Err(Failure::usage(format!(
                "{}: two candidates have the question `{question}`",
                path.display()
            )));
        }
        let mut numbers = Vec::new();
        for (number, run) in runs.iter_mut().enumerate() {
            let printed = one
                .values
                .get(number)
                .or(one.values.last())
                .map_or("", String::as_str);
            if printed.is_empty() {
                return Err(Failure::usage(format!(
                    "{}: `{question}` has no answer: write it into `values`",
                    path.display()
                )));
            }
            let value = value(printed);
            numbers.extend(value.as_f64());
            run.insert(question.clone(), value);
        }
        if numbers.len() == runs.len() {
            let interval = PredictionInterval::new(&numbers);
            intervals.push(json!({
                "question": question, "lower": interval.lower, "upper": interval.upper, "exact": !one.varies,
            }));
        }
    }
    let task = json!([{
        "field": file.field, "language": file.language, "capsule_title": file.title, "capsule_id": file.capsule,
        "task_prompt": file.prompt, "results": runs, "capsule_doi": "",
    }]);
    for (name, value) in [("task.json", &task), ("intervals.json", &json!(intervals))] {
        let path = out.join(name);
        let text = serde_json::to_string_pretty(value).map_err(|error| failed(&path)(error.into()))?;
        fs::write(&path, format!("{text}\n")).map_err(failed(&path))?;
    }
    printer.line(format!(
        "{}: {} questions; their prediction intervals are in {}",
        out.join("task.json").display(),
        asked.len(),
        out.join("intervals.json").display()
    ));
    Ok(Status::Done)
}

/// The text of a question; one about a figure says so, as graders look for it.
fn question(one: &Candidate) -> String {
    let text = one.question.trim();
    match one.line {
        None if !text.contains("fig") => format!("fig {text}"),
        _ => text.to_owned(),
    }
}

/// A number as it was printed, else a text.
fn value(printed: &str) -> Value {
    let plain = printed.trim_start_matches('+');
    serde_json::from_str::<serde_json::Number>(plain).map_or_else(|_| json!(printed), Value::Number)
}
