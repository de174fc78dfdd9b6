//! Submissions of cells to a cluster, as they are kept below the folder of a bench.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::slurm::shape::SlurmShape;
use crate::cli::exit::Failure;
use crate::domain::digest::Digest;
use crate::engine::atomic_file;
use crate::policy::limits::Caps;

/// The folder of submissions, below the bench's; each has a folder by its number there.
pub const SUBMISSIONS: &str = "submissions";
const FILE: &str = "submission.json";
const FORMAT: &str = "reprise-bench-submission/1";
/// The largest submission that is read, in bytes.
const LONGEST: u64 = 64 << 20;

/// Cells that were handed to a cluster together.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Submission {
    pub format: String,
    /// Counted from 1.
    pub number: u32,
    pub at: Timestamp,
    pub arrays: Vec<SubmittedArray>,
}

/// An array of jobs of one shape, a task for each cell.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SubmittedArray {
    /// The name of its jobs, which no other array of this user has.
    pub name: String,
    /// Its folder, relative to the bench's, with its script and its logs.
    pub folder: PathBuf,
    pub shape: SlurmShape,
    /// In the order of its tasks.
    pub cells: Vec<SubmittedCell>,
}

/// A cell of an array.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SubmittedCell {
    pub cell: String,
    /// Caps on what it may come to, all its attempts together.
    #[serde(default)]
    pub allotted: Caps,
}

/// A cell among submissions: the last one that it is part of.
#[derive(Debug, Clone, Copy)]
pub struct LastSubmission<'a> {
    pub submission: &'a Submission,
    pub array: &'a SubmittedArray,
    /// The task of the array.
    pub task: usize,
    pub cell: &'a SubmittedCell,
}

/// The submissions of a bench, by their numbers.
#[derive(Debug, Default)]
pub struct Submissions(Vec<Submission>);

impl Submissions {
    /// Reads those of a bench; none where nothing was submitted.
    ///
    /// # Errors
    /// A file that is none of a submission, or cannot be read.
    pub fn read(out: &Path) -> Result<Self, Failure> {
        let folder = out.join(SUBMISSIONS);
        let entries = match fs::read_dir(&folder) {
            Ok(entries) => entries,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Self::default()),
            Err(error) => return Err(Failure::at(&folder, &error)),
        };
        let mut all = Vec::new();
        for entry in entries.flatten() {
            let number = entry
                .file_name()
                .to_str()
                .and_then(|name| name.parse::<u32>().ok());
            let path = entry.path().join(FILE);
            // One that was never written whole was never submitted.
            if number.is_some() && path.exists() {
                all.push(Submission::read(&path)?);
            }
        }
        all.sort_by_key(|submission: &Submission| submission.number);
        Ok(Self(all))
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Every array.
    pub fn arrays(&self) -> impl Iterator<Item = &SubmittedArray> {
        self.0.iter().flat_map(|submission| &submission.arrays)
    }

    /// The last submission of a cell.
    pub fn last_of(&self, cell: &str) -> Option<LastSubmission<'_>> {
        self.0.iter().rev().find_map(|submission| {
            submission.arrays.iter().find_map(|array| {
                let task = array.cells.iter().position(|one| one.cell == cell)?;
                Some(LastSubmission {
                    submission,
                    array,
                    task,
                    cell: &array.cells[task],
                })
            })
        })
    }
}

impl Submission {
    /// A submission with the next free number, whose folder is made.
    ///
    /// # Errors
    /// A folder that cannot be written.
    pub fn begin(out: &Path, at: Timestamp) -> Result<Self, Failure> {
        let folder = out.join(SUBMISSIONS);
        fs::create_dir_all(&folder).map_err(|error| Failure::at(&folder, &error))?;
        for number in 1..u32::MAX {
            let own = folder.join(format!("{number:04}"));
            match fs::create_dir(&own) {
                Ok(()) => {
                    return Ok(Self {
                        format: FORMAT.to_owned(),
                        number,
                        at,
                        arrays: Vec::new(),
                    });
                }
                Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
                Err(error) => return Err(Failure::at(&own, &error)),
            }
        }
        Err(Failure::at(&folder, &"no number is free"))
    }

