//! `reprise capsule export`.

use std::path::{Path, PathBuf};

use serde::Serialize;

use crate::app::harbor::export::{ExportedFolder, WantedExport, export as export_one};
use crate::app::program::Program;
use crate::capsule::archive::source::CapsuleSource;
use crate::capsule::task_file::{CapsuleId, CapsuleTask, TaskFile};
use crate::cli::capsule_attempt::choice::base_images;
use crate::cli::capsule_attempt::named_task::named_task;
use crate::cli::capsule_task;
use crate::cli::exit::{Failure, Status};
use crate::cli::output::{Printer, paint, printable, styled};
use crate::cli::task_file_place::TaskFilePlace;
use crate::domain::format;
use crate::engine::request::{CapsuleRequest, LostSession};

use super::args::ExportArgs;
use super::list::opened;

/// A task that was exported.
#[derive(Debug, Serialize)]
struct ExportedTask {
    id: CapsuleId,
    #[serde(flatten)]
    exported: ExportedFolder,
}

/// Writes capsules as task folders for other harnesses.
///
/// # Errors
/// A task file or a capsule that cannot be used, or a folder that is there or cannot be written.
pub fn export(program: &Program, printer: Printer, args: &ExportArgs) -> Result<Status, Failure> {
    let file = opened(printer, &args.file, &args.passphrase)?;
    let place = TaskFilePlace::find(&args.file)?;
    let capsules = args.capsules.clone().unwrap_or_else(|| place.root.clone());
    let tasks = chosen(&file, args, &capsules)?;
    let mut written = Vec::new();
    for task in tasks {
        let request = request(
            args,
            &place.name,
            task,
            capsule_task::source(&program.settings, &capsules, &task.id)?,
        )?;
        let wanted = WantedExport {
            task,
            request: &request,
        };
        let exported =
            export_one(&wanted, &args.harbor).map_err(|error| Failure::usage(error.to_string()))?;
        written.push(ExportedTask {
            id: task.id.clone(),
            exported,
        });
    }
    if args.json {
        printer.json(&serde_json::json!({ "format": "reprise-capsule-export/1", "tasks": written }))?;
    } else {
        tell(printer, &file, &written);
    }
    Ok(Status::Done)
}

/// The tasks that were named; else those whose capsule is there.
fn chosen<'a>(
    file: &'a TaskFile,
    args: &ExportArgs,
    capsules: &Path,
) -> Result<Vec<&'a CapsuleTask>, Failure> {
    if !args.task.is_empty() {
        let named = args.task.iter().map(|name| named_task(file, &args.file, name));
        return named.collect();
    }
    let is_there = |task: &&CapsuleTask| CapsuleSource::find(capsules, &task.id).is_some();
    let found: Vec<&CapsuleTask> = file.tasks.iter().filter(is_there).collect();
    match found.is_empty() {
        false => Ok(found),
        true => Err(Failure::usage(format!(
            "{} holds the capsule of no task of {}: name the folder that does with --capsules",
            capsules.display(),
            args.file.display()
        ))),
    }
}

fn request(
    args: &ExportArgs,
    tasks: &str,
    task: &CapsuleTask,
    source: PathBuf,
) -> Result<CapsuleRequest, Failure> {
    let images = args.base_images.as_deref().map(base_images).transpose()?;
    Ok(CapsuleRequest {
        tasks: tasks.to_owned(),
        id: task.id.clone(),
        source,
        level: args.level,
        layout: args.layout,
        hosts: args.network.hosts(&args.hosts),
        base_images: images.unwrap_or_default(),
        lost_session: LostSession::default(),
        agent: None,
        beneath: None,
    })
}

fn tell(printer: Printer, file: &TaskFile, written: &[ExportedTask]) {
    for ExportedTask { exported, .. } in written {
        printer.line(format!(
            "{}: {}, {} of the capsule",
            styled(paint::STRONG, printable(&exported.folder.display().to_string())),
            format::counted(exported.questions, "question", "questions"),
            format::counted(exported.files, "file", "files")
        ));
        for note in &exported.notes {
            printer.line(format!("    {}", printable(note)));
        }
    }
    printer.line(format!(
        "{} of {} written; tests/ of each holds the answers",
        format::counted(written.len(), "task", "tasks"),
        file.tasks.len()
    ));
}
