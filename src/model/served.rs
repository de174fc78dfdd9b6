//! From a model's name and settings to the model.

use std::sync::Arc;

use reqwest::Url;

use crate::domain::answer_patience::AnswerPatience;
use crate::domain::clock::Clock;
use crate::domain::sampling::{Effort, Sampling};
use crate::model::capabilities::Capabilities;
use crate::model::chat::{ChatModel, ModelError};
use crate::model::client::{Client, OnBrokenOff};
use crate::model::connection::Connection;
use crate::model::endpoint::Endpoint;
use crate::model::key::Key;
use crate::model::name::ModelName;
use crate::model::progress::OnProgress;
use crate::model::providers;
use crate::model::providers::anthropic::ANTHROPIC;
use crate::model::providers::provider::Provider;
use crate::model::signs_of_life::SignsOfLife;
use crate::model::timeouts::AttemptBudget;

/// The settings of a model besides its name. Nothing here is read from the environment.
#[derive(Clone, Default)]
pub struct Serving {
    pub key: Option<Key>,
    /// In place of the provider's own address.
    pub base: Option<Url>,
    /// The version of the interface, where the provider has several.
    pub api_version: Option<String>,
    pub sampling: Sampling,
    /// Laid over what the table of models says.
    pub patience: AnswerPatience,
    /// The signs of life of its server, for all who ask it.
    pub signs: SignsOfLife,
    pub capabilities: Capabilities,
    /// Answers are streamed where somebody watches.
    pub on_progress: Option<OnProgress>,
    pub on_broken_off: Option<OnBrokenOff>,
}

impl Serving {
    /// How long answers are waited for: as the table of models says, but for what was asked for.
    pub fn wanted_patience(&self) -> AnswerPatience {
        let of_table = self.capabilities.patience.unwrap_or_default();
        of_table.overlaid(self.patience)
    }
}

/// The model that a name stands for, without any layer around it.
///
/// Fails for recorded and scripted models, which are opened from a recording.
///
/// # Errors
/// A name that no provider serves, a key that is absent, an address that cannot be asked, or a sampling
/// that the model does not take.
pub fn serve(
    name: &ModelName,
    mut serving: Serving,
    clock: Arc<dyn Clock>,
) -> Result<Arc<dyn ChatModel>, ModelError> {
    let on_progress = serving.on_progress.take();
    let on_broken_off = serving.on_broken_off.take();
    let signs = serving.signs.clone();
    let client = Client::new(providers::connect(connection(name, serving)?)?, clock)?;
    let client = client.reporting(on_broken_off).hearing(signs);
    Ok(Arc::new(match on_progress {
        Some(on_progress) => client.streaming(on_progress),
        None => client,
    }))
}

/// The connection to the model that a name stands for.
///
/// # Errors
/// A name that no provider serves, an address that is not known, or a sampling that the model does not
/// take.
pub fn connection(name: &ModelName, serving: Serving) -> Result<Connection, ModelError> {
    let ModelName::Served {
        provider,
        base,
        model,
        ..
    } = name
    else {
        return Err(ModelError::Misconfigured(format!(
            "`{name}` is answered from a recording, and no provider serves it. Open the recording."
        )));
    };
    let patience = serving.wanted_patience();
    let capabilities = serving.capabilities;
    let sampling = taken(name, serving.sampling, &capabilities)?;
    Ok(Connection {
        name: name.to_string(),
        model: model.clone(),
        endpoint: Endpoint {
            provider,
            base: address(provider, base.as_ref(), serving.base)?,
            key: serving.key,
            budget: AttemptBudget::with(patience),
        },
        api_version: serving.api_version,
        sampling,
        capabilities,
    })
}

