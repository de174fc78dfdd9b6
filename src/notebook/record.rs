//! A record of a task file: its columns by name, of every published layout.

use serde_json::{Map, Value};

use super::category::Category;
use super::gold::NotebookGold;
use super::pre_cell::PreCell;
use super::task::{NotebookTask, QueryParts};
use super::task_fault::NotebookTaskFault;
use super::task_set::TaskSet;

/// The longest name of a task, in characters.
const LONGEST_ID: usize = 200;
/// The most cells that are executed beforehand; published tasks have up to 39.
const MOST_CELLS: usize = 1_000;
/// The most landmarks; published tasks have up to 6.
const MOST_LANDMARKS: usize = 200;

/// The columns of the published layouts, those of the first revision (with an underscore) too, and the
/// tolerance of our own.
const COLUMNS: [&str; 16] = [
    "task_id",
    "github_repo",
    "git_commit",
    "query",
    "query_components",
    "solution_dependencies",
    "pre_execute_cells",
    "answer",
    "landmarks",
    "entrypoint",
    "solution",
    "_e2e_task",
    "_scenario_task",
    "_report",
    "_instructions",
    "tolerance",
];
/// The largest tolerance of a task.
const MOST_TOLERANCE: f64 = 1.0;

/// The reason why a record is no task, as a clause that quotes no value of it.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub(super) struct NoTask(String);

impl<T: Into<String>> From<T> for NoTask {
    fn from(reason: T) -> Self {
        Self(reason.into())
    }
}

/// A record that is being read.
struct Columns<'a>(&'a Map<String, Value>);

impl Columns<'_> {
    /// A text; `None` where the column is missing or null.
    fn text(&self, name: &str) -> Result<Option<String>, String> {
        match self.0.get(name) {
            None | Some(Value::Null) => Ok(None),
            Some(Value::String(text)) => Ok(Some(text.clone())),
            Some(_) => Err(format!("its `{name}` is no text")),
        }
    }

    /// A text that is there and says something.
    fn filled(&self, name: &str) -> Result<Option<String>, String> {
        Ok(self.text(name)?.filter(|text| !text.is_empty()))
    }

    fn list(&self, name: &str, most: usize) -> Result<&[Value], String> {
        match self.0.get(name) {
            None | Some(Value::Null) => Ok(&[]),
            Some(Value::Array(items)) if items.len() <= most => Ok(items),
            Some(Value::Array(items)) => Err(format!(
                "its `{name}` has {} items, and no more than {most} are taken",
                items.len()
            )),
            Some(_) => Err(format!("its `{name}` is no list")),
        }
    }
}

/// The name of a record's task, where it has one that can be shown.
pub(super) fn id(record: &Map<String, Value>) -> Result<String, NoTask> {
    let id = Columns(record).filled("task_id")?.ok_or("it has no `task_id`")?;
    if id.chars().count() > LONGEST_ID {
        return Err(format!("its `task_id` has more than {LONGEST_ID} characters").into());
    }
    if id.chars().any(char::is_control) || matches!(id.as_str(), "." | "..") || id.contains(['/', '\\']) {
        return Err("its `task_id` is no name: it has a slash or a control character".into());
    }
    Ok(id)
}

