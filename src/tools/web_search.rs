//! `web_search`: a query to a web search engine.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use super::arguments;
use super::contract::{Observation, Request, Tool, ToolOutcome};
use super::workspace::Workspace;
use crate::model::chat::ToolSpec;

/// Most characters of a query.
const LONGEST: usize = 400;
/// Most results that one query may ask for.
const MOST: u32 = 20;

/// Searches the web.
pub struct WebSearch;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Arguments {
    /// What to search for, as one would type it into a search box.
    query: String,
    /// Most results, from 1 to 20.
    #[serde(default = "ten")]
    #[schemars(range(min = 1, max = 20))]
    limit: u32,
}

fn ten() -> u32 {
    10
}

impl Tool for WebSearch {
    fn name(&self) -> &'static str {
        "web_search"
    }

    fn spec(&self) -> ToolSpec {
        arguments::spec_of::<Arguments>(
            self.name(),
            "Searches the web. Returns titles, addresses and excerpts.",
        )
    }

    fn call(&self, given: &Value, _: &Workspace) -> ToolOutcome {
        let Arguments { query, limit } = match arguments::read(self.name(), given) {
            Ok(arguments) => arguments,
            Err(wrong) => return ToolOutcome::Observed(wrong),
        };
        let query = query.trim().to_owned();
        if query.is_empty() || query.chars().count() > LONGEST {
            return ToolOutcome::Observed(Observation::bad(format!(
                "`web_search` was not run: argument `query` needs 1 to {LONGEST} characters."
            )));
        }
        ToolOutcome::Wanted(Request::WebSearch {
            query,
            limit: limit.clamp(1, MOST),
        })
    }
}
