//! `agents/NAME/agent.toml` in the folder of a stage: a published agent that can go through it.

use serde::{Deserialize, Serialize};

use crate::catalog::stages::definition::StageDefinition;
use crate::catalog::stages::dialogue::{Dialogue, DialogueForm};
use crate::catalog::stages::fault::CatalogError;
use crate::catalog::stages::template::Template;
use crate::domain::stage::Stage;

/// The most attempts of a run.
pub const MOST_ATTEMPTS: u32 = 10;

/// The keys of the file.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct AgentFile {
    agent: String,
    /// The agent in a few words.
    pub about: String,
    form: DialogueForm,
    pub tools: Vec<String>,
    output_tokens: u32,
    repairs: u32,
    attempts: Option<u32>,
    /// The agent whose prompts this one shares.
    pub prompts_of: Option<String>,
}

/// The prompts of an agent.
pub(super) struct AgentPrompts {
    pub system: Template,
    pub prompt: Template,
    pub reflection: Option<Template>,
}

/// An agent that a stage can be gone through by.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct StageAgent {
    pub stage: Stage,
    pub name: String,
    pub about: String,
}

impl AgentFile {
    /// Reads a file, and holds it to what the engine relies on; `known` are the tools of the stage's
    /// environment.
    ///
    /// # Errors
    /// A mistake in it, or a name that is not that of its folder.
    pub fn read(toml: &Template, name: &str, known: &[String]) -> Result<Self, CatalogError> {
        let file: Self = toml::from_str(&toml.source).map_err(|error| toml.in_toml(&error))?;
        if file.agent != name {
            let problem = format!("the agent `{}` stands in the folder of `{name}`", file.agent);
            return Err(toml.wrong("agent", problem));
        }
        if let Some(unknown) = file.tools.iter().find(|tool| !known.contains(tool)) {
            return Err(CatalogError::UnknownTool {
                file: toml.file.clone(),
                line: toml.line_of_word(&format!("\"{unknown}\"")),
                name: unknown.clone(),
                known: known.join(", "),
            });
        }
        if file.output_tokens < 256 || file.repairs > 20 {
            let problem = "at least 256 output tokens and at most 20 repairs are allowed".to_owned();
            return Err(toml.wrong("output_tokens", problem));
        }
        if !(1..=MOST_ATTEMPTS).contains(&file.attempts()) {
            let problem = format!(
                "{} attempts are not between 1 and {MOST_ATTEMPTS}",
                file.attempts()
            );
            return Err(toml.wrong("attempts", problem));
        }
        Ok(file)
    }

    fn attempts(&self) -> u32 {
        self.attempts.unwrap_or(1)
    }

    /// Whether behind an attempt that submitted nothing another is made.
    pub fn reflects(&self) -> bool {
        self.attempts() > 1
    }

    /// The stage as this agent goes through it.
    pub fn over(self, stage: StageDefinition, prompts: AgentPrompts) -> StageDefinition {
        StageDefinition {
            system: prompts.system,
            prompt: prompts.prompt,
            output_tokens: self.output_tokens,
            repairs: self.repairs,
            dialogue: Some(Dialogue {
                attempts: self.attempts(),
                agent: self.agent,
                form: self.form,
                reflection: prompts.reflection,
            }),
            tools: self.tools,
            ..stage
        }
    }
}
