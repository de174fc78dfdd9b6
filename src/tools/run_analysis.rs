//! `run_analysis`: asks the engine to execute what was planned.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use super::arguments;
use super::contract::{Request, Tool, ToolOutcome};
use super::workspace::Workspace;
use crate::domain::execution::RUN_ANALYSIS;
use crate::model::chat::ToolSpec;

/// Executes the plan; the engine asks for approval first where it has to.
pub struct RunAnalysis;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Arguments {
    /// Why the analysis is run at this point, in one sentence.
    #[serde(default)]
    reason: String,
}

impl Tool for RunAnalysis {
    fn name(&self) -> &'static str {
        RUN_ANALYSIS
    }

    fn spec(&self) -> ToolSpec {
        arguments::spec_of::<Arguments>(
            self.name(),
            "Builds the declared environment and runs the planned entry points in order. Returns the exit \
             status and the end of the output of each.",
        )
    }

    fn call(&self, given: &Value, _: &Workspace) -> ToolOutcome {
        match arguments::read::<Arguments>(self.name(), given) {
            Ok(Arguments { reason }) => ToolOutcome::Wanted(Request::RunAnalysis {
                reason: reason.trim().to_owned(),
            }),
            Err(wrong) => ToolOutcome::Observed(wrong),
        }
    }
}