/// Reads a record whose task's name is known.
///
/// # Errors
/// The reason why it is no task, which quotes no value of it.
pub(super) fn read(id: String, record: &Map<String, Value>) -> Result<NotebookTask, NoTask> {
    let columns = Columns(record);
    let mut faults = Vec::new();
    let pre_cells = pre_cells(&columns, &mut faults)?;
    let parts = parts(record)?;
    let query = match columns.filled("query")? {
        Some(query) => query,
        None => return Err("it has no `query`".into()),
    };
    let landmarks = columns.list("landmarks", MOST_LANDMARKS)?.iter();
    let landmarks = landmarks
        .map(|one| one.as_str().map(str::to_owned))
        .collect::<Option<Vec<_>>>()
        .ok_or("its `landmarks` is no list of texts")?;
    let gold = NotebookGold {
        answer: columns.filled("answer")?,
        landmarks,
        entry_point: columns.filled("entrypoint")?,
        solution: solution(record),
        tolerance: tolerance(record)?,
        solution_packages: columns.filled("solution_dependencies")?,
    };
    let repository = columns.filled("github_repo")?;
    let commit = columns.filled("git_commit")?;
    if repository
        .as_deref()
        .is_some_and(|address| !address.starts_with("https://"))
    {
        faults.push(NotebookTaskFault::RepositoryMalformed);
    }
    let is_hex = |commit: &str| commit.len() == 40 && commit.bytes().all(|byte| byte.is_ascii_hexdigit());
    if commit.as_deref().is_some_and(|commit| !is_hex(commit)) {
        faults.push(NotebookTaskFault::CommitMalformed);
    }
    faults.extend(unknown(record));
    let has_scenario =
        (parts.scenario_task.as_deref()).is_some_and(|text| !text.is_empty() && text != "None");
    let set = if !pre_cells.is_empty() || has_scenario {
        TaskSet::Masked
    } else if gold.answer.is_none() && gold.landmarks.is_empty() {
        TaskSet::Auto
    } else {
        TaskSet::Expert
    };
    let category = (set == TaskSet::Masked).then(|| Category::of_masked(&id));
    Ok(NotebookTask {
        id,
        set,
        category,
        repository,
        commit,
        query,
        parts,
        pre_cells,
        gold,
        faults,
    })
}

/// The cells that are executed beforehand; the empty text that early Auto records hold is none.
fn pre_cells(columns: &Columns<'_>, faults: &mut Vec<NotebookTaskFault>) -> Result<Vec<PreCell>, String> {
    let mut cells = Vec::new();
    for (index, written) in columns.list("pre_execute_cells", MOST_CELLS)?.iter().enumerate() {
        if written.as_str().is_some_and(|text| text.trim().is_empty()) {
            continue;
        }
        match PreCell::read(written) {
            Ok(cell) => cells.push(cell),
            Err(why) => faults.push(NotebookTaskFault::PreCell {
                place: index + 1,
                why,
            }),
        }
    }
    Ok(cells)
}

/// The parts of a query: an object, or columns with an underscore.
fn parts(record: &Map<String, Value>) -> Result<QueryParts, String> {
    let empty = Map::new();
    let (parts, mark) = match record.get("query_components") {
        Some(Value::Object(parts)) => (parts, ""),
        None | Some(Value::Null) => (record, "_"),
        Some(_) => return Err("its `query_components` is no object".to_owned()),
    };
    let parts = Columns(if parts.is_empty() { &empty } else { parts });
    let part = |name: &str| parts.text(&format!("{mark}{name}"));
    Ok(QueryParts {
        e2e_task: part("e2e_task")?,
        scenario_task: part("scenario_task")?,
        report: part("report")?,
        instructions: part("instructions")?,
    })
}

/// The expert's notebook in whatever form it stands; it is kept and not read.
fn solution(record: &Map<String, Value>) -> Option<String> {
    match record.get("solution")? {
        Value::Null => None,
        Value::String(text) if text.is_empty() => None,
        Value::String(text) => Some(text.clone()),
        other => Some(other.to_string()),
    }
}

/// The share that numbers of the answer may differ by.
fn tolerance(record: &Map<String, Value>) -> Result<Option<f64>, String> {
    match record.get("tolerance") {
        None | Some(Value::Null) => Ok(None),
        Some(value) => match value
            .as_f64()
            .filter(|share| *share > 0.0 && *share <= MOST_TOLERANCE)
        {
            Some(share) => Ok(Some(share)),
            None => Err("its `tolerance` is no number above 0 and up to 1".to_owned()),
        },
    }
}

fn unknown(record: &Map<String, Value>) -> impl Iterator<Item = NotebookTaskFault> {
    let names = record.keys().filter(|name| !COLUMNS.contains(&name.as_str()));
    names.take(20).map(|name| NotebookTaskFault::UnknownColumn {
        name: name.chars().filter(|one| !one.is_control()).take(60).collect(),
    })
}
