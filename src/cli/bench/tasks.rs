//! The tasks that a bench file names, opened.

use std::path::Path;

use super::cell_spec::EntryTask;
use super::file::{BenchFile, Studies, TaskFiles};
use super::study_marks;
use crate::analysis::bench::cell::TaskKind;
use crate::capsule::archive::tree_digest::digest_of_folder;
use crate::capsule::task_file::{CapsuleTask, TaskFile};
use crate::cli::exit::{Failure, Status};
use crate::cli::task::{self, Task};
use crate::cli::task_choice::TaskChoice;
use crate::domain::digest::Digest;
use crate::notebook::task_file::NotebookTaskFile;
use crate::study::open::Study;

/// The tasks of every entry, in their order, and what stands in the way of others.
pub fn tasks(file: &BenchFile, root: &Path) -> OpenedTasks {
    tasks_where(file, root, &|_| true)
}

/// Those whose names are wanted; others are not read any further.
pub fn tasks_where(file: &BenchFile, root: &Path, is_wanted: &dyn Fn(&str) -> bool) -> OpenedTasks {
    let mut opened = OpenedTasks::default();
    for (position, entry) in file.studies.iter().enumerate() {
        opened.studies(file, entry, position + 1, root, is_wanted);
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

    /// The studies of an entry, which is counted from 1.
    fn studies(
        &mut self,
        bench: &BenchFile,
        entry: &Studies,
        number: usize,
        root: &Path,
        is_wanted: &dyn Fn(&str) -> bool,
    ) {
        let mut is_any = false;
        for path in &entry.paths {
            let path = root.join(path);
            match task::open(&path) {
                Err(fault) => {
                    is_any = true;
                    self.faults.push(fault);
                }
                Ok(opened) => {
                    let origins = opened.study.as_ref().map(Study::origins).unwrap_or_default();
                    if !entry.takes(origins) {
                        continue;
                    }
                    is_any = true;
                    if is_wanted(&opened.id) {
                        self.add(study(&path, opened, bench, entry));
                    }
                }
            }
        }
        if entry.is_filtered() && !is_any {
            self.faults.push(Failure::usage(format!(
                "[[studies]] number {number}: `data-origin` and `code-origin` leave none of its {} studies: they go by \
                 `[data] origin` and `[code] origin` of study.toml",
                entry.paths.len()
            )));
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
            let named = file.tasks.iter().filter(|task| {
                let name = task.id.as_str();
                entry.tasks.is_empty() || entry.tasks.iter().any(|taken| taken == name)
            });
            let filtered = filtered(entry, &path, named.collect());
            let taken = filtered.unwrap_or_else(|fault| {
                self.faults.push(fault);
                Vec::new()
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

/// The capsules that the entry's filters take, of those that it names.
fn filtered<'a>(
    entry: &TaskFiles,
    path: &Path,
    named: Vec<&'a CapsuleTask>,
) -> Result<Vec<&'a CapsuleTask>, Failure> {
    let Some(choice) = entry.filter() else {
        return Ok(named);
    };
    let all = named.len();
    let mut taken = Vec::new();
    for task in named {
        if choice.takes_task(path, task)? {
            taken.push(task);
        }
    }
    match taken.is_empty() && all > 0 {
        true => Err(Failure::usage(format!(
            "{}: {} leave none of {all} tasks; `reprise capsule list {0}` shows what they have",
            path.display(),
            written(&choice)
        ))),
        false => Ok(taken),
    }
}

/// The filters of an entry, as they are written.
fn written(choice: &TaskChoice) -> String {
    let lists = [("field", &choice.field), ("language", &choice.language)];
    let lists = lists.iter().filter(|(_, values)| !values.is_empty());
    let lists = lists.map(|(name, values)| format!("`{name} = {values:?}`"));
    let words = [("modality", &choice.modality), ("gpu", &choice.gpu)];
    let words = words
        .iter()
        .filter_map(|(name, value)| Some(format!("`{name}` ({})", value.as_ref()?)));
    lists.chain(words).collect::<Vec<_>>().join(" and ")
}

/// A study, or a folder that says of which track its task is.
fn study(path: &Path, opened: Task, file: &BenchFile, entry: &Studies) -> Result<EntryTask, Failure> {
    let invalid = |error: &dyn std::fmt::Display| Failure::new(Status::StudyInvalid, error.to_string());
    let content = match &opened.study {
        Some(study) => study.study_digest().map_err(|error| invalid(&error))?,
        None => digest_of_folder(path).map_err(|error| invalid(&error))?,
    };
    Ok(EntryTask {
        kind: TaskKind::Study,
        name: opened.id,
        path: path.to_owned(),
        content,
        study: opened.study.as_ref().map_or_else(Vec::new, study_marks::of_study),
        questions: Vec::new(),
        settings: entry.settings.clone(),
        shape: file.slurm.clone().overlaid(&entry.slurm),
    })
}
