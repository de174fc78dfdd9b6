//! Responses as a dialect.

use serde_json::Value;

use crate::domain::conversation::ChatResponse;
use crate::model::chat::{ChatRequest, ModelError};
use crate::model::connection::Connection;
use crate::model::dialect::{Contact, Dialect};
use crate::model::openai::endpoint::OpenAiEndpoint;
use crate::model::openai::quirks::Quirks;
use crate::model::responses::answer;
use crate::model::responses::assembly::StreamedResponse;
use crate::model::responses::request::Body;
use crate::model::sse::Assembly;

/// A model that is asked through responses.
pub struct Responses {
    contact: Contact,
    quirks: Quirks,
}

impl Responses {
    /// A model at an endpoint that serves chat completions as well.
    ///
    /// # Errors
    /// An address that takes no path.
    pub fn new(connection: Connection, endpoint: OpenAiEndpoint, quirks: Quirks) -> Result<Self, ModelError> {
        Ok(Self {
            contact: Contact {
                connection,
                address: endpoint.address("/responses")?,
                headers: endpoint.headers,
            },
            quirks,
        })
    }
}

impl Dialect for Responses {
    fn contact(&self) -> &Contact {
        &self.contact
    }

    fn body(&self, request: &ChatRequest, streamed: bool) -> serde_json::Result<String> {
        serde_json::to_string(&Body {
            connection: &self.contact.connection,
            prompt_cache_key: self.quirks.prompt_cache_key,
            streamed,
            request,
        })
    }

    fn assembly(&self) -> Box<dyn Assembly> {
        StreamedResponse::boxed()
    }

    fn read(&self, request: &ChatRequest, document: &Value) -> Result<ChatResponse, ModelError> {
        answer::read(self.contact.provider(), request, document)
    }
}
