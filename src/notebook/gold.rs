//! The gold of a notebook task.

use std::fmt;

/// The answer, landmarks, script and solution of a task. Grading reads them; nothing that an agent
/// sees holds them, and neither does a debug print.
#[derive(Clone, PartialEq, Default)]
pub struct NotebookGold {
    /// JSON, as it stands in the record's text; `None` of a task without an answer.
    pub answer: Option<String>,
    /// Patterns of Python's `re`, in the order of the record.
    pub landmarks: Vec<String>,
    /// The path of the script that has to be run.
    pub entry_point: Option<String>,
    /// The expert's own notebook, as JSON.
    pub solution: Option<String>,
    /// The share of the answer that numbers may differ by when the gold says what counts; of tasks of one's
    /// own whose runs differ.
    pub tolerance: Option<f64>,
    /// The packages of the expert's environment, as `pip list` writes them.
    pub solution_packages: Option<String>,
}

impl fmt::Debug for NotebookGold {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("NotebookGold(..)")
    }
}
