//! `history.ipynb` of the published trajectories.

use serde_json::{Map, Value};

use crate::domain::lazy_regex::LazyRegex;

use super::fault::HistoryFault;
use super::released_json::by;
use super::step::{HistorySource, NotebookHistory, NotebookStep, StepBy};
use super::untyped::typed;

static DURATION: LazyRegex = LazyRegex::new(r"\(duration: ([0-9]{1,9}) seconds?\)\s*\z");

/// The markdown cells of a step, until its code cell ends it.
#[derive(Default)]
struct StepHead {
    seconds: Option<f64>,
    by: Option<StepBy>,
    /// The action's type, once its heading was seen.
    action: Option<String>,
}

/// Reads a published trajectory: markdown cells with heading, times, thought and action, then a
/// code cell with the content and its observation.
///
/// # Errors
/// A notebook whose cells have no source.
pub(super) fn read(file: &Map<String, Value>) -> Result<NotebookHistory, HistoryFault> {
    let cells = file
        .get("cells")
        .and_then(Value::as_array)
        .ok_or(HistoryFault::NoList("cells"))?;
    let mut steps = Vec::new();
    let mut head = StepHead::default();
    for (index, cell) in cells.iter().enumerate() {
        let source = cell
            .get("source")
            .and_then(text)
            .ok_or(HistoryFault::NoSource(index + 1))?;
        match cell.get("cell_type").and_then(Value::as_str) {
            Some("code") => steps.push(step(std::mem::take(&mut head), source, cell)),
            _ => head.note(&source),
        }
    }
    Ok(NotebookHistory {
        source: HistorySource::ReleasedNotebook,
        task: None,
        steps,
    })
}

impl StepHead {
    fn note(&mut self, source: &str) {
        if source.starts_with("### Step ") {
            *self = Self::default();
        } else if source.starts_with("Execution Start time:") {
            let seconds = DURATION.captures(source).and_then(|found| found[1].parse().ok());
            self.seconds = seconds;
        } else if let Some(thought) = source.strip_prefix("**Thought**: ") {
            self.by = Some(by(thought));
        } else if let Some(kind) = source.trim_end().strip_prefix("**Action (") {
            self.action = kind.strip_suffix(")**:").map(str::to_owned);
        }
    }
}

fn step(head: StepHead, source: String, cell: &Value) -> NotebookStep {
    let (action, content) = typed(head.action, source);
    NotebookStep {
        by: head.by.unwrap_or(StepBy::Agent),
        action,
        content,
        observation: observation(cell),
        seconds: head.seconds,
        outcome: None,
        exit_code: None,
        file: None,
    }
}

fn observation(cell: &Value) -> String {
    let outputs = cell.get("outputs").and_then(Value::as_array);
    let texts = outputs.into_iter().flatten().filter_map(|output| {
        let plain = output.get("data").and_then(|data| data.get("text/plain"));
        plain.or_else(|| output.get("text")).and_then(text)
    });
    texts.collect()
}

/// A text of a notebook: one, or lines.
fn text(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Array(lines) => lines.iter().map(Value::as_str).collect(),
        _ => None,
    }
}
