//! The part of the caps on all cells that one cell was allotted by itself, as it is kept below the folder of a bench.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::cli::exit::Failure;
use crate::engine::atomic_file;
use crate::policy::limits::{Caps, Used};

/// The folder of these parts, below the bench's; each cell has a file by its id there.
const ALLOTMENTS: &str = "allotments";
const FORMAT: &str = "reprise-bench-allotment/1";
/// The largest file that is read, in bytes.
const LONGEST: u64 = 64 << 10;

/// The part of one cell.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AllotmentFile {
    pub format: String,
    pub cell: String,
    /// The number of the cell's claim that it is for: while another one holds, it says nothing.
    pub claim: u32,
    pub at: Timestamp,
    /// Caps on what the cell may come to, all its attempts together.
    pub allotted: Caps,
    /// Absent while the cell is at work, and of a process that was killed, whose claim tells that it is gone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub given_back: Option<GivenBack>,
}

/// The end of the work that a part was for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct GivenBack {
    pub at: Timestamp,
    #[serde(flatten)]
    pub found: MeasuredCell,
}

/// The amounts that a cell has come to, with the sizes by which another look tells that nothing was added.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct MeasuredCell {
    /// Of all its attempts.
    pub spent: Used,
    /// Bytes of the journal of each attempt.
    pub journals: Vec<u64>,
    /// Whether its last attempt is over.
    pub is_over: bool,
}

impl AllotmentFile {
    /// The part of a cell for one claim of it.
    pub fn new(cell: &str, claim: u32, at: Timestamp, allotted: Caps) -> Self {
        Self {
            format: FORMAT.to_owned(),
            cell: cell.to_owned(),
            claim,
            at,
            allotted,
            given_back: None,
        }
    }

    /// Reads the part of a cell; `None` of one that was never allotted one by itself.
    ///
    /// # Errors
    /// A file that is none of a part, or cannot be read.
    pub fn read(out: &Path, cell: &str) -> Result<Option<Self>, Failure> {
        let path = path(out, cell);
        let length = match fs::metadata(&path) {
            Ok(file) => file.len(),
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(Failure::at(&path, &error)),
        };
        if length > LONGEST {
            return Err(Failure::at(&path, &format!("it is larger than {LONGEST} bytes")));
        }
        let text = fs::read(&path).map_err(|error| Failure::at(&path, &error))?;
        let read: Self = serde_json::from_slice(&text).map_err(|error| {
            let way_out = "where no process works on the cell, remove it";
            Failure::at(
                &path,
                &format!("{error}; it is no part of [limits] that a cell was allotted: {way_out}"),
            )
        })?;
        match read.format == FORMAT {
            true => Ok(Some(read)),
            false => Err(Failure::at(
                &path,
                &format!("its format is {}, and not {FORMAT}", read.format),
            )),
        }
    }

    /// Writes it in the place of an earlier one.
    ///
    /// # Errors
    /// A folder that cannot be written.
    pub fn write(&self, out: &Path) -> Result<(), Failure> {
        let folder = out.join(ALLOTMENTS);
        fs::create_dir_all(&folder).map_err(|error| Failure::at(&folder, &error))?;
        let text = serde_json::to_vec_pretty(self).map_err(|error| Failure::at(&folder, &error))?;
        Ok(atomic_file::replace(&path(out, &self.cell), &text, &folder)?)
    }

    /// Gives back what the cell did not spend.
    ///
    /// # Errors
    /// A folder that cannot be written.
    pub fn give_back(mut self, out: &Path, at: Timestamp, found: MeasuredCell) -> Result<(), Failure> {
        self.given_back = Some(GivenBack { at, found });
        self.write(out)
    }
}

fn path(out: &Path, cell: &str) -> PathBuf {
    out.join(ALLOTMENTS).join(format!("{cell}.json"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_is_read_as_it_was_written_and_another_file_is_named() {
        let place = tempfile::tempdir().unwrap();
        let out = place.path();
        assert_eq!(AllotmentFile::read(out, "a").unwrap(), None);
        let caps = Caps {
            turns: Some(7),
            ..Caps::default()
        };
        let file = AllotmentFile::new("a", 2, Timestamp::UNIX_EPOCH, caps);
        file.write(out).unwrap();
        assert_eq!(AllotmentFile::read(out, "a").unwrap().as_ref(), Some(&file));
        let found = MeasuredCell {
            journals: vec![10, 20],
            is_over: true,
            ..MeasuredCell::default()
        };
        file.clone()
            .give_back(out, Timestamp::UNIX_EPOCH, found.clone())
            .unwrap();
        let back = AllotmentFile::read(out, "a").unwrap().unwrap();
        assert_eq!((back.given_back.unwrap().found, back.allotted), (found, caps));
        for text in ["{", r#"{"format":"reprise-bench-allotment/2"}"#] {
            fs::write(path(out, "a"), text).unwrap();
            let error = AllotmentFile::read(out, "a").unwrap_err();
            assert!(error.message.contains("allotments/a.json"), "{}", error.message);
        }
    }
}
