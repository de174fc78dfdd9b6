//! Messages as a dialect.

use reqwest::header::{HeaderMap, HeaderValue};
use serde_json::Value;

use crate::domain::conversation::ChatResponse;
use crate::model::anthropic::answer;
use crate::model::anthropic::assembly::StreamedMessage;
use crate::model::anthropic::request::Body;
use crate::model::anthropic::settings::AnthropicSettings;
use crate::model::chat::{ChatRequest, ModelError};
use crate::model::dialect::{Contact, Dialect};
use crate::model::http::appended;
use crate::model::key::no_key;
use crate::model::sse::Assembly;

/// The version of the interface that is spoken.
const VERSION: &str = "2023-06-01";

/// A model that is asked through the Messages interface.
pub struct Messages {
    settings: AnthropicSettings,
    contact: Contact,
}

impl Messages {
    /// A model from its settings.
    ///
    /// # Errors
    /// A key that is absent or no header can hold, or an address that takes no path.
    pub fn new(settings: AnthropicSettings) -> Result<Self, ModelError> {
        let reach = &settings.reach;
        let key = reach.key.as_ref().ok_or_else(|| no_key(reach.provider))?;
        let mut headers = HeaderMap::new();
        headers.insert("x-api-key", key.header("", reach.provider)?);
        headers.insert("anthropic-version", HeaderValue::from_static(VERSION));
        Ok(Self {
            contact: Contact {
                name: settings.name.clone(),
                calls_tools: true,
                endpoint: settings.reach.clone(),
                address: appended(reach.base.as_str(), "/messages")?,
                headers,
            },
            settings,
        })
    }
}

impl Dialect for Messages {
    fn contact(&self) -> &Contact {
        &self.contact
    }

    fn body(&self, request: &ChatRequest, streamed: bool) -> serde_json::Result<String> {
        serde_json::to_string(&Body {
            model: &self.settings.model,
            default_output: self.settings.default_output,
            sampling: &self.settings.sampling,
            streamed,
            keeps_forms: self.settings.keeps_forms,
            thinks_within: self.settings.thinks_within,
            request,
        })
    }

    fn assembly(&self) -> Box<dyn Assembly> {
        StreamedMessage::boxed()
    }

    fn read(&self, request: &ChatRequest, document: &Value) -> Result<ChatResponse, ModelError> {
        answer::read(self.settings.reach.provider.prefix(), request, document)
    }
}
