//! From a model's name and settings to the model.

use std::sync::Arc;

use reqwest::Url;

use crate::domain::clock::Clock;
use crate::model::anthropic::client::{Anthropic, AnthropicSettings};
use crate::model::capabilities::Capabilities;
use crate::model::chat::{ChatModel, ModelError};
use crate::model::exchange::Reach;
use crate::model::http::Budget;
use crate::model::key::Key;
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
    /// The version of Azure's interface.
    pub api_version: Option<String>,
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
    let capabilities = serving.capabilities;
    let sampling = sampling(serving.sampling, &capabilities);
    let reach = Reach {
        provider: *provider,
        base: address(*provider, base.as_ref(), serving.base)?,
        key: serving.key,
        budget: serving.budget,
    };
    let keeps_forms = capabilities.schema == Some(true);
    if *provider == Provider::Anthropic {
        let anthropic = Anthropic::new(
            AnthropicSettings {
                name: name.to_string(),
                reach,
                model: model.clone(),
                sampling,
                default_output: capabilities.output.map_or(OUTPUT, |output| output.min(OUTPUT)),
                keeps_forms,
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
        reach,
        api_version: serving.api_version,
        model: model.clone(),
        sampling,
        calls_tools: capabilities.tools.unwrap_or(true),
        keeps_forms,
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

/// What is asked for, without what the family of the model turns down.
fn sampling(asked: Sampling, capabilities: &Capabilities) -> Sampling {
    Sampling {
        temperature: asked
            .temperature
            .filter(|_| capabilities.temperature != Some(false)),
        reasoning_effort: asked
            .reasoning_effort
            .filter(|_| capabilities.reasoning_effort != Some(false)),
        seed: asked.seed,
    }
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
                "No address is known for {}. Set the base address of your own resource, such as https://NAME.openai.azure.com, as {}.",
                provider.prefix(),
                provider.base_variable().unwrap_or("a part of the name")
            ))
        })
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;

    use super::*;
    use crate::domain::clock::FixedClock;
    use crate::model::capabilities::Table;

    fn served(name: &str, serving: Serving) -> Result<String, String> {
        let name: ModelName = name.parse().unwrap();
        serve(&name, serving, Arc::new(FixedClock(Timestamp::UNIX_EPOCH)))
            .map(|model| model.name().to_owned())
            .map_err(|error| error.to_string())
    }

    #[test]
    fn what_a_family_turns_down_is_not_sent() {
        let asked = Sampling {
            temperature: Some(0.0),
            seed: Some(1),
            reasoning_effort: Some("low".into()),
        };
        let table = Table::built_in().unwrap();
        let sent = |name: &str| sampling(asked.clone(), &table.of(name));
        let reasoning = sent("openai/gpt-5");
        assert_eq!(
            (reasoning.temperature, reasoning.reasoning_effort.as_deref()),
            (None, Some("low"))
        );
        let plain = sent("openai/gpt-4o");
        assert_eq!((plain.temperature, plain.reasoning_effort), (Some(0.0), None));
        assert_eq!(sent("vllm/unknown"), asked);
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
        assert!(
            served("azure/mine", key())
                .unwrap_err()
                .contains("AZURE_OPENAI_ENDPOINT")
        );
        assert!(served("recorded:x", key()).unwrap_err().contains("recording"));
    }
}
