//! Cells that are executed before an agent's turn.

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The kind of a cell that is executed beforehand.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PreCellKind {
    /// A cell of the notebook.
    Execute,
    /// A call of the edit tool.
    Edit,
}

/// A cell that is executed before an agent's turn. The agent sees it and its output.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PreCell {
    #[serde(rename = "type")]
    pub kind: PreCellKind,
    pub content: String,
}

impl PreCell {
    /// Whether it clones a repository.
    pub fn clones(&self) -> bool {
        self.kind == PreCellKind::Execute && self.content.contains("git clone")
    }

    /// Reads a cell: an object, or JSON of one within a text, as the published files have it.
    ///
    /// # Errors
    /// The reason why it is none, as a clause that quotes nothing of it.
    pub fn read(written: &Value) -> Result<Self, &'static str> {
        let decoded;
        let value = match written {
            Value::String(text) => {
                decoded = serde_json::from_str::<Value>(text).map_err(|_| "is a text that is no JSON")?;
                &decoded
            }
            other => other,
        };
        let object = value.as_object().ok_or("is no object")?;
        let kind = match object.get("type").and_then(Value::as_str) {
            Some("execute") => PreCellKind::Execute,
            Some("edit") => PreCellKind::Edit,
            Some(_) => return Err("has a `type` that is neither `execute` nor `edit`"),
            None => return Err("has no `type`"),
        };
        match object.get("content") {
            Some(Value::String(content)) => Ok(Self {
                kind,
                content: content.clone(),
            }),
            _ => Err("has no `content` that is text"),
        }
    }
}
