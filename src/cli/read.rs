//! `reprise read`.

use std::fs;
use std::path::PathBuf;

use clap::Args;
use serde_json::json;

use super::data::{self, DataArgs};
use super::exit::{Failure, Status};
use super::output::{Printer, printable};
use crate::documents::document::Document;
use crate::documents::helper::Helper;
use crate::documents::limits::{Limits, ReadError};
use crate::settings::Settings;

#[derive(Debug, Args)]
#[command(after_help = "\
Documents are printed as text, as an agent sees it: PDF, docx, HTML, Jupyter notebooks and text in any encoding.

Of data sets the columns are shown: csv, tsv, xlsx, xls, ods, dta, sav, zsav, rds, RData, json, and each of them \
compressed; parquet, feather, SAS, por and mat files with --convert. Values that are likely personal are shown only of \
columns that --show-personal names.

Examples:
  reprise read paper.pdf
  reprise read scan.pdf --ocr
  reprise read paper.pdf --pictures figures
  reprise read survey.sav
  reprise read survey.sav --variable age
  reprise read survey.sav --crosstab sex vote
  reprise read panel.dta --head 5 --columns 'id, gdp_*'")]
pub struct ReadArgs {
    /// The document or data set.
    pub file: PathBuf,
    /// Give pages that are pictures of text to `tesseract`, where it is installed.
    #[arg(long, conflicts_with = "DataArgs")]
    pub ocr: bool,
    /// Write the pictures of a PDF into this folder, as PNG files.
    #[arg(long, value_name = "FOLDER", conflicts_with = "DataArgs")]
    pub pictures: Option<PathBuf>,
    #[command(flatten)]
    pub data: DataArgs,
    /// Print what was read as JSON.
    #[arg(long)]
    pub json: bool,
}

/// Bytes of PNG that the pictures of one document may take.
const PICTURES: u64 = 256 << 20;

/// Seconds that recognition may take: some for each page of a long scan.
const RECOGNITION: u64 = 1_800;

/// Prints the text of a document, or shows what a data set holds.
///
/// # Errors
/// A file that cannot be read, a table or column that it does not have, or pictures that cannot be written.
pub fn read(settings: &Settings, printer: Printer, args: &ReadArgs) -> Result<Status, Failure> {
    if args.ocr || args.pictures.is_some() {
        return text(printer, args, &pictured(args)?);
    }
    let document = data::read(settings, printer, &args.file, args.data.convert)?;
    match args.data.asks_for_data() || document.kind.is_table() || !document.tables.is_empty() {
        true => data::show(printer, &args.file, &document, &args.data, args.json),
        false => text(printer, args, &document),
    }
}

/// The document with its pictures, or with what is recognised in them.
fn pictured(args: &ReadArgs) -> Result<Document, Failure> {
    let failed = |error: &dyn std::fmt::Display| Failure::usage(format!("{}: {error}", args.file.display()));
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
    helper.read(&file, &bytes, &limits).map_err(|error| match error {
        ReadError::NotReadable { what, .. } => failed(&what.trim_end_matches('.')),
        other => failed(&other),
    })
}

fn text(printer: Printer, args: &ReadArgs, document: &Document) -> Result<Status, Failure> {
    let pictures = pictures(args, document)?;
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
