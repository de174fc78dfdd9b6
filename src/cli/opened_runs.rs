//! The runs of folders, with their cells where a folder is a bench's.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::{fs, io};

use serde::Deserialize;

use crate::analysis::bench::cell::BenchCell;
use crate::engine::run_reader::RunReader;

use super::exit::{Failure, Status};
use super::runs_below;

/// The runs that folders hold, and the cells of the benches among them.
pub struct OpenedRuns {
    pub runs: Vec<RunReader>,
    /// By the folders of their runs, which are absolute.
    pub cells: BTreeMap<PathBuf, BenchCell>,
}

/// The plan of a bench, as far as it is needed to tell its cells from earlier ones.
#[derive(Debug, Deserialize)]
struct PlannedCells {
    cells: Vec<PlannedFolder>,
}

#[derive(Debug, Deserialize)]
struct PlannedFolder {
    folder: PathBuf,
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
            let plan = dir.join("bench.json");
            if !plan.is_file() {
                opened.runs.extend(runs_below::opened(std::slice::from_ref(dir))?);
                continue;
            }
            let planned: PlannedCells = serde_json::from_str(&read(&plan)?).map_err(|error| {
                Failure::usage(format!("{}: {error}: it is no plan of a bench", plan.display()))
            })?;
            let there = planned.cells.iter().map(|cell| dir.join(&cell.folder));
            let there: Vec<PathBuf> = there.filter(|folder| folder.join("run.json").is_file()).collect();
            if there.is_empty() {
                return Err(Failure::usage(format!(
                    "{}: no cell of this bench has run: `reprise bench` runs them",
                    dir.display()
                )));
            }
            opened.runs.extend(runs_below::opened(&there)?);
            let cells = dir.join("cells.jsonl");
            for (number, line) in (1..).zip(read(&cells)?.lines()) {
                let cell: BenchCell = serde_json::from_str(line).map_err(|error| {
                    Failure::usage(format!("{}, line {number}: {error}", cells.display()))
                })?;
                let folder =
                    std::path::absolute(dir.join(&cell.folder)).map_err(|error| failed(dir, &error))?;
                opened.cells.insert(folder, cell);
            }
        }
        Ok(opened)
    }
}

fn read(path: &Path) -> Result<String, Failure> {
    fs::read_to_string(path).map_err(|error| failed(path, &error))
}

fn failed(path: &Path, error: &io::Error) -> Failure {
    Failure::new(Status::Infrastructure, format!("{}: {error}", path.display()))
}
