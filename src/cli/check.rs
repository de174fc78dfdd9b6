//! `reprise check`.

use std::path::{Path, PathBuf};

use clap::Args;
use serde_json::json;

use crate::app;
use crate::domain::claimed_effect::ClaimedEffect;
use crate::domain::criterion::FixedCriterion;
use crate::study::check::{Problem, Severity};
use crate::study::error::StudyError;
use crate::study::gold::Gold;
use crate::study::kind::Kind;
use crate::study::layout::MANIFEST;
use crate::study::open::Study;
use crate::tools::inspect_data::DataReader;

use super::check_artifacts::check_artifacts;
use super::exit::{Failure, Status};
use super::output::{Printer, paint, styled};

#[derive(Debug, Args)]
#[command(after_help = "\
Which artifact a file is, is found from its keys, else from its name; names such as
expected_post_registration_2.json are references of a stage's answer.

Exit codes of artifacts: 0 each can be read, mended where it says so; 1 one has a fault that nothing mends.

Examples:
  reprise check studies/duncan-1961
  reprise check results/python/1/gpt-5/*.json --json
  reprise check merged_gpt-4o.jsonl")]
pub struct CheckArgs {
    /// The study's folder, or released artifacts: answers of stages, references, predictions of a search.
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
pub fn check(printer: Printer, args: &CheckArgs) -> Result<Status, Failure> {
    let is_artifact = |path: &Path| {
        path.is_file()
            || path
                .extension()
                .is_some_and(|end| end == "json" || end == "jsonl")
    };
    match args.paths.as_slice() {
        paths if paths.iter().all(|path| is_artifact(path)) => check_artifacts(printer, paths, args.json),
        [study] => check_study(printer, study, args.json),
        _ => Err(Failure::usage(
            "give one study's folder, or artifacts such as replication_info.json, and not both at once",
        )),
    }
}

fn check_study(printer: Printer, folder: &Path, as_json: bool) -> Result<Status, Failure> {
    let invalid = |error: StudyError| Failure::new(Status::StudyInvalid, error.to_string());
    let study = Study::open(folder).map_err(invalid)?;
    let mut problems = study.check();
    problems.extend(Gold::open(&study).map_err(invalid)?.check());
    problems.extend(absent_columns(&study)?);
    problems.sort_by_key(|problem| problem.severity);
    let usable = study.ensure_usable_data();
    if as_json {
        printer.json(&json!({
            "study": study.id(),
            "claim": study.claim(),
            "files": study.files().iter().map(|file| json!({
                "path": file.path, "kind": file.kind, "size": file.size,
            })).collect::<Vec<_>>(),
            "problems": problems,
            "runnable": usable.is_ok(),
        }))?;
    } else {
        printer.line(format!(
            "{} {}",
            styled(paint::STRONG, study.id()),
            study.claim().statement
        ));
        if study.claim().criterion == Some(FixedCriterion::usual()) {
            printer.line(
                "The study fixes no criterion: significance at .05, two-sided, with the claim's sign, and a plan that \
                 departs from it has to say why.",
            );
        } else if let Some(fixed) = &study.claim().criterion {
            printer.line(format!(
                "The study fixes the criterion {}{}, and a plan that takes another has to say why.",
                fixed.rule,
                match fixed.direction {
                    Some(ClaimedEffect::NoEffect) => " for a claim of no effect",
                    _ => "",
                }
            ));
        }
        for file in study.files() {
            printer.line(format!(
                "  {:<9} {} ({} bytes)",
                kind(file.kind),
                file.path,
                file.size
            ));
        }
        for problem in &problems {
            let style = match problem.severity {
                Severity::Error => paint::BAD,
                Severity::Warning => paint::WARN,
                Severity::Note => paint::FAINT,
            };
            let name = problem.severity.to_string();
            printer.line(format!("{}: {}", styled(style, name), problem.sentence));
        }
        match &usable {
            Ok(()) => printer.line("The study can be run."),
            Err(error) => printer.line(format!("The study cannot be run: {error}.")),
        }
    }
    Ok(if usable.is_ok() {
        Status::Done
    } else {
        Status::StudyInvalid
    })
}

/// Columns that `study.toml` allows to be shown, and no data file has.
fn absent_columns(study: &Study) -> Result<Vec<Problem>, Failure> {
    let mut absent: Vec<&String> = study.shown_columns().iter().collect();
    if absent.is_empty() {
        return Ok(Vec::new());
    }
    let readers = app::toolset::native_readers()?;
    for file in study.files_of_kind(Kind::Data) {
        let Ok(bytes) = study.bytes_of(file) else { continue };
        let Ok(document) = DataReader::read(&readers, file.path.file_name(), &bytes) else {
            continue;
        };
        let columns = || document.tables.iter().flat_map(|table| &table.columns);
        absent.retain(|name| !columns().any(|column| column.name == **name));
    }
    let problem = |name: &String| Problem {
        severity: Severity::Warning,
        file: MANIFEST.to_owned(),
        sentence: format!(
            "{MANIFEST} shows the column `{name}`, which no data file has: correct `personal.show`."
        ),
    };
    Ok(absent.into_iter().map(problem).collect())
}

fn kind(kind: Kind) -> &'static str {
    match kind {
        Kind::Data => "data",
        Kind::Code => "code",
        Kind::Document => "document",
    }
}
