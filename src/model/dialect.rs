//! The dialect of a provider: its requests, and the reading of its answers.

use reqwest::Url;
use reqwest::header::HeaderMap;
use serde_json::Value;

use crate::domain::conversation::ChatResponse;
use crate::model::chat::{ChatRequest, ModelError};
use crate::model::connection::Connection;
use crate::model::sse::Assembly;

/// The contact that every dialect has: who is asked, where and with what key.
#[derive(Debug, Clone)]
pub struct Contact {
    pub connection: Connection,
    /// Where requests are posted, with everything behind the `?`.
    pub address: Url,
    /// The key, as the provider wants it, and what else goes with each request.
    pub headers: HeaderMap,
}

impl Contact {
    /// What errors call the provider.
    pub fn provider(&self) -> &'static str {
        self.connection.endpoint.provider.prefix
    }
}

/// One model behind one interface. [`crate::model::client::Client`] does the rest for
/// every dialect: it sends, keeps the time, reads streams and errors, and masks the key.
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
