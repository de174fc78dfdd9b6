//! The results of a bench on disk: `bench.json`, `cells.jsonl`, `reviews.jsonl` and the page.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::{fs, io};

use serde::de::IgnoredAny;
use serde::{Deserialize, Serialize};

use crate::analysis::bench::audit::AuditedTask;
use crate::analysis::bench::cell::{BenchCell, CellResult};
use crate::analysis::bench::judge_audit::AuditedJudge;
use crate::analysis::bench::reviews::ReviewedCell;
use crate::cli::bench_format::{
    CELL_FORMAT, FormatFault, PLAN_FORMAT, cell_line, check_id, file_bytes, plan_text,
};
#[cfg(feature = "columnar")]
use crate::cli::bench_parquet;
use crate::cli::bench_plan::BenchPlan;
use crate::cli::bench_results::BenchResults;
use crate::cli::exit::Failure;
use crate::engine::atomic_file;
use crate::report::bench::page::{BenchPage, Links};

const PLAN: &str = "bench.json";
const CELLS: &str = "cells.jsonl";
#[cfg(feature = "columnar")]
const PARQUET: &str = "cells.parquet";
const PAGE: &str = "index.html";
const REVIEWS: &str = "reviews.jsonl";
const AUDIT: &str = "audit.json";
const AUDIT_FORMAT: &str = "reprise-bench-audit/1";

