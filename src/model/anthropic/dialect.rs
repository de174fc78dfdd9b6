//! Messages as a dialect.

use reqwest::header::{HeaderMap, HeaderValue};
use serde_json::Value;

use crate::domain::conversation::ChatResponse;
use crate::model::anthropic::answer;
use crate::model::anthropic::assembly::StreamedMessage;
use crate::model::anthropic::request::Body;
use crate::model::chat::{ChatRequest, ModelError};
use crate::model::connection::Connection;
use crate::model::dialect::{Contact, Dialect};
use crate::model::http::appended;
use crate::model::key::no_key;
use crate::model::sse::Assembly;

/// The version of the interface that is spoken.
const VERSION: &str = "2023-06-01";

/// A model that is asked through the Messages interface.
pub struct Messages {
    contact: Contact,
}

impl Messages {
    /// A model at the address of its connection, with the key that the interface insists on.
    ///
    /// # Errors
    /// A key that is absent or no header can hold, or an address that takes no path.
    pub fn new(connection: Connection) -> Result<Self, ModelError> {
        let endpoint = &connection.endpoint;
        let key = (endpoint.key.as_ref()).ok_or_else(|| no_key(endpoint.provider))?;
        let mut headers = HeaderMap::new();
        headers.insert("x-api-key", key.header("", endpoint.provider)?);
        headers.insert("anthropic-version", HeaderValue::from_static(VERSION));
        Ok(Self {
            contact: Contact {
                address: appended(endpoint.base.as_str(), "/messages")?,
                headers,
                connection,
            },
        })
    }
}

impl Dialect for Messages {
    fn contact(&self) -> &Contact {
        &self.contact
    }

    fn body(&self, request: &ChatRequest, streamed: bool) -> serde_json::Result<String> {
        serde_json::to_string(&Body {
            connection: &self.contact.connection,
            streamed,
            request,
        })
    }

    fn assembly(&self) -> Box<dyn Assembly> {
        StreamedMessage::boxed()
    }

    fn read(&self, request: &ChatRequest, document: &Value) -> Result<ChatResponse, ModelError> {
        answer::read(self.contact.provider(), request, document)
    }
}
