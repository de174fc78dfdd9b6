//! One stage, ready to be prompted.

use serde::Serialize;
use serde_json::Value;

use crate::catalog::outline::outline;
use crate::catalog::schemas;
use crate::catalog::stages::context::PromptContext;
use crate::catalog::stages::dialogue::Dialogue;
use crate::catalog::stages::fault::CatalogError;
use crate::catalog::stages::inputs::{AnswerReview, StageInputs};
use crate::catalog::stages::template::Template;
use crate::domain::execution::RUN_ANALYSIS;
use crate::domain::stage::Stage;

/// A stage's prompts, tools and limits.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct StageDefinition {
    pub stage: Stage,
    pub system: Template,
    pub prompt: Template,
    /// How tools are called in text.
    pub protocol: Template,
    #[serde(skip_serializing_if = "StageInputs::is_default")]
    pub inputs: StageInputs,
    /// What its answer is held against before it ends.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub review: Option<AnswerReview>,
    /// Names of the tools that the stage offers.
    pub tools: Vec<String>,
    /// Most model calls.
    pub turns: u32,
    /// Most completion tokens of one model call.
    pub output_tokens: u32,
    /// How often an answer that does not fit is sent back.
    pub repairs: u32,
    /// The last characters that are shown of a result of a tool in later turns, where results are cut
    /// so and not shrunk as they grow old.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub earlier_results: Option<u32>,
    /// The name of the answer's schema, without `.schema.json`.
    pub schema: String,
    /// The schema itself, where the stage's folder holds it; the answers of the others
    /// have types ([`crate::catalog::artifacts`]).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub own_schema: Option<Value>,
    /// The form of the conversation, where a published agent goes through the stage.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dialogue: Option<Dialogue>,
}

/// A stage's first two messages.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rendered {
    pub system: String,
    pub user: String,
}

impl StageDefinition {
    /// Whether its agent can have commands executed, for which there has to be a sandbox.
    pub fn executes(&self) -> bool {
        self.tools.iter().any(|tool| tool == RUN_ANALYSIS)
    }

    /// The schema of the stage's answer.
    pub fn answer_schema(&self) -> &Value {
        self.own_schema
            .as_ref()
            .unwrap_or_else(|| schemas::for_stage(self.stage))
    }

    /// The keys of the answer that the prompt's shape does not show.
    fn left_out(&self) -> &'static [&'static str] {
        match self.own_schema {
            Some(_) => &[],
            None => schemas::left_out(self.stage),
        }
    }

    /// What keeps a review from being made of the stage's answers.
    pub(super) fn unfit_for(&self, review: AnswerReview) -> Option<String> {
        let wanted = review.schema();
        if let Some(wanted) = wanted.filter(|wanted| *wanted != self.schema) {
            return Some(format!(
                "the review holds a `{wanted}` against something, and {} answers with `{}`",
                self.stage, self.schema
            ));
        }
        let has_urls = self.answer_schema()["properties"]["urls"].is_object();
        (review == AnswerReview::Addresses && !has_urls).then(|| {
            format!(
                "the review `addresses` reads `urls`, and the schema of {} has none",
                self.stage
            )
        })
    }

    /// Renders the prompts. The same context gives the same bytes.
    ///
    /// # Errors
    /// A template that names what it is not given.
    pub fn render(&self, context: &PromptContext) -> Result<Rendered, CatalogError> {
        let shape = outline(self.answer_schema(), self.left_out());
        let name = self.stage.name();
        let protocol = if context.text_protocol {
            self.protocol.render(&context.values(name, &shape, ""))?
        } else {
            String::new()
        };
        let values = context.values(name, &shape, &protocol);
        Ok(Rendered {
            system: self.system.render(&values)?,
            user: self.prompt.render(&values)?,
        })
    }
}
