//! The results of a bench on disk: `bench.json`, `cells.jsonl` and the page.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::{fs, io};

use serde::{Deserialize, Serialize};

use crate::analysis::bench::audit::AuditedTask;
use crate::analysis::bench::cell::{BenchCell, CellResult, TaskKind};
use crate::cli::exit::{Failure, Status};
use crate::cli::runs_at_once::run_row::RunRow;
use crate::domain::verdict::Outcome;
use crate::engine::atomic_file;
use crate::policy::scope::Scope;
use crate::report::bench::page::{self, Links};

const PLAN: &str = "bench.json";
const CELLS: &str = "cells.jsonl";
const PAGE: &str = "index.html";
const AUDIT: &str = "audit.json";
const AUDIT_FORMAT: &str = "reprise-bench-audit/1";

/// An audit as it is written.
#[derive(Debug, Serialize, Deserialize)]
struct WrittenAudit {
    format: String,
    tasks: Vec<AuditedTask>,
}

/// The cells of a bench file, as they were last planned.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct BenchPlan {
    pub name: String,
    pub version: String,
    pub cells: Vec<CellPlan>,
}

/// A cell of the plan.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CellPlan {
    pub cell: String,
    pub kind: TaskKind,
    pub task: String,
    pub agent: String,
    pub arm: BTreeMap<String, String>,
    pub repeat: u32,
    /// Counted from 1.
    #[serde(default = "first")]
    pub attempt: u32,
    /// Relative to the bench's folder.
    pub folder: PathBuf,
    /// What was asked for besides, as options of a run.
    pub options: Vec<String>,
}

fn first() -> u32 {
    1
}

/// What a cell is told by.
pub fn cell_name(task: &str, agent: &str, arm: &BTreeMap<String, String>, repeat: u32) -> String {
    let repeat = format!("r{repeat}");
    let mut parts = vec![task, agent];
    parts.extend(arm.values().map(String::as_str));
    parts.push(&repeat);
    parts.join(" ")
}

impl CellPlan {
    /// What it is told by.
    pub fn name(&self) -> String {
        cell_name(&self.task, &self.agent, &self.arm, self.repeat)
    }

    /// Its last attempt on disk, below the folder of the bench; as planned where there is none.
    pub fn last_attempt(mut self, out: &Path) -> Self {
        let base = self.folder.to_string_lossy().into_owned();
        let base = match self.attempt {
            1 => base,
            attempt => base
                .strip_suffix(&format!(".{attempt}"))
                .unwrap_or(&base)
                .to_owned(),
        };
        loop {
            let next = PathBuf::from(format!("{base}.{}", self.attempt.saturating_add(1)));
            if !out.join(&next).join("run.json").exists() {
                return self;
            }
            self.attempt = self.attempt.saturating_add(1);
            self.folder = next;
        }
    }

    /// The plan of a cell whose run is known.
    pub fn of_cell(cell: &BenchCell) -> Self {
        Self {
            cell: cell.cell.clone(),
            kind: cell.kind,
            task: cell.task.clone(),
            agent: cell.agent.clone(),
            arm: cell.arm.clone(),
            repeat: cell.repeat,
            attempt: cell.attempt,
            folder: cell.folder.clone(),
            options: Vec::new(),
        }
    }

    /// The cell with what came of its run.
    pub fn with(self, row: &RunRow) -> BenchCell {
        let result = Self::result(row);
        BenchCell {
            cell: self.cell,
            kind: self.kind,
            task: self.task,
            agent: self.agent,
            arm: self.arm,
            repeat: self.repeat,
            attempt: self.attempt,
            folder: self.folder,
            words: Self::words(row, result),
            result,
            score: row.score,
            tokens: row.usage.total(),
            cost: row.money,
            seconds: (row.clocks.wall_ms > 0).then(|| row.clocks.working_ms as f64 / 1e3),
        }
    }

    /// How a run counts.
    pub fn result(row: &RunRow) -> CellResult {
        result(row)
    }

    /// A result in words.
    pub fn words(row: &RunRow, result: CellResult) -> String {
        words(row, result)
    }
}

