//! Task files of CORE-Bench: the original form, HAL's, and the croissant files of v1.1.
//!
//! Which form a file has is found from its content. The readers of HAL's and of the croissant
//! form are not held against the published files, which hold answers of the test set.

use std::collections::BTreeSet;
use std::fmt;
use std::fs::File;
use std::io::{self, Read as _};
use std::path::Path;

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use super::encrypted::{DecryptError, Passphrase, PlainText, decrypt, is_encrypted};
use super::gold::GoldRuns;
use crate::domain::excerpt;

/// The largest task file, in bytes.
const LARGEST: u64 = 64 << 20;

/// The form of a task file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum TaskFileForm {
    /// Seven keys for each task.
    Original,
    /// As the original, with `gpu` for tasks that need one.
    Hal,
    /// Records of a croissant file, whose keys begin with `tasks/`.
    Croissant,
}

/// A capsule's name, such as `capsule-0152700`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct CapsuleId(String);

impl CapsuleId {
    /// The name, where it is one: `capsule-` and seven digits.
    pub fn parse(text: &str) -> Option<Self> {
        let digits = text.strip_prefix("capsule-")?;
        let seven = digits.len() == 7 && digits.bytes().all(|byte| byte.is_ascii_digit());
        seven.then(|| Self(text.to_owned()))
    }

    /// As text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for CapsuleId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(&self.0)
    }
}

/// A task: what is to be reproduced, and the answers to the questions about it.
#[derive(Debug, Clone)]
pub struct CapsuleTask {
    pub id: CapsuleId,
    pub title: String,
    pub field: String,
    pub language: String,
    pub prompt: String,
    pub doi: Option<String>,
    /// Whether the file says that it needs a GPU; only HAL's form does.
    pub needs_gpu: bool,
    pub gold: GoldRuns,
}

/// The tasks of a file, in its order.
#[derive(Debug, Clone)]
pub struct TaskFile {
    pub form: TaskFileForm,
    pub tasks: Vec<CapsuleTask>,
    /// The text of a file that was encrypted, as far as it may be told.
    pub decrypted: Option<PlainText>,
}

/// The error of a file that holds no tasks. No error quotes a gold answer.
#[derive(Debug, thiserror::Error)]
pub enum TaskFileError {
    #[error("{path} cannot be read: {source}")]
    Unreadable { path: String, source: std::io::Error },
    #[error("{path} is larger than {LARGEST} bytes, and no task file is")]
    TooLarge { path: String },
    #[error("{path} is no text, and a task file is JSON")]
    NoText { path: String },
    #[error("{path} is encrypted: {source}")]
    Encrypted { path: String, source: DecryptError },
    #[error("{path} is no task file: {reason}")]
    NoTasks { path: String, reason: String },
    #[error("{path}: task {place}{id}: {reason}")]
    Task {
        path: String,
        /// Counted from 1.
        place: usize,
        /// The task's name in parentheses, where it has one.
        id: String,
        reason: String,
    },
}

/// A task as the original file and HAL's write it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WrittenTask<'a> {
    field: String,
    language: String,
    capsule_title: String,
    capsule_id: String,
    task_prompt: String,
    #[serde(borrow)]
    results: &'a RawValue,
    capsule_doi: String,
    #[serde(default)]
    gpu: Option<bool>,
}

#[derive(Deserialize)]
struct Croissant<'a> {
    #[serde(rename = "recordSet", borrow)]
    record_sets: Vec<RecordSet<'a>>,
}

#[derive(Deserialize)]
struct RecordSet<'a> {
    #[serde(default, borrow)]
    data: Vec<&'a RawValue>,
}

/// A record of a croissant file; whatever else it says is passed over.
#[derive(Deserialize)]
struct CroissantTask {
    #[serde(rename = "tasks/capsule_id")]
    id: String,
    #[serde(rename = "tasks/capsule_title", default)]
    title: String,
    #[serde(rename = "tasks/field", default)]
    field: String,
    #[serde(rename = "tasks/language", default)]
    language: String,
    #[serde(rename = "tasks/task_prompt")]
    prompt: String,
    #[serde(rename = "tasks/capsule_doi", default)]
    doi: Option<String>,
    /// Gold as JSON within a text.
    #[serde(rename = "tasks/expected_answer")]
    expected: String,
}

/// The bytes of a task file; `None` where it has more than so many.
///
/// # Errors
/// A file that cannot be read.
pub fn bytes_up_to(path: &Path, most: u64) -> io::Result<Option<Vec<u8>>> {
    let mut bytes = Vec::new();
    File::open(path)?.take(most + 1).read_to_end(&mut bytes)?;
    Ok((bytes.len() as u64 <= most).then_some(bytes))
}

impl TaskFile {
    /// As [`TaskFile::open_with`], with the public passphrase of the published test files.
    ///
    /// # Errors
    /// As [`TaskFile::open_with`].
    pub fn open(path: &Path) -> Result<Self, TaskFileError> {
        Self::open_with(path, &Passphrase::default())
    }

