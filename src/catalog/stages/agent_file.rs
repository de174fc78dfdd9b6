//! `agents/NAME/agent.toml` in the folder of a stage: an agent of this program that can go through it, by
//! what it changes of the stage.

use serde::{Deserialize, Serialize};

use crate::catalog::stages::agent_limits::AgentLimits;
use crate::catalog::stages::definition::StageDefinition;
use crate::catalog::stages::dialogue::{Dialogue, DialogueForm};
use crate::catalog::stages::fault::CatalogError;
use crate::catalog::stages::inputs::AnswerReview;
use crate::catalog::stages::plain_agent::PLAIN;
use crate::catalog::stages::template::Template;
use crate::domain::sampling::Sampling;
use crate::domain::stage::Stage;

/// The most attempts of a run.
pub const MOST_ATTEMPTS: u32 = 10;

/// The keys of the file. What it leaves out is as the stage has it.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct AgentFile {
    agent: String,
    /// The agent in a few words.
    about: String,
    /// The form of its conversation, where that is not our own loop's.
    form: Option<DialogueForm>,
    tools: Option<Vec<String>>,
    turns: Option<u32>,
    output_tokens: Option<u32>,
    repairs: Option<u32>,
    review: Option<AnswerReview>,
    attempts: Option<u32>,
    /// The agent whose prompts this one shares.
    pub prompts_of: Option<String>,
    /// True where questions about figures are put to a model that sees: without one no attempt at a task
    /// with such questions begins.
    #[serde(default)]
    looks_at_figures: bool,
    #[serde(default)]
    limits: AgentLimits,
    /// How the model draws, where it is asked and nobody says otherwise.
    #[serde(default)]
    sampling: Sampling,
}

/// The prompts of an agent.
pub(super) struct AgentPrompts {
    pub system: Template,
    pub prompt: Template,
    pub reflection: Option<Template>,
}

/// An agent of this program that a stage can be gone through by.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct StageAgent {
    pub stage: Stage,
    pub name: String,
    pub about: String,
    /// Attempts at most.
    pub attempts: u32,
    /// Whether it needs somebody who sees, for tasks that ask about figures.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub looks_at_figures: bool,
    #[serde(skip_serializing_if = "AgentLimits::is_empty")]
    pub limits: AgentLimits,
    #[serde(skip_serializing_if = "Sampling::is_default")]
    pub sampling: Sampling,
}

/// The rules that an agent's file is held to.
pub(super) struct AgentRules<'a> {
    /// The name of its folder.
    pub name: &'a str,
    /// The stage as our own loop goes through it.
    pub stage: &'a StageDefinition,
    /// The tools of the track's environment.
    pub acting: &'a [String],
}

impl AgentFile {
    /// Reads a file, and holds it to what the engine relies on.
    ///
    /// # Errors
    /// A mistake in it, or a name that is not that of its folder.
    pub fn read(toml: &Template, rules: &AgentRules<'_>) -> Result<Self, CatalogError> {
        let file: Self = toml::from_str(&toml.source).map_err(|error| toml.in_toml(&error))?;
        file.check_name(toml, rules)?;
        file.check_tools(toml, rules)?;
        file.check_numbers(toml)?;
        file.check_form(toml)?;
        file.check_review(toml, rules)?;
        Ok(file)
    }

    fn check_name(&self, toml: &Template, rules: &AgentRules<'_>) -> Result<(), CatalogError> {
        if self.agent != rules.name {
            let problem = format!(
                "the agent `{}` stands in the folder of `{}`",
                self.agent, rules.name
            );
            return Err(toml.wrong("agent", problem));
        }
        if self.agent == PLAIN {
            let problem = format!("`{PLAIN}` is the name of our own loop: call the agent otherwise");
            return Err(toml.wrong("agent", problem));
        }
        Ok(())
    }

    fn check_tools(&self, toml: &Template, rules: &AgentRules<'_>) -> Result<(), CatalogError> {
        let known: Vec<&str> = (rules.acting.iter())
            .chain(
                rules
                    .stage
                    .tools
                    .iter()
                    .filter(|tool| !rules.acting.contains(tool)),
            )
            .map(String::as_str)
            .collect();
        let tools = self.tools.iter().flatten();
        match tools.into_iter().find(|tool| !known.contains(&tool.as_str())) {
            Some(unknown) => Err(CatalogError::UnknownTool {
                file: toml.file.clone(),
                line: toml.line_of_word(&format!("\"{unknown}\"")),
                name: unknown.clone(),
                known: known.join(", "),
            }),
            None => Ok(()),
        }
    }

