//! Chat completions as a dialect.

use serde_json::Value;

use crate::domain::conversation::ChatResponse;
use crate::model::chat::{ChatRequest, ModelError};
use crate::model::connection::Connection;
use crate::model::dialect::{Contact, Dialect};
use crate::model::openai::answer;
use crate::model::openai::assembly::Completion;
use crate::model::openai::endpoint::OpenAiEndpoint;
use crate::model::openai::quirks::Quirks;
use crate::model::openai::request::Body;
use crate::model::sse::Assembly;

/// A model that is asked through chat completions.
pub struct ChatCompletions {
    contact: Contact,
    quirks: Quirks,
}

impl ChatCompletions {
    /// A model at an endpoint.
    ///
    /// # Errors
    /// An address that takes no path.
    pub fn new(connection: Connection, endpoint: OpenAiEndpoint, quirks: Quirks) -> Result<Self, ModelError> {
        Ok(Self {
            contact: Contact {
                connection,
                address: endpoint.address("/chat/completions")?,
                headers: endpoint.headers,
            },
            quirks,
        })
    }
}

impl Dialect for ChatCompletions {
    fn contact(&self) -> &Contact {
        &self.contact
    }

    fn body(&self, request: &ChatRequest, streamed: bool) -> serde_json::Result<String> {
        serde_json::to_string(&Body {
            connection: &self.contact.connection,
            quirks: self.quirks,
            streamed,
            request,
        })
    }

    fn assembly(&self) -> Box<dyn Assembly> {
        Completion::boxed()
    }

    fn read(&self, request: &ChatRequest, document: &Value) -> Result<ChatResponse, ModelError> {
        answer::read(self.contact.provider(), request, document)
    }
}
