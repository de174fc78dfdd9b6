//! A data table that an analysis opened, with its size and its columns.

use serde::{Deserialize, Serialize};

/// A table with its size and its columns.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct DataTable {
    /// Its path in the workspace.
    pub path: String,
    pub rows: u64,
    pub columns: Vec<String>,
    /// Rows that lack no value in the columns that the plan names, where they were counted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub complete: Option<u64>,
}
