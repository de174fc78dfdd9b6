//! The environment: a running sum that lives in the memory of the process.

use std::sync::Arc;

use async_trait::async_trait;
use reprise::effects::environment::{
    ConfinementTerms, Environment, EnvironmentSession, OpenedSession, SessionTerms,
};
use reprise::engine::error::EngineError;
use reprise::model::chat::ToolSpec;
use reprise::sandbox::contract::Lines;
use reprise::tools::contract::{Observation, Request, Tool, ToolOutcome};
use reprise::tools::workspace::Workspace;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

/// Adds a number.
struct Add;

/// Shows the sum.
struct Total;

impl Tool for Add {
    fn name(&self) -> &'static str {
        "add"
    }

    fn spec(&self) -> ToolSpec {
        ToolSpec {
            name: self.name().to_owned(),
            description: "Adds a number to the sum.".to_owned(),
            parameters: json!({
                "type": "object",
                "properties": { "number": { "type": "number", "description": "What is added." } },
                "required": ["number"],
                "additionalProperties": false,
            }),
        }
    }

    fn call(&self, arguments: &Value, _: &Workspace) -> ToolOutcome {
        match arguments["number"].as_f64() {
            Some(number) => ToolOutcome::Wanted(Request::Act {
                action: json!({ "add": number }),
            }),
            None => ToolOutcome::Observed(Observation::bad(
                "`number` has to be a number. Nothing was added.",
            )),
        }
    }
}

impl Tool for Total {
    fn name(&self) -> &'static str {
        "total"
    }

    fn spec(&self) -> ToolSpec {
        ToolSpec {
            name: self.name().to_owned(),
            description: "Shows the sum.".to_owned(),
            parameters: json!({ "type": "object", "properties": {}, "additionalProperties": false }),
        }
    }

    fn call(&self, _: &Value, _: &Workspace) -> ToolOutcome {
        ToolOutcome::Wanted(Request::Act {
            action: json!("total"),
        })
    }
}

/// The environment `abacus`.
pub struct Abacus;

#[async_trait]
impl Environment for Abacus {
    fn name(&self) -> &str {
        "abacus"
    }

    fn tools(&self) -> Vec<Arc<dyn Tool>> {
        vec![Arc::new(Add), Arc::new(Total)]
    }

    fn confinement(&self, _: ConfinementTerms<'_>) -> String {
        "A sum in the memory of this process; nothing runs, and nothing is reached.".to_owned()
    }

    async fn open(
        &self,
        _: &SessionTerms<'_>,
        _: &CancellationToken,
        _: Lines<'_>,
    ) -> Result<OpenedSession, EngineError> {
        Ok(OpenedSession::new(Box::new(Sum { sum: 0.0, numbers: 0 })))
    }
}

/// A session, gone with its process.
struct Sum {
    sum: f64,
    numbers: u32,
}

#[async_trait]
impl EnvironmentSession for Sum {
    async fn act(&mut self, action: &Value, _: &CancellationToken) -> Result<Observation, EngineError> {
        if let Some(number) = action["add"].as_f64() {
            self.sum += number;
            self.numbers += 1;
        }
        Ok(Observation::good(format!(
            "{} after {} numbers",
            self.sum, self.numbers
        )))
    }
}
