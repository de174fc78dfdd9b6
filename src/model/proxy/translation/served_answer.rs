//! The answer to a translated call, as its client is given it.

use crate::domain::conversation::ChatResponse;

/// An answer that is to be written in a client's dialect.
#[derive(Debug, Clone, Copy)]
pub struct ServedAnswer<'a> {
    /// A word that no other answer of the run has.
    pub id: &'a str,
    /// The model as the provider knows it.
    pub model: &'a str,
    /// Seconds since 1970.
    pub created: i64,
    pub response: &'a ChatResponse,
    /// Whether a stream of chat completions ends with its tokens.
    pub counts_tokens: bool,
}

impl ServedAnswer<'_> {
    /// Whether the provider has counted its tokens.
    pub fn is_counted(&self) -> bool {
        self.response.usage.total() > 0
    }
}
