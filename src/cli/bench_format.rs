//! The formats of a bench's files: older ones are read, newer ones are refused and never overwritten.

use std::path::Path;
use std::{fs, io};

use serde::{Deserialize, Serialize};

use crate::analysis::bench::cell::BenchCell;
use crate::cli::bench_plan::BenchPlan;
use crate::cli::output::printable;

/// A format by its name, and the version that is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FileFormat {
    name: &'static str,
    version: u32,
}

/// Of `bench.json`. Files of before there were versions name none.
pub const PLAN_FORMAT: FileFormat = FileFormat {
    name: "reprise-bench-plan",
    version: 1,
};

/// Of each line of `cells.jsonl`.
pub const CELL_FORMAT: FileFormat = FileFormat {
    name: "reprise-bench-cell",
    version: 1,
};

/// A format that is not read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum FormatFault {
    #[error(
        "it is of the format {format}, which a later version of reprise wrote, and this one reads up to {own}: use that \
         version, or another folder"
    )]
    Newer { format: String, own: String },
    #[error("it is of the format `{format}`, where {own} is read: it is another file")]
    Another { format: String, own: String },
    #[error("`{0}` is not the id of a cell: an id has letters, digits, `-` and `_`")]
    NoId(String),
}

/// The format of a text, whatever else it holds.
#[derive(Deserialize)]
struct NamedFormat {
    #[serde(default)]
    format: Option<String>,
}

/// A value with the format that it is written in.
#[derive(Serialize)]
struct WithFormat<'a, T> {
    format: String,
    #[serde(flatten)]
    value: &'a T,
}

impl FileFormat {
    /// As it stands in a file.
    pub fn text(self) -> String {
        format!("{}/{}", self.name, self.version)
    }

    /// Refuses JSON of a newer format, or of another file's. What is no JSON is for whoever reads it.
    ///
    /// # Errors
    /// Such a format.
    pub fn check(self, text: &[u8]) -> Result<(), FormatFault> {
        let Ok(NamedFormat { format: Some(format) }) = serde_json::from_slice(text) else {
            return Ok(());
        };
        let version = format
            .strip_prefix(self.name)
            .and_then(|rest| rest.strip_prefix('/'));
        let own = self.text();
        match version.and_then(|version| version.parse::<u32>().ok()) {
            Some(version) if version <= self.version => Ok(()),
            Some(_) => Err(FormatFault::Newer { format, own }),
            None => Err(FormatFault::Another { format, own }),
        }
    }
}

/// Refuses the id of a cell that is no name of a file: files are named after it.
///
/// # Errors
/// Such an id.
pub fn check_id(id: &str) -> Result<(), FormatFault> {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_".contains(&byte);
    match !id.is_empty() && id.len() <= 128 && id.bytes().all(is_plain) {
        true => Ok(()),
        false => Err(FormatFault::NoId(printable(id))),
    }
}

/// The bytes of a file of a bench; a pipe or a device in its place is none.
///
/// # Errors
/// A file that is not there, is none, or cannot be read.
pub fn file_bytes(path: &Path) -> io::Result<Vec<u8>> {
    match fs::metadata(path)?.is_file() {
        true => fs::read(path),
        false => Err(io::Error::new(io::ErrorKind::InvalidInput, "it is not a file")),
    }
}

/// A line of `cells.jsonl`, without its end.
///
/// # Errors
/// A cell that JSON cannot hold.
pub fn cell_line(cell: &BenchCell) -> Result<String, serde_json::Error> {
    serde_json::to_string(&WithFormat {
        format: CELL_FORMAT.text(),
        value: cell,
    })
}

/// The text of `bench.json`.
///
/// # Errors
/// A plan that JSON cannot hold.
pub fn plan_text(plan: &BenchPlan) -> Result<String, serde_json::Error> {
    let text = serde_json::to_string_pretty(&WithFormat {
        format: PLAN_FORMAT.text(),
        value: plan,
    })?;
    Ok(text + "\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_lead_out_of_no_folder() {
        for id in ["0a1b2c", "cell-1_2"] {
            assert_eq!(check_id(id), Ok(()));
        }
        for id in ["", "..", "../../../X", "/etc", "a/b", "a.json", &"a".repeat(129)] {
            assert!(matches!(check_id(id), Err(FormatFault::NoId(_))), "{id}");
        }
    }

    #[test]
    fn a_newer_format_is_refused_and_an_older_one_is_not() {
        let check = |text: &str| PLAN_FORMAT.check(text.as_bytes());
        for read in [
            r#"{"name": "x"}"#,
            r#"{"format": "reprise-bench-plan/1"}"#,
            r#"{"format": "reprise-bench-plan/0"}"#,
            r#"{"format": null}"#,
            "no JSON",
            r#"{"format": 7}"#,
        ] {
            assert_eq!(check(read), Ok(()), "{read}");
        }
        for (refused, why) in [
            (
                r#"{"cells": 7, "format": "reprise-bench-plan/2"}"#,
                "a later version of reprise",
            ),
            (r#"{"format": "reprise-bench-cell/1"}"#, "it is another file"),
            (r#"{"format": "reprise-bench-plan/x"}"#, "it is another file"),
        ] {
            let error = check(refused).unwrap_err().to_string();
            assert!(error.contains(why), "{error}");
        }
    }
}
