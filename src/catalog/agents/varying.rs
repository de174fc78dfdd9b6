//! Parts of a program's requests that are others with every start, and tell no two requests apart.

use std::borrow::Cow;

use regex::Regex;
use thiserror::Error;

/// An entry of `varying` that is no regular expression.
#[derive(Debug, Error)]
#[error("`varying` has `{text}`, which is no regular expression: {error}")]
pub struct MistypedPart {
    text: String,
    error: regex::Error,
}

/// Expressions of an agent's definition over the texts of its requests.
#[derive(Debug, Clone, Default)]
pub struct VaryingParts(Vec<Regex>);

/// The mark in the place of a part.
const MARK: &str = "~";

impl VaryingParts {
    /// Compiles expressions.
    ///
    /// # Errors
    /// The first that is none.
    pub fn new(expressions: &[String]) -> Result<Self, MistypedPart> {
        let compiled = expressions.iter().map(|text| {
            Regex::new(text).map_err(|error| MistypedPart {
                text: text.clone(),
                error,
            })
        });
        Ok(Self(compiled.collect::<Result<_, _>>()?))
    }

    /// A text without the parts.
    pub fn blanked<'t>(&self, mut text: Cow<'t, str>) -> Cow<'t, str> {
        for part in &self.0 {
            if let Cow::Owned(blanked) = part.replace_all(&text, MARK) {
                text = Cow::Owned(blanked);
            }
        }
        text
    }
}
