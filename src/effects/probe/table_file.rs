//! The opened data files: what they are, which columns they have, and what writes them.

use std::fs;
use std::path::Path;

use crate::documents::document::Limits;
use crate::documents::helper::Helper;
use crate::documents::kind::Kind;
use crate::documents::sniff::sniff;
use crate::domain::workspace_path::WorkspacePath;

use super::delimited::Delimited;

/// The largest file that is changed, in bytes.
const LARGEST: u64 = 512 << 20;

/// How a file is changed.
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
}

impl TableFile {
    /// Looks at a file; `None` where it holds no table, such as a codebook.
    pub fn read(path: &WorkspacePath, workspace: &Path, documents: &Helper) -> Option<Self> {
        let on_disk = path.below(workspace);
        let file = |columns, writer| {
            Some(Self {
                path: path.clone(),
                columns,
                writer,
            })
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
                return file(Vec::new(), Writer::Nothing(why));
            }
        };
        let document = documents.read(path.file_name(), &bytes, &Limits::default());
        let columns = document
            .map(|document| {
                let columns = document.tables.iter().flat_map(|table| &table.columns);
                columns.map(|column| column.name.clone()).collect()
            })
            .unwrap_or_default();
        file(columns, Writer::Library(library))
    }

    /// Whether it has a column.
    pub fn has(&self, column: &str) -> bool {
        self.columns.iter().any(|one| one == column)
    }
}