/// How a run counts.
fn result(row: &RunRow) -> CellResult {
    let is = |status: Status| row.exit_code == status.code();
    // A cap on all cells together is no agent's doing.
    let is_of_all = || {
        let all = Scope::Batch.to_string();
        row.detail.as_ref().is_some_and(|detail| detail.contains(&all))
    };
    if is(Status::StageFailed) || (is(Status::Limit) && !is_of_all()) {
        return CellResult::Failed;
    }
    if !is(Status::Done) {
        return CellResult::Unscored;
    }
    match (row.score, row.verdict) {
        (Some(score), _) if score >= 1.0 => CellResult::Solved,
        (Some(_), _) => CellResult::NotSolved,
        (None, Some(Outcome::Met)) => CellResult::Met,
        (None, Some(Outcome::Unmet)) => CellResult::Unmet,
        (None, Some(Outcome::Inconclusive | Outcome::NotComparable)) => CellResult::Inconclusive,
        (None, None) => CellResult::Unscored,
    }
}

fn words(row: &RunRow, result: CellResult) -> String {
    match (result, row.score, row.verdict, &row.detail) {
        (CellResult::Solved | CellResult::NotSolved, Some(score), _, _) => format!("score {score:.3}"),
        (CellResult::Met | CellResult::Unmet | CellResult::Inconclusive, _, Some(verdict), _) => {
            verdict.to_string()
        }
        (_, _, _, Some(detail)) => detail.clone(),
        _ => row.status.to_owned(),
    }
}

/// The folder of a bench where none is named: the file's name without its ending, where the program
/// was called.
pub fn default_out(path: &Path) -> PathBuf {
    path.file_stem().map_or_else(|| "bench".into(), PathBuf::from)
}

/// The folder of a bench.
pub struct BenchFolder<'a>(pub &'a Path);

