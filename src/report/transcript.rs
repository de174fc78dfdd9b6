//! The conversation, stage by stage.

use serde::{Deserialize, Serialize};

use crate::domain::conversation::Finish;
use crate::domain::stage::Stage;
use crate::domain::usage::Usage;
use crate::domain::workspace_path::WorkspacePath;
use crate::run::event::ToolFinished;
use crate::run::stage_state::{StageState, TurnState};

use super::text::{ITEM, Loader, Text};

/// The conversation of one stage.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct StageTranscript {
    pub stage: Stage,
    pub system: Text,
    pub user: Text,
    pub tools: Vec<String>,
    /// True if tools are called natively, or through the text protocol.
    pub native_calls: bool,
    pub turns: Vec<TurnView>,
    /// The stage's answer, where it finished.
    pub artifact: Option<Text>,
}

/// One answer of the model and what came of its calls.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TurnView {
    /// Counted from 0.
    pub turn: u32,
    pub text: Text,
    pub finish: Finish,
    pub usage: Usage,
    pub wall_ms: u64,
    pub calls: Vec<CallView>,
    /// Why the answer was handed back.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub remark: Option<Text>,
}

/// One call of a tool.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CallView {
    pub name: String,
    pub arguments: Text,
    /// Absent while the call is under way, and where it was never carried out.
    pub outcome: Option<CallOutcome>,
}

/// The result of a call.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CallOutcome {
    pub ok: bool,
    /// The text that the model was told.
    pub observation: Text,
    pub change: Option<FileChange>,
}

/// A file that the call wrote.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FileChange {
    pub path: WorkspacePath,
    /// True if the file was there before.
    pub replaced: bool,
    pub after: Text,
}

impl StageTranscript {
    pub fn new(stage: Stage, state: &StageState, loader: &Loader<'_>) -> Self {
        let of = |content, what: &str| loader.text(content, ITEM, &format!("The {what} of {stage}"));
        Self {
            stage,
            system: of(&state.system, "system prompt"),
            user: of(&state.user, "first message"),
            tools: state.tools.clone(),
            native_calls: state.native_calls,
            turns: (0..)
                .zip(&state.turns)
                .map(|(index, turn)| TurnView::new(stage, index, turn, loader))
                .collect(),
            artifact: state.artifact().map(|artifact| of(artifact, "answer")),
        }
    }
}

impl TurnView {
    fn new(stage: Stage, index: u32, state: &TurnState, loader: &Loader<'_>) -> Self {
        let place = format!("turn {index} of {stage}");
        Self {
            turn: index,
            text: loader.text(&state.text, ITEM, &format!("The text of {place}")),
            finish: state.finish,
            usage: state.usage,
            wall_ms: state.wall_ms,
            calls: (0..)
                .zip(&state.calls)
                .map(|(position, call)| CallView {
                    name: call.name.clone(),
                    arguments: Text::new(&call.arguments, ITEM),
                    outcome: state
                        .results
                        .get(&position)
                        .map(|result| CallOutcome::new(result, &place, loader)),
                })
                .collect(),
            remark: state
                .review
                .as_ref()
                .and_then(|review| review.remark.as_ref())
                .map(|remark| loader.text(remark, ITEM, &format!("The remark on {place}"))),
        }
    }
}

impl CallOutcome {
    fn new(result: &ToolFinished, place: &str, loader: &Loader<'_>) -> Self {
        Self {
            ok: result.ok,
            observation: loader.text(&result.observation, ITEM, &format!("An observation in {place}")),
            change: result.change.as_ref().map(|change| FileChange {
                path: change.path.clone(),
                replaced: change.before.is_some(),
                after: loader.text(&change.after, ITEM, &format!("The file {}", change.path)),
            }),
        }
    }
}
