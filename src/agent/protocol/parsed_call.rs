//! A call as it was understood, and the tools that it can be of.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::domain::lenient_json;
use crate::model::chat::ToolSpec;

/// One call, as it was understood.
#[derive(Debug, Clone, PartialEq)]
pub struct ParsedCall {
    pub tool: String,
    /// Always an object.
    pub arguments: Value,
    /// What had to be repaired; empty for `tool: {json}`.
    pub repairs: Vec<Repair>,
}

/// A departure from `Action: tool: {json}` that was read nevertheless.
#[derive(Debug, Clone, PartialEq, Eq, strum::Display)]
pub enum Repair {
    /// The arguments are not quite JSON.
    #[strum(to_string = "{0}")]
    Json(lenient_json::Repair),
    #[strum(to_string = "no `Action:` before the call")]
    MissingAction,
    #[strum(to_string = "no colon behind the tool's name")]
    MissingColon,
    #[strum(to_string = "a single value in place of the arguments")]
    SoleValue,
    #[strum(to_string = "an unquoted value in place of the arguments")]
    BareValue,
    #[strum(to_string = "the arguments inside a string")]
    QuotedArguments,
    #[strum(to_string = "a call with parentheses")]
    CallSyntax,
    #[strum(to_string = "arguments by keyword")]
    Keywords,
    #[strum(to_string = "a namespace before the tool's name")]
    Namespace,
    #[strum(to_string = "one of several calls in a wrapper")]
    Parallel,
    #[strum(to_string = "the call as one JSON object")]
    NamedObject,
    #[strum(to_string = "a fenced block")]
    Fenced,
    #[strum(to_string = "text behind the call")]
    GluedText,
    #[strum(to_string = "an observation or an answer that the model invented behind its action")]
    InventedObservation,
}

/// The tools that a model was offered, each with the parameter that a single
/// value stands for.
#[derive(Debug, Clone, Default)]
pub struct KnownTools(BTreeMap<String, Option<String>>);

impl KnownTools {
    /// The tools of `specs`: the first required property is the primary one,
    /// else the first property.
    pub fn from_specs(specs: &[ToolSpec]) -> Self {
        Self(
            specs
                .iter()
                .map(|spec| {
                    let required = spec.parameters["required"][0].as_str().map(str::to_owned);
                    let first = || {
                        let properties = spec.parameters["properties"].as_object()?;
                        properties.keys().next().cloned()
                    };
                    (spec.name.clone(), required.or_else(first))
                })
                .collect(),
        )
    }

    /// The tools of pairs of a name and its primary parameter.
    pub fn from_pairs<'a>(pairs: impl IntoIterator<Item = (&'a str, Option<&'a str>)>) -> Self {
        Self(
            pairs
                .into_iter()
                .map(|(name, primary)| (name.to_owned(), primary.map(str::to_owned)))
                .collect(),
        )
    }

    /// Whether a tool of that name was offered.
    pub fn contains(&self, name: &str) -> bool {
        self.0.contains_key(name)
    }

    pub(super) fn primary(&self, name: &str) -> Option<&str> {
        self.0.get(name)?.as_deref()
    }
}
