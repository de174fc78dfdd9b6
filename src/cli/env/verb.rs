//! `reprise env`.

use std::path::Path;

use serde_json::json;

use super::args::EnvArgs;
use super::make_lock::{dated_by_pins, make_lock};
use super::{lock_table, survey_table};
use crate::app::had_interpreters::HadInterpreters;
use crate::cli::exit::{Failure, Status};
use crate::cli::output::Printer;
use crate::cli::{lock_args, lock_file};
use crate::engine::atomic_file;
use crate::engine::run_reader::RunReader;
use crate::environment::interpreter::InterpreterChoice;
use crate::environment::language::Language;
use crate::environment::lock::EnvironmentLock;
use crate::environment::lock_difference::{compare, compare_made};
use crate::environment::survey::survey;
use crate::run::event::BuildResult;
use crate::settings::Settings;

/// Says what an analysis needs, and how that was found; makes and compares locks of it.
///
/// # Errors
/// A folder or a lock that cannot be read, an index that cannot be asked, or a file that cannot be
/// written.
pub async fn env(settings: &Settings, printer: Printer, args: &EnvArgs) -> Result<Status, Failure> {
    if let Some([first, second]) = args.diff.as_deref() {
        return differences(printer, args, first, second);
    }
    let folder = args.folder.as_deref().unwrap_or(Path::new("."));
    if let Some(file) = args.lock.as_ref().filter(|_| folder.join("run.json").is_file()) {
        return installed(printer, folder, file);
    }
    if let Some(day) = args.as_of {
        lock_args::refuse_to_come(day)?;
    }
    let mut found = survey(folder, args.as_of).map_err(|error| Failure::usage(error.to_string()))?;
    // A Python that the operator names is taken as it is.
    let is_looked_for = |one: &&InterpreterChoice| match one.language {
        Language::Python => one.version.is_some() && settings.python.is_none(),
        Language::R => one.version.is_some(),
        Language::Stata | Language::Spss => false,
    };
    let asked: Vec<&InterpreterChoice> = found.interpreters.iter().filter(is_looked_for).collect();
    if !asked.is_empty() {
        let wanted: Vec<Language> = asked.iter().map(|one| one.language).collect();
        let had = HadInterpreters::look(settings, &wanted).await;
        found.not_here = asked
            .into_iter()
            .filter_map(|choice| had.lacking(choice))
            .collect();
    }
    let Some(file) = &args.lock else {
        match args.json {
            true => printer.json(&found)?,
            false => survey_table::show(printer, &found),
        }
        return Ok(Status::Done);
    };
    let found = dated_by_pins(settings, printer, args, folder, found).await?;
    let lock = make_lock(settings, printer, args, &found).await?;
    let text = lock.text();
    let text =
        text.map_err(|error| Failure::usage(format!("the lock cannot be written as JSON: {error}")))?;
    write(file, &text)?;
    match args.json {
        true => printer.json(&lock)?,
        false => lock_table::show(printer, &lock),
    }
    printer.note(format!("{} holds the lock", file.display()));
    Ok(Status::Done)
}

/// Writes the R packages that a run had installed as `renv.lock`.
fn installed(printer: Printer, run: &Path, file: &Path) -> Result<Status, Failure> {
    let Some(text) = Compared::read(run)?.lock.renv() else {
        return Err(Failure::usage(format!(
            "the run in {} has installed no R packages, so that there is nothing for an `renv.lock`",
            run.display()
        )));
    };
    write(file, &text)?;
    printer.note(format!(
        "{} holds the R packages of the run, as an `renv.lock`",
        file.display()
    ));
    Ok(Status::Done)
}

fn write(file: &Path, text: &str) -> Result<(), Failure> {
    let beside = file
        .parent()
        .filter(|folder| !folder.as_os_str().is_empty())
        .unwrap_or(Path::new("."));
    atomic_file::replace(file, text.as_bytes(), beside).map_err(|error| Failure::usage(error.to_string()))
}

fn differences(printer: Printer, args: &EnvArgs, first: &Path, second: &Path) -> Result<Status, Failure> {
    let (one, other) = (Compared::read(first)?, Compared::read(second)?);
    let changes = match one.is_made || other.is_made {
        true => compare_made(&one.lock, &other.lock),
        false => compare(&one.lock, &other.lock),
    };
    match args.json {
        true => printer.json(&json!({"format": "reprise-env-diff/1", "changes": changes}))?,
        false => lock_table::differences(printer, &changes),
    }
    Ok(match changes.is_empty() {
        true => Status::Done,
        false => Status::Differs,
    })
}

/// A lock, or the environment that a run was made in.
struct Compared {
    lock: EnvironmentLock,
    is_made: bool,
}

impl Compared {
    fn read(path: &Path) -> Result<Self, Failure> {
        if !path.is_dir() {
            return Ok(Self {
                lock: lock_file::read(path)?,
                is_made: false,
            });
        }
        let run = RunReader::open(path)?;
        let made = run
            .state
            .builds
            .iter()
            .rev()
            .find_map(|build| match &build.result {
                BuildResult::Ready(environment) => Some(environment),
                BuildResult::Failed(_) => None,
            });
        let (Some(made), Some(begun)) = (made, run.records.first()) else {
            return Err(Failure::usage(format!(
                "the run in {} has made no environment",
                path.display()
            )));
        };
        let platform = EnvironmentLock::platform_here();
        Ok(Self {
            lock: EnvironmentLock::from_made(made, &platform, begun.at),
            is_made: true,
        })
    }
}
