//! `reprise notebook check`.

use serde::Serialize;

use crate::cli::exit::{Failure, Status};
use crate::cli::output::{Printer, one_line, paint, styled};
use crate::domain::format;
use crate::notebook::task_fault::NotebookTaskFault;

use super::args::CheckArgs;
use super::opened::{faults, opened};

/// A task with its faults.
#[derive(Debug, Serialize)]
struct CheckedTask<'a> {
    file: String,
    id: &'a str,
    faults: Vec<CheckedFault>,
}

/// A fault and its words.
#[derive(Debug, Serialize)]
struct CheckedFault {
    #[serde(flatten)]
    fault: NotebookTaskFault,
    words: String,
}

/// Says what of the tasks of files cannot be read, run or graded.
///
/// # Errors
/// A file that is no task file.
pub fn check(printer: Printer, args: &CheckArgs) -> Result<Status, Failure> {
    let files = opened(&args.files)?;
    let mut tasks = Vec::new();
    for one in &files {
        for task in &one.file.tasks {
            let faults = faults(task).into_iter().map(|fault| CheckedFault {
                words: fault.words(),
                fault,
            });
            tasks.push(CheckedTask {
                file: one.path.display().to_string(),
                id: &task.id,
                faults: faults.collect(),
            });
        }
    }
    let all = || tasks.iter().flat_map(|task| &task.faults);
    let wrong = all().filter(|fault| fault.fault.is_wrong()).count();
    if args.json {
        printer.json(&serde_json::json!({
            "format": "reprise-notebook-check/1", "tasks": tasks, "wrong": wrong, "ok": wrong == 0,
        }))?;
    } else {
        for task in &tasks {
            for fault in &task.faults {
                let mark = match fault.fault.is_wrong() {
                    true => styled(paint::WARN, "fault"),
                    false => "note".to_owned(),
                };
                printer.line(format!(
                    "{mark} {}: {}",
                    one_line(task.id),
                    one_line(&fault.words)
                ));
            }
        }
        printer.line(format!(
            "{}; {}",
            format::counted(tasks.len(), "task", "tasks"),
            format::counted(wrong, "fault", "faults")
        ));
    }
    Ok(if wrong == 0 { Status::Done } else { Status::Differs })
}
