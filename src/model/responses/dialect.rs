//! Responses as a dialect.

use serde_json::Value;

use crate::domain::conversation::ChatResponse;
use crate::model::chat::{ChatRequest, ModelError};
use crate::model::dialect::{Contact, Dialect};
use crate::model::name::Provider;
use crate::model::openai::endpoint::OpenAiEndpoint;
use crate::model::openai::settings::OpenAiSettings;
use crate::model::responses::answer;
use crate::model::responses::assembly::StreamedResponse;
use crate::model::responses::request::Body;
use crate::model::sse::Assembly;

/// A model that is asked through responses.
pub struct Responses {
    settings: OpenAiSettings,
    contact: Contact,
}

impl Responses {
    /// A model from the settings that chat completions take as well.
    ///
    /// # Errors
    /// A key that is needed and absent, an address that cannot be asked, and Azure's
    /// addresses by deployment, which know chat completions alone.
    pub fn new(settings: OpenAiSettings) -> Result<Self, ModelError> {
        let endpoint = OpenAiEndpoint::new(&settings)?;
        if settings.reach.provider == Provider::Azure && endpoint.by_deployment() {
            return Err(ModelError::Misconfigured(format!(
                "`{}` cannot be asked through the Responses interface at {}. Give an address that ends in /openai/v1, or take `responses` out of the table of models for it.",
                settings.name, settings.reach.base
            )));
        }
        Ok(Self {
            contact: Contact {
                name: settings.name.clone(),
                calls_tools: settings.calls_tools,
                endpoint: settings.reach.clone(),
                address: endpoint.address("/responses")?,
                headers: endpoint.headers,
            },
            settings,
        })
    }
}

impl Dialect for Responses {
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
            gives_thoughts: self.settings.gives_thoughts,
            request,
        })
    }

    fn assembly(&self) -> Box<dyn Assembly> {
        StreamedResponse::boxed()
    }

    fn read(&self, request: &ChatRequest, document: &Value) -> Result<ChatResponse, ModelError> {
        answer::read(self.settings.reach.provider.prefix(), request, document)
    }
}
