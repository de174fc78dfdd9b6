//! The facts on data whose rows a program does not see, and the documents beside the data.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use tokio_util::sync::CancellationToken;
use walkdir::WalkDir;

use super::shown_file::show;
use crate::documents::document::Document;
use crate::documents::helper::Helper;
use crate::documents::kind::Kind;
use crate::documents::limits::Limits;
use crate::documents::table::describe::cells::cell;
use crate::documents::table::describe::facts::facts;
use crate::documents::table::personal::Privacy;
use crate::engine::error::EngineError;

/// The name of the file with the facts.
pub const COLUMNS: &str = "COLUMNS.md";

/// Most bytes of a file that is read for facts.
const LARGEST: u64 = 128 << 20;
/// Rows up to which a table under the name of a codebook is one.
const CODEBOOK_ROWS: usize = 5_000;
/// Rows up to which the tables of a page are its own, and no data set.
const PAGE_ROWS: usize = 100;

/// Data, and what is known of who may see them.
pub struct DataFacts<'a> {
    pub documents: &'a Helper,
    /// The folder with the data.
    pub data: &'a Path,
    /// Columns whose values may be shown although they are likely personal.
    pub shown_columns: &'a [String],
}

/// Writes the facts into a folder, beside the documents.
///
/// # Errors
/// A folder that cannot be read or written; [`EngineError::Stopped`] where `cancel` came first.
pub fn write(of: &DataFacts<'_>, folder: &Path, cancel: &CancellationToken) -> Result<(), EngineError> {
    fs::create_dir_all(folder).map_err(|error| EngineError::io(folder, error))?;
    let mut text = "The data are not here. This file names each of their files and the columns of each table; no row is \
                    shown. Code finds the files under these names, below this folder, when it is executed.\n"
        .to_owned();
    for entry in WalkDir::new(of.data).follow_links(false).sort_by_file_name() {
        if cancel.is_cancelled() {
            return Err(EngineError::Stopped(None));
        }
        let Ok(entry) = entry else { continue };
        let Some(name) = entry.path().strip_prefix(of.data).ok().and_then(Path::to_str) else {
            continue;
        };
        if !entry.file_type().is_file() {
            continue;
        }
        let found = of.look(entry.path(), name);
        text.push_str(&format!("\n## `{}`\n", cell(name)));
        text.push_str(&found.words);
        if found.is_document {
            let target = folder.join(name);
            if let Some(parent) = target.parent() {
                fs::create_dir_all(parent).map_err(|error| EngineError::io(parent, error))?;
            }
            show(entry.path(), &target, cancel)?;
        }
    }
    let path = folder.join(COLUMNS);
    // A document of that name gives way: it is the same file as the study's own.
    match fs::remove_file(&path) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            return Err(EngineError::io(&path, error));
        }
        _ => {}
    }
    fs::write(&path, text).map_err(|error| EngineError::io(&path, error))
}

/// A file of the data, looked at.
struct LookedAt {
    is_document: bool,
    words: String,
}

impl DataFacts<'_> {
    fn look(&self, path: &Path, name: &str) -> LookedAt {
        let unseen = |why: String| LookedAt {
            is_document: false,
            words: format!("Its columns are not known: {why}.\n"),
        };
        let size = fs::metadata(path).map_or(0, |found| found.len());
        if size > LARGEST {
            return unseen(format!("it has {size} bytes, and at most {LARGEST} are read"));
        }
        let bytes = match fs::read(path) {
            Ok(bytes) => bytes,
            Err(error) => return unseen(error.to_string()),
        };
        match self.documents.read(name, &bytes, &Limits::default()) {
            Ok(document) if is_document(&document, name) => LookedAt {
                is_document: true,
                words: format!("{}, which stands here.\n", sentence(&document.kind.to_string())),
            },
            Ok(document) => LookedAt {
                is_document: false,
                words: self.words(&document),
            },
            Err(error) => unseen(error.to_string()),
        }
    }

    fn words(&self, document: &Document) -> String {
        let privacy = Privacy::allowing(self.shown_columns.iter().cloned());
        if document.tables.is_empty() {
            return format!("{}, which is not shown.\n", sentence(&document.kind.to_string()));
        }
        let mut text = String::new();
        for table in &document.tables {
            let name = match table.name.is_empty() {
                true => String::new(),
                false => format!("Table `{}`: ", cell(&table.name)),
            };
            let _ = writeln!(
                text,
                "{name}{} rows, {} columns ({}).",
                table.rows,
                table.columns.len(),
                document.kind
            );
            text.push_str(&facts(table, &privacy));
        }
        text
    }
}

/// Whether a file is prose or a list of variables, and no data.
fn is_document(document: &Document, name: &str) -> bool {
    let rows: usize = document.tables.iter().map(|table| table.rows).sum();
    match document.kind {
        Kind::Pdf | Kind::Docx | Kind::Odt => true,
        Kind::Html => rows <= PAGE_ROWS,
        Kind::Text => document.tables.is_empty() && is_prose(&document.text),
        // The study's author has named it so.
        _ => !document.tables.is_empty() && rows <= CODEBOOK_ROWS && names_codebook(name),
    }
}

/// Whether a text is made of words: data in columns of a fixed width are made of digits.
fn is_prose(text: &str) -> bool {
    let letters = text.chars().filter(|letter| letter.is_alphabetic()).count();
    let digits = text.chars().filter(char::is_ascii_digit).count();
    letters > 4 * digits
}

fn names_codebook(name: &str) -> bool {
    let name = name.rsplit('/').next().unwrap_or(name).to_ascii_lowercase();
    [
        "codebook",
        "code_book",
        "dictionary",
        "data_dict",
        "datadict",
        "readme",
    ]
    .iter()
    .any(|word| name.contains(word))
}

fn sentence(kind: &str) -> String {
    let mut letters = kind.chars();
    let first = letters.next().map(|letter| letter.to_uppercase().to_string());
    format!("{}{}", first.unwrap_or_default(), letters.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn documents_are_told_from_data() {
        let text = |text: &str| Document {
            text: text.to_owned(),
            ..Document::new(Kind::Text)
        };
        assert!(is_document(
            &text("The first column is the age in years, from 18 on."),
            "notes.txt"
        ));
        assert!(!is_document(
            &text("0012 23 4 551\n0013 25 3 220\nab 1"),
            "fixed.txt"
        ));
        assert!(
            !is_document(&Document::new(Kind::Delimited(b',')), "codebook.csv"),
            "no table was read"
        );
        assert!(!is_document(&Document::new(Kind::Xlsx), "data.xlsx"));
        assert!(names_codebook("docs/My_Codebook_v2.csv") && !names_codebook("codebook/data.csv"));
    }
}
