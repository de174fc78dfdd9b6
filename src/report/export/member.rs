//! Files that an export consists of.

/// A file of an export.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Member {
    /// Relative to the export, with `/` between its parts.
    pub path: String,
    pub bytes: Vec<u8>,
}

impl Member {
    /// A file with a JSON text in it.
    pub fn json(path: impl Into<String>, value: &serde_json::Value) -> Self {
        Self {
            path: path.into(),
            bytes: format!("{value:#}\n").into_bytes(),
        }
    }
}
