//! The runs at the places that were named, each once.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::{BufRead as _, BufReader, Read as _};
use std::path::{Path, PathBuf};

use walkdir::{DirEntry, WalkDir};

use crate::domain::digest::Digest;
use crate::domain::ids::RunId;
use crate::domain::replication;
use crate::engine::folder::RunFolder;
use crate::engine::request::RunRequest;
use crate::grading::discovery::error::DiscoveryError;
use crate::scoring::aggregate::grading::GradedStage;

/// Folders below a named one that runs are looked for in.
const DEPTH: usize = 4;
/// Most bytes of a journal's first line that are compared.
const LONGEST: u64 = 16 << 20;

/// The runs that were found, in order, and what has to be said of the others.
#[derive(Debug, Default)]
pub struct DiscoveredRuns {
    pub folders: Vec<PathBuf>,
    pub problems: Vec<String>,
}

/// A run's id and beginning, by which it is told from others; copies have the same.
#[derive(Debug, Clone, PartialEq, Eq)]
struct RunIdentity {
    run: RunId,
    /// Digest of the journal's first line, which holds when it began: a batch
    /// names its runs by their place alone.
    begun: Option<Digest>,
}

impl RunIdentity {
    /// The identity of the run in a folder.
    fn new(folder: &RunFolder, request: &RunRequest) -> Self {
        let mut line = Vec::new();
        let read = File::open(folder.journal())
            .and_then(|file| BufReader::new(file).take(LONGEST).read_until(b'\n', &mut line));
        Self {
            run: request.run.clone(),
            begun: (read.is_ok() && !line.is_empty()).then(|| Digest::compute(&line)),
        }
    }

    fn is_same(&self, other: &Self) -> bool {
        let one_is_lost = self.begun.is_none() || other.begun.is_none();
        self.run == other.run && (one_is_lost || self.begun == other.begun)
    }
}

/// Runs of which none comes twice.
#[derive(Debug, Default)]
pub struct DistinctRuns {
    runs: Vec<(RunIdentity, PathBuf, u64)>,
}

impl DistinctRuns {
    /// Adds a run, unless it is there already. Of copies the one with the
    /// longest journal is kept; returns the place that gives way, with a line
    /// that names both.
    pub fn add(&mut self, path: &Path) -> Option<(PathBuf, String)> {
        let folder = RunFolder::at(path).ok()?;
        // What cannot be read is told by whoever scores it.
        let request = RunRequest::load(&folder.request()).ok()?;
        let identity = RunIdentity::new(&folder, &request);
        let length = std::fs::metadata(folder.journal()).map_or(0, |file| file.len());
        let Some(known) = self.runs.iter_mut().find(|(known, ..)| known.is_same(&identity)) else {
            self.runs.push((identity, path.to_owned(), length));
            return None;
        };
        let mut lost = path.to_owned();
        if length > known.2 {
            known.0 = identity;
            known.2 = length;
            std::mem::swap(&mut known.1, &mut lost);
        }
        let line = format!(
            "{} and {} hold the same run ({}): it counts once, as it is in {}.",
            known.1.display(),
            lost.display(),
            request.run,
            known.1.display()
        );
        Some((lost, line))
    }
}

/// The runs at the given places and below them.
///
/// # Errors
/// A place that holds none.
pub fn runs(dirs: &[PathBuf]) -> Result<DiscoveredRuns, DiscoveryError> {
    let mut found = DiscoveredRuns::default();
    let mut distinct = DistinctRuns::default();
    let mut places = BTreeSet::new();
    for dir in dirs {
        let (folders, deeper) = below(dir);
        if folders.is_empty() {
            return Err(none_in(dir));
        }
        if let Some(deeper) = deeper {
            found.problems.push(format!(
                "{} and what else lies deeper than {DEPTH} folders below {} was not looked into: name it to score its runs.",
                deeper.display(),
                dir.display()
            ));
        }
        for folder in folders {
            if !places.insert(std::fs::canonicalize(&folder).unwrap_or_else(|_| folder.clone())) {
                found.problems.push(format!(
                    "{} was named more than once: it counts once.",
                    folder.display()
                ));
                continue;
            }
            match distinct.add(&folder) {
                None => found.folders.push(folder),
                Some((lost, line)) => {
                    found.problems.push(line);
                    if let Some(place) = found.folders.iter_mut().find(|known| **known == lost) {
                        *place = folder;
                    }
                }
            }
        }
    }
    Ok(found)
}

/// The runs in a folder and below it, and the first folder too deep to be looked into.
fn below(dir: &Path) -> (Vec<PathBuf>, Option<PathBuf>) {
    let (mut runs, mut deeper) = (Vec::new(), None);
    // Hidden folders hold what programs keep for themselves.
    let is_shown =
        |entry: &DirEntry| entry.depth() == 0 || !entry.file_name().as_encoded_bytes().starts_with(b".");
    let walk = WalkDir::new(dir).max_depth(DEPTH + 1).sort_by_file_name();
    let mut walk = walk.into_iter().filter_entry(is_shown);
    while let Some(entry) = walk.next() {
        let Ok(entry) = entry else { continue };
        if !entry.file_type().is_dir() {
            continue;
        }
        if entry.path().join("run.json").is_file() {
            runs.push(entry.path().to_owned());
            walk.skip_current_dir();
        } else if entry.depth() > DEPTH {
            deeper.get_or_insert_with(|| entry.path().to_owned());
        }
    }
    (runs, deeper)
}

fn none_in(dir: &Path) -> DiscoveryError {
    let dir = dir.to_owned();
    match released_file(&dir) {
        Some(file) => DiscoveryError::ReleasedResults { dir, file },
        None => DiscoveryError::NoRun(dir),
    }
}

/// The first file below a folder that the released layout has.
fn released_file(dir: &Path) -> Option<String> {
    let is_released = |name: &str| {
        GradedStage::all().any(|stage| stage.file_name() == name)
            || replication::STAGES
                .into_iter()
                .any(|stage| replication::artifact(stage) == name)
            || (name.starts_with("execute") && name.ends_with(".log"))
            || (name.starts_with("merged_") && name.ends_with(".jsonl"))
            || name == "gold_set.json"
    };
    let walk = WalkDir::new(dir).max_depth(DEPTH + 2).sort_by_file_name();
    let files = walk.into_iter().filter_map(Result::ok);
    files
        .filter(|entry| entry.file_type().is_file())
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .find(|name| is_released(name))
}
