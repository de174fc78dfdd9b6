//! `reprise export`.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use serde_json::json;

use crate::capsule::layout::level::Level;
use crate::capsule::task_file::TaskFile;
use crate::engine::atomic_file;
use crate::report::export::exported_run::{ExportedRun, named};
use crate::report::export::hal::{self, HalAttempt, HalExport};
use crate::report::export::inspect::log;
use crate::report::export::member::Member;
use crate::report::export::ro_crate::{contents, metadata};
use crate::report::export::tables;

use super::exit::{Failure, Status};
use super::opened_runs::OpenedRuns;
use super::output::{Printer, printable};

/// The form of an export.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ExportFormat {
    /// Logs of Inspect AI (`.eval`), one for each agent and track.
    Inspect,
    /// CSV and JSON lines with a Frictionless `datapackage.json`.
    Tables,
    /// `_UPLOAD.json` and `_RAW_SUBMISSIONS.jsonl` of the HAL harness, of attempts at capsules.
    Hal,
    /// A Workflow Run RO-Crate of one run.
    RoCrate,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Each form is made of journals alone and can be made again; none holds a reference that runs are scored against, nor a \
key. A conversation holds what the agent was shown, the paper too: see to its licence before you publish one.

Examples:
  reprise export runs/ --format inspect --out logs/     then: inspect view --log-dir logs
  reprise export bench/ --format tables --out tables/
  reprise export runs/capsule-* --format hal --out hal/
  reprise export RUN --format ro-crate --out crate/ --license https://spdx.org/licenses/CC-BY-4.0")]
pub struct ExportArgs {
    /// The runs' folders, or folders that hold runs, such as a bench's.
    #[arg(required = true, value_name = "RUN")]
    pub dirs: Vec<PathBuf>,
    /// The form of the export.
    #[arg(long, value_enum)]
    pub format: ExportFormat,
    /// The folder to write into; it is made where there is none.
    #[arg(long, value_name = "DIR")]
    pub out: PathBuf,
    /// The licence of a crate, as an address or in words
    #[arg(
        long,
        value_name = "TEXT",
        default_value = "None is given: each part stays under the terms of its own."
    )]
    pub license: String,
    /// Put the paper into a crate too; without it the crate names it by its digest
    #[arg(long)]
    pub with_paper: bool,
    /// Print the files that were written as JSON.
    #[arg(long)]
    pub json: bool,
}

/// Writes runs in the form of another program.
///
/// # Errors
/// A run that cannot be read, runs that the form is not for, or a folder that cannot be written.
pub fn export(printer: Printer, args: &ExportArgs) -> Result<Status, Failure> {
    let runs = OpenedRuns::new(&args.dirs)?;
    let exported = named(&runs.runs, &runs.cells);
    if exported.is_empty() {
        return Err(Failure::usage(
            "none of these runs has begun: there is nothing to export",
        ));
    }
    let unwritten = |error: &dyn std::fmt::Display| Failure::new(Status::Infrastructure, error.to_string());
    let mut left_out = Vec::new();
    let members = match args.format {
        ExportFormat::Inspect => log::logs(&exported).map_err(|error| unwritten(&error))?,
        ExportFormat::Tables => {
            let name = args.dirs.first().and_then(|dir| dir.file_name());
            let name = name.map_or_else(|| "runs".to_owned(), |name| name.to_string_lossy().into_owned());
            tables::tables(&name, &exported, str::to_owned).map_err(|error| unwritten(&error))?
        }
        ExportFormat::Hal => {
            let made = hal(&exported)?;
            left_out = made.left_out;
            made.members
        }
        ExportFormat::RoCrate => ro_crate(args, &exported)?,
    };
    for member in &members {
        write(&args.out, member)?;
    }
    let files: Vec<PathBuf> = members.iter().map(|member| args.out.join(&member.path)).collect();
    if args.json {
        printer.json(&json!({ "runs": exported.len(), "files": files, "left_out": left_out }))?;
        return Ok(Status::Done);
    }
    for one in &left_out {
        printer.note(printable(&format!("left out: {one}")));
    }
    for file in &files {
        printer.line(printable(&file.display().to_string()));
    }
    Ok(Status::Done)
}

/// Attempts at capsules as HAL's runs.
fn hal(exported: &[ExportedRun<'_>]) -> Result<HalExport, Failure> {
    let mut files = BTreeMap::<PathBuf, TaskFile>::new();
    let mut chosen = Vec::new();
    for one in exported {
        let (Some(capsule), Some(terms)) = (&one.run.request.capsule, &one.started.capsule) else {
            continue;
        };
        let path = one.run.request.study.join(&capsule.tasks);
        if !files.contains_key(&path) {
            let file = TaskFile::open(&path)
                .map_err(|error| Failure::new(Status::StudyInvalid, error.to_string()))?;
            files.insert(path.clone(), file);
        }
        chosen.push(ChosenAttempt {
            exported: one,
            path,
            level: terms.level,
        });
    }
    if chosen.is_empty() {
        return Err(Failure::usage(
            "none of these runs is an attempt at a capsule, and HAL's files are of those alone: choose another --format",
        ));
    }
    let mut attempts = Vec::new();
    for one in &chosen {
        let file = files.get(&one.path);
        let Some(task) = file.and_then(|file| {
            file.tasks
                .iter()
                .find(|task| task.id.as_str() == one.exported.task)
        }) else {
            return Err(Failure::new(
                Status::StudyInvalid,
                format!("{} no longer holds {}", one.path.display(), one.exported.task),
            ));
        };
        attempts.push(HalAttempt {
            exported: one.exported,
            task,
            level: one.level,
        });
    }
    Ok(hal::export(&attempts))
}

struct ChosenAttempt<'a> {
    exported: &'a ExportedRun<'a>,
    path: PathBuf,
    level: Level,
}

/// Copies the files of a run into a crate, and describes them.
fn ro_crate(args: &ExportArgs, exported: &[ExportedRun<'_>]) -> Result<Vec<Member>, Failure> {
    let [one] = exported else {
        return Err(Failure::usage(format!(
            "a crate is of one run, and these are {}: name one",
            exported.len()
        )));
    };
    let is_used = fs::read_dir(&args.out).is_ok_and(|mut entries| entries.next().is_some());
    if is_used {
        return Err(Failure::usage(format!(
            "{} exists and is not empty: choose another --out",
            args.out.display()
        )));
    }
    let files = contents::contents(one, args.with_paper)
        .map_err(|error| Failure::new(Status::Infrastructure, error.to_string()))?;
    for file in &files {
        let to = args.out.join(&file.path);
        make_folder_of(&to)?;
        fs::copy(&file.source, &to).map_err(|error| failed(&file.source, &error))?;
    }
    Ok(metadata::described(one, &files, &args.license).into())
}

fn failed(path: &Path, error: &io::Error) -> Failure {
    Failure::new(Status::Infrastructure, format!("{}: {error}", path.display()))
}

fn make_folder_of(path: &Path) -> Result<(), Failure> {
    let folder = path.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(folder).map_err(|error| failed(folder, &error))
}

fn write(out: &Path, member: &Member) -> Result<(), Failure> {
    let path = out.join(&member.path);
    make_folder_of(&path)?;
    let folder = path.parent().unwrap_or(Path::new("."));
    Ok(atomic_file::replace(&path, &member.bytes, folder)?)
}