/// An audit as it is written.
#[derive(Debug, Serialize, Deserialize)]
struct WrittenAudit {
    format: String,
    tasks: Vec<AuditedTask>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    judges: Vec<AuditedJudge>,
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
        match file_bytes(&path) {
            Ok(text) => match self.parsed_plan(&text)? {
                Ok(plan) if plan.name == name => Ok(()),
                Ok(plan) => other(format!("the bench `{}`", plan.name)),
                Err(error) => Err(Failure::usage(format!(
                    "{}: {error}: it is no plan of a bench, or was cut off; remove it, and the same command writes it anew",
                    path.display()
                ))),
            },
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                let is_used = fs::read_dir(self.0).is_ok_and(|mut entries| entries.next().is_some());
                // A bench whose plan was lost is taken up by its file.
                if is_used && !self.0.join(CELLS).is_file() {
                    other("other files".to_owned())
                } else {
                    Ok(())
                }
            }
            Err(error) => Err(Failure::at(&path, &error)),
        }
    }

    /// The plan, as it was last written; `None` where there is none.
    ///
    /// # Errors
    /// A file that is no plan.
    pub fn plan(&self) -> Result<Option<BenchPlan>, Failure> {
        let path = self.0.join(PLAN);
        match file_bytes(&path) {
            Ok(text) => self
                .parsed_plan(&text)?
                .map(Some)
                .map_err(|error| Failure::at(&path, &error)),
            Err(error)
                if matches!(
                    error.kind(),
                    io::ErrorKind::NotFound | io::ErrorKind::NotADirectory
                ) =>
            {
                Ok(None)
            }
            Err(error) => Err(Failure::at(&path, &error)),
        }
    }

    /// The plan in a text, or why it is none.
    ///
    /// # Errors
    /// A newer format.
    fn parsed_plan(&self, text: &[u8]) -> Result<serde_json::Result<BenchPlan>, Failure> {
        let refused =
            |fault: FormatFault| Failure::usage(format!("{}: {fault}", self.0.join(PLAN).display()));
        PLAN_FORMAT.check(text).map_err(refused)?;
        let plan: serde_json::Result<BenchPlan> = serde_json::from_slice(text);
        for planned in plan.iter().flat_map(|plan| &plan.cells) {
            check_id(&planned.cell).map_err(refused)?;
        }
        Ok(plan)
    }

    /// Writes the plan.
    ///
    /// # Errors
    /// A folder that cannot be written.
    pub fn write_plan(&self, plan: &BenchPlan) -> Result<(), Failure> {
        fs::create_dir_all(self.0).map_err(|error| Failure::at(self.0, &error))?;
        let text = plan_text(plan).map_err(|error| Failure::at(self.0, &error))?;
        self.replace(PLAN, &text)
    }

    /// Writes what came of cells beside what is known of others, and the page of those that are
    /// planned now; returns these. Of the others, those whose runs are no longer there are marked as gone.
    ///
    /// # Errors
    /// A file that cannot be written, or a former one that cannot be read.
    pub fn write(&self, plan: &BenchPlan, results: Vec<BenchCell>) -> Result<BenchResults, Failure> {
        let mut cells = self.read()?;
        let read_now: BTreeSet<&str> = results.iter().map(|cell| cell.cell.as_str()).collect();
        for planned in plan
            .cells
            .iter()
            .filter(|cell| !read_now.contains(cell.cell.as_str()))
        {
            if let Some(cell) = cells.get_mut(&planned.cell) {
                cell.gone = self.is_gone(cell, &cell.folder);
            }
        }
        for result in results {
            cells.insert(result.cell.clone(), result);
        }
        let mut lines = String::new();
        for cell in cells.values() {
            lines += &cell_line(cell).map_err(|error| Failure::at(self.0, &error))?;
            lines.push('\n');
        }
        self.replace(CELLS, &lines)?;
        #[cfg(feature = "columnar")]
        {
            let all: Vec<&BenchCell> = cells.values().filter(|cell| !cell.gone).collect();
            let bytes = bench_parquet::cells(&all).map_err(|error| Failure::at(self.0, &error))?;
            atomic_file::replace(&self.0.join(PARQUET), &bytes, self.0)?;
        }
        let results = BenchResults::new(plan, cells, &self.audit()?);
        self.write_page(plan, &results)?;
        Ok(results)
    }

    /// Whether a cell that counted has no run in a folder any longer. One that never began has none either, and counts
    /// nowhere.
    pub fn is_gone(&self, known: &BenchCell, folder: &Path) -> bool {
        known.result != CellResult::Unscored && !self.0.join(folder).join("run.json").is_file()
    }

    /// What is known of the planned cells; of all where none is planned.
    ///
    /// # Errors
    /// A file that cannot be read.
    pub fn results(&self, plan: &BenchPlan) -> Result<BenchResults, Failure> {
        let cells = self.read()?;
        if plan.cells.is_empty() {
            let (gone, known) = cells.into_values().partition(|cell| cell.gone);
            return Ok(BenchResults {
                known,
                gone,
                quarantined: BTreeMap::new(),
            });
        }
        Ok(BenchResults::new(plan, cells, &self.audit()?))
    }

    /// Writes the page of these cells, with what audits and reviews say of them.
    ///
    /// # Errors
    /// A file that cannot be written, or a former one that cannot be read.
    pub fn write_page(&self, plan: &BenchPlan, results: &BenchResults) -> Result<(), Failure> {
        let (audit, judges) = (self.audit()?, self.audited_judges()?);
        let reviews = self.reviews_of(&results.known)?;
        let page = BenchPage {
            name: &plan.name,
            planned: plan.cells.len(),
            cells: &results.known,
            audit: &audit,
            quarantined: &results.quarantined,
            gone: &results.gone,
            judges: &judges,
            reviews: &reviews,
            links: Links::Runs,
        };
        let page = page
            .render()
            .map_err(|error| Failure::at(&self.0.join(PAGE), &error))?;
        self.replace(PAGE, &page)
    }

    /// The reviews of these cells.
    ///
    /// # Errors
    /// A file that is none of reviews.
    pub fn reviews_of(&self, cells: &[BenchCell]) -> Result<Vec<ReviewedCell>, Failure> {
        let known: BTreeSet<&str> = cells.iter().map(|cell| cell.cell.as_str()).collect();
        let mut reviews = self.reviews()?;
        reviews.retain(|review| known.contains(review.cell.as_str()));
        Ok(reviews)
    }

    /// Writes reviews beside those that are known; a later one of a cell by the same judge takes the
    /// place of an earlier one.
    ///
    /// # Errors
    /// A file that cannot be written, or a former one that cannot be read.
    pub fn add_reviews(&self, added: Vec<ReviewedCell>) -> Result<(), Failure> {
        let mut all = BTreeMap::new();
        for review in self.reviews()?.into_iter().chain(added) {
            all.insert((review.cell.clone(), review.judge.clone()), review);
        }
        let mut lines = String::new();
        for review in all.values() {
            lines += &serde_json::to_string(review).map_err(|error| Failure::at(self.0, &error))?;
            lines.push('\n');
        }
        self.replace(REVIEWS, &lines)
    }

    fn reviews(&self) -> Result<Vec<ReviewedCell>, Failure> {
        let path = self.0.join(REVIEWS);
        let text = match fs::read_to_string(&path) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(error) => return Err(Failure::at(&path, &error)),
        };
        let lines = text.lines().enumerate().map(|(number, line)| {
            serde_json::from_str(line).map_err(|error| {
                Failure::usage(format!(
                    "{}, line {}: {error}; remove the file, and `reprise score review` writes it anew",
                    path.display(),
                    number + 1
                ))
            })
        });
        lines.collect()
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
            divided: None,
        })
    }

    /// Writes what an audit found.
    ///
    /// # Errors
    /// A folder that cannot be written.
    pub fn write_audit(&self, tasks: &[AuditedTask], judges: &[AuditedJudge]) -> Result<(), Failure> {
        let found = WrittenAudit {
            format: AUDIT_FORMAT.to_owned(),
            tasks: tasks.to_vec(),
            judges: judges.to_vec(),
        };
        let text = serde_json::to_string_pretty(&found).map_err(|error| Failure::at(self.0, &error))?;
        self.replace(AUDIT, &(text + "\n"))
    }

    /// What the last audit found of tasks; nothing where there was none.
    ///
    /// # Errors
    /// A file that is none of an audit.
    pub fn audit(&self) -> Result<Vec<AuditedTask>, Failure> {
        Ok(self.written_audit()?.map_or_else(Vec::new, |found| found.tasks))
    }

    /// What the last audit found of judges; nothing where none was tried.
    ///
    /// # Errors
    /// A file that is none of an audit.
    pub fn audited_judges(&self) -> Result<Vec<AuditedJudge>, Failure> {
        Ok(self.written_audit()?.map_or_else(Vec::new, |found| found.judges))
    }

    fn written_audit(&self) -> Result<Option<WrittenAudit>, Failure> {
        let path = self.0.join(AUDIT);
        let text = match fs::read_to_string(&path) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(Failure::at(&path, &error)),
        };
        let found = serde_json::from_str(&text).map_err(|error| {
            Failure::usage(format!(
                "{}: {error}: `reprise bench audit` writes it anew",
                path.display()
            ))
        })?;
        Ok(Some(found))
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

    /// The known cells of the last plan that count; of all where none is planned.
    ///
    /// # Errors
    /// A folder that is no bench's, or a file that cannot be read.
    pub fn current(&self) -> Result<Vec<BenchCell>, Failure> {
        Ok(self.results(&self.own_plan()?)?.known)
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
            Err(error) => return Err(Failure::at(&path, &error)),
        };
        // A last line that was cut off is of a cell whose run is read again.
        let (whole, last) = text.rsplit_once('\n').unwrap_or(("", &text));
        let lines = match serde_json::from_str::<IgnoredAny>(last) {
            Ok(_) => &text,
            Err(_) => whole,
        };
        let cells = lines.lines().enumerate().map(|(number, line)| {
            let refused = |fault: &dyn std::fmt::Display| {
                Failure::usage(format!("{}, line {}: {fault}", path.display(), number + 1))
            };
            CELL_FORMAT
                .check(line.as_bytes())
                .map_err(|fault| refused(&fault))?;
            let cell: BenchCell = serde_json::from_str(line).map_err(|error| {
                refused(&format!("{error}; remove the file, and the runs are read again"))
            })?;
            check_id(&cell.cell).map_err(|fault| refused(&fault))?;
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
