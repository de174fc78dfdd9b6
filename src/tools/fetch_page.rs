//! `fetch_page`: one page of the web.

use reqwest::Url;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use super::arguments;
use super::contract::{Observation, Request, Tool, ToolOutcome};
use super::workspace::Workspace;
use crate::model::chat::ToolSpec;

/// Fetches a page; whether its host may be reached is the gate's decision.
pub struct FetchPage;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Arguments {
    /// The full address, with `https://` or `http://`.
    url: String,
}

impl Tool for FetchPage {
    fn name(&self) -> &'static str {
        "fetch_page"
    }

    fn spec(&self) -> ToolSpec {
        arguments::spec_of::<Arguments>(self.name(), "Fetches one page of the web and returns its text.")
    }

    fn call(&self, given: &Value, _: &Workspace) -> ToolOutcome {
        let url = match arguments::read::<Arguments>(self.name(), given) {
            Ok(arguments) => arguments.url,
            Err(wrong) => return ToolOutcome::Observed(wrong),
        };
        match Url::parse(url.trim()) {
            Ok(url)
                if matches!(url.scheme(), "http" | "https")
                    && url.username().is_empty()
                    && url.password().is_none() =>
            {
                ToolOutcome::Wanted(Request::FetchPage { url: url.into() })
            }
            _ => ToolOutcome::Observed(Observation::bad(
                "`fetch_page` was not run: argument `url` is a full web address without a user name, such as \
                 `https://osf.io/mu4rs/`.",
            )),
        }
    }
}
