//! `reprise capsule check`.

use std::path::PathBuf;

use serde::Serialize;

use crate::capsule::archive::source::CapsuleSource;
use crate::capsule::harbor::{ExportedCapsule, HarborFolder};
use crate::capsule::layout::decide::{FileDecision, decide};
use crate::capsule::task_file::CapsuleId;
use crate::cli::exit::{Failure, Status};
use crate::cli::output::{Printer, one_line, paint, printable, styled};
use crate::domain::format;
use crate::scoring::capsule::question::GoldFault;

use super::args::CheckArgs;
use super::list::{ListedTask, listed};

/// The parts of a capsule that are looked for.
const PARTS: [&str; 4] = ["code", "data", "environment", "results"];

/// A task, and what was found of it.
#[derive(Debug, Serialize)]
struct CheckedTask {
    id: CapsuleId,
    /// Where its capsule is; absent where none was looked for, or none is there.
    #[serde(skip_serializing_if = "Option::is_none")]
    capsule: Option<PathBuf>,
    /// Parts that a capsule has and this one lacks; of a folder alone.
    missing: Vec<&'static str>,
    faults: Vec<QuestionFault>,
}

/// A question that published graders cannot be answered.
#[derive(Debug, Serialize)]
struct QuestionFault {
    question: String,
    fault: GoldFault,
    words: &'static str,
}

/// Says which capsules are there, and which questions cannot be answered.
///
/// # Errors
/// A file that is no task file, or a path that is no folder.
pub fn check(printer: Printer, args: &CheckArgs) -> Result<Status, Failure> {
    if let Some(folder) = args.capsules.as_deref().filter(|folder| !folder.is_dir()) {
        return Err(Failure::usage(format!(
            "{} is not a folder: name the one that holds the capsules",
            folder.display()
        )));
    }
    let listed = listed(printer, &args.file, &args.passphrase)?;
    let looked = LookedFor::new(args)?;
    let tasks: Vec<CheckedTask> = listed.iter().map(|task| look(task, &looked)).collect();
    let absent = tasks
        .iter()
        .filter(|task| looked.capsules.is_some() && task.capsule.is_none())
        .count();
    let wrong = |task: &&CheckedTask| !task.faults.is_empty() || !task.missing.is_empty();
    let is_well = absent == 0 && !tasks.iter().any(|task| wrong(&task));
    if args.json {
        printer.json(&serde_json::json!({
            "format": "reprise-capsule-check/1", "tasks": tasks, "absent": absent, "ok": is_well,
        }))?;
    } else {
        tell(printer, &looked, &tasks, absent);
    }
    Ok(if is_well { Status::Done } else { Status::Differs })
}

/// The folder that capsules are looked for in, and the parts that they should have.
struct LookedFor {
    capsules: Option<PathBuf>,
    parts: Vec<&'static str>,
}

impl LookedFor {
    /// Of a task folder, its own capsule with the parts that its level leaves there.
    fn new(args: &CheckArgs) -> Result<Self, Failure> {
        if !HarborFolder::is_one(&args.file) {
            return Ok(Self {
                capsules: args.capsules.clone(),
                parts: PARTS.to_vec(),
            });
        }
        let folder = HarborFolder::open(&args.file).map_err(|error| Failure::usage(error.to_string()))?;
        let ExportedCapsule { level, layout, .. } = folder.exported;
        let stays = |part: &&str| decide(layout, level, &format!("{part}/_")) == FileDecision::Kept;
        Ok(Self {
            capsules: Some(args.capsules.clone().unwrap_or(folder.capsules)),
            parts: PARTS.into_iter().filter(stays).collect(),
        })
    }
}

fn look(task: &ListedTask, looked: &LookedFor) -> CheckedTask {
    let capsules = looked.capsules.as_deref();
    let source = capsules.and_then(|folder| CapsuleSource::find(folder, &task.id));
    let is_folder = matches!(source, Some(CapsuleSource::Folder(_)));
    let capsule = source.map(|source| source.path().to_owned());
    let missing = capsule.iter().filter(|_| is_folder).flat_map(|capsule| {
        looked
            .parts
            .iter()
            .copied()
            .filter(move |part| !capsule.join(part).is_dir())
    });
    let faults = task.questions.iter().flat_map(|question| {
        question.faults.iter().map(|fault| QuestionFault {
            question: question.text.clone(),
            fault: *fault,
            words: fault.words(),
        })
    });
    CheckedTask {
        id: task.id.clone(),
        missing: missing.collect(),
        faults: faults.collect(),
        capsule,
    }
}

fn tell(printer: Printer, looked: &LookedFor, tasks: &[CheckedTask], absent: usize) {
    for task in tasks {
        if looked.capsules.is_some() && task.capsule.is_none() {
            printer.line(format!(
                "{} {}: no folder and no archive of that name",
                styled(paint::WARN, "absent"),
                task.id
            ));
        }
        if !task.missing.is_empty() {
            printer.line(format!(
                "{} {}: has no {}",
                styled(paint::WARN, "part missing"),
                task.id,
                task.missing.join(", ")
            ));
        }
        for fault in &task.faults {
            printer.line(format!(
                "{} {}: {} (`{}`)",
                styled(paint::WARN, "question"),
                task.id,
                fault.words,
                one_line(&fault.question)
            ));
        }
    }
    let count = format::counted(tasks.len(), "task", "tasks");
    let faults: usize = tasks.iter().map(|task| task.faults.len()).sum();
    let there = match &looked.capsules {
        Some(folder) => format!(
            ", {} of them with a capsule in {}",
            tasks.len() - absent,
            printable(&folder.display().to_string())
        ),
        None => String::new(),
    };
    printer.line(format!(
        "{count}{there}; {} in gold answers",
        format::counted(faults, "fault", "faults")
    ));
}
