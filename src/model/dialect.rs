//! How a provider wants to be asked, and how its answers read.

use reqwest::Url;
use reqwest::header::HeaderMap;
use serde_json::Value;

use crate::domain::conversation::ChatResponse;
use crate::model::chat::{ChatRequest, ModelError};
use crate::model::endpoint::Endpoint;
use crate::model::sse::Assembly;

/// What every dialect has: who is asked, where and with what key.
pub struct Contact {
    /// The model's full name, such as `openai/gpt-5`.
    pub name: String,
    /// Whether the model takes native tool calls.
    pub calls_tools: bool,
    /// What the provider is reached with.
    pub endpoint: Endpoint,
    /// Where requests are posted, with everything behind the `?`.
    pub address: Url,
    /// The key, as the provider wants it, and what else goes with each request.
    pub headers: HeaderMap,
}

/// One model behind one interface. [`crate::model::client::Client`] does the rest for
/// every dialect: it sends, keeps the time, reads streams and masks the key.
pub trait Dialect: Send + Sync {
    /// Who is asked, where and with what key.
    fn contact(&self) -> &Contact;

    /// The body of a request, as JSON.
    ///
    /// # Errors
    /// A conversation that is no JSON, such as one with a number that is none.
    fn body(&self, request: &ChatRequest, streamed: bool) -> serde_json::Result<String>;

    /// What puts a streamed answer together.
    fn assembly(&self) -> Box<dyn Assembly>;

    /// Reads an answer to `request`.
    ///
    /// # Errors
    /// A document that holds no answer, or one that the provider refused.
    fn read(&self, request: &ChatRequest, document: &Value) -> Result<ChatResponse, ModelError>;
}