    /// A submission that is told of and not made.
    pub fn not_kept(at: Timestamp) -> Self {
        Self {
            format: FORMAT.to_owned(),
            number: 0,
            at,
            arrays: Vec::new(),
        }
    }

    /// The folder of one of its arrays, counted from 1, relative to the bench's.
    pub fn array_folder(&self, array: usize) -> PathBuf {
        Path::new(SUBMISSIONS)
            .join(format!("{:04}", self.number))
            .join(format!("array-{array}"))
    }

    /// Writes it, before anything of it is handed over; one without arrays is taken back.
    ///
    /// # Errors
    /// A folder that cannot be written.
    pub fn write(&self, out: &Path) -> Result<(), Failure> {
        let folder = out.join(SUBMISSIONS).join(format!("{:04}", self.number));
        if self.arrays.is_empty() {
            let path = folder.join(FILE);
            return fs::remove_file(&path).map_err(|error| Failure::at(&path, &error));
        }
        let text = serde_json::to_vec_pretty(self).map_err(|error| Failure::at(&folder, &error))?;
        Ok(atomic_file::replace(&folder.join(FILE), &text, &folder)?)
    }

    fn read(path: &Path) -> Result<Self, Failure> {
        let length = fs::metadata(path)
            .map_err(|error| Failure::at(path, &error))?
            .len();
        if length > LONGEST {
            return Err(Failure::at(path, &format!("it is larger than {LONGEST} bytes")));
        }
        let text = fs::read(path).map_err(|error| Failure::at(path, &error))?;
        let read: Self = serde_json::from_slice(&text)
            .map_err(|error| Failure::at(path, &format!("{error}; it is none of a submission")))?;
        match read.format == FORMAT {
            true => Ok(read),
            false => Err(Failure::at(
                path,
                &format!("its format is {}, and not {FORMAT}", read.format),
            )),
        }
    }
}

/// The beginning of the names of a bench's jobs: of the place of its results, so that two benches
/// never take the jobs of one another for theirs.
pub fn job_prefix(out: &Path) -> String {
    let place = out.canonicalize().unwrap_or_else(|_| out.to_owned());
    format!(
        "reprise-{}-",
        Digest::compute(place.as_os_str().as_encoded_bytes()).short()
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_submission_of_a_cell_counts() {
        let place = tempfile::tempdir().unwrap();
        assert!(Submissions::read(place.path()).unwrap().is_empty());
        for cells in [vec!["a", "b"], vec!["b"]] {
            let mut submission = Submission::begin(place.path(), Timestamp::UNIX_EPOCH).unwrap();
            submission.arrays.push(SubmittedArray {
                name: format!("reprise-x-{}-1", submission.number),
                folder: submission.array_folder(1),
                shape: SlurmShape::default(),
                cells: cells
                    .iter()
                    .map(|cell| SubmittedCell {
                        cell: (*cell).to_owned(),
                        allotted: Caps::default(),
                    })
                    .collect(),
            });
            submission.write(place.path()).unwrap();
        }
        // One that broke off before it was written.
        Submission::begin(place.path(), Timestamp::UNIX_EPOCH).unwrap();
        let all = Submissions::read(place.path()).unwrap();
        let last = |cell| all.last_of(cell).map(|last| (last.submission.number, last.task));
        assert_eq!(
            (last("a"), last("b"), last("c")),
            (Some((1, 0)), Some((2, 0)), None)
        );
        assert_eq!(all.arrays().count(), 2);
        let path = place.path().join("submissions/0002").join(FILE);
        fs::write(&path, "{").unwrap();
        let error = Submissions::read(place.path()).unwrap_err();
        assert!(
            error.message.contains("0002/submission.json"),
            "{}",
            error.message
        );
    }
}
