//! `ask_person`: a question to the person who attends the run.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use super::arguments;
use super::contract::{Observation, Request, Tool, ToolOutcome};
use super::workspace::Workspace;
use crate::model::chat::ToolSpec;

/// Most characters of a question.
const LONGEST: usize = 4_000;

/// Asks the person who attends the run.
pub struct AskPerson;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Arguments {
    /// The question, with everything that is needed to answer it.
    question: String,
}

impl Tool for AskPerson {
    fn name(&self) -> &'static str {
        "ask_person"
    }

    fn spec(&self) -> ToolSpec {
        arguments::spec_of::<Arguments>(
            self.name(),
            "Asks the person who attends the run. Use it only for what neither the files nor the paper can \
             tell.",
        )
    }

    fn call(&self, given: &Value, _: &Workspace) -> ToolOutcome {
        let question = match arguments::read::<Arguments>(self.name(), given) {
            Ok(arguments) => arguments.question.trim().to_owned(),
            Err(wrong) => return ToolOutcome::Observed(wrong),
        };
        if question.is_empty() || question.chars().count() > LONGEST {
            return ToolOutcome::Observed(Observation::bad(format!(
                "`ask_person` was not run: argument `question` needs 1 to {LONGEST} characters."
            )));
        }
        ToolOutcome::Wanted(Request::AskPerson { question })
    }
}
