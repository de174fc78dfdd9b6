//! The check of a study, as it is printed.

use std::path::Path;

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

use super::exit::{Failure, Status};
use super::output::{Printer, paint, styled};

/// Says whether a study can be run, and what is wrong with it.
///
/// # Errors
/// A study or references that cannot be opened.
pub fn check_study(printer: Printer, folder: &Path, as_json: bool) -> Result<Status, Failure> {
    let invalid = |error: StudyError| Failure::new(Status::StudyInvalid, error.to_string());
    let study = Study::open(folder).map_err(invalid)?;
    let mut problems = study.check();
    problems.extend(Gold::open(&study).map_err(invalid)?.check());
    problems.extend(absent_columns(&study)?);
    let archives = study.archive_problems().map_err(invalid)?;
    let refused = archives
        .iter()
        .find(|problem| problem.severity == Severity::Error);
    let refused = refused.map(|problem| problem.sentence.trim_end_matches('.').to_owned());
    problems.extend(archives);
    problems.sort_by_key(|problem| problem.severity);
    let usable = study
        .ensure_usable_data()
        .map_err(|error| error.to_string())
        .and_then(|()| refused.map_or(Ok(()), Err));
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