/// What is asked for, where the model's family takes it; of what is unknown the
/// provider is the judge.
fn taken(name: &ModelName, asked: Sampling, capabilities: &Capabilities) -> Result<Sampling, ModelError> {
    let refused = |flag: &str, why: String| {
        Err(ModelError::Misconfigured(format!(
            "{flag} cannot be kept: {why}. Leave it out, choose another model, or correct the table of models."
        )))
    };
    if let (Some(effort), Some(efforts)) = (asked.effort, capabilities.reasoning_effort)
        && !efforts.has(effort)
    {
        let flag = format!("--effort {effort}");
        return if efforts.is_empty() {
            refused(&flag, format!("{name} cannot be told how hard to think"))
        } else {
            refused(&flag, format!("{name} takes the efforts {efforts}"))
        };
    }
    if let Some(temperature) = asked.temperature {
        let flag = format!("--temperature {temperature}");
        if capabilities.temperature == Some(false) {
            return refused(&flag, format!("{name} chooses its own temperature"));
        }
        let thinks = asked.effort.is_some_and(|effort| effort != Effort::None);
        if thinks && capabilities.thinking_budget == Some(true) {
            return refused(
                &flag,
                format!("{name} takes none while it thinks, as --effort has it do"),
            );
        }
        if let ModelName::Served { provider, .. } = name
            && let Some(highest) = provider.max_temperature.filter(|highest| temperature > *highest)
        {
            return refused(&flag, format!("{name} takes temperatures from 0 to {highest}"));
        }
    }
    if let Some(top_p) = asked.top_p {
        let thinks = asked.effort.is_some_and(|effort| effort != Effort::None);
        let flag = format!("--top-p {top_p}");
        if capabilities.temperature == Some(false) {
            return refused(&flag, format!("{name} chooses how it draws itself"));
        }
        if thinks && capabilities.thinking_budget == Some(true) {
            return refused(
                &flag,
                format!("{name} takes none while it thinks, as --effort has it do"),
            );
        }
    }
    if !asked.stop.is_empty() && capabilities.responses == Some(true) {
        return refused(
            &format!("stop {}", asked.stop),
            format!("{name} is asked through the Responses interface, which knows no stop texts"),
        );
    }
    Ok(asked)
}

/// Refuses a sampling that the model of a name does not take.
///
/// # Errors
/// What it does not take, and why.
pub fn ensure_taken(
    name: &ModelName,
    asked: Sampling,
    capabilities: &Capabilities,
) -> Result<(), ModelError> {
    taken(name, asked, capabilities).map(|_| ())
}

/// Refuses a seed where the interface that the model of a name is asked through has no place for one. Judges are told
/// theirs where there is one, and are asked without elsewhere.
///
/// # Errors
/// A model that is asked through the Messages or the Responses interface.
pub fn ensure_seed_taken(name: &ModelName, seed: u64, capabilities: &Capabilities) -> Result<(), ModelError> {
    let ModelName::Served { provider, .. } = name else {
        return Ok(());
    };
    let interface = match (*provider == &ANTHROPIC, capabilities.responses) {
        (true, _) => "Messages",
        (false, Some(true)) => "Responses",
        (false, _) => return Ok(()),
    };
    Err(ModelError::Misconfigured(format!(
        "--seed {seed} cannot be kept: {name} is asked through the {interface} interface, which has no place for a seed. Leave \
         it out, or choose a model that is asked by chat completions."
    )))
}

