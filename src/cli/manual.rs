//! `reprise doctor manual`.

use std::fs;
use std::path::PathBuf;

use clap::{Args, Command};

use super::exit::{Failure, Status};
use super::output::Printer;

#[derive(Debug, Args)]
#[command(after_help = "\
Example:
  reprise doctor manual --out ~/.local/share/man/man1 && man reprise-run")]
pub struct ManualArgs {
    /// The folder that the pages go into
    #[arg(long, value_name = "DIR")]
    pub out: PathBuf,
}

/// Writes a manual page for `command` and for each of its verbs.
///
/// # Errors
/// A folder that cannot be written.
pub fn manual(printer: Printer, args: &ManualArgs, command: Command) -> Result<Status, Failure> {
    let failed = |error: std::io::Error| {
        Failure::new(Status::Infrastructure, format!("{}: {error}", args.out.display()))
    };
    fs::create_dir_all(&args.out).map_err(failed)?;
    clap_mangen::generate_to(command, &args.out).map_err(failed)?;
    printer.line(format!("manual pages: {}", args.out.display()));
    Ok(Status::Done)
}
