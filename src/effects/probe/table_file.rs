//! The opened data files: what they are, which columns they have, and what writes them.

use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::documents::helper::Helper;
use crate::documents::kind::Kind;
use crate::documents::limits::Limits;
use crate::documents::sniff::sniff;
use crate::documents::text;
use crate::domain::workspace_path::WorkspacePath;

use super::delimited::Delimited;

/// The largest file that is changed, in bytes.
const LARGEST: u64 = 512 << 20;
/// The largest JSON that is looked through for rows, in bytes; no codebook has more.
const CODEBOOK: usize = 4 << 20;
/// Numbers in JSON, and entries of one of its lists, from which it may hold rows. A
/// codebook has names and labels; with as many numbers it is taken for data.
const NUMBERS: usize = 12;
const ENTRIES: usize = 20;

/// The writer of a changed data file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Writer {
    /// Here, as text.
    Text,
    /// By a library, under this name of its kind.
    Library(&'static str),
    /// Not at all, and why.
    Nothing(String),
}

/// One opened data file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TableFile {
    pub path: WorkspacePath,
    pub columns: Vec<String>,
    pub writer: Writer,
    /// Whether it may hold rows of data, which a codebook in JSON or the stand-in for a
    /// file that was never fetched does not.
    pub rows: bool,
}

impl TableFile {
    /// Looks at a file; `None` where it holds no table, such as a codebook in a PDF.
    pub fn read(path: &WorkspacePath, workspace: &Path, documents: &Helper) -> Option<Self> {
        let on_disk = path.below(workspace);
        let file = |columns, writer| {
            Some(Self {
                path: path.clone(),
                columns,
                writer,
                rows: true,
            })
        };
        let columns = |bytes: &[u8]| {
            let document = documents.read(path.file_name(), bytes, &Limits::default());
            let tables = document.map(|document| document.tables).unwrap_or_default();
            let columns = tables.into_iter().flat_map(|table| table.columns);
            columns.map(|column| column.name).collect::<Vec<_>>()
        };
        let size = fs::metadata(&on_disk).ok()?.len();
        if size > LARGEST {
            let why = format!("{path} has more than {} MiB", LARGEST >> 20);
            return file(Vec::new(), Writer::Nothing(why));
        }
        let bytes = fs::read(&on_disk).ok()?;
        let kind = sniff(&bytes);
        let library = match &kind {
            Kind::Delimited(_) | Kind::Text => {
                let table = Delimited::read(&bytes);
                return match table {
                    Some(table) => file(table.header().to_vec(), Writer::Text),
                    None => file(
                        Vec::new(),
                        Writer::Nothing(format!("{path} is text without columns that could be told apart")),
                    ),
                };
            }
            Kind::Xlsx => "xlsx",
            Kind::Dta(_) => "dta",
            Kind::Sav | Kind::Zsav => "sav",
            Kind::Por => "por",
            Kind::Xport => "xport",
            Kind::Parquet => "parquet",
            Kind::Arrow | Kind::Feather => "feather",
            Kind::Rds => "rds",
            Kind::RData => "rdata",
            Kind::Pdf
            | Kind::Html
            | Kind::Docx
            | Kind::Odt
            | Kind::Pptx
            | Kind::Png
            | Kind::Jpeg
            | Kind::Gif
            | Kind::Tiff
            | Kind::Notebook
            | Kind::Empty => return None,
            other => {
                let why = format!("{path} is {}, which no library here writes", other.name());
                // Of the others neither names nor tables are told surely.
                let named = matches!(other, Kind::Sas7bdat | Kind::Xls | Kind::Ods | Kind::JsonLines);
                let columns = if named { columns(&bytes) } else { Vec::new() };
                return file(columns, Writer::Nothing(why)).map(|file| Self {
                    rows: may_hold_rows(other, &bytes),
                    ..file
                });
            }
        };
        file(columns(&bytes), Writer::Library(library))
    }

    /// Whether it has a column.
    pub fn has(&self, column: &str) -> bool {
        self.columns.iter().any(|one| one == column)
    }
}

/// Whether a file that nothing writes may hold rows of data.
fn may_hold_rows(kind: &Kind, bytes: &[u8]) -> bool {
    match kind {
        Kind::LfsPointer { .. } | Kind::AnnexPointer { .. } | Kind::ServerError { .. } | Kind::Executable => {
            false
        }
        Kind::Json if bytes.len() <= CODEBOOK => match serde_json::from_str(&text::decode(bytes).text) {
            Ok(value) => numbers(&value) >= NUMBERS || has_many_entries(&value),
            Err(_) => true,
        },
        _ => true,
    }
}

/// The numbers in JSON, those that are written as texts included.
fn numbers(value: &Value) -> usize {
    match value {
        Value::Number(_) => 1,
        Value::String(text) => usize::from(text.trim().parse::<f64>().is_ok()),
        Value::Array(items) => items.iter().map(numbers).sum(),
        Value::Object(object) => object.values().map(numbers).sum(),
        Value::Null | Value::Bool(_) => 0,
    }
}

/// Whether a list in JSON is as long as a column, or an object that is numbered through.
fn has_many_entries(value: &Value) -> bool {
    match value {
        Value::Array(items) => items.len() >= ENTRIES || items.iter().any(has_many_entries),
        Value::Object(object) => {
            let numbered = object.keys().all(|key| key.parse::<u64>().is_ok());
            object.len() >= ENTRIES && numbered || object.values().any(has_many_entries)
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn holds(text: &str) -> bool {
        may_hold_rows(&Kind::Json, text.as_bytes())
    }

    #[test]
    fn a_codebook_in_json_holds_no_rows() {
        assert!(!holds(
            r#"{"rain": {"label": "Rain", "unit": "mm", "range": [300, 900]}, "yield": {"label": "Harvest"}}"#
        ));
        assert!(!holds(
            r#"[{"name": "sex", "labels": {"1": "male", "2": "female"}}, {"name": "age"}]"#
        ));
    }

    #[test]
    fn data_in_json_may_hold_rows_in_every_shape() {
        let numbers: Vec<f64> = (0..12).map(|row| f64::from(row) / 4.0).collect();
        let list = serde_json::to_string(&numbers).unwrap();
        assert!(holds(&format!(r#"{{"rain": {list}}}"#)));
        let records: Vec<String> = numbers
            .iter()
            .map(|one| format!(r#"{{"rain": "{one}"}}"#))
            .collect();
        assert!(holds(&format!("[{}]", records.join(","))));
        let texts = vec![r#"{"answer": "yes"}"#; 20].join(",");
        assert!(holds(&format!("[{texts}]")));
        let keyed: Vec<String> = (0..20).map(|row| format!(r#""{row}": "yes""#)).collect();
        assert!(holds(&format!(r#"{{"answer": {{{}}}}}"#, keyed.join(","))));
        assert!(holds("{ broken"));
    }

    #[test]
    fn what_cannot_be_looked_into_may_hold_rows_and_a_pointer_does_not() {
        assert!(may_hold_rows(&Kind::Zip, b"PK"));
        let size = 9;
        let oid = "ab".to_owned();
        assert!(!may_hold_rows(&Kind::LfsPointer { oid, size }, b"version"));
    }
}
