//! The copy of a paper that `ground --pdf` writes.

use std::fs;
use std::path::{Path, PathBuf};

use serde::Serialize;

use crate::app::run_paper;
use crate::app::toolset::document_helper;
use crate::documents::document::Document;
use crate::documents::kind::Kind;
use crate::documents::limits::Limits;
use crate::documents::pdf::marks::copy::is_marked_copy;
use crate::engine::atomic_file;
use crate::engine::error::EngineError;
use crate::engine::folder::RunFolder;
use crate::engine::run_reader::RunReader;
use crate::report::marked_paper::{MarkCounts, MarkedPaper};
use crate::scoring::grounding::line::Line;

use super::exit::Failure;

/// A copy that was written.
#[derive(Debug, Serialize)]
pub struct WrittenCopy {
    pub file: PathBuf,
    #[serde(flatten)]
    pub counts: MarkCounts,
}

/// Writes the paper with its lookups marked, into `out` or into the run's folder.
///
/// # Errors
/// A paper that is no PDF or cannot be copied, or a file that is not to be written over.
pub fn write(
    run: &RunReader,
    paper: &Document,
    lines: &[Line],
    out: Option<&Path>,
) -> Result<WrittenCopy, Failure> {
    let path = run_paper::place(run);
    let bytes = run_paper::bytes(run).map_err(|fault| fault.into_error(run))?;
    if paper.kind != Kind::Pdf || paper.pages.is_empty() {
        return Err(Failure::usage(format!(
            "{} is {}, and only a PDF with pages can be marked; without --pdf the lookups are printed",
            path.display(),
            paper.kind.name()
        )));
    }
    let target = out.map_or_else(|| run.folder.marked_paper(), Path::to_owned);
    check(&target, &run.folder)?;
    let plan = MarkedPaper::new(lines, paper);
    let copy = document_helper()?
        .mark(&bytes, &plan.request, &Limits::default())
        .map_err(|error| {
            let name = path.display();
            EngineError::Unusable(format!(
                "{name} cannot be marked: {error}; without --pdf the lookups are printed"
            ))
        })?;
    atomic_file::replace(&target, &copy.pdf, folder(&target))?;
    Ok(WrittenCopy {
        counts: plan.counts(lines, &copy.unplaced),
        file: target,
    })
}

fn folder(path: &Path) -> &Path {
    path.parent()
        .filter(|folder| !folder.as_os_str().is_empty())
        .unwrap_or(Path::new("."))
}

/// Refuses files that hold something else, and the folders that belong to the run itself.
fn check(target: &Path, run: &RunFolder) -> Result<(), Failure> {
    let refused = |why: &str| Err(Failure::usage(format!("{}: {why}", target.display())));
    if target == Path::new("-") {
        return refused("a marked copy is not printed; name a file with --out");
    }
    let folder = folder(target);
    let (Ok(folder), Ok(run)) = (folder.canonicalize(), run.path().canonicalize()) else {
        return refused("its folder is not there; make it, or name another file with --out");
    };
    let is_pdf = target.extension().is_some_and(|extension| extension == "pdf");
    if folder.starts_with(&run) && !(folder == run && is_pdf) {
        return refused("what lies in a run's folder belongs to the run; name a file elsewhere with --out");
    }
    if target.symlink_metadata().is_err() {
        return Ok(());
    }
    match fs::read(target) {
        Ok(bytes) if is_marked_copy(&bytes) => Ok(()),
        _ => {
            refused("something other than a marked copy is there; remove it, or name another file with --out")
        }
    }
}
