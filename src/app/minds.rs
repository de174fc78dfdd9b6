//! Which model a name means, within which bounds.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use crate::domain::sampling::Sampling;
use crate::effects::ports::{Network, Offline};
use crate::engine::error::EngineError;
use crate::engine::request::RunRequest;
use crate::engine::watch::Watch;
use crate::model::access::Access;
use crate::model::capabilities::Price;
use crate::model::chat::ChatModel;
use crate::model::layers::budget::Budgeted;
use crate::model::layers::purse::Purse;
use crate::model::layers::waits::Waits;
use crate::model::name::{ModelName, is_loopback};
use crate::model::recording::format::Recording;
use crate::model::recording::recorded::RecordedModel;
use crate::policy::limits::Budget;
use crate::settings::Settings;

use super::commons::Commons;
use super::recorded::{recorded, recording_path};
use super::searching::attach;
use super::served::{arriving, live};

/// The model of a run and whatever answers its network tools.
#[derive(Clone)]
pub struct Minds {
    pub model: Arc<dyn ChatModel>,
    pub network: Arc<dyn Network>,
    /// The model that was named to look at pictures.
    pub seeing: Option<Arc<dyn ChatModel>>,
    pub purse: Arc<Purse>,
    /// The same, for each further model that is asked, by its full name.
    pub purses: BTreeMap<String, Arc<Purse>>,
    pub waits: Arc<Waits>,
    /// Whether a provider is asked.
    pub is_live: bool,
}

impl Minds {
    /// A model that costs nothing and waits for nobody.
    pub fn free(model: Arc<dyn ChatModel>, network: Arc<dyn Network>) -> Self {
        Self {
            model,
            network,
            seeing: None,
            purse: Purse::new(Budget::default(), None, Arc::default()),
            purses: BTreeMap::new(),
            waits: Arc::default(),
            is_live: false,
        }
    }
}

/// Which model, and within which bounds.
#[derive(Debug, Clone)]
pub struct Wanted<'a> {
    /// Where `recorded:NAME` is looked for.
    pub study: &'a Path,
    pub model: &'a str,
    pub sampling: Sampling,
    pub budget: Budget,
    pub allow_unpriced: bool,
}

impl<'a> Wanted<'a> {
    /// What a run asks for.
    pub fn by(request: &'a RunRequest) -> Self {
        Self {
            study: &request.study,
            model: &request.model,
            sampling: request.sampling,
            budget: request.budget.clone(),
            allow_unpriced: request.allow_unpriced,
        }
    }

    /// A model without bounds of its own, for a study.
    pub fn unbounded(study: &'a Path, model: &'a str) -> Self {
        Self {
            study,
            model,
            sampling: Sampling::default(),
            budget: Budget::default(),
            allow_unpriced: true,
        }
    }
}

/// The model that a name means.
pub fn minds(
    settings: &Settings,
    commons: &Commons,
    wanted: Wanted<'_>,
    watch: &Arc<dyn Watch>,
) -> Result<Minds, EngineError> {
    let name = wanted.model;
    let parsed: ModelName = name
        .parse()
        .map_err(|error| EngineError::Unusable(format!("--model: {error}")))?;
    let access = Access::of(settings)?;
    let price = priced(&parsed, access.capabilities(name).price, &wanted)?;
    let purse = Purse::new(wanted.budget, price, commons.pool.clone());
    let is_recording = !matches!(parsed, ModelName::Served { .. });
    if is_recording && !wanted.sampling.is_default() {
        return Err(EngineError::Unusable(format!(
            "{name} is a recording, which says what it says: --effort and --temperature choose nothing in it. Leave them out, or choose a model that is asked."
        )));
    }
    let open = |file: &str| Recording::open(&recording_path(wanted.study, file));
    match &parsed {
        ModelName::Recorded(file) => {
            let model = RecordedModel::new(name, open(file)?);
            return Ok(within(recorded(Arc::new(model)), purse));
        }
        ModelName::Scripted(file) => {
            let model = RecordedModel::stamping(name, open(file)?);
            return Ok(within(recorded(Arc::new(model)), purse));
        }
        ModelName::Served { .. } => {}
    }
    let mut serving = access.serving(&parsed)?;
    serving.sampling = wanted.sampling;
    serving.on_progress = watch.wants_streams().then(|| arriving(watch));
    let (model, waits) = live(settings, commons, &parsed, serving, &purse, watch)?;
    Ok(Minds {
        model,
        network: Arc::new(Offline),
        seeing: None,
        purse,
        purses: BTreeMap::new(),
        waits,
        is_live: true,
    })
}

/// A recorded model, which asks nobody, within a purse.
fn within(minds: Minds, purse: Arc<Purse>) -> Minds {
    Minds {
        model: Arc::new(Budgeted::new(minds.model, purse.clone())),
        purse,
        ..minds
    }
}

/// The price of a model. One that is unknown has to be allowed, and leaves
/// nothing to hold money caps by. A server on this machine needs no price: what
/// it costs is unknown all the same, since it may pass calls on.
fn priced(name: &ModelName, price: Option<Price>, wanted: &Wanted<'_>) -> Result<Option<Price>, EngineError> {
    let model = wanted.model;
    if price.is_some() {
        return Ok(price);
    }
    if wanted.budget.caps_money() {
        return Err(EngineError::Unusable(format!(
            "--max-cost cannot be kept: no price is known for {model}. Cap --max-tokens instead."
        )));
    }
    let here = matches!(name, ModelName::Served { base: Some(base), .. } if is_loopback(base));
    if here || wanted.allow_unpriced {
        return Ok(None);
    }
    Err(EngineError::Unusable(format!(
        "No price is known for {model}, so nobody can say what the run will cost. Give --allow-unpriced to run it all the same, best with --max-tokens."
    )))
}

