//! The runs that folders are or hold, such as those of a bench.

use std::path::{Path, PathBuf};

use walkdir::WalkDir;

use super::error::EngineError;
use super::run_reader::RunReader;

/// Folders below the one that is named, at most: `runs/BATCH/RUN`.
const DEPTH: usize = 3;
/// The file that makes a folder a run.
const REQUEST: &str = "run.json";

/// Whether a folder is a run itself.
fn is_run(path: &Path) -> bool {
    path.join(REQUEST).is_file()
}

/// Whether a path is a folder, and no run itself.
pub fn is_above_runs(path: &Path) -> bool {
    path.is_dir() && !is_run(path)
}

/// The runs below a folder, by name; a run's own folders are not looked into.
///
/// # Errors
/// A path that is no folder.
pub fn runs_below(dir: &Path) -> Result<Vec<PathBuf>, EngineError> {
    if !dir.is_dir() {
        return Err(EngineError::Unusable(format!(
            "{} is not a folder: name one that holds runs",
            dir.display()
        )));
    }
    let mut walk = WalkDir::new(dir).max_depth(DEPTH).sort_by_file_name().into_iter();
    let mut runs = Vec::new();
    while let Some(entry) = walk.next() {
        // What cannot be looked into holds no run of this person's.
        let Ok(entry) = entry else { continue };
        if entry.file_type().is_dir() && is_run(entry.path()) {
            runs.push(entry.path().to_owned());
            walk.skip_current_dir();
        }
    }
    Ok(runs)
}

/// Opens the runs that folders are or hold, in their order.
///
/// # Errors
/// A folder that is no run and holds none, or a run that cannot be read.
pub fn opened(dirs: &[PathBuf]) -> Result<Vec<RunReader>, EngineError> {
    let mut runs = Vec::new();
    for dir in dirs {
        let below = match is_above_runs(dir) {
            true => runs_below(dir)?,
            false => Vec::new(),
        };
        // A folder without runs is named as what it is not.
        let dirs = if below.is_empty() {
            vec![dir.clone()]
        } else {
            below
        };
        for dir in dirs {
            runs.push(RunReader::open(&dir)?);
        }
    }
    Ok(runs)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_are_found_below_and_not_within_one_another() {
        let folder = tempfile::tempdir().unwrap();
        for run in ["b", "a", "batch/one", "batch/two", "a/workspace/inner", "1/2/3/4"] {
            let path = folder.path().join(run);
            std::fs::create_dir_all(&path).unwrap();
            std::fs::write(path.join(REQUEST), "{}").unwrap();
        }
        std::fs::create_dir(folder.path().join("empty")).unwrap();
        let found = runs_below(folder.path()).unwrap();
        let names: Vec<_> = found
            .iter()
            .map(|path| path.strip_prefix(folder.path()).unwrap().to_str().unwrap())
            .collect();
        assert_eq!(names, ["a", "b", "batch/one", "batch/two"]);
        assert_eq!(
            runs_below(&folder.path().join("empty")).unwrap(),
            Vec::<PathBuf>::new()
        );
        assert!(runs_below(&folder.path().join("gone")).is_err());
    }
}
