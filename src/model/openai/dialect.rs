//! Chat completions as a dialect.

use serde_json::Value;

use crate::domain::conversation::ChatResponse;
use crate::model::chat::{ChatRequest, ModelError};
use crate::model::dialect::{Contact, Dialect};
use crate::model::openai::answer;
use crate::model::openai::assembly::Completion;
use crate::model::openai::endpoint::OpenAiEndpoint;
use crate::model::openai::request::Body;
use crate::model::openai::settings::OpenAiSettings;
use crate::model::sse::Assembly;

/// A model that is asked through chat completions.
pub struct ChatCompletions {
    settings: OpenAiSettings,
    contact: Contact,
}

impl ChatCompletions {
    /// A model from its settings.
    ///
    /// # Errors
    /// A key that is needed and absent, or an address that cannot be asked.
    pub fn new(settings: OpenAiSettings) -> Result<Self, ModelError> {
        let endpoint = OpenAiEndpoint::new(&settings)?;
        Ok(Self {
            contact: Contact {
                name: settings.name.clone(),
                calls_tools: settings.calls_tools,
                endpoint: settings.reach.clone(),
                address: endpoint.address("/chat/completions")?,
                headers: endpoint.headers,
            },
            settings,
        })
    }
}

impl Dialect for ChatCompletions {
    fn contact(&self) -> &Contact {
        &self.contact
    }

    fn body(&self, request: &ChatRequest, streamed: bool) -> serde_json::Result<String> {
        serde_json::to_string(&Body {
            provider: self.settings.reach.provider,
            model: &self.settings.model,
            sampling: &self.settings.sampling,
            streamed,
            keeps_forms: self.settings.keeps_forms,
            request,
        })
    }

    fn assembly(&self) -> Box<dyn Assembly> {
        Completion::boxed()
    }

    fn read(&self, request: &ChatRequest, document: &Value) -> Result<ChatResponse, ModelError> {
        answer::read(self.settings.reach.provider.prefix(), request, document)
    }
}
