//! The copy of the workspace that a program works on, laid out anew for each start.

use std::fs;
use std::path::{Path, PathBuf};

use tokio_util::sync::CancellationToken;
use walkdir::WalkDir;

use super::facts_file::{self, DataFacts};
use super::shown_file::show;
use crate::documents::helper::Helper;
use crate::documents::limits::Limits;
use crate::domain::workspace_path::WorkspacePath;
use crate::effects::analyse::file_copy;
use crate::effects::analyse::workspace_files::stopped_or_io;
use crate::effects::lasting::workspace::{HOME, PYTHON_HOME, make_folders};
use crate::engine::error::EngineError;
use crate::run::program::DataReach;
use crate::sandbox::removal;
use crate::study::layout::{DATA, PAPER};

/// The folder of a session's exchange.
pub const EXCHANGE: &str = "logs/shell";
/// The paper's text, beside the paper.
const PAPER_TEXT: &str = "original_paper.txt";

/// The wish for a copy.
#[derive(Debug, Clone)]
pub struct CopyOrder {
    /// The run's workspace.
    pub workspace: PathBuf,
    /// Where the copy is to stand.
    pub target: PathBuf,
    pub reach: DataReach,
    /// The name of the plan, where the stage may mend it.
    pub plan: Option<String>,
    /// Columns whose values may be shown although they are likely personal.
    pub shown_columns: Vec<String>,
    pub documents: Helper,
}

impl CopyOrder {
    /// Lays the copy out, in the place of one that was there.
    ///
    /// # Errors
    /// A file that cannot be read or written; [`EngineError::Stopped`] where `cancel` came first.
    pub fn lay_out(&self, cancel: &CancellationToken) -> Result<(), EngineError> {
        let target = &self.target;
        removal::remove(target).map_err(|error| EngineError::io(target, error))?;
        fs::create_dir_all(target).map_err(|error| EngineError::io(target, error))?;
        for entry in read_folder(&self.workspace)? {
            let name = entry.file_name().to_string_lossy().into_owned();
            let kind = entry
                .file_type()
                .map_err(|error| EngineError::io(&entry.path(), error))?;
            if kind.is_file() {
                show(&entry.path(), &target.join(&name), cancel)?;
            } else if kind.is_dir() && name != HOME && !(name == DATA && self.withholds()) {
                // Only what nobody writes may be one file with the run's own.
                let is_writable = name == WorkspacePath::WORK || name == "logs";
                self.folder(&entry.path(), &target.join(&name), is_writable, cancel)?;
            }
        }
        if self.withholds() {
            let facts = DataFacts {
                documents: &self.documents,
                data: &self.workspace.join(DATA),
                shown_columns: &self.shown_columns,
            };
            facts_file::write(&facts, &target.join(DATA), cancel)?;
        }
        self.paper_text()?;
        make_folders(
            target,
            &[
                WorkspacePath::WORK,
                EXCHANGE,
                "logs/agent",
                &format!("{HOME}/{PYTHON_HOME}"),
            ],
        )?;
        match &self.plan {
            Some(plan) => {
                let (from, to) = (self.workspace.join(plan), self.plan_copy(plan));
                file_copy::copy(&from, &to, cancel).map_err(|error| stopped_or_io(&from, error))
            }
            None => Ok(()),
        }
    }

    /// Where the plan stands that the program may mend.
    pub fn plan_copy(&self, plan: &str) -> PathBuf {
        self.target.join(WorkspacePath::WORK).join(plan)
    }

    fn withholds(&self) -> bool {
        self.reach == DataReach::Withheld
    }

    /// The plain files of a folder, with its folders; links and special files stay behind.
    fn folder(
        &self,
        from: &Path,
        to: &Path,
        is_writable: bool,
        cancel: &CancellationToken,
    ) -> Result<(), EngineError> {
        for entry in WalkDir::new(from).follow_links(false).sort_by_file_name() {
            let entry = entry.map_err(|error| {
                let place = error.path().unwrap_or(from).to_owned();
                let error = error.into_io_error();
                EngineError::io(&place, error.unwrap_or_else(|| std::io::ErrorKind::Other.into()))
            })?;
            let Ok(below) = entry.path().strip_prefix(from) else {
                continue;
            };
            let target = to.join(below);
            if entry.file_type().is_dir() {
                fs::create_dir_all(&target).map_err(|error| EngineError::io(&target, error))?;
            } else if entry.file_type().is_file() && is_writable {
                let copied = file_copy::copy(entry.path(), &target, cancel);
                copied.map_err(|error| stopped_or_io(entry.path(), error))?;
            } else if entry.file_type().is_file() {
                show(entry.path(), &target, cancel)?;
            }
        }
        Ok(())
    }