fn address(provider: &Provider, named: Option<&Url>, set: Option<Url>) -> Result<Url, ModelError> {
    if let Some(base) = set.or_else(|| named.cloned()) {
        return Ok(base);
    }
    provider
        .base
        .and_then(|base| Url::parse(base).ok())
        .ok_or_else(|| {
            ModelError::Misconfigured(format!(
                "No address is known for {}. Set the base address of your own resource, such as https://NAME.openai.azure.com, as {}.",
                provider.prefix,
                provider.base_variable.unwrap_or("a part of the name")
            ))
        })
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;

    use super::*;
    use crate::domain::clock::FixedClock;
    use crate::model::capabilities::ModelTable;

    fn served(name: &str, serving: Serving) -> Result<String, String> {
        let name: ModelName = name.parse().unwrap();
        serve(&name, serving, Arc::new(FixedClock(Timestamp::UNIX_EPOCH)))
            .map(|model| model.name().to_owned())
            .map_err(|error| error.to_string())
    }

    #[test]
    fn what_a_family_turns_down_is_refused_and_never_dropped() {
        let table = ModelTable::built_in().unwrap();
        let take = |name: &str, effort, temperature| {
            let asked = Sampling {
                temperature,
                effort,
                seed: Some(1),
                ..Sampling::default()
            };
            taken(&name.parse().unwrap(), asked, &table.get(name)).map(|taken| assert_eq!(taken, asked))
        };
        for (name, effort, temperature) in [
            ("openai/gpt-5", Some(Effort::Minimal), None),
            ("openai/gpt-5.2-2025-12-11", Some(Effort::Xhigh), None),
            ("openai/gpt-4o", None, Some(0.3)),
            ("anthropic/claude-sonnet-4-5", Some(Effort::High), None),
            ("anthropic/claude-sonnet-4-5", Some(Effort::None), Some(1.0)),
            ("anthropic/claude-opus-4-5", Some(Effort::Medium), Some(0.5)),
            ("vllm/unknown", Some(Effort::Max), Some(2.0)),
        ] {
            take(name, effort, temperature).unwrap();
        }
        for (name, effort, temperature, why) in [
            (
                "openai/gpt-5",
                Some(Effort::Xhigh),
                None,
                "minimal, low, medium, high",
            ),
            ("openai/gpt-5-pro", Some(Effort::Low), None, "high"),
            ("openai/gpt-5", None, Some(0.0), "its own temperature"),
            ("openai/gpt-4o", Some(Effort::Low), None, "how hard to think"),
            (
                "mistral/mistral-large-latest",
                Some(Effort::Low),
                None,
                "how hard to think",
            ),
            (
                "anthropic/claude-sonnet-4-5",
                Some(Effort::Low),
                Some(1.0),
                "while it thinks",
            ),
            ("anthropic/claude-haiku-4-5", None, Some(1.5), "from 0 to 1"),
        ] {
            let error = take(name, effort, temperature).unwrap_err().to_string();
            assert!(error.contains(why) && error.contains(name), "{name}: {error}");
        }
    }

    #[test]
    fn a_seed_is_refused_where_no_key_is_sent_for_it() {
        let table = ModelTable::built_in().unwrap();
        let take = |name: &str| {
            ensure_seed_taken(&name.parse().unwrap(), 7, &table.get(name)).map_err(|error| error.to_string())
        };
        for name in [
            "openai/gpt-4o",
            "mistral/mistral-large-latest",
            "vllm/unknown",
            "recorded:x",
        ] {
            assert_eq!(take(name), Ok(()), "{name}");
        }
        for (name, interface) in [
            ("anthropic/claude-haiku-4-5", "Messages"),
            ("openai/gpt-5-pro", "Responses"),
        ] {
            let error = take(name).unwrap_err();
            assert!(error.contains(name) && error.contains(interface), "{error}");
        }
    }

    #[test]
    fn what_a_dialect_has_no_key_for_is_refused_by_its_name() {
        let table = ModelTable::built_in().unwrap();
        let take = |name: &str, asked: Sampling| {
            ensure_taken(&name.parse().unwrap(), asked, &table.get(name)).map_err(|error| error.to_string())
        };
        let stops = Sampling {
            stop: vec!["Observation:".to_owned()].try_into().unwrap(),
            ..Sampling::default()
        };
        let narrow = Sampling {
            top_p: Some(0.5),
            ..Sampling::default()
        };
        for name in ["openai/gpt-4o", "anthropic/claude-haiku-4-5", "vllm/unknown"] {
            assert_eq!(take(name, stops), Ok(()), "{name}");
            assert_eq!(take(name, narrow), Ok(()), "{name}");
        }
        let refused = take("openai/gpt-5-pro", stops).unwrap_err();
        assert!(
            refused.contains("stop `Observation:` cannot be kept") && refused.contains("Responses interface"),
            "{refused}"
        );
        let refused = take("openai/gpt-5", narrow).unwrap_err();
        assert!(refused.contains("--top-p 0.5 cannot be kept"), "{refused}");
        let thinking = Sampling {
            effort: Some(Effort::High),
            ..narrow
        };
        let refused = take("anthropic/claude-sonnet-4-5", thinking).unwrap_err();
        assert!(refused.contains("while it thinks"), "{refused}");
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
