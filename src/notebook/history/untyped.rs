//! Steps whose type is not written, and submissions that begin with their command.

use serde_json::Value;

use crate::notebook::file_command;

use super::python_literal;
use super::step::StepContent;

/// The type of a step and its content. The steps of the ported SWE-agent have no type: what they
/// hold is a submission, a command on files, or a cell; their submissions begin with the command.
pub(super) fn typed(action: Option<String>, source: String) -> (Option<String>, Option<StepContent>) {
    let action = action.filter(|kind| !kind.is_empty());
    let answer = source.trim().strip_prefix("submit ").map(str::trim);
    let is_answer = answer.is_some_and(|answer| python_literal::to_json(answer).is_some());
    match action {
        Some(kind) if kind == "submit" => {
            let answer = answer.filter(|_| is_answer).unwrap_or(&source);
            let content = submission(answer);
            (Some(kind), content)
        }
        None if is_answer => (Some("submit".to_owned()), submission(answer.unwrap_or_default())),
        None if !source.trim().is_empty() && !file_command::is_meant(&source) => {
            (Some("execute".to_owned()), Some(StepContent::Text(source)))
        }
        action => (action, Some(StepContent::Text(source))),
    }
}

/// A submission as Python prints it, or as JSON; a text that is neither is a text.
fn submission(source: &str) -> Option<StepContent> {
    if source.is_empty() {
        return None;
    }
    let json = python_literal::to_json(source).unwrap_or_else(|| Value::from(source).to_string());
    Some(StepContent::Json(json))
}
