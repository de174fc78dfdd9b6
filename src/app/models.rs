//! The models that names stand for, within the bounds of a run.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use crate::domain::answer_patience::AnswerPatience;
use crate::domain::price::Price;
use crate::domain::sampling::Sampling;
use crate::effects::ports::Offline;
use crate::engine::error::EngineError;
use crate::engine::request::RunRequest;
use crate::engine::watch::Watch;
use crate::model::access::Access;
use crate::model::chat::ChatModel;
use crate::model::layers::budget::Budgeted;
use crate::model::layers::spend_account::SpendAccount;
use crate::model::loopback::is_loopback;
use crate::model::name::ModelName;
use crate::model::recording::format::Recording;
use crate::model::recording::path::recording_path;
use crate::model::recording::recorded::RecordedModel;
use crate::model::served::ensure_seed_taken;
use crate::policy::limits::Budget;
use crate::settings::Settings;

use super::by_hand::AbsentPerson;
use super::kept_locks::KeptLocks;
use super::process_shared::ProcessShared;
use super::program_model;
use super::recorded::recorded;
use super::run_models::RunModels;
use super::searching::attach;
use super::served::{arriving, live};

/// The choice of a model, and the bounds of its calls.
#[derive(Debug, Clone)]
pub struct ModelChoice<'a> {
    /// Where `recorded:NAME` is looked for.
    pub study: &'a Path,
    pub model: &'a str,
    pub sampling: Sampling,
    pub patience: AnswerPatience,
    pub budget: Budget,
    pub allow_unpriced: bool,
}

impl<'a> ModelChoice<'a> {
    /// What a run asks for.
    pub fn by(request: &'a RunRequest) -> Self {
        Self {
            study: &request.study,
            model: &request.model,
            sampling: request.sampling,
            patience: request.patience,
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
            patience: AnswerPatience::default(),
            budget: Budget::default(),
            allow_unpriced: true,
        }
    }
}

/// The model that a name means.
///
/// # Errors
/// A name that is none, a recording that cannot be opened, a key that is absent, or an unknown price
/// where money is capped.
pub fn models(
    settings: &Settings,
    shared: &ProcessShared,
    wanted: ModelChoice<'_>,
    watch: &Arc<dyn Watch>,
) -> Result<RunModels, EngineError> {
    let name = wanted.model;
    let parsed: ModelName = name
        .parse()
        .map_err(|error| EngineError::Unusable(format!("--model: {error}")))?;
    let access = Access::open(settings)?;
    let price = priced(&parsed, access.capabilities(name).price, &wanted)?;
    let account = SpendAccount::new(wanted.budget, price, shared.pool.clone());
    let is_recording = !matches!(parsed, ModelName::Served { .. });
    if parsed == ModelName::Human && !wanted.sampling.is_default() {
        return Err(EngineError::Unusable(
            "--effort, --temperature, --top-p and --seed choose nothing in a person: leave them out, or name a model that is asked.".to_owned(),
        ));
    }
    if is_recording && !wanted.sampling.is_default() {
        return Err(EngineError::Unusable(format!(
            "{name} is a recording, which says what it says: --effort, --temperature, --top-p and --seed choose nothing in it. Leave them out, or choose a model that is asked."
        )));
    }
    let open = |file: &str| Recording::open(&recording_path(wanted.study, file));
    match &parsed {
        ModelName::Recorded(file) => {
            let model = RecordedModel::new(name, open(file)?);
            return Ok(within(recorded(Arc::new(model)), account));
        }
        ModelName::Scripted(file) => {
            let model = RecordedModel::refreshing(name, open(file)?);
            return Ok(within(recorded(Arc::new(model)), account));
        }
        ModelName::Human => return Ok(RunModels::free(Arc::new(AbsentPerson), Arc::new(Offline))),
        ModelName::Served { .. } => {}
    }
    let mut serving = access.serving(&parsed)?;
    serving.sampling = wanted.sampling;
    serving.patience = wanted.patience;
    // Also where nobody watches: a stream shows signs of life.
    serving.on_progress = Some(match watch.wants_streams() {
        true => arriving(watch),
        false => Arc::new(|_| {}),
    });
    let (model, waits) = live(settings, shared, &parsed, serving, &account, watch)?;
    Ok(RunModels {
        indexes: None,
        model,
        program: None,
        network: Arc::new(Offline),
        seeing: None,
        account,
        accounts: BTreeMap::new(),
        waits,
        is_live: true,
    })
}

