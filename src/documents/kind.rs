//! File kinds, told by content and never by name.

use std::fmt;

use serde::{Deserialize, Serialize};

/// A recognised format.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Kind {
    /// A file of no bytes.
    Empty,
    /// The stand-in that Git LFS leaves where the real file was never fetched.
    LfsPointer {
        oid: String,
        size: u64,
    },
    /// The stand-in that git-annex leaves where the real file was never fetched.
    AnnexPointer {
        key: String,
    },
    /// What a file server answers in place of a file; its code, such as `AccessDenied`.
    ServerError {
        code: String,
    },
    Pdf,
    Html,
    Docx,
    Xlsx,
    Xls,
    Ods,
    Odt,
    Pptx,
    /// Stata data; the number is the format's release (105 to 119).
    Dta(u32),
    /// SPSS system file.
    Sav,
    /// SPSS system file in compressed blocks.
    Zsav,
    /// SPSS portable file.
    Por,
    /// R serialisation of one value.
    Rds,
    /// R workspace of named values.
    RData,
    Sas7bdat,
    /// SAS transport file.
    Xport,
    /// MATLAB file of level 4 or 5.
    Mat,
    Hdf5,
    Parquet,
    /// Arrow IPC file, also called Feather 2.
    Arrow,
    /// Feather 1.
    Feather,
    Json,
    /// One JSON value a line.
    JsonLines,
    /// Jupyter notebook.
    Notebook,
    /// Text with fields between delimiters; the delimiter as a byte.
    Delimited(u8),
    Text,
    Png,
    Jpeg,
    Gif,
    Tiff,
    Zip,
    Gzip,
    Xz,
    Bzip2,
    Zstd,
    Tar,
    SevenZip,
    Sqlite,
    /// A program or a library.
    Executable,
    /// Bytes that nothing here recognises.
    Binary,
}

impl Kind {
    /// A short name for people, such as `SPSS data`.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Empty => "an empty file",
            Self::LfsPointer { .. } => "a Git LFS pointer",
            Self::AnnexPointer { .. } => "a git-annex pointer",
            Self::ServerError { .. } => "an error message of a server",
            Self::Pdf => "a PDF document",
            Self::Html => "an HTML page",
            Self::Docx => "a Word document",
            Self::Xlsx => "an Excel workbook",
            Self::Xls => "an Excel workbook of the old binary format",
            Self::Ods => "an OpenDocument spreadsheet",
            Self::Odt => "an OpenDocument text",
            Self::Pptx => "a PowerPoint presentation",
            Self::Dta(_) => "Stata data",
            Self::Sav => "SPSS data",
            Self::Zsav => "compressed SPSS data",
            Self::Por => "portable SPSS data",
            Self::Rds => "a saved R value",
            Self::RData => "a saved R workspace",
            Self::Sas7bdat => "SAS data",
            Self::Xport => "SAS transport data",
            Self::Mat => "a MATLAB file",
            Self::Hdf5 => "an HDF5 file",
            Self::Parquet => "Parquet data",
            Self::Arrow => "Arrow data",
            Self::Feather => "Feather data",
            Self::Json => "JSON",
            Self::JsonLines => "JSON lines",
            Self::Notebook => "a Jupyter notebook",
            Self::Delimited(b'\t') => "tab-separated text",
            Self::Delimited(b';') => "semicolon-separated text",
            Self::Delimited(b' ') => "text in columns parted by blanks",
            Self::Delimited(b'|') => "bar-separated text",
            Self::Delimited(_) => "comma-separated text",
            Self::Text => "plain text",
            Self::Png => "a PNG image",
            Self::Jpeg => "a JPEG image",
            Self::Gif => "a GIF image",
            Self::Tiff => "a TIFF image",
            Self::Zip => "a ZIP archive",
            Self::Gzip => "gzip-compressed data",
            Self::Xz => "xz-compressed data",
            Self::Bzip2 => "bzip2-compressed data",
            Self::Zstd => "zstd-compressed data",
            Self::Tar => "a tar archive",
            Self::SevenZip => "a 7-Zip archive",
            Self::Sqlite => "an SQLite database",
            Self::Executable => "a program",
            Self::Binary => "binary data of an unknown format",
        }
    }

    /// Whether the file holds rows and columns.
    pub fn is_table(&self) -> bool {
        matches!(
            self,
            Self::Xlsx
                | Self::Xls
                | Self::Ods
                | Self::Dta(_)
                | Self::Sav
                | Self::Zsav
                | Self::Por
                | Self::Rds
                | Self::RData
                | Self::Sas7bdat
                | Self::Mat
                | Self::Parquet
                | Self::Arrow
                | Self::JsonLines
                | Self::Delimited(_)
        )
    }

    /// What the file is and what can be done with it, in a sentence or two.
    pub fn advice(&self) -> String {
        let name = self.name();
        match self {
            Self::Empty => {
                "This file is empty (0 bytes): it holds no data; look for another copy of it.".to_owned()
            }
            Self::LfsPointer { oid, size } => format!(
                "This is {name}, not the data: the real file has {size} bytes (sha256 {oid}) and was never \
                 fetched. Run `git lfs pull` where the study was cloned, or use another file of the study."
            ),
            Self::AnnexPointer { key } => format!(
                "This is {name}, not the data: the real file ({key}) was never fetched. Run `git annex get` where \
                 the study was cloned, or use another file of the study."
            ),
            Self::ServerError { code } => format!(
                "This is {name} ({code}), not the data: the download was refused or failed. Fetch the file again, \
                 or use another file of the study."
            ),
            Self::Html => {
                format!(
                    "This is {name}. Where data was expected, it is the page of a failed or blocked download."
                )
            }
            Self::Gzip | Self::Xz | Self::Bzip2 | Self::Zstd => {
                format!("This is {name}; decompress it first to see what it holds.")
            }
            Self::Zip | Self::Tar | Self::SevenZip => {
                format!("This is {name}; unpack it and read its members.")
            }
            Self::Png | Self::Jpeg | Self::Gif | Self::Tiff => {
                format!("This is {name}; it holds no text, and a model that sees images can look at it.")
            }
            Self::Feather => format!("This is {name} of version 1; open it with pyarrow and save it anew."),
            Self::Hdf5 => {
                format!("This is {name} (also what MATLAB 7.3 saves); open it with h5py in Python.")
            }
            Self::Xport => format!("This is {name}; open it with pandas.read_sas in Python."),
            Self::Por => format!("This is {name}; open it with pyreadstat.read_por in Python."),
            Self::Mat => format!("This is {name}; open it with scipy.io.loadmat in Python."),
            Self::Odt | Self::Pptx => format!("This is {name}; save it as PDF or docx to read it."),
            Self::Sqlite => format!("This is {name}; open it with Python's sqlite3 module."),
            Self::Executable => format!("This is {name}; it is not a document and is never run."),
            Self::Binary => format!("This is {name}; its first bytes match no reader."),
            _ if self.is_table() => {
                format!("This is {name}: rows and columns that can be described and queried.")
            }
            _ => format!("This is {name}, and can be read as text."),
        }
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(self.name())
    }
}
