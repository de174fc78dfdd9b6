//! `reprise env`.

use std::fs::File;
use std::io::Read as _;
use std::path::Path;

use serde_json::json;

use super::args::EnvArgs;
use super::make_lock::make_lock;
use super::{lock_table, survey_table};
use crate::cli::exit::{Failure, Status};
use crate::cli::output::Printer;
use crate::engine::atomic_file;
use crate::environment::lock::{EnvironmentLock, LARGEST};
use crate::environment::lock_difference::compare;
use crate::environment::survey::survey;
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
    let found = survey(folder, args.as_of).map_err(|error| Failure::usage(error.to_string()))?;
    let Some(file) = &args.lock else {
        match args.json {
            true => printer.json(&found)?,
            false => survey_table::show(printer, &found),
        }
        return Ok(Status::Done);
    };
    let lock = make_lock(settings, args, &found).await?;
    let text = lock.text();
    let text =
        text.map_err(|error| Failure::usage(format!("the lock cannot be written as JSON: {error}")))?;
    let beside = file
        .parent()
        .filter(|folder| !folder.as_os_str().is_empty())
        .unwrap_or(Path::new("."));
    atomic_file::replace(file, text.as_bytes(), beside).map_err(|error| Failure::usage(error.to_string()))?;
    match args.json {
        true => printer.json(&lock)?,
        false => lock_table::show(printer, &lock),
    }
    printer.note(format!("{} holds the lock", file.display()));
    Ok(Status::Done)
}

fn differences(printer: Printer, args: &EnvArgs, first: &Path, second: &Path) -> Result<Status, Failure> {
    let changes = compare(&read(first)?, &read(second)?);
    match args.json {
        true => printer.json(&json!({"format": "reprise-env-diff/1", "changes": changes}))?,
        false => lock_table::differences(printer, &changes),
    }
    Ok(match changes.is_empty() {
        true => Status::Done,
        false => Status::Differs,
    })
}

fn read(file: &Path) -> Result<EnvironmentLock, Failure> {
    let mut bytes = Vec::new();
    let opened = File::open(file).and_then(|opened| opened.take(LARGEST as u64 + 1).read_to_end(&mut bytes));
    opened.map_err(|error| Failure::usage(format!("{} cannot be read: {error}", file.display())))?;
    EnvironmentLock::parse(&bytes).map_err(|fault| Failure::usage(format!("{}: {fault}", file.display())))
}
