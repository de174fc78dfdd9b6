//! `reprise check`.

use std::path::{Path, PathBuf};

use clap::Args;

use crate::settings::Settings;

use super::check_artifacts::check_artifacts;
use super::exit::{Failure, Status};
use super::output::Printer;
use super::study_check::check_studies;

#[derive(Debug, Args)]
#[command(after_help = "\
Which artifact a file is, is found from its keys, else from its name; names such as
expected_post_registration_2.json are references of a stage's answer.

Exit codes of artifacts: 0 each can be read, mended where it says so; 1 one has a fault that nothing mends.

Examples:
  reprise check studies/duncan-1961
  reprise check studies/* --json
  reprise check results/python/1/gpt-5/*.json --json
  reprise check merged_gpt-4o.jsonl")]
pub struct CheckArgs {
    /// Studies' folders, or released artifacts: answers of stages, references, predictions of a search.
    #[arg(required = true, value_name = "STUDY|ARTIFACT")]
    pub paths: Vec<PathBuf>,
    /// Print the problems as JSON.
    #[arg(long)]
    pub json: bool,
}

/// Says whether a study can be run, or artifacts can be read, and what is wrong with them.
///
/// # Errors
/// A study or references that cannot be opened, an artifact that cannot be read, or both kinds at once.
pub fn check(settings: &Settings, printer: Printer, args: &CheckArgs) -> Result<Status, Failure> {
    let is_artifact = |path: &Path| {
        path.is_file()
            || path
                .extension()
                .is_some_and(|end| end == "json" || end == "jsonl")
    };
    match args.paths.as_slice() {
        paths if paths.iter().all(|path| is_artifact(path)) => check_artifacts(printer, paths, args.json),
        studies if !studies.iter().any(|path| is_artifact(path)) => {
            check_studies(settings, printer, studies, args.json)
        }
        _ => Err(Failure::usage(
            "give studies' folders, or artifacts such as replication_info.json, and not both at once",
        )),
    }
}
