//! `history.json` of the published runner.

use serde_json::{Map, Value};

use super::fault::HistoryFault;
use super::step::{HistorySource, NotebookHistory, NotebookStep, StepBy, StepContent};
use super::untyped::typed;

/// The thought of a step that the task asked for.
pub(super) const PRE_EXECUTED: &str = "[pre-executed by user]";
/// The thought of the wait that followed a pre-executed cell which was not over.
pub(super) const CONTINUED: &str = "[continued after timeout]";

pub(super) fn by(thought: &str) -> StepBy {
    match thought.trim() {
        PRE_EXECUTED | CONTINUED => StepBy::Task,
        _ => StepBy::Agent,
    }
}

/// Reads a history of the published runner.
///
/// # Errors
/// An object without `history`, or an entry that is no step.
pub(super) fn read(file: &Map<String, Value>) -> Result<NotebookHistory, HistoryFault> {
    let entries = file
        .get("history")
        .and_then(Value::as_array)
        .ok_or(HistoryFault::NoList("history"))?;
    let steps = entries
        .iter()
        .enumerate()
        .map(|(index, entry)| step(entry).ok_or(HistoryFault::NotStep(index + 1)));
    Ok(NotebookHistory {
        source: HistorySource::ReleasedJson,
        task: None,
        steps: steps.collect::<Result<_, _>>()?,
    })
}

fn step(entry: &Value) -> Option<NotebookStep> {
    let entry = entry.as_object()?;
    let thought = entry.get("thought").and_then(Value::as_str).unwrap_or_default();
    let action = entry.get("action")?.as_object()?;
    let kind = action.get("type").and_then(Value::as_str);
    let (kind, content) = match action.get("content").or_else(|| action.get("execute_action")) {
        None => (kind.map(str::to_owned), None),
        Some(Value::String(text)) => typed(kind.map(str::to_owned), text.clone()),
        Some(value) => (
            kind.map(str::to_owned),
            Some(StepContent::Json(value.to_string())),
        ),
    };
    Some(NotebookStep {
        by: by(thought),
        action: kind,
        content,
        observation: entry
            .get("observation")
            .and_then(Value::as_str)
            .unwrap_or_default()
            .to_owned(),
        seconds: None,
        outcome: None,
        exit_code: None,
        file: None,
    })
}