impl BenchFolder<'_> {
    /// Refuses a folder that another bench stands in, or something else.
    ///
    /// # Errors
    /// Such a folder, or one that cannot be read.
    pub fn claim(&self, name: &str) -> Result<(), Failure> {
        let path = self.0.join(PLAN);
        let other = |what: String| {
            Err(Failure::usage(format!(
                "{} holds {what}: choose another --out",
                self.0.display()
            )))
        };
        match fs::read_to_string(&path) {
            Ok(text) => match serde_json::from_str::<BenchPlan>(&text) {
                Ok(plan) if plan.name == name => Ok(()),
                Ok(plan) => other(format!("the bench `{}`", plan.name)),
                Err(error) => other(format!("a {PLAN} that is none of a bench ({error})")),
            },
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                let is_used = fs::read_dir(self.0).is_ok_and(|mut entries| entries.next().is_some());
                if is_used {
                    other("other files".to_owned())
                } else {
                    Ok(())
                }
            }
            Err(error) => Err(failed(&path, &error)),
        }
    }

    /// The plan, as it was last written; `None` where there is none.
    ///
    /// # Errors
    /// A file that is no plan.
    pub fn plan(&self) -> Result<Option<BenchPlan>, Failure> {
        let path = self.0.join(PLAN);
        match fs::read(&path) {
            Ok(text) => serde_json::from_slice(&text)
                .map(Some)
                .map_err(|error| failed(&path, &error)),
            Err(error)
                if matches!(
                    error.kind(),
                    io::ErrorKind::NotFound | io::ErrorKind::NotADirectory
                ) =>
            {
                Ok(None)
            }
            Err(error) => Err(failed(&path, &error)),
        }
    }

    /// Writes the plan.
    ///
    /// # Errors
    /// A folder that cannot be written.
    pub fn write_plan(&self, plan: &BenchPlan) -> Result<(), Failure> {
        fs::create_dir_all(self.0).map_err(|error| failed(self.0, &error))?;
        let text = serde_json::to_string_pretty(plan).map_err(|error| failed(self.0, &error))?;
        self.replace(PLAN, &(text + "\n"))
    }

    /// Writes what came of cells beside what is known of others, and the page of those that are
    /// planned now; returns these.
    ///
    /// # Errors
    /// A file that cannot be written, or a former one that cannot be read.
    pub fn write(&self, plan: &BenchPlan, results: Vec<BenchCell>) -> Result<Vec<BenchCell>, Failure> {
        let mut cells = self.read()?;
        for result in results {
            cells.insert(result.cell.clone(), result);
        }
        let mut lines = String::new();
        for cell in cells.values() {
            lines += &serde_json::to_string(cell).map_err(|error| failed(self.0, &error))?;
            lines.push('\n');
        }
        self.replace(CELLS, &lines)?;
        let planned = plan.cells.iter();
        let known: Vec<_> = planned.filter_map(|cell| cells.remove(&cell.cell)).collect();
        let page = page::render(&plan.name, plan.cells.len(), &known, &self.audit()?, Links::Runs)
            .map_err(|error| failed(&self.0.join(PAGE), &error))?;
        self.replace(PAGE, &page)?;
        Ok(known)
    }

    /// Makes the folder a bench's, where it is none.
    ///
    /// # Errors
    /// A folder that cannot be written.
    pub fn write_name(&self, name: &str) -> Result<(), Failure> {
        if self.0.join(PLAN).exists() {
            return Ok(());
        }
        self.write_plan(&BenchPlan {
            name: name.to_owned(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            cells: Vec::new(),
        })
    }

    /// Writes what an audit found.
    ///
    /// # Errors
    /// A folder that cannot be written.
    pub fn write_audit(&self, tasks: &[AuditedTask]) -> Result<(), Failure> {
        let found = WrittenAudit {
            format: AUDIT_FORMAT.to_owned(),
            tasks: tasks.to_vec(),
        };
        let text = serde_json::to_string_pretty(&found).map_err(|error| failed(self.0, &error))?;
        self.replace(AUDIT, &(text + "\n"))
    }

    /// What the last audit found; nothing where there was none.
    ///
    /// # Errors
    /// A file that is none of an audit.
    pub fn audit(&self) -> Result<Vec<AuditedTask>, Failure> {
        let path = self.0.join(AUDIT);
        let text = match fs::read_to_string(&path) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(error) => return Err(failed(&path, &error)),
        };
        let found: WrittenAudit = serde_json::from_str(&text).map_err(|error| {
            Failure::usage(format!(
                "{}: {error}: `reprise bench audit` writes it anew",
                path.display()
            ))
        })?;
        Ok(found.tasks)
    }

    /// The cells that were ever run there, by their ids.
    ///
    /// # Errors
    /// A former file that cannot be read.
    pub fn known(&self) -> Result<BTreeMap<String, BenchCell>, Failure> {
        self.read()
    }

    /// The plan of a folder that has to be a bench's.
    ///
    /// # Errors
    /// A folder that is none.
    pub fn own_plan(&self) -> Result<BenchPlan, Failure> {
        self.plan()?.ok_or_else(|| {
            let path = self.0.join(PLAN);
            Failure::usage(format!(
                "{} is not there: name the folder of a bench",
                path.display()
            ))
        })
    }

    /// The known cells of the last plan; all where none is planned.
    ///
    /// # Errors
    /// A folder that is no bench's, or a file that cannot be read.
    pub fn current(&self) -> Result<Vec<BenchCell>, Failure> {
        let plan = self.own_plan()?;
        let mut known = self.read()?;
        if plan.cells.is_empty() {
            return Ok(known.into_values().collect());
        }
        let planned = plan.cells.iter();
        Ok(planned.filter_map(|cell| known.remove(&cell.cell)).collect())
    }

    /// The page.
    pub fn page(&self) -> PathBuf {
        self.0.join(PAGE)
    }

    fn read(&self) -> Result<BTreeMap<String, BenchCell>, Failure> {
        let path = self.0.join(CELLS);
        let text = match fs::read_to_string(&path) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(BTreeMap::new()),
            Err(error) => return Err(failed(&path, &error)),
        };
        let cells = text.lines().enumerate().map(|(number, line)| {
            let cell: BenchCell = serde_json::from_str(line).map_err(|error| {
                let path = path.display();
                Failure::usage(format!(
                    "{path}, line {}: {error}; remove the file, and the runs are read again",
                    number + 1
                ))
            })?;
            Ok((cell.cell.clone(), cell))
        });
        cells.collect()
    }

    /// A file whole or as it was.
    fn replace(&self, name: &str, text: &str) -> Result<(), Failure> {
        let path = self.0.join(name);
        Ok(atomic_file::replace(&path, text.as_bytes(), self.0)?)
    }
}

fn failed(path: &Path, error: &dyn std::fmt::Display) -> Failure {
    Failure::new(Status::Infrastructure, format!("{}: {error}", path.display()))
}
