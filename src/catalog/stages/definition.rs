//! One stage, ready to be prompted.

use serde::Serialize;

use crate::catalog::outline::outline;
use crate::catalog::schemas;
use crate::catalog::stages::context::PromptContext;
use crate::catalog::stages::fault::CatalogError;
use crate::catalog::stages::template::Template;
use crate::domain::stage::Stage;

/// A stage's prompts, tools and limits.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct StageDefinition {
    pub stage: Stage,
    pub system: Template,
    pub prompt: Template,
    /// How tools are called in text.
    pub protocol: Template,
    /// Names of the tools that the stage offers.
    pub tools: Vec<String>,
    /// Most model calls.
    pub turns: u32,
    /// Most completion tokens of one model call.
    pub output_tokens: u32,
    /// How often an answer that does not fit is sent back.
    pub repairs: u32,
    /// The name of the answer's schema, without `.schema.json`.
    pub schema: String,
}

/// A stage's first two messages.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rendered {
    pub system: String,
    pub user: String,
}

impl StageDefinition {
    /// Renders the prompts. The same context gives the same bytes.
    pub fn render(&self, context: &PromptContext) -> Result<Rendered, CatalogError> {
        let shape = outline(schemas::of(self.stage));
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
