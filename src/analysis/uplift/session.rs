//! One person's work on one paper.

/// One person's work on one paper, with or without help.
#[derive(Debug, Clone, PartialEq)]
pub struct WorkSession {
    /// The line of the file, the header being 1.
    pub line: usize,
    /// More than 0.
    pub minutes: f64,
    pub condition: String,
    pub paper: String,
    pub researcher: String,
}
