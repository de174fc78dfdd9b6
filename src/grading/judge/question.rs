//! One question to a judge, and the line that it is asked on.

use std::collections::BTreeMap;
use std::sync::Arc;

use async_trait::async_trait;

use crate::catalog::rubrics::definition::Rubric;
use crate::catalog::stages::definition::Rendered;
use crate::domain::conversation::{ChatResponse, Position};
use crate::domain::stage::Stage;
use crate::domain::usage::Usage;
use crate::model::chat::{ChatModel, ChatRequest, Message, ModelError, ToolSpec};
use crate::model::response_schema::ResponseSchema;
use crate::tools::registry::Registry;
use crate::tools::workspace::Workspace;

/// The tools that a judge may look with; none of them changes anything.
pub const TOOLS: [&str; 3] = ["list_files", "read_file", "search_files"];

/// A folder to look into.
#[derive(Clone, Copy)]
pub struct Look<'a> {
    pub registry: &'a Registry,
    pub workspace: &'a Workspace,
}

/// A question that is asked once.
pub struct JudgeQuestion<'a> {
    pub rubric: &'a Rubric,
    pub rendered: Rendered,
    /// The fields that need a mark.
    pub fields: Vec<String>,
    pub look: Option<Look<'a>>,
    pub bounds: JudgeBounds,
}

/// The bounds on asking a judge for one answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct JudgeBounds {
    /// Answers that are sent back because marks are missing or off the scale.
    pub repairs: u32,
    /// Model calls in all.
    pub turns: u32,
    pub output_tokens: u32,
}

impl Default for JudgeBounds {
    fn default() -> Self {
        Self {
            repairs: 2,
            turns: 20,
            output_tokens: 16_000,
        }
    }
}

/// A judge with the count of what it was asked, which numbers its calls by stage.
pub struct JudgeLine<'a> {
    model: &'a dyn ChatModel,
    turns: BTreeMap<Stage, u32>,
    pub usage: Usage,
    pub calls: u64,
    /// Calls that failed, and why the first of them did.
    pub failed: u64,
    pub fault: Option<String>,
}

impl<'a> JudgeLine<'a> {
    /// A line on which nothing has been asked.
    pub fn new(model: &'a dyn ChatModel) -> Self {
        Self {
            model,
            turns: BTreeMap::new(),
            usage: Usage::default(),
            calls: 0,
            failed: 0,
            fault: None,
        }
    }

    /// True if the judge takes native tool calls.
    pub fn calls_tools(&self) -> bool {
        self.model.calls_tools()
    }

    /// Asks once.
    ///
    /// # Errors
    /// Those of the model.
    pub async fn ask(
        &mut self,
        stage: Stage,
        messages: &[Message],
        tools: &Arc<[ToolSpec]>,
        output_tokens: u32,
        form: Option<Arc<ResponseSchema>>,
    ) -> Result<ChatResponse, ModelError> {
        let answered = self.ask_once(stage, messages, tools, output_tokens, form).await;
        if let Err(error) = &answered {
            self.failed += 1;
            self.fault.get_or_insert_with(|| without_name(error));
        }
        answered
    }

    async fn ask_once(
        &mut self,
        stage: Stage,
        messages: &[Message],
        tools: &Arc<[ToolSpec]>,
        output_tokens: u32,
        form: Option<Arc<ResponseSchema>>,
    ) -> Result<ChatResponse, ModelError> {
        let turn = self.turns.entry(stage).or_default();
        let request = ChatRequest {
            position: Position { stage, turn: *turn },
            messages: messages.to_vec(),
            tools: tools.clone(),
            max_output_tokens: Some(output_tokens),
            form,
        };
        let response = self.model.chat(&request).await?;
        *turn += 1;
        self.calls += 1;
        self.usage += response.usage;
        Ok(response)
    }
}

/// An error's words without the judge's name, which stands beside them as it was given.
pub fn without_name(error: &ModelError) -> String {
    match error {
        ModelError::Unavailable { message, .. } => message.clone(),
        ModelError::Rejected { status, message, .. } => {
            format!("the request was refused ({status}): {message}")
        }
        other => other.to_string(),
    }
}

/// The tools in words, for a judge without native tool calls.
pub fn tools_as_text(registry: &Registry) -> String {
    let specs = registry.specs(TOOLS).unwrap_or_default();
    let lines = specs.iter().map(|spec| {
        format!(
            "- {}: {} Arguments: {}",
            spec.name, spec.description, spec.parameters
        )
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// In a judge's place where nothing is left to be asked.
pub struct NoJudge;

#[async_trait]
impl ChatModel for NoJudge {
    fn name(&self) -> &str {
        "code"
    }

    async fn chat(&self, _: &ChatRequest) -> Result<ChatResponse, ModelError> {
        Err(ModelError::Misconfigured("No judge was named.".to_owned()))
    }
}
