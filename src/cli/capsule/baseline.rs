//! `reprise capsule baseline`.

use std::fs;
use std::path::Path;

use serde_json::json;
use walkdir::WalkDir;

use super::args::BaselineArgs;
use super::list::opened;
use crate::capsule::archive::source::CapsuleSource;
use crate::capsule::layout::decide::{FileDecision, decide};
use crate::capsule::layout::level::{Layout, Level};
use crate::cli::exit::{Failure, Status};
use crate::cli::output::Printer;
use crate::scoring::capsule::baseline::{ReadableTask, search};
use crate::scoring::released::capsule::value::PythonValue;
use crate::statistics::proportion::Proportion;

/// The largest file that is read, in bytes, and the most of one capsule.
const LARGEST: u64 = 5 << 20;
const MOST: u64 = 200 << 20;

/// Tells what trivial agents reach.
///
/// # Errors
/// A file that is no task file, or one without a capsule beside it.
pub fn baseline(printer: Printer, args: &BaselineArgs) -> Result<Status, Failure> {
    let file = opened(printer, &args.file, &args.passphrase)?;
    let mut tasks = Vec::new();
    for task in &file.tasks {
        let Some(CapsuleSource::Folder(folder)) = CapsuleSource::find(&args.capsules, &task.id) else {
            continue;
        };
        let gold = PythonValue::parse(task.gold.json()).map_err(|_| {
            Failure::new(
                Status::StudyInvalid,
                format!("the answers of {} cannot be read", task.id),
            )
        })?;
        tasks.push(ReadableTask {
            gold,
            texts: texts(&folder, args.layout, args.level),
        });
    }
    if tasks.is_empty() {
        return Err(Failure::new(
            Status::StudyInvalid,
            format!(
                "{} holds no folder of a capsule of the file",
                args.capsules.display()
            ),
        ));
    }
    // Some other question's, whatever the number of questions of a task.
    let found = search(&tasks, tasks.len() + 1);
    if args.json {
        let share = |one: Proportion| json!({ "hits": one.hits, "of": one.of, "share": one.share() });
        printer.json(&json!({
            "format": "reprise-capsule-baseline/1", "tasks": tasks.len(), "tasks_in_file": file.tasks.len(),
            "questions": found.questions, "nothing_submitted": { "right": 0, "of": found.questions },
            "verbatim": share(found.found), "shuffled": share(found.shuffled),
        }))?;
        return Ok(Status::Done);
    }
    printer.line(format!(
        "{} of {} tasks have a folder, with {} questions",
        tasks.len(),
        file.tasks.len(),
        found.questions
    ));
    printer.line(format!("nothing submitted: 0 of {} right", found.questions));
    printer.line(format!("answers that stand in the files: {}", told(found.found)));
    printer.line(format!("answers of other questions: {}", told(found.shuffled)));
    Ok(Status::Done)
}

fn told(one: Proportion) -> String {
    let Some(share) = one.share() else {
        return "none is long enough to be looked for".to_owned();
    };
    let interval = one.wilson().map_or_else(String::new, |interval| {
        format!(", 95 % interval {:.3} to {:.3}", interval.lower, interval.upper)
    });
    format!("{share:.3} ({} of {}{interval})", one.hits, one.of)
}

/// The text files of a capsule that an agent is given at a level.
fn texts(folder: &Path, layout: Layout, level: Level) -> Vec<String> {
    let mut texts = Vec::new();
    let mut read = 0;
    for entry in WalkDir::new(folder)
        .follow_links(false)
        .sort_by_file_name()
        .into_iter()
        .flatten()
    {
        let below = entry.path().strip_prefix(folder).ok().and_then(Path::to_str);
        let is_kept = below.is_some_and(|path| decide(layout, level, path) == FileDecision::Kept);
        let size = entry.metadata().map_or(0, |found| found.len());
        if !entry.file_type().is_file() || !is_kept || size > LARGEST || read + size > MOST {
            continue;
        }
        // What is no text holds no answer word for word.
        if let Ok(text) = fs::read_to_string(entry.path()) {
            read += size;
            texts.push(text);
        }
    }
    texts
}
