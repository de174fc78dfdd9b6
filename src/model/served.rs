//! From a model's name and settings to the model.

use std::sync::Arc;

use reqwest::Url;

use crate::domain::clock::Clock;
use crate::model::anthropic::client::{Anthropic, AnthropicSettings};
use crate::model::capabilities::Capabilities;
use crate::model::chat::{ChatModel, ModelError};
use crate::model::http::Budget;
use crate::model::key::{Key, no_key};
use crate::model::name::{ModelName, Provider};
use crate::model::openai::client::{OpenAi, OpenAiSettings};
use crate::model::openai::request::Sampling;
use crate::model::progress::OnProgress;
use crate::model::responses::client::Responses;

/// What is needed besides the name. Nothing here is read from the environment.
#[derive(Clone, Default)]
pub struct Serving {
    pub key: Option<Key>,
    /// In place of the provider's own address.
    pub base: Option<Url>,
    pub sampling: Sampling,
    pub budget: Budget,
    pub capabilities: Capabilities,
    /// Answers are streamed where somebody watches.
    pub on_progress: Option<OnProgress>,
}

/// Most tokens of an answer where neither the request nor the table of models
/// says, for the providers that insist on a bound.
const OUTPUT: u32 = 16_000;

/// The model that a name stands for, without any layer around it.
///
/// Fails for recorded and scripted models, which are opened from a recording.
pub fn serve(
    name: &ModelName,
    serving: Serving,
    clock: Arc<dyn Clock>,
) -> Result<Arc<dyn ChatModel>, ModelError> {
    let ModelName::Served {
        provider,
        base,
        model,
    } = name
    else {
        return Err(ModelError::Misconfigured(format!(
            "`{name}` is answered from a recording, and no provider serves it. Open the recording."
        )));
    };
    let base = address(*provider, base.as_ref(), serving.base)?;
    let capabilities = serving.capabilities;
    let mut sampling = serving.sampling;
    if capabilities.temperature == Some(false) {
        sampling.temperature = None;
    }
    if *provider == Provider::Anthropic {
        let key = serving.key.ok_or_else(|| no_key(*provider))?;
        let anthropic = Anthropic::new(
            AnthropicSettings {
                name: name.to_string(),
                base,
                key,
                model: model.clone(),
                temperature: sampling.temperature,
                default_output: capabilities.output.map_or(OUTPUT, |output| output.min(OUTPUT)),
                budget: serving.budget,
            },
            clock,
        )?;
        return Ok(match serving.on_progress {
            Some(on_progress) => Arc::new(anthropic.streaming(on_progress)),
            None => Arc::new(anthropic),
        });
    }
    let settings = OpenAiSettings {
        name: name.to_string(),
        provider: *provider,
        base,
        key: serving.key,
        model: model.clone(),
        sampling,
        budget: serving.budget,
        calls_tools: capabilities.tools.unwrap_or(true),
    };
    let on_progress = serving.on_progress;
    if capabilities.responses == Some(true) {
        let responses = Responses::new(settings, clock)?;
        return Ok(match on_progress {
            Some(on_progress) => Arc::new(responses.streaming(on_progress)),
            None => Arc::new(responses),
        });
    }
    let openai = OpenAi::new(settings, clock)?;
    Ok(match on_progress {
        Some(on_progress) => Arc::new(openai.streaming(on_progress)),
        None => Arc::new(openai),
    })
}

fn address(provider: Provider, named: Option<&Url>, set: Option<Url>) -> Result<Url, ModelError> {
    if let Some(base) = set.or_else(|| named.cloned()) {
        return Ok(base);
    }
    provider
        .default_base()
        .and_then(|base| Url::parse(base).ok())
        .ok_or_else(|| {
            ModelError::Misconfigured(format!(
                "No address is known for {}. Set the base address of your own resource, such as https://NAME.openai.azure.com.",
                provider.prefix()
            ))
        })
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;

    use super::*;
    use crate::domain::clock::FixedClock;

    fn served(name: &str, serving: Serving) -> Result<String, String> {
        let name: ModelName = name.parse().unwrap();
        serve(&name, serving, Arc::new(FixedClock(Timestamp::UNIX_EPOCH)))
            .map(|model| model.name().to_owned())
            .map_err(|error| error.to_string())
    }

    #[test]
    fn a_name_is_served_or_the_way_out_is_named() {
        let key = || Serving {
            key: Key::new("0123456789").ok(),
            ..Serving::default()
        };
        assert_eq!(
            served("ollama/llama", Serving::default()).unwrap(),
            "ollama/llama"
        );
        assert_eq!(served("openai/gpt-5", key()).unwrap(), "openai/gpt-5");
        assert_eq!(served("anthropic/m", key()).unwrap(), "anthropic/m");
        assert!(
            served("anthropic/m", Serving::default())
                .unwrap_err()
                .contains("ANTHROPIC_API_KEY")
        );
        assert!(
            served("openai/gpt-5", Serving::default())
                .unwrap_err()
                .contains("OPENAI_API_KEY")
        );
        assert!(served("azure/mine", key()).unwrap_err().contains("base address"));
        assert!(served("recorded:x", key()).unwrap_err().contains("recording"));
    }
}
