//! The material that a stage works from, and the review that its answer goes through.

use serde::{Deserialize, Serialize};

use crate::domain::stage::Stage;

/// The material of a stage besides the task's files, as its `stage.toml` asks for it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct StageInputs {
    /// True where its prompt quotes the text of the paper.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub paper: bool,
    /// The earlier stages whose answers its prompt quotes; `None`: all of them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub quotes: Option<Vec<Stage>>,
    /// True where its prompt quotes the engine's account of the last execution.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub execution_result: bool,
    /// True where code that records its results may be written, so that the helpers for
    /// that stand in the workspace from then on.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub helpers: bool,
    /// The earlier stage whose answer names the scripts that are executed, and their
    /// environment.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub plan: Option<Stage>,
}

impl StageInputs {
    /// Whether nothing but the defaults is asked for.
    pub fn is_default(&self) -> bool {
        *self == Self::default()
    }

    /// Whether the prompt quotes the answer of a stage that came before. What is quoted is
    /// sent with every turn, and all answers stand in the workspace.
    pub fn quotes(&self, earlier: Stage) -> bool {
        let named = self.quotes.as_ref();
        named.is_none_or(|named| named.contains(&earlier))
    }
}

/// The review of an answer before its stage ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum AnswerReview {
    /// Nothing, which an override says of a stage that has a review built in.
    None,
    /// A post-registration against the claim, which completes it.
    Claim,
    /// A preregistered plan against the original's focal result, its own lists and the data.
    Plan,
    /// Its `urls` against the web.
    Addresses,
    /// Answers to the questions about a capsule against the form of answers, once.
    Answers,
    /// The same, and against what the agent was shown, and its figures against what was looked at.
    CheckedAnswers,
}

impl AnswerReview {
    /// The schema that an answer must have for it; `None`: any with `urls`.
    pub(super) fn schema(self) -> Option<&'static str> {
        match self {
            Self::Claim => Some("post_registration"),
            Self::Plan => Some("replication_info"),
            Self::None | Self::Addresses | Self::Answers | Self::CheckedAnswers => None,
        }
    }
}
