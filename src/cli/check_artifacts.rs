//! `reprise check ARTIFACT...`.

use std::path::PathBuf;

use serde_json::{Value, json};

use crate::catalog::artifact_check::{self, ArtifactCheck};
use crate::catalog::artifact_kind::KnownBy;
use crate::grading::discovery::bounded_file;

use super::exit::{Failure, Status};
use super::output::{Printer, paint, styled};

/// Most mended places of one file that are printed; JSON has all.
const SHOWN: usize = 10;

/// Checks released artifacts against the schemas of what they are.
///
/// # Errors
/// A file that cannot be read.
pub fn check_artifacts(printer: Printer, paths: &[PathBuf], as_json: bool) -> Result<Status, Failure> {
    let mut checked = Vec::new();
    for path in paths {
        let bytes = bounded_file::read(path)?;
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        checked.push((path.display().to_string(), artifact_check::check(&name, &bytes)));
    }
    if as_json {
        printer.json(&json!({
            "format": "reprise-check-artifacts/1",
            "artifacts": checked.iter().map(|(file, found)| as_value(file, found)).collect::<Vec<_>>(),
        }))?;
    } else {
        for line in checked.iter().flat_map(|(file, found)| lines(file, found)) {
            printer.line(line);
        }
    }
    let all = checked.iter().all(|(_, found)| found.is_ok());
    Ok(if all { Status::Done } else { Status::Differs })
}

fn as_value(file: &str, found: &ArtifactCheck) -> Value {
    json!({
        "file": file, "ok": found.is_ok(), "artifact": found.artifact, "known_by": found.known_by,
        "faults": found.faults, "mended": found.mended,
    })
}

fn lines(file: &str, found: &ArtifactCheck) -> Vec<String> {
    let what = match (found.artifact, found.known_by) {
        (Some(artifact), Some(KnownBy::Content)) => format!("{artifact} by its keys"),
        (Some(artifact), _) => format!("{artifact} by its name"),
        (None, _) => "no artifact that is known".to_owned(),
    };
    let count = match (found.faults.len(), found.mended.len()) {
        (0, 0) => "as its schema has it".to_owned(),
        (0, mended) => format!("can be read, with {mended} mended"),
        (1, _) => "1 fault".to_owned(),
        (faults, _) => format!("{faults} faults"),
    };
    let mut lines = vec![format!("{}: {what}: {count}", styled(paint::STRONG, file))];
    for fault in &found.faults {
        let path = if fault.path.is_empty() {
            "the whole"
        } else {
            &fault.path
        };
        let value = fault
            .value
            .as_ref()
            .map_or_else(String::new, |value| format!(" ({value})"));
        lines.push(format!(
            "  {} {path}{value}: {}; expected: {}",
            styled(paint::BAD, "fault"),
            fault.problem.trim_end_matches('.'),
            fault.expected
        ));
    }
    for mend in found.mended.iter().take(SHOWN) {
        let path = if mend.path.is_empty() {
            "the JSON"
        } else {
            &mend.path
        };
        lines.push(format!(
            "  {} {path}: {}",
            styled(paint::FAINT, "mended"),
            mend.note
        ));
    }
    if found.mended.len() > SHOWN {
        lines.push(format!(
            "  and {} more mended; `--json` has all",
            found.mended.len() - SHOWN
        ));
    }
    lines
}
