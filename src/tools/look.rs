//! A picture with a question about it.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::domain::picture::Picture;
use crate::domain::workspace_path::WorkspacePath;

/// A question about a picture, which somebody who sees has to answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Look {
    pub path: WorkspacePath,
    /// The page that was named, where one was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub page: Option<u32>,
    pub question: String,
    pub picture: Picture,
    /// What differs from the original, in sentences.
    #[serde(default)]
    pub notes: Vec<String>,
}

impl Look {
    /// The arguments that a recording knows the question by.
    pub fn arguments(&self) -> Value {
        match self.page {
            Some(page) => json!({ "path": self.path, "page": page, "question": self.question }),
            None => json!({ "path": self.path, "question": self.question }),
        }
    }
}
