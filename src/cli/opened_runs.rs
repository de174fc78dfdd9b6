//! The runs of folders, with their cells where a folder is a bench's.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

use crate::analysis::bench::cell::BenchCell;
use crate::engine::run_reader::RunReader;
use crate::engine::runs;

use super::bench_folder::BenchFolder;
use super::exit::{Failure, Status};

/// The runs that folders hold, and the cells of the benches among them.
pub struct OpenedRuns {
    pub runs: Vec<RunReader>,
    /// By the folders of their runs, which are absolute.
    pub cells: BTreeMap<PathBuf, BenchCell>,
}

impl OpenedRuns {
    /// Opens the runs that folders are or hold; of a bench those that are planned now.
    ///
    /// # Errors
    /// A folder without runs, or a file in it that cannot be read.
    pub fn new(dirs: &[PathBuf]) -> Result<Self, Failure> {
        let mut opened = Self {
            runs: Vec::new(),
            cells: BTreeMap::new(),
        };
        for dir in dirs {
            let bench = BenchFolder(dir);
            let Some(plan) = bench.plan()? else {
                opened.runs.extend(runs::opened(std::slice::from_ref(dir))?);
                continue;
            };
            let there = plan.cells.iter().map(|cell| dir.join(&cell.folder));
            let there: Vec<PathBuf> = there.filter(|folder| folder.join("run.json").is_file()).collect();
            if there.is_empty() {
                return Err(Failure::usage(format!(
                    "{}: no cell of this bench has run: `reprise bench` runs them",
                    dir.display()
                )));
            }
            opened.runs.extend(runs::opened(&there)?);
            let known = bench.known()?;
            if known.is_empty() {
                return Err(Failure::new(
                    Status::Infrastructure,
                    format!(
                        "{}: its cells are not summed up yet: `reprise bench` or `reprise bench collect` does so",
                        dir.display()
                    ),
                ));
            }
            for cell in known.into_values() {
                let folder =
                    std::path::absolute(dir.join(&cell.folder)).map_err(|error| failed(dir, &error))?;
                opened.cells.insert(folder, cell);
            }
        }
        Ok(opened)
    }
}

fn failed(path: &Path, error: &io::Error) -> Failure {
    Failure::new(Status::Infrastructure, format!("{}: {error}", path.display()))
}
