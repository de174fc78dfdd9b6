//! The tasks that a bench file names, opened.

use std::path::Path;

use super::cell_spec::EntryTask;
use super::file::{BenchFile, Studies, TaskFiles};
use super::study_marks;
use crate::analysis::bench::cell::TaskKind;
use crate::capsule::archive::tree_digest::digest_of_folder;
use crate::capsule::task_file::TaskFile;
use crate::cli::exit::{Failure, Status};
use crate::cli::task;
use crate::domain::digest::Digest;
use crate::notebook::task_file::NotebookTaskFile;

/// The tasks of every entry, in their order, and what stands in the way of others.
pub fn tasks(file: &BenchFile, root: &Path) -> OpenedTasks {
    tasks_where(file, root, &|_| true)
}

/// Those whose names are wanted; others are not read any further.
pub fn tasks_where(file: &BenchFile, root: &Path, is_wanted: &dyn Fn(&str) -> bool) -> OpenedTasks {
    let mut opened = OpenedTasks::default();
    for entry in &file.studies {
        for path in &entry.paths {
            if let Some(task) = study(&root.join(path), file, entry, is_wanted).transpose() {
                opened.add(task);
            }
        }
    }
    for entry in &file.capsules {
        opened.capsules(file, entry, root);
    }
    for entry in &file.notebooks {
        opened.notebooks(file, entry, root);
    }
    opened.tasks.retain(|task| is_wanted(&task.name));
    opened
}

/// Tasks that can be run, and faults of those that cannot.
#[derive(Debug, Default)]
pub struct OpenedTasks {
    pub tasks: Vec<EntryTask>,
    pub faults: Vec<Failure>,
}

impl OpenedTasks {
    fn add(&mut self, task: Result<EntryTask, Failure>) {
        match task {
            Ok(task) => self.tasks.push(task),
            Err(fault) => self.faults.push(fault),
        }
    }

    fn capsules(&mut self, bench: &BenchFile, entry: &TaskFiles, root: &Path) {
        for path in &entry.files {
            let path = root.join(path);
            let file = match TaskFile::open(&path) {
                Ok(file) => file,
                Err(error) => {
                    self.faults
                        .push(Failure::new(Status::StudyInvalid, error.to_string()));
                    continue;
                }
            };
            let is_there = |name: &str| file.tasks.iter().any(|task| task.id.as_str() == name);
            for name in entry.tasks.iter().filter(|name| !is_there(name)) {
                self.faults.push(Failure::usage(format!(
                    "{} has no task {name}; `reprise capsule list {0}` lists them",
                    path.display()
                )));
            }
            let taken = file.tasks.iter().filter(|task| {
                let name = task.id.as_str();
                entry.tasks.is_empty() || entry.tasks.iter().any(|taken| taken == name)
            });
            for task in taken {
                self.tasks.push(EntryTask {
                    kind: TaskKind::Capsule,
                    name: task.id.to_string(),
                    path: path.clone(),
                    content: Digest::compute_json(&(&task.prompt, task.gold.json())),
                    study: study_marks::of_capsule(task),
                    questions: task.gold.questions().unwrap_or_default(),
                    settings: entry.settings.clone(),
                    shape: bench.slurm.clone().overlaid(&entry.slurm),
                });
            }
        }
    }

    fn notebooks(&mut self, bench: &BenchFile, entry: &TaskFiles, root: &Path) {
        for path in &entry.files {
            let path = root.join(path);
            let file = match NotebookTaskFile::open(&path) {
                Ok(file) => file,
                Err(error) => {
                    let fault = Failure::new(Status::StudyInvalid, error.to_string());
                    self.faults.push(fault);
                    continue;
                }
            };
            for name in entry.tasks.iter().filter(|name| file.get(name).is_none()) {
                self.faults.push(Failure::usage(format!(
                    "{} has no task {name}; `reprise notebook list {0}` lists them",
                    path.display()
                )));
            }
            let is_taken = |id: &String| entry.tasks.is_empty() || entry.tasks.contains(id);
            for task in file.tasks.iter().filter(|task| is_taken(&task.id)) {
                let gold = (&task.gold.answer, &task.gold.landmarks, &task.gold.entry_point);
                self.tasks.push(EntryTask {
                    kind: TaskKind::Notebook,
                    name: task.id.clone(),
                    path: path.clone(),
                    content: Digest::compute_json(&(&task.query, &task.pre_cells, gold)),
                    study: study_marks::of_notebook(task),
                    questions: Vec::new(),
                    settings: entry.settings.clone(),
                    shape: bench.slurm.clone().overlaid(&entry.slurm),
                });
            }
        }
    }
}

/// A study, or a folder that says of which track its task is; `None` of one that is not wanted.
fn study(
    path: &Path,
    file: &BenchFile,
    entry: &Studies,
    is_wanted: &dyn Fn(&str) -> bool,
) -> Result<Option<EntryTask>, Failure> {
    let invalid = |error: &dyn std::fmt::Display| Failure::new(Status::StudyInvalid, error.to_string());
    let opened = task::open(path)?;
    if !is_wanted(&opened.id) {
        return Ok(None);
    }
    let content = match &opened.study {
        Some(study) => study.study_digest().map_err(|error| invalid(&error))?,
        None => digest_of_folder(path).map_err(|error| invalid(&error))?,
    };
    Ok(Some(EntryTask {
        kind: TaskKind::Study,
        name: opened.id,
        path: path.to_owned(),
        content,
        study: opened.study.as_ref().map_or_else(Vec::new, study_marks::of_study),
        questions: Vec::new(),
        settings: entry.settings.clone(),
        shape: file.slurm.clone().overlaid(&entry.slurm),
    }))
}
