//! Acts in the kernel of an attempt, and what is kept of each.

use serde::{Deserialize, Serialize};

use super::file_command::FileCommand;
use super::history::step::CellOutcome;
use super::window::FileView;

/// An act in the kernel, as the journal keeps it. The names are those of the published actions.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "do", rename_all = "snake_case")]
pub enum NotebookAct {
    /// A cell.
    Execute {
        cell: String,
        /// Seconds that are waited for its end, where they are not those of the attempt.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        seconds: Option<u64>,
    },
    /// A change of a file, in the form of [`super::edit::NotebookEdit`].
    Edit { edit: String },
    /// A command on files that are seen through a window, in the form of
    /// [`super::file_command::FileCommand`].
    Files { command: String },
    /// A further wait for the cell that still runs.
    ContinueWait,
    /// The end of the cell that still runs; the kernel's state stays.
    Interrupt,
}

impl NotebookAct {
    /// The published name of its kind.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Execute { .. } => "execute",
            Self::Edit { .. } => "edit",
            Self::Files { command } => FileCommand::parse(command).map_or("files", |command| command.name()),
            Self::ContinueWait => "continue_wait",
            Self::Interrupt => "interrupt",
        }
    }

    /// What it was given; empty where it takes nothing.
    pub fn content(&self) -> &str {
        match self {
            Self::Execute { cell, .. } => cell,
            Self::Edit { edit } => edit,
            Self::Files { command } => command,
            Self::ContinueWait | Self::Interrupt => "",
        }
    }
}

/// The record of an act beside the words that its agent is told. Grading reads it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CellRecord {
    pub outcome: CellOutcome,
    /// The status of the last `!` command of a cell that came to its end; 0 where it had none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exit_code: Option<i64>,
    /// The cells that the kernel was given for it: none for a wait, two for an edit.
    pub cells: u32,
    /// What was seen of it, neither cleaned nor cut but for the middle of what is longer than 1 MiB.
    pub whole: String,
    /// The byte behind what was told, in the file with the whole output.
    #[serde(default)]
    pub upto: u64,
    /// The file with the whole output, in the folder of the exchange.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// The file that is open in a window behind it, where a command on files was given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub view: Option<FileView>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn acts_are_kept_under_their_published_names() {
        let acts = [
            NotebookAct::Execute {
                cell: "!ls".to_owned(),
                seconds: None,
            },
            NotebookAct::Edit { edit: "a".to_owned() },
            NotebookAct::ContinueWait,
            NotebookAct::Interrupt,
        ];
        let opened = NotebookAct::Files {
            command: "open a.py".to_owned(),
        };
        assert_eq!((opened.name(), opened.content()), ("open", "open a.py"));
        for act in acts {
            let json = serde_json::to_value(&act).unwrap();
            assert_eq!(json["do"], act.name());
            assert_eq!(serde_json::from_value::<NotebookAct>(json).unwrap(), act);
        }
    }
}