/// A recorded model, which asks nobody, within a spend account.
fn within(models: RunModels, account: Arc<SpendAccount>) -> RunModels {
    RunModels {
        model: Arc::new(Budgeted::new(models.model, account.clone())),
        account,
        ..models
    }
}

/// The price of a model. One that is unknown has to be allowed, and leaves
/// nothing to hold money caps by. A server on this machine needs no price: what
/// it costs is unknown all the same, since it may pass calls on.
fn priced(
    name: &ModelName,
    price: Option<Price>,
    wanted: &ModelChoice<'_>,
) -> Result<Option<Price>, EngineError> {
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

/// The model that looks at pictures, which is paid from the run's account.
fn seeing(
    settings: &Settings,
    shared: &ProcessShared,
    name: &str,
    request: &RunRequest,
    account: &Arc<SpendAccount>,
    watch: &Arc<dyn Watch>,
) -> Result<Arc<dyn ChatModel>, EngineError> {
    let parsed: ModelName = name
        .parse()
        .map_err(|error| EngineError::Unusable(format!("--vision-model: {error}")))?;
    let wanted = ModelChoice {
        model: name,
        ..ModelChoice::by(request)
    };
    priced(&parsed, account.price(), &wanted)?;
    let mut serving = Access::open(settings)?.serving(&parsed)?;
    serving.patience = request.patience;
    let (model, _) = live(settings, shared, &parsed, serving, account, watch)?;
    Ok(model)
}

/// Refuses a run with a seed whose model would never be told it.
fn ensure_seed_sent(settings: &Settings, request: &RunRequest) -> Result<(), EngineError> {
    // Names that are none are told where the model is opened.
    if let (Some(seed), Ok(name)) = (request.sampling.seed, request.model.parse::<ModelName>()) {
        ensure_seed_taken(&name, seed, &Access::open(settings)?.capabilities(&request.model))?;
    }
    Ok(())
}

/// The model and the network of a run, with the search engine and the second
/// model that it asks for.
///
/// # Errors
/// A model, a second model or a search engine that cannot be had as it was asked for.
pub fn models_of(
    settings: &Settings,
    shared: &ProcessShared,
    request: &RunRequest,
    watch: &Arc<dyn Watch>,
) -> Result<RunModels, EngineError> {
    ensure_seed_sent(settings, request)?;
    let mut models = models(settings, shared, ModelChoice::by(request), watch)?;
    models.program = program_model::of_request(settings, shared, request, watch)?;
    let locks = shared.locks.as_deref();
    models.indexes = locks.map(|folder| KeptLocks::shared(settings, folder));
    if let Some(name) = &request.vision_model {
        let account = models
            .account
            .at(Access::open(settings)?.capabilities(name).price);
        // Where an earlier run answers, it looks as well.
        if models.network.sees().is_none() {
            models.seeing = Some(seeing(settings, shared, name, request, &account, watch)?);
        }
        models.accounts.insert(name.clone(), account);
    }
    if let Some(name) = &request.search {
        attach(settings, request, name, &mut models)?;
    }
    Ok(models)
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
    use crate::model::providers::openai::OPENAI;

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
        let shared = Arc::new(ProcessShared::default());
        let under_way = Arc::new(std::sync::Mutex::new(None));
        let (line, seen) = (shared.gate(&OPENAI, None), under_way.clone());
        let base = answering(move || *seen.lock().unwrap() = Some(line.running()));
        let variables = [("OPENAI_BASE_URL", base), ("OPENAI_API_KEY", "k".to_owned())];
        let settings =
            Settings::from_variables(variables.map(|(name, value)| (name.to_owned(), value))).unwrap();
        let watch: Arc<dyn Watch> = Arc::new(Unwatched);
        let models = models_of(&settings, &shared, &looking(), &watch).unwrap();
        let request = ChatRequest {
            position: Position {
                stage: Stage::EXTRACT,
                turn: 0,
            },
            messages: vec![Message::User { text: "look".into() }],
            tools: Arc::new([]),
            max_output_tokens: None,
            form: None,
        };
        let answer = models.seeing.unwrap().chat(&request).await.unwrap();
        assert_eq!(answer.text, "seen");
        assert_eq!(*under_way.lock().unwrap(), Some(1));
    }
}
