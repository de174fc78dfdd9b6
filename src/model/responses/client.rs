//! The model behind the Responses interface.

use std::sync::Arc;

use async_openai::config::Config as _;
use async_trait::async_trait;

use crate::domain::clock::Clock;
use crate::domain::conversation::ChatResponse;
use crate::model::chat::{ChatModel, ChatRequest, ModelError};
use crate::model::exchange::{Exchange, JsonPost};
use crate::model::layers::timer::Timer;
use crate::model::name::Provider;
use crate::model::openai::endpoint::OpenAiEndpoint;
use crate::model::openai::settings::OpenAiSettings;
use crate::model::progress::OnProgress;
use crate::model::responses::answer;
use crate::model::responses::assembly::StreamedResponse;
use crate::model::responses::request::Body;

/// A model that is asked through responses. One call is one attempt.
pub struct Responses {
    settings: OpenAiSettings,
    post: JsonPost,
}

impl Responses {
    /// A model from the settings that chat completions take as well; fails
    /// where they are unusable, and for Azure's addresses by deployment, which
    /// know chat completions alone.
    pub fn new(settings: OpenAiSettings, clock: Arc<dyn Clock>) -> Result<Self, ModelError> {
        let endpoint = OpenAiEndpoint::new(&settings)?;
        if settings.reach.provider == Provider::Azure && endpoint.by_deployment() {
            return Err(ModelError::Misconfigured(format!(
                "`{}` cannot be asked through the Responses interface at {}. Give an address that ends in /openai/v1, or take `responses` out of the table of models for it.",
                settings.name, settings.reach.base
            )));
        }
        let post = JsonPost {
            exchange: Exchange::new(&settings.reach, clock)?,
            address: endpoint.url("/responses"),
            headers: endpoint.headers(),
            assembly: StreamedResponse::boxed,
            on_progress: None,
        };
        Ok(Self { settings, post })
    }

    /// The same model with its attempts timed by something else than real time.
    pub fn timed(mut self, timer: Arc<dyn Timer>) -> Self {
        self.post.exchange.timer = timer;
        self
    }

    /// The same model with its answers streamed, and watched as they arrive.
    pub fn streaming(mut self, on_progress: OnProgress) -> Self {
        self.post.on_progress = Some(on_progress);
        self
    }
}

#[async_trait]
impl ChatModel for Responses {
    fn name(&self) -> &str {
        &self.settings.name
    }

    fn calls_tools(&self) -> bool {
        self.settings.calls_tools
    }

    async fn chat(&self, request: &ChatRequest) -> Result<ChatResponse, ModelError> {
        let body = Body {
            provider: self.settings.reach.provider,
            model: &self.settings.model,
            sampling: &self.settings.sampling,
            streamed: self.post.on_progress.is_some(),
            keeps_forms: self.settings.keeps_forms,
            gives_thoughts: self.settings.gives_thoughts,
            request,
        };
        let document = self.post.ask(request.position, &body).await?;
        answer::read(self.settings.reach.provider.prefix(), request, &document)
    }
}
