//! `reprise capsule list`.

use std::path::Path;

use serde::Serialize;

use crate::capsule::harbor::HarborFolder;
use crate::capsule::task_file::{CapsuleId, CapsuleTask, TaskFile};
use crate::cli::exit::{Failure, Status};
use crate::cli::output::{Printer, one_line, paint, printable, styled};
use crate::cli::task_choice::TaskChoice;
use crate::cli::text_table::TextTable;
use crate::domain::excerpt;
use crate::domain::format;
use crate::scoring::capsule::question::{AnswerKind, Question, questions};
use crate::scoring::released::capsule::value::PythonValue;

use super::args::{ListArgs, PassphraseChoice};

/// A task with its questions, without any answer.
#[derive(Debug, Serialize)]
pub(super) struct ListedTask {
    pub id: CapsuleId,
    title: String,
    field: String,
    language: String,
    prompt: String,
    doi: Option<String>,
    needs_gpu: bool,
    pub questions: Vec<Question>,
}

/// A task file, which may be that of a task folder of Harbor. Whoever watches is told where it was encrypted and is none of those published.
///
/// # Errors
/// A file that is no task file, or cannot be decrypted.
pub(super) fn opened(
    printer: Printer,
    path: &Path,
    passphrase: &PassphraseChoice,
) -> Result<TaskFile, Failure> {
    let kept = match HarborFolder::is_one(path) {
        true => Some(HarborFolder::open(path).map_err(|error| Failure::usage(error.to_string()))?),
        false => None,
    };
    let path = kept.as_ref().map_or(path, |folder| folder.tasks.as_path());
    let file = TaskFile::open_with(path, &passphrase.passphrase()?)
        .map_err(|error| Failure::usage(error.to_string()))?;
    if let Some(text) = file.decrypted.filter(|text| text.published().is_none()) {
        printer.note(format!(
            "{}: its text is none of the published test files that this program knows ({}, {})",
            printable(&path.display().to_string()),
            format::counted(text.bytes, "byte", "bytes"),
            text.digest
        ));
    }
    Ok(file)
}

/// The tasks of a file with their questions.
///
/// # Errors
/// A file that is no task file, or gold that is no list of runs.
pub(super) fn listed(
    printer: Printer,
    path: &Path,
    passphrase: &PassphraseChoice,
) -> Result<Vec<ListedTask>, Failure> {
    let file = opened(printer, path, passphrase)?;
    file.tasks
        .into_iter()
        .map(|task| with_questions(path, task))
        .collect()
}

fn with_questions(path: &Path, task: CapsuleTask) -> Result<ListedTask, Failure> {
    let gold = PythonValue::parse(task.gold.json()).ok();
    let questions = gold.as_ref().and_then(questions).ok_or_else(|| {
        Failure::usage(format!(
            "{}: the gold of {} is no list of runs, each with answers by question",
            path.display(),
            task.id
        ))
    })?;
    Ok(ListedTask {
        id: task.id,
        title: task.title,
        field: task.field,
        language: task.language,
        prompt: task.prompt,
        doi: task.doi,
        needs_gpu: task.needs_gpu,
        questions,
    })
}

impl TaskChoice {
    /// Whether a task of a file is among those that are taken.
    ///
    /// # Errors
    /// Gold that is no list of runs.
    pub fn takes_task(&self, path: &Path, task: &CapsuleTask) -> Result<bool, Failure> {
        Ok(self.takes(&with_questions(path, task.clone())?))
    }

    fn takes(&self, task: &ListedTask) -> bool {
        let named = |names: &[String], name: &str| {
            names.is_empty() || names.iter().any(|one| one.eq_ignore_ascii_case(name))
        };
        let about_figures = self.modality.as_deref().map(|modality| modality == "vision");
        named(&self.field, &task.field)
            && named(&self.language, &task.language)
            && about_figures.is_none_or(|figures| {
                task.questions
                    .iter()
                    .any(|question| question.is_about_figure == figures)
            })
            && self
                .gpu
                .as_deref()
                .is_none_or(|gpu| (gpu == "yes") == task.needs_gpu)
    }
}

/// Lists the tasks of a file.
///
/// # Errors
/// A file that is no task file.
pub fn list(printer: Printer, args: &ListArgs) -> Result<Status, Failure> {
    let mut tasks = listed(printer, &args.file, &args.passphrase)?;
    let all = tasks.len();
    tasks.retain(|task| args.choice.takes(task));
    if args.json {
        printer.json(&serde_json::json!({ "format": "reprise-capsule-list/1", "tasks": tasks }))?;
        return Ok(Status::Done);
    }
    let mut table = TextTable::new([
        "task", "field", "language", "title", "gpu", "numbers", "texts", "lists", "figures", "varying",
    ]);
    for task in &tasks {
        let count = |counts: &dyn Fn(&Question) -> bool| {
            task.questions
                .iter()
                .filter(|question| counts(question))
                .count()
                .to_string()
        };
        table.row([
            task.id.to_string(),
            one_line(&task.field),
            one_line(&task.language),
            excerpt::shortened(&one_line(&task.title), 50),
            if task.needs_gpu { "yes" } else { "" }.to_owned(),
            count(&|question| question.kind == AnswerKind::Number),
            count(&|question| question.kind == AnswerKind::Text),
            count(&|question| question.kind == AnswerKind::List),
            count(&|question| question.is_about_figure),
            count(&|question| question.varies),
        ]);
    }
    for (number, line) in table.with_text_columns(4).lines().into_iter().enumerate() {
        match number {
            0 => printer.line(styled(paint::STRONG, line)),
            _ => printer.line(line),
        }
    }
    let questions: usize = tasks.iter().map(|task| task.questions.len()).sum();
    printer.line(format!(
        "{} of {all}, {}",
        format::counted(tasks.len(), "task", "tasks"),
        format::counted(questions, "question", "questions")
    ));
    Ok(Status::Done)
}