    fn check_numbers(&self, toml: &Template) -> Result<(), CatalogError> {
        if self.turns.is_some_and(|turns| !(1..=1000).contains(&turns)) {
            let problem = "a stage has between 1 and 1000 turns".to_owned();
            return Err(toml.wrong("turns", problem));
        }
        if self.output_tokens.is_some_and(|tokens| tokens < 256)
            || self.repairs.is_some_and(|repairs| repairs > 20)
        {
            let problem = "at least 256 output tokens and at most 20 repairs are allowed".to_owned();
            return Err(toml.wrong("output_tokens", problem));
        }
        if !(1..=MOST_ATTEMPTS).contains(&self.attempts()) {
            let problem = format!(
                "{} attempts are not between 1 and {MOST_ATTEMPTS}",
                self.attempts()
            );
            return Err(toml.wrong("attempts", problem));
        }
        if let Some(problem) = self.limits.fault() {
            return Err(toml.wrong("limits", problem));
        }
        let Sampling {
            temperature, top_p, ..
        } = self.sampling;
        if temperature.is_some_and(|number| !(0.0..=2.0).contains(&number)) {
            let problem = "a temperature is a number from 0 to 2".to_owned();
            return Err(toml.wrong("temperature", problem));
        }
        if top_p.is_some_and(|number| number <= 0.0 || !(0.0..=1.0).contains(&number)) {
            let problem = "`top_p` is a number above 0, and 1 at most".to_owned();
            return Err(toml.wrong("top_p", problem));
        }
        Ok(())
    }

    fn check_form(&self, toml: &Template) -> Result<(), CatalogError> {
        let Some(form) = self.form else {
            return match self.reflects() {
                true => {
                    let problem =
                        "our own loop makes one attempt: name a `form`, or leave `attempts` out".to_owned();
                    Err(toml.wrong("attempts", problem))
                }
                false => Ok(()),
            };
        };
        let lacking = |tool: &&&str| !self.tools.iter().flatten().any(|own| own == **tool);
        match form.tools().iter().find(lacking) {
            Some(tool) => {
                let problem =
                    format!("conversations of this form act through `{tool}`, which `tools` does not name");
                Err(toml.wrong("form", problem))
            }
            None => Ok(()),
        }
    }

    fn check_review(&self, toml: &Template, rules: &AgentRules<'_>) -> Result<(), CatalogError> {
        let stage = rules.stage;
        if let Some(problem) = self.review.and_then(|review| stage.unfit_for(review)) {
            return Err(toml.wrong("review", problem));
        }
        let asks = matches!(
            self.review.or(stage.review),
            Some(AnswerReview::Answers | AnswerReview::CheckedAnswers)
        );
        if self.looks_at_figures && !asks {
            let problem = format!(
                "{} answers no questions, so that none is about a figure",
                stage.stage
            );
            return Err(toml.wrong("looks_at_figures", problem));
        }
        Ok(())
    }

    fn attempts(&self) -> u32 {
        self.attempts.unwrap_or(1)
    }

    /// Whether behind an attempt that submitted nothing another is made.
    pub fn reflects(&self) -> bool {
        self.attempts() > 1
    }

    /// Whether it converses as our own loop does, so that the stage's own prompts stand where it has none.
    pub fn is_own_loop(&self) -> bool {
        self.form.is_none()
    }

    /// The agent as it is listed and chosen.
    pub fn listed(self, stage: Stage) -> StageAgent {
        StageAgent {
            stage,
            attempts: self.attempts(),
            name: self.agent,
            about: self.about,
            looks_at_figures: self.looks_at_figures,
            limits: self.limits,
            sampling: self.sampling,
        }
    }

    /// The stage as this agent goes through it.
    pub fn over(self, stage: StageDefinition, prompts: AgentPrompts) -> StageDefinition {
        let attempts = self.attempts();
        let review = self.review.or(stage.review);
        StageDefinition {
            system: prompts.system,
            prompt: prompts.prompt,
            turns: self.turns.unwrap_or(stage.turns),
            output_tokens: self.output_tokens.unwrap_or(stage.output_tokens),
            repairs: self.repairs.unwrap_or(stage.repairs),
            review: review.filter(|review| *review != AnswerReview::None),
            dialogue: self.form.map(|form| Dialogue {
                attempts,
                agent: self.agent,
                form,
                reflection: prompts.reflection,
            }),
            tools: self.tools.unwrap_or(stage.tools),
            ..stage
        }
    }
}