    /// Reads a task file of at most 64 MiB; one that is encrypted is decrypted in memory.
    ///
    /// # Errors
    /// A file that cannot be read or decrypted, or holds no tasks; the first task that is wrong is named.
    pub fn open_with(path: &Path, passphrase: &Passphrase) -> Result<Self, TaskFileError> {
        let name = path.display().to_string();
        let unreadable = |source| TaskFileError::Unreadable {
            path: name.clone(),
            source,
        };
        let Some(mut bytes) = bytes_up_to(path, LARGEST).map_err(unreadable)? else {
            return Err(TaskFileError::TooLarge { path: name });
        };
        let mut decrypted = None;
        if is_encrypted(&bytes) {
            bytes = decrypt(&bytes, passphrase, LARGEST).map_err(|source| TaskFileError::Encrypted {
                path: name.clone(),
                source,
            })?;
            decrypted = Some(PlainText::of(&bytes));
        }
        match String::from_utf8(bytes) {
            Ok(text) => Ok(Self {
                decrypted,
                ..Self::parse(&name, &text)?
            }),
            Err(_) => Err(TaskFileError::NoText { path: name }),
        }
    }

    /// Reads the text of a task file; `path` is what errors call it.
    ///
    /// # Errors
    /// As [`TaskFile::open_with`].
    pub fn parse(path: &str, text: &str) -> Result<Self, TaskFileError> {
        let no_tasks = |reason: String| TaskFileError::NoTasks {
            path: path.to_owned(),
            reason,
        };
        let (form, written) = match text.trim_start().as_bytes().first() {
            Some(b'[') => {
                let list: Vec<&RawValue> =
                    serde_json::from_str(text).map_err(|error| no_tasks(without_content(&error)))?;
                (TaskFileForm::Original, list)
            }
            Some(b'{') => {
                let file: Croissant<'_> = serde_json::from_str(text).map_err(|error| {
                    no_tasks(format!(
                        "it is neither a list of tasks nor a croissant file with `recordSet` ({})",
                        without_content(&error)
                    ))
                })?;
                let records = file.record_sets.into_iter().next().map(|set| set.data);
                (TaskFileForm::Croissant, records.unwrap_or_default())
            }
            _ => return Err(no_tasks("it is no JSON list or object".to_owned())),
        };
        if written.is_empty() {
            return Err(no_tasks("it holds none".to_owned()));
        }
        let mut file = Self {
            form,
            tasks: Vec::new(),
            decrypted: None,
        };
        let mut taken = BTreeSet::new();
        for (index, one) in written.into_iter().enumerate() {
            let fault = |id: &str, reason: String| TaskFileError::Task {
                path: path.to_owned(),
                place: index + 1,
                id: match id.is_empty() {
                    true => String::new(),
                    false => format!(" ({})", excerpt::shortened(id, 40)),
                },
                reason,
            };
            let task = match form {
                TaskFileForm::Croissant => from_croissant(one),
                _ => from_original(one, &mut file.form),
            };
            let (id, task) = task.map_err(|reason| fault("", reason))?;
            let known = CapsuleId::parse(&id).ok_or_else(|| {
                let reason = "its `capsule_id` is not `capsule-` with seven digits".to_owned();
                fault(&id, reason)
            })?;
            if !taken.insert(known.clone()) {
                return Err(fault(&id, "another task has the same `capsule_id`".to_owned()));
            }
            file.tasks.push(CapsuleTask { id: known, ..task });
        }
        Ok(file)
    }

    /// The task of a name.
    pub fn get(&self, id: &CapsuleId) -> Option<&CapsuleTask> {
        self.tasks.iter().find(|task| task.id == *id)
    }
}

/// A task whose name is not looked at yet.
type NamedTask = (String, CapsuleTask);

fn from_original(one: &RawValue, form: &mut TaskFileForm) -> Result<NamedTask, String> {
    let written: WrittenTask<'_> =
        serde_json::from_str(one.get()).map_err(|error| without_content(&error))?;
    if written.gpu.is_some() {
        *form = TaskFileForm::Hal;
    }
    Ok((
        written.capsule_id.clone(),
        CapsuleTask {
            id: unnamed(),
            title: written.capsule_title,
            field: written.field,
            language: written.language,
            prompt: written.task_prompt,
            doi: Some(written.capsule_doi),
            needs_gpu: written.gpu == Some(true),
            gold: GoldRuns::from_json(written.results.get()),
        },
    ))
}

fn from_croissant(one: &RawValue) -> Result<NamedTask, String> {
    let written: CroissantTask = serde_json::from_str(one.get()).map_err(|error| without_content(&error))?;
    Ok((
        written.id,
        CapsuleTask {
            id: unnamed(),
            title: written.title,
            field: written.field,
            language: written.language,
            prompt: written.prompt,
            doi: written.doi,
            needs_gpu: false,
            gold: GoldRuns::from_json(written.expected),
        },
    ))
}

fn unnamed() -> CapsuleId {
    CapsuleId(String::new())
}

/// An error of the parser, which quotes names of keys and the place, and of values their type
/// alone.
fn without_content(error: &serde_json::Error) -> String {
    let message = error.to_string();
    match message.split_once("invalid type: ") {
        Some((before, rest)) => {
            let expected = rest
                .split_once(", expected ")
                .map_or("another type", |(_, expected)| expected);
            format!("{before}a value is not {expected}")
        }
        None => message,
    }
}

#[cfg(test)]
mod tests;