/// The model that looks at pictures, which pays out of the run's purse.
fn seeing(
    settings: &Settings,
    commons: &Commons,
    (name, request): (&str, &RunRequest),
    purse: &Arc<Purse>,
    watch: &Arc<dyn Watch>,
) -> Result<Arc<dyn ChatModel>, EngineError> {
    let parsed: ModelName = name
        .parse()
        .map_err(|error| EngineError::Unusable(format!("--vision-model: {error}")))?;
    let wanted = Wanted {
        model: name,
        ..Wanted::by(request)
    };
    priced(&parsed, purse.price(), &wanted)?;
    let serving = Access::of(settings)?.serving(&parsed)?;
    let (model, _) = live(settings, commons, &parsed, serving, purse, watch)?;
    Ok(model)
}

/// The model and the network of a run, with the search engine and the second
/// model that it asks for.
pub fn minds_of(
    settings: &Settings,
    commons: &Commons,
    request: &RunRequest,
    watch: &Arc<dyn Watch>,
) -> Result<Minds, EngineError> {
    let mut minds = minds(settings, commons, Wanted::by(request), watch)?;
    if let Some(name) = &request.vision_model {
        let purse = minds.purse.at(Access::of(settings)?.capabilities(name).price);
        // Where an earlier run answers, it looks as well.
        if minds.network.sees().is_none() {
            minds.seeing = Some(seeing(settings, commons, (name, request), &purse, watch)?);
        }
        minds.purses.insert(name.clone(), purse);
    }
    if let Some(name) = &request.search {
        attach(settings, request, name, &mut minds)?;
    }
    Ok(minds)
}

#[cfg(test)]
mod tests {
    use std::io::{BufRead as _, BufReader, Read as _, Write as _};
    use std::net::TcpListener;

    use serde_json::json;

    use super::*;
    use crate::domain::conversation::Position;
    use crate::domain::execution::Limits;
    use crate::domain::stage::Stage;
    use crate::engine::watch::Unwatched;
    use crate::model::chat::{ChatRequest, Message};
    use crate::model::name::Provider;

    /// The address of a server that answers one request, and does something
    /// before.
    fn answering(before: impl FnOnce() + Send + 'static) -> String {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        std::thread::spawn(move || {
            let mut stream = listener.accept().unwrap().0;
            let mut reader = BufReader::new(stream.try_clone().unwrap());
            let mut length = 0;
            loop {
                let mut line = String::new();
                reader.read_line(&mut line).unwrap();
                if line.trim().is_empty() {
                    break;
                }
                if let Some(value) = line.to_ascii_lowercase().strip_prefix("content-length:") {
                    length = value.trim().parse().unwrap();
                }
            }
            reader.read_exact(&mut vec![0; length]).unwrap();
            before();
            let answer = json!({ "id": "x", "object": "chat.completion", "created": 1, "model": "m",
                "choices": [{ "index": 0, "finish_reason": "stop", "message": { "role": "assistant", "content": "seen" } }],
                "usage": { "prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2 } })
            .to_string();
            let length = answer.len();
            let head = format!(
                "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {length}\r\n\r\n"
            );
            stream.write_all((head + &answer).as_bytes()).unwrap();
        });
        format!("http://{address}/v1")
    }

    fn looking() -> RunRequest {
        let asked = json!({
            "format": 1, "run": "r", "study": "s", "model": "openai/gpt-4.1", "vision_model": "openai/gpt-4o",
            "code_mode": "python", "code_access": "code", "stages": { "from": "extract", "to": "extract" }, "approve": "auto",
            "sandbox": "auto", "limits": Limits::default(),
        });
        serde_json::from_value(asked).unwrap()
    }

    #[tokio::test]
    async fn a_second_model_stands_in_the_line_of_the_others() {
        let commons = Arc::new(Commons::default());
        let under_way = Arc::new(std::sync::Mutex::new(None));
        let (line, seen) = (commons.gate(Provider::OpenAi, None), under_way.clone());
        let base = answering(move || *seen.lock().unwrap() = Some(line.running()));
        let variables = [("OPENAI_BASE_URL", base), ("OPENAI_API_KEY", "k".to_owned())];
        let settings =
            Settings::from_variables(variables.map(|(name, value)| (name.to_owned(), value))).unwrap();
        let watch: Arc<dyn Watch> = Arc::new(Unwatched);
        let minds = minds_of(&settings, &commons, &looking(), &watch).unwrap();
        let request = ChatRequest {
            position: Position {
                stage: Stage::Extract,
                turn: 0,
            },
            messages: vec![Message::User { text: "look".into() }],
            tools: Arc::new([]),
            max_output_tokens: None,
            form: None,
        };
        let answer = minds.seeing.unwrap().chat(&request).await.unwrap();
        assert_eq!(answer.text, "seen");
        assert_eq!(*under_way.lock().unwrap(), Some(1));
    }
}
