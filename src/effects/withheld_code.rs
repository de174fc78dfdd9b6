//! Analysis code inside documents, kept from runs that are to have data alone.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use crate::documents::code_text;
use crate::documents::document::Document;
use crate::documents::helper::Helper;
use crate::documents::limits::{Limits, ReadError};
use crate::domain::digest::Digest;
use crate::domain::workspace_path::WorkspacePath;
use crate::engine::error::EngineError;
use crate::run::event::FileRecord;
use crate::study::layout;

use super::staging::StagedTask;

/// Kinds of files that people read, by their names' ends.
const READ: [&str; 11] = [
    "pdf", "html", "htm", "docx", "odt", "rtf", "md", "txt", "log", "smcl", "out",
];
/// Most bytes of a document that is looked at.
const LARGEST: u64 = 128 << 20;

/// Takes the pages with analysis code out of a staged workspace, and whole documents that
/// have no pages. What was taken is named among what was left out.
///
/// # Errors
/// A paper that holds code which cannot be taken out, or a workspace that cannot be read or written.
pub fn withhold(documents: &Helper, workspace: &Path, staged: &mut StagedTask) -> Result<(), EngineError> {
    let paper: Option<WorkspacePath> = layout::PAPER.parse().ok();
    let paper = paper.filter(|path| path.below(workspace).is_file());
    let mut changed = false;
    if let Some(path) = paper
        && let Some(found) = look(documents, workspace, &path)?
    {
        let Taken::Pages(copy) = found.take(documents) else {
            return Err(EngineError::Unusable(format!(
                "the paper holds analysis code ({}), and this run is to have data only; the code cannot be taken out of \
                 it: put a copy without these pages in its place, or run with `--code-access code`",
                found.place()
            )));
        };
        replace(&path.below(workspace), &copy)?;
        staged.left_out.push(found.line(&path, "emptied"));
    }
    let mut kept = Vec::new();
    for file in std::mem::take(&mut staged.data) {
        let found = match is_read(&file) {
            true => look(documents, workspace, &file.path)?,
            false => None,
        };
        let Some(found) = found else {
            kept.push(file);
            continue;
        };
        changed = true;
        let place = file.path.below(workspace);
        match found.take(documents) {
            Taken::Pages(copy) => {
                replace(&place, &copy)?;
                staged.left_out.push(found.line(&file.path, "emptied"));
                kept.push(FileRecord {
                    digest: Digest::compute(&copy),
                    size: copy.len() as u64,
                    path: file.path,
                });
            }
            Taken::Whole => {
                fs::remove_file(&place).map_err(|error| EngineError::io(&place, error))?;
                staged.left_out.push(found.line(&file.path, "left out whole"));
            }
        }
    }
    staged.data = kept;
    if changed {
        staged.data_digest = Digest::compute_json(&staged.data);
    }
    staged.left_out.sort();
    Ok(())
}

fn is_read(file: &FileRecord) -> bool {
    let end = file.path.extension().unwrap_or_default().to_ascii_lowercase();
    file.size <= LARGEST && READ.contains(&end.as_str())
}

/// A document that holds code.
struct CodeFound {
    bytes: Vec<u8>,
    /// Empty of a document without pages.
    pages: Vec<u32>,
}

/// The part of a document that is kept back with its code.
enum Taken {
    /// A copy with the pages emptied.
    Pages(Vec<u8>),
    /// Nothing of it is shown.
    Whole,
}

/// The code in a document; `None` where there is none, or nothing can be read.
fn look(
    documents: &Helper,
    workspace: &Path,
    path: &WorkspacePath,
) -> Result<Option<CodeFound>, EngineError> {
    let place = path.below(workspace);
    let bytes = fs::read(&place).map_err(|error| EngineError::io(&place, error))?;
    let limits = Limits {
        recognise: false,
        pictures: 0,
        ..Limits::default()
    };
    let read: Result<Document, ReadError> = documents.read(path.file_name(), &bytes, &limits);
    let Ok(document) = read else { return Ok(None) };
    let pages = code_text::pages_with_code(&document.pages);
    let holds = !pages.is_empty() || code_text::holds_code(&document.text);
    Ok(holds.then_some(CodeFound { bytes, pages }))
}

impl CodeFound {
    fn take(&self, documents: &Helper) -> Taken {
        if self.pages.is_empty() {
            return Taken::Whole;
        }
        match documents.withhold(&self.bytes, &self.pages, &Limits::default()) {
            Ok(copy) => Taken::Pages(copy),
            Err(_) => Taken::Whole,
        }
    }

    fn place(&self) -> String {
        let pages: Vec<String> = self.pages.iter().map(u32::to_string).collect();
        match pages.as_slice() {
            [] => "in its text".to_owned(),
            [page] => format!("page {page}"),
            pages => format!("pages {}", pages.join(", ")),
        }
    }

    fn line(&self, path: &WorkspacePath, how: &str) -> String {
        format!(
            "{path}: it holds analysis code ({}), and this run has data only: {how}",
            self.place()
        )
    }
}

/// Puts a copy in the place of a staged file, read-only as it was.
fn replace(place: &Path, copy: &[u8]) -> Result<(), EngineError> {
    let io = |error| EngineError::io(place, error);
    fs::remove_file(place).map_err(io)?;
    fs::write(place, copy).map_err(io)?;
    fs::set_permissions(place, Permissions::from_mode(0o444)).map_err(io)
}
