//! The brief of a conversation: prompt, tools, schema of the answer, limits of turns.

use std::sync::Arc;

use serde_json::Value;

use crate::catalog::schemas;
use crate::catalog::stages::dialogue::DialogueForm;
use crate::domain::criterion::FixedCriterion;
use crate::domain::stage::Stage;
use crate::model::chat::ToolSpec;
use crate::model::response_schema::ResponseSchema;

/// The bounds of one conversation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TurnLimits {
    /// Answers of the model at most.
    pub turns: u32,
    /// Completion tokens of one answer at most.
    pub output_tokens: u32,
    /// How often an answer that does not fit its schema is sent back.
    pub repairs: u32,
}

/// A stage's prompts, tools and bounds.
#[derive(Debug, Clone)]
pub struct Brief {
    pub stage: Stage,
    pub system: Arc<str>,
    pub user: Arc<str>,
    pub tools: Arc<[ToolSpec]>,
    /// Whether the model takes native tool calls; else the text protocol is used.
    pub native_calls: bool,
    pub limits: TurnLimits,
    /// Bytes that shrinking old results has to save; `None`: nothing is shrunk.
    pub shrink_at: Option<u64>,
    /// Bytes of the conversation below which nothing is shrunk.
    pub shrink_from: u64,
    /// The last characters that are kept of results of turns before the latest; `None`: all of them.
    pub earlier_results: Option<usize>,
    /// The rule that the study fixes for its claim.
    pub criterion: Option<FixedCriterion>,
    /// The schema of the answer, where it is not one of replication's.
    pub own_schema: Option<OwnSchema>,
    /// The form of the conversation, where it is that of a published agent.
    pub dialogue: Option<BriefDialogue>,
}

/// The conversation of a published agent.
#[derive(Debug, Clone)]
pub struct BriefDialogue {
    pub form: DialogueForm,
    /// Attempts at most.
    pub attempts: u32,
    /// The prompt for the plan behind an attempt that submitted nothing.
    pub reflection: Arc<str>,
}

/// The schema of a stage that the catalog describes and no type does.
#[derive(Debug, Clone)]
pub struct OwnSchema {
    /// Its name, without `.schema.json`.
    pub name: String,
    pub schema: Arc<Value>,
}

impl Brief {
    /// The form that a provider is asked to keep to.
    pub fn response_schema(&self) -> ResponseSchema {
        match &self.own_schema {
            Some(own) => ResponseSchema {
                name: own.name.clone(),
                schema: own.schema.as_ref().clone(),
            },
            None => ResponseSchema {
                name: schemas::name(self.stage).to_owned(),
                schema: schemas::for_stage(self.stage).clone(),
            },
        }
    }
}
