//! `reprise read`.

use std::fs;
use std::path::PathBuf;

use clap::Args;
use serde_json::json;

use crate::documents::document::Document;

use crate::documents::helper::Helper;
use crate::documents::limits::{Limits, ReadError};

use super::exit::{Failure, Status};
use super::output::{Printer, printable};

#[derive(Debug, Args)]
#[command(after_help = "\
Reads PDF, docx, HTML, Jupyter notebooks and text in any encoding.

Examples:
  reprise read paper.pdf
  reprise read scan.pdf --ocr
  reprise read paper.pdf --pictures figures")]
pub struct ReadArgs {
    /// The document.
    pub file: PathBuf,
    /// Give pages that are pictures of text to `tesseract`, where it is installed.
    #[arg(long)]
    pub ocr: bool,
    /// Write the pictures of a PDF into this folder, as PNG files.
    #[arg(long, value_name = "FOLDER")]
    pub pictures: Option<PathBuf>,
    /// Print pages, properties and notes as JSON.
    #[arg(long)]
    pub json: bool,
}

/// Bytes of PNG that the pictures of one document may take.
const PICTURES: u64 = 256 << 20;

/// Seconds that recognition may take: some for each page of a long scan.
const RECOGNITION: u64 = 1_800;

/// Prints the text of a document, as an agent sees it.
///
/// # Errors
/// A document that cannot be read, or pictures that cannot be written.
pub fn read(printer: Printer, args: &ReadArgs) -> Result<Status, Failure> {
    let name = args.file.display();
    let failed = |error: &dyn std::fmt::Display| Failure::usage(format!("{name}: {error}"));
    let bytes = fs::read(&args.file).map_err(|error| failed(&error))?;
    let helper = Helper::from_current_exe().map_err(|error| failed(&error))?;
    let usual = Limits::default();
    let limits = Limits {
        seconds: if args.ocr { RECOGNITION } else { usual.seconds },
        recognise: args.ocr,
        pictures: if args.pictures.is_some() { PICTURES } else { 0 },
        ..usual
    };
    let file = args.file.file_name().unwrap_or_default().to_string_lossy();
    let document = helper.read(&file, &bytes, &limits).map_err(|error| match error {
        ReadError::NotReadable { what, .. } => failed(&what.trim_end_matches('.')),
        other => failed(&other),
    })?;
    let pictures = pictures(args, &document)?;
    if args.json {
        printer.json(&json!({
            "format": "reprise-document/1",
            "file": args.file,
            "kind": document.kind.name(),
            "properties": document.properties,
            "encoding": document.encoding,
            "pages": document.pages.iter().map(|page| json!({
                "number": page.number, "text": page.text, "images": page.images,
            })).collect::<Vec<_>>(),
            "text": document.text,
            "pictures": pictures,
            "notes": document.notes,
        }))?;
        return Ok(Status::Done);
    }
    for line in document.whole_text().lines() {
        printer.line(printable(line));
    }
    if !document.tables.is_empty() && document.text.is_empty() {
        printer.note(format!(
            "{name} holds rows and columns: `reprise data` shows them"
        ));
    }
    for path in &pictures {
        printer.note(path);
    }
    for note in &document.notes {
        printer.note(printable(note));
    }
    Ok(Status::Done)
}

/// Writes the pictures into their folder; the names of the files.
fn pictures(args: &ReadArgs, document: &Document) -> Result<Vec<String>, Failure> {
    let Some(folder) = &args.pictures else {
        return Ok(Vec::new());
    };
    let failed = |error: std::io::Error| Failure::usage(format!("{}: {error}", folder.display()));
    fs::create_dir_all(folder).map_err(failed)?;
    let mut names = Vec::new();
    for (at, picture) in document.pictures.iter().enumerate() {
        let path = folder.join(format!("page-{:03}-picture-{:02}.png", picture.page, at + 1));
        fs::write(&path, &picture.png).map_err(failed)?;
        names.push(path.display().to_string());
    }
    Ok(names)
}