    /// The paper as text with page marks: the sandbox has no reader of PDF.
    fn paper_text(&self) -> Result<(), EngineError> {
        let Ok(bytes) = fs::read(self.workspace.join(PAPER)) else {
            return Ok(());
        };
        let text = match self.documents.read(PAPER, &bytes, &Limits::default()) {
            Ok(document) => document.with_notes(),
            Err(error) => format!("[The paper's text could not be read: {error}.]\n"),
        };
        let path = self.target.join(PAPER_TEXT);
        fs::write(&path, text).map_err(|error| EngineError::io(&path, error))
    }
}

fn read_folder(folder: &Path) -> Result<Vec<fs::DirEntry>, EngineError> {
    let entries = fs::read_dir(folder).and_then(Iterator::collect::<std::io::Result<Vec<_>>>);
    entries.map_err(|error| EngineError::io(folder, error))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A workspace with data, a codebook and code.
    fn order(place: &Path, reach: DataReach) -> CopyOrder {
        let workspace = place.join("workspace");
        for folder in ["replication_data", "work/sub", "logs", "home/python"] {
            fs::create_dir_all(workspace.join(folder)).unwrap();
        }
        let rows: String = (0..30).map(|row| format!("secret{row},{}\n", row % 7)).collect();
        fs::write(
            workspace.join("replication_data/d.csv"),
            format!("who,score\n{rows}"),
        )
        .unwrap();
        let prose = "The variable `score` counts the answers that were right.\n".repeat(4);
        fs::write(workspace.join("replication_data/codebook.txt"), prose).unwrap();
        fs::write(workspace.join("initial_details.txt"), "the claim").unwrap();
        fs::write(workspace.join("work/sub/a.py"), "print(1)").unwrap();
        std::os::unix::fs::symlink("/etc/passwd", workspace.join("work/link")).unwrap();
        fs::write(workspace.join("home/python/x"), "x").unwrap();
        CopyOrder {
            target: place.join("program"),
            workspace,
            reach,
            plan: None,
            shown_columns: Vec::new(),
            // Reads nothing: what cannot be read is named and not shown.
            documents: Helper {
                program: "/nonexistent".into(),
                arguments: Vec::new(),
            },
        }
    }

    fn everything(folder: &Path) -> String {
        let files = WalkDir::new(folder).into_iter().flatten();
        let texts = files
            .filter(|entry| entry.file_type().is_file())
            .map(|entry| fs::read_to_string(entry.path()).unwrap());
        texts.collect()
    }

    #[test]
    fn a_copy_before_the_plan_is_carried_out_has_no_row() {
        let place = tempfile::tempdir().unwrap();
        let order = order(place.path(), DataReach::Withheld);
        order.lay_out(&CancellationToken::new()).unwrap();
        let target = &order.target;
        assert!(target.join("work/sub/a.py").is_file() && target.join("initial_details.txt").is_file());
        assert!(!target.join("replication_data/d.csv").exists());
        assert!(!everything(target).contains("secret"), "{}", everything(target));
        assert!(everything(&target.join("replication_data")).contains("`d.csv`"));
        assert!(target.join("work/link").symlink_metadata().is_err());
        assert!(!target.join("home/python/x").exists());
    }

    #[test]
    fn each_start_finds_the_files_of_the_run_and_changes_none() {
        let place = tempfile::tempdir().unwrap();
        let order = order(place.path(), DataReach::Task);
        let go = CancellationToken::new();
        order.lay_out(&go).unwrap();
        fs::write(order.target.join("work/sub/a.py"), "changed").unwrap();
        fs::write(order.target.join("work/new.py"), "new").unwrap();
        order.lay_out(&go).unwrap();
        assert_eq!(
            fs::read_to_string(order.target.join("work/sub/a.py")).unwrap(),
            "print(1)"
        );
        assert!(!order.target.join("work/new.py").exists());
        assert!(everything(&order.target).contains("secret3"));
        assert_eq!(
            fs::read_to_string(order.workspace.join("work/sub/a.py")).unwrap(),
            "print(1)"
        );
    }
}
