//! Task files of SUPER: one record a line, or a list of them, in every published layout.
//!
//! | layout | told by |
//! |---|---|
//! | the first revision (96d11bc) | parts of the query in columns that begin with an underscore |
//! | before 7c5dfc5 | `query_components`; every set has every column, those that say nothing empty |
//! | since 7c5dfc5 | `query_components`; a set has its own columns alone |
//!
//! The published files themselves were not at hand: the layouts follow descriptions of them.

use std::collections::BTreeSet;
use std::path::Path;

use serde::Serialize;
use serde_json::{Map, Value};

use super::record;
use super::task::NotebookTask;
use crate::capsule::task_file::bytes_up_to;

/// The largest task file, in bytes; the largest published one has 4.1 MB.
const LARGEST: u64 = 64 << 20;
/// The most tasks of a file; the largest published one has 604.
const MOST_TASKS: usize = 50_000;

/// The layout of a file's records.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum TaskLayout {
    /// Parts of the query in columns with an underscore.
    Underscored,
    /// Every record with every column.
    AllColumns,
    /// Records with the columns of their set.
    ColumnsOfSet,
}

impl TaskLayout {
    /// The layout in words.
    pub fn words(self) -> &'static str {
        match self {
            Self::Underscored => "the first revision's layout",
            Self::AllColumns => "all columns in each record",
            Self::ColumnsOfSet => "columns of the set",
        }
    }
}

/// The tasks of a file, in its order.
#[derive(Debug, Clone)]
pub struct NotebookTaskFile {
    pub layout: TaskLayout,
    pub tasks: Vec<NotebookTask>,
}

/// The error of a file that holds no tasks. No error quotes a value of a record.
#[derive(Debug, thiserror::Error)]
pub enum NotebookTaskFileError {
    #[error("{path} cannot be read: {source}")]
    Unreadable { path: String, source: std::io::Error },
    #[error("{path} is larger than {LARGEST} bytes, and no task file is")]
    TooLarge { path: String },
    #[error("{path} is no text in UTF-8, and a task file is lines of JSON")]
    NoText { path: String },
    #[error("{path} is no task file: {reason}")]
    NoTasks { path: String, reason: String },
    #[error("{path}: record {place}{id}: {reason}")]
    Record {
        path: String,
        /// Counted from 1.
        place: usize,
        /// The task's name in parentheses, where it has one.
        id: String,
        reason: String,
    },
}

impl NotebookTaskFile {
    /// Reads a task file of at most 64 MiB.
    ///
    /// # Errors
    /// A file that cannot be read or holds no tasks; the first record that is none is named.
    pub fn open(path: &Path) -> Result<Self, NotebookTaskFileError> {
        let name = path.display().to_string();
        let unreadable = |source| NotebookTaskFileError::Unreadable {
            path: name.clone(),
            source,
        };
        let Some(bytes) = bytes_up_to(path, LARGEST).map_err(unreadable)? else {
            return Err(NotebookTaskFileError::TooLarge { path: name });
        };
        match String::from_utf8(bytes) {
            Ok(text) => Self::parse(&name, &text),
            Err(_) => Err(NotebookTaskFileError::NoText { path: name }),
        }
    }

    /// Reads the text of a task file; `path` is what errors call it.
    ///
    /// # Errors
    /// As [`NotebookTaskFile::open`].
    pub fn parse(path: &str, text: &str) -> Result<Self, NotebookTaskFileError> {
        let no_tasks = |reason: String| NotebookTaskFileError::NoTasks {
            path: path.to_owned(),
            reason,
        };
        let text = text.trim_start_matches('\u{feff}');
        let records = records(text).map_err(|fault| match fault {
            RecordFault::Whole(reason) => no_tasks(reason),
            RecordFault::At(place, reason) => NotebookTaskFileError::Record {
                path: path.to_owned(),
                place,
                id: String::new(),
                reason,
            },
        })?;
        if records.is_empty() {
            return Err(no_tasks("it holds none".to_owned()));
        }
        let layout = layout(&records);
        let mut taken = BTreeSet::new();
        let mut tasks = Vec::new();
        for (index, record) in records.iter().enumerate() {
            let fault = |id: &str, reason: String| NotebookTaskFileError::Record {
                path: path.to_owned(),
                place: index + 1,
                id: match id.is_empty() {
                    true => String::new(),
                    false => format!(" ({id})"),
                },
                reason,
            };
            let id = record::id(record).map_err(|reason| fault("", reason.to_string()))?;
            if !taken.insert(id.clone()) {
                return Err(fault(&id, "another task has the same `task_id`".to_owned()));
            }
            let task = record::read(id.clone(), record).map_err(|reason| fault(&id, reason.to_string()))?;
            tasks.push(task);
        }
        Ok(Self { layout, tasks })
    }

    /// The task of a name.
    pub fn get(&self, id: &str) -> Option<&NotebookTask> {
        self.tasks.iter().find(|task| task.id == id)
    }
}

/// A fault of a file, or of one of its records.
enum RecordFault {
    Whole(String),
    At(usize, String),
}

/// The records of a JSON list, else of the lines that are not blank.
fn records(text: &str) -> Result<Vec<Map<String, Value>>, RecordFault> {
    let too_many = || RecordFault::Whole(format!("it holds more than {MOST_TASKS} records"));
    let whole = |place: usize, value: Value| match value {
        Value::Object(record) => Ok(record),
        _ => Err(RecordFault::At(place, "it is no object".to_owned())),
    };
    match text.trim_start().as_bytes().first() {
        Some(b'[') => {
            let list: Vec<Value> =
                serde_json::from_str(text).map_err(|error| RecordFault::Whole(error.to_string()))?;
            if list.len() > MOST_TASKS {
                return Err(too_many());
            }
            (list.into_iter().enumerate())
                .map(|(index, value)| whole(index + 1, value))
                .collect()
        }
        Some(b'{') => {
            let mut records = Vec::new();
            for line in text.split('\n').map(str::trim).filter(|line| !line.is_empty()) {
                if records.len() == MOST_TASKS {
                    return Err(too_many());
                }
                let place = records.len() + 1;
                let value = serde_json::from_str(line).map_err(|error| {
                    RecordFault::At(place, format!("it is no JSON on one line ({error})"))
                })?;
                records.push(whole(place, value)?);
            }
            Ok(records)
        }
        None => Ok(Vec::new()),
        Some(_) => Err(RecordFault::Whole(
            "it is neither lines of JSON nor a list".to_owned(),
        )),
    }
}

fn layout(records: &[Map<String, Value>]) -> TaskLayout {
    let has = |record: &Map<String, Value>, name: &str| record.contains_key(name);
    let every = |names: &[&str]| (records.iter()).all(|record| names.iter().all(|name| has(record, name)));
    if !records.iter().any(|record| has(record, "query_components"))
        && records.iter().any(|record| has(record, "_e2e_task"))
    {
        TaskLayout::Underscored
    } else if every(&[
        "answer",
        "landmarks",
        "pre_execute_cells",
        "solution_dependencies",
    ]) {
        TaskLayout::AllColumns
    } else {
        TaskLayout::ColumnsOfSet
    }
}

#[cfg(test)]
mod tests;
