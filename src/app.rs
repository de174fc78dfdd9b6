//! The composition root: the one place that names concrete types.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use jiff::Timestamp;
use reqwest::Url;
use serde_json::json;

use crate::catalog::stages::load::Catalog;
use crate::documents::document::Limits;
use crate::documents::helper::Helper;
use crate::domain::clock::{Clock, FixedClock};
use crate::domain::execution::Tier;
use crate::domain::sampling::Sampling;
use crate::domain::stage::Stage;
use crate::effects::performer::Effects;
use crate::effects::ports::{Network, Offline, Person, Ports};
use crate::effects::seeing::{Eyes, ModelEyes, RecordedEyes};
use crate::engine::error::EngineError;
use crate::engine::folder::RunFolder;
use crate::engine::request::{Approve, RunRequest, SandboxChoice};
use crate::engine::session::{JournalLayer, Session};
use crate::engine::watch::{Unwatched, Watch};
use crate::journal::dying::DyingJournal;
use crate::model::access::Access;
use crate::model::capabilities::{Capabilities, Price};
use crate::model::chat::{ChatModel, ModelError};
use crate::model::layers::budget::Budgeted;
use crate::model::layers::concurrency::Gate;
use crate::model::layers::patience::OnTick;
use crate::model::layers::purse::{Pool, Purse};
use crate::model::layers::retry::{OnWait, RetryPolicy, Wait};
use crate::model::layers::stack::Stack;
use crate::model::layers::waits::Waits;
use crate::model::name::{ModelName, Provider, is_loopback};
use crate::model::progress::{OnProgress, Progress};
use crate::model::recording::format::Recording;
use crate::model::recording::recorded::RecordedModel;
use crate::model::served::{Serving, serve};
use crate::network;
use crate::network::lists::Lists;
use crate::network::search::name::SearchName;
use crate::policy::approver::Approver;
use crate::policy::file::PolicyFile;
use crate::policy::limits::{Budget, Caps};
use crate::run::event::CallRef;
use crate::sandbox::contract::{Sandbox, SandboxError};
use crate::sandbox::docker::daemon::Daemon;
use crate::sandbox::docker::sandbox::DockerSandbox;
use crate::sandbox::docker::settings::DockerSettings;
use crate::sandbox::local::sandbox::{LocalSandbox, LocalSettings};
use crate::settings::Settings;
use crate::study::layout;
use crate::study::open::Study;
use crate::tools::contract::{Observation, Request};
use crate::tools::conversion::convert::Conversion;
use crate::tools::look_at_image::{self, LookAtImage};
use crate::tools::readers::Readers;
use crate::tools::registry::Registry;
use crate::tools::write_file::Writable;

/// The system's clock.
#[derive(Debug, Clone, Copy)]
struct SystemClock;

impl Clock for SystemClock {
    fn now(&self) -> Timestamp {
        Timestamp::now()
    }
}

/// The clock that the settings ask for.
pub fn clock(settings: &Settings) -> Arc<dyn Clock> {
    match settings.fixed_time {
        Some(time) => Arc::new(FixedClock(time)),
        None => Arc::new(SystemClock),
    }
}

/// The model of a run and whatever answers its network tools.
#[derive(Clone)]
pub struct Minds {
    pub model: Arc<dyn ChatModel>,
    pub network: Arc<dyn Network>,
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
            purse: Purse::new(Budget::default(), None, Arc::default()),
            purses: BTreeMap::new(),
            waits: Arc::default(),
            is_live: false,
        }
    }
}

/// What the runs and judges of one process share: how many calls are under way
/// at each provider, and what all may spend together.
pub struct Commons {
    gates: Mutex<BTreeMap<String, Arc<Gate>>>,
    /// Most calls under way at one provider, until it says that these are too many.
    calls_at_once: u32,
    pub pool: Arc<Pool>,
}

impl Default for Commons {
    fn default() -> Self {
        Self {
            gates: Mutex::default(),
            calls_at_once: 256,
            pool: Arc::default(),
        }
    }
}

impl Commons {
    /// With at most so many calls under way at one provider.
    pub fn with_calls(calls_at_once: u32) -> Self {
        Self {
            calls_at_once,
            ..Self::default()
        }
    }

    /// With caps on what all runs may spend together.
    pub fn with_caps(caps: Caps) -> Self {
        Self {
            pool: Pool::new(caps),
            ..Self::default()
        }
    }

    fn gate(&self, provider: Provider, base: Option<&Url>) -> Arc<Gate> {
        let key = format!("{} {}", provider.prefix(), base.map_or("", Url::as_str));
        let mut gates = self.gates.lock().unwrap_or_else(PoisonError::into_inner);
        gates
            .entry(key)
            .or_insert_with(|| Gate::new(self.calls_at_once))
            .clone()
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

/// The variable that names the search engine.
const SEARCH: &str = "REPRISE_SEARCH";

/// What recordings call a check of proposed addresses.
const CHECK: &str = "check_addresses";

/// A recording as the network.
struct RecordedNetwork(Arc<RecordedModel>);

#[async_trait::async_trait]
impl Network for RecordedNetwork {
    fn is_live(&self) -> bool {
        false
    }

    fn sees(&self) -> Option<bool> {
        Some(self.0.offers(look_at_image::NAME))
    }

    async fn answer(&self, at: CallRef, index: u32, request: &Request) -> Result<Observation, ModelError> {
        if let Some((result, failed)) = self.0.network_at(at.stage, (at.turn, at.call)) {
            return Ok(observed(result, failed));
        }
        let (tool, arguments) = match request {
            Request::WebSearch { query, .. } => ("web_search", json!({ "query": query })),
            Request::FetchPage { url } => ("fetch_page", json!({ "url": url })),
            // Recordings made before a review, or without the web, hold none.
            Request::CheckAddresses { .. }
                if self.0.network_tool(at.stage, index as usize) != Some(CHECK) =>
            {
                return Ok(Observation::bad("The recording holds no review of this answer."));
            }
            Request::CheckAddresses { urls, .. } => (CHECK, json!({ "urls": urls })),
            Request::LookAtImage(look) => (look_at_image::NAME, look.arguments()),
            Request::RunAnalysis { .. } | Request::AskPerson { .. } => {
                return Err(ModelError::Misconfigured(
                    "this is no request to the network".to_owned(),
                ));
            }
        };
        let result = self
            .0
            .network_answer(at.stage, index as usize, tool, &arguments)?;
        Ok(observed(result, false))
    }
}

/// What a recorded answer of the network tells the model.
fn observed(result: serde_json::Value, failed: bool) -> Observation {
    let text = match result {
        serde_json::Value::String(text) => text,
        other => serde_json::to_string_pretty(&other).unwrap_or_default(),
    };
    if failed {
        Observation::bad(text)
    } else {
        Observation::good(text)
    }
}

/// Wraps a recording, already opened for replay or for stamping.
pub fn recorded(model: Arc<RecordedModel>) -> Minds {
    Minds::free(model.clone(), Arc::new(RecordedNetwork(model)))
}

/// Where `recorded:NAME` is: a file, or a recording of the study.
pub fn recording_path(study: &Path, name: &str) -> PathBuf {
    let file = PathBuf::from(name);
    if name.contains('/') || name.ends_with(".json") {
        file
    } else {
        study.join("recordings").join(format!("{name}.json"))
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
        purse,
        purses: BTreeMap::new(),
        waits,
        is_live: true,
    })
}

/// A model of a provider with its layers, and what it waits for.
fn live(
    settings: &Settings,
    commons: &Commons,
    name: &ModelName,
    serving: Serving,
    purse: &Arc<Purse>,
    watch: &Arc<dyn Watch>,
) -> Result<(Arc<dyn ChatModel>, Arc<Waits>), EngineError> {
    let ModelName::Served { provider, base, .. } = name else {
        return Err(EngineError::Unusable(format!(
            "`{name}` is a recording; nobody serves it."
        )));
    };
    let waits = Arc::<Waits>::default();
    let (on_wait, on_tick) = waiting(watch);
    let stack = Stack {
        purse: purse.clone(),
        gate: commons.gate(*provider, base.as_ref()),
        retry: RetryPolicy::default(),
        waits: waits.clone(),
        on_wait,
        on_tick,
    };
    let model = stack.around(serve(name, serving, clock(settings))?);
    Ok((model, waits))
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

fn arriving(watch: &Arc<dyn Watch>) -> OnProgress {
    let watch = watch.clone();
    Arc::new(move |progress: Progress| watch.arriving(progress.bytes))
}

/// A model that is tried out, and what the table of models says of it.
pub struct OnTrial {
    pub model: Arc<dyn ChatModel>,
    pub known: Capabilities,
}

/// A model that offers everything, whatever the table says of it.
pub fn on_trial(
    settings: &Settings,
    name: &str,
    streamed: bool,
    watch: &Arc<dyn Watch>,
) -> Result<OnTrial, EngineError> {
    let parsed: ModelName = name
        .parse()
        .map_err(|error| EngineError::Unusable(format!("{error}")))?;
    let access = Access::of(settings)?;
    let known = access.capabilities(name);
    let mut serving = access.serving(&parsed)?;
    serving.capabilities.tools = Some(true);
    serving.capabilities.schema = Some(true);
    if streamed {
        serving.on_progress = Some(Arc::new(|_| {}));
    }
    let purse = Purse::new(Budget::default(), known.price, Arc::default());
    let (model, _) = live(settings, &Commons::default(), &parsed, serving, &purse, watch)?;
    Ok(OnTrial { model, known })
}

/// The model and the network of a run, with the search engine that it asks for.
pub fn minds_of(
    settings: &Settings,
    commons: &Commons,
    request: &RunRequest,
    watch: &Arc<dyn Watch>,
) -> Result<Minds, EngineError> {
    let mut minds = minds(settings, commons, Wanted::by(request), watch)?;
    if let Some(name) = &request.vision_model {
        let purse = minds.purse.at(Access::of(settings)?.capabilities(name).price);
        minds.purses.insert(name.clone(), purse);
    }
    let Some(name) = &request.search else {
        return Ok(minds);
    };
    let unusable = |error: &dyn std::fmt::Display| EngineError::Unusable(error.to_string());
    let name: SearchName = name
        .parse()
        .map_err(|error| EngineError::Unusable(format!("--search: {error}")))?;
    let study = Study::open(&request.study)?;
    let lists = Lists::new(study.web(), study.reference_digests()?).map_err(|error| unusable(&error))?;
    // Where each host needs an approval of its own, no page leads on to another.
    let across = matches!(request.approve, Approve::Auto);
    let material = (lists, document_helper()?);
    let web = network::configured::web(settings, &name, material, &clock(settings), across)
        .map_err(|error| unusable(&error))?;
    if let Some(web) = web {
        minds.network = Arc::new(web);
    }
    let hosted = matches!(name, SearchName::OpenAi(_) | SearchName::Anthropic(_));
    if hosted {
        let name = name.to_string();
        let price = Access::of(settings)?.capabilities(&name).price;
        if price.is_none() && request.budget.caps_money() {
            return Err(EngineError::Unusable(format!(
                "--max-cost cannot be kept: no price is known for {name}, which searches. Cap --max-tokens instead, or choose another --search."
            )));
        }
        let purse = minds.purse.at(price);
        minds.purses.insert(name, purse);
    }
    Ok(minds)
}

/// The search engine that a flag or the environment names, for a model that is
/// not a recording: a recording answers for the network too.
pub fn search_name(
    settings: &Settings,
    flag: Option<&str>,
    model: &str,
) -> Result<Option<SearchName>, EngineError> {
    // Read here and not by the command line's parser, which would print an address whole.
    let read = |from: &str, name: &str| {
        name.parse::<SearchName>()
            .map_err(|error| EngineError::Unusable(format!("{from}: {error}")))
    };
    let flag = flag.map(|name| read("--search", name)).transpose()?;
    let is_recording = model.starts_with("recorded:") || model.starts_with("scripted:");
    if is_recording {
        return match flag {
            None | Some(SearchName::None) => Ok(None),
            Some(name) => Err(EngineError::Unusable(format!(
                "--search {name}: the model {model} is a recording, which answers for the web too; leave --search out,                  or choose a model that is asked"
            ))),
        };
    }
    let name = match flag {
        Some(name) => Some(name),
        None => settings
            .secret(SEARCH)
            .map(|name| read(SEARCH, name))
            .transpose()?,
    };
    Ok(name.filter(|name| *name != SearchName::None))
}

/// What tells of waits: a line for each, and how much of it is left.
fn waiting(watch: &Arc<dyn Watch>) -> (OnWait, OnTick) {
    let why = Arc::new(Mutex::new(String::new()));
    let (noted, teller, ticker) = (why.clone(), watch.clone(), watch.clone());
    let on_wait = move |wait: &Wait| {
        noted
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone_from(&wait.reason);
        teller.line(&format!(
            "waiting for the provider, {} s left ({})",
            wait.duration.as_secs_f64().ceil(),
            wait.reason
        ));
    };
    let on_tick = move |left: Duration| {
        ticker.waiting(left, &why.lock().unwrap_or_else(PoisonError::into_inner));
    };
    (Arc::new(on_wait), Arc::new(on_tick))
}

/// The back end that `auto` means on this machine at this moment: containers
/// where a daemon answers. A run keeps it, so that resuming never changes it.
pub async fn settled(settings: &Settings, choice: SandboxChoice) -> SandboxChoice {
    match choice {
        SandboxChoice::Auto if Daemon::connect(&settings.operator).await.is_ok() => SandboxChoice::Docker,
        SandboxChoice::Auto => SandboxChoice::Local,
        chosen => chosen,
    }
}

/// The sandbox that was asked for.
pub async fn sandbox(settings: &Settings, choice: SandboxChoice) -> Result<Arc<dyn Sandbox>, EngineError> {
    match settled(settings, choice).await {
        SandboxChoice::Docker => {
            let mut docker = DockerSettings::new(settings.cache.clone(), settings.operator.clone());
            docker.images.extend(settings.images().into_values());
            let connected = DockerSandbox::connect(docker).await;
            Ok(Arc::new(connected.map_err(|error| {
                SandboxError::Unavailable(format!("{error} Start the daemon, or choose `--sandbox local`."))
            })?))
        }
        SandboxChoice::Landlock => Ok(Arc::new(local_sandbox(settings, Some(Tier::Landlock))?)),
        SandboxChoice::Auto | SandboxChoice::Local => Ok(Arc::new(local_sandbox(settings, None)?)),
    }
}

/// The sandbox of a run, which must be able to do what the run asks of it.
pub async fn sandbox_for(
    settings: &Settings,
    request: &RunRequest,
) -> Result<Option<Arc<dyn Sandbox>>, EngineError> {
    if !request.stages.contains(Stage::Execute) {
        return Ok(None);
    }
    let sandbox = sandbox(settings, request.sandbox).await?;
    if !request.hosts.is_empty() {
        sandbox.opens_hosts().map_err(|why| {
            EngineError::Unusable(format!(
                "--allow-host {}: {why}. Leave it out, or choose a sandbox that can.",
                request.hosts.join(" --allow-host ")
            ))
        })?;
    }
    Ok(Some(sandbox))
}

/// A sandbox of this machine's own: of one tier, or the best that works.
pub fn local_sandbox(settings: &Settings, tier: Option<Tier>) -> Result<LocalSandbox, EngineError> {
    let helper = std::env::current_exe()
        .map_err(|error| EngineError::Unusable(format!("this program cannot find itself: {error}")))?;
    let mut local = LocalSettings::new(helper, settings.cache.clone());
    local.python.clone_from(&settings.python);
    local.operator.clone_from(&settings.operator);
    local.tier = tier;
    Ok(LocalSandbox::detect(local)?)
}

/// Who looks at pictures: an earlier run, the model that was named for it, or the
/// run's own where it is known to see.
fn eyes(
    settings: &Settings,
    request: &RunRequest,
    minds: &Minds,
) -> Result<Option<Arc<dyn Eyes>>, EngineError> {
    if let Some(sees) = minds.network.sees() {
        let recorded = RecordedEyes {
            network: minds.network.clone(),
            model: minds.model.name().to_owned(),
        };
        return Ok(sees.then(|| -> Arc<dyn Eyes> { Arc::new(recorded) }));
    }
    let Some(name) = &request.vision_model else {
        let sees = Access::of(settings)?.capabilities(&request.model).vision == Some(true);
        return Ok(sees.then(|| -> Arc<dyn Eyes> { Arc::new(ModelEyes::new(minds.model.clone())) }));
    };
    let parsed: ModelName = name
        .parse()
        .map_err(|error| EngineError::Unusable(format!("--vision-model: {error}")))?;
    let access = Access::of(settings)?;
    let wanted = Wanted {
        model: name,
        ..Wanted::by(request)
    };
    priced(&parsed, access.capabilities(name).price, &wanted)?;
    let purse = minds.purses.get(name).unwrap_or(&minds.purse);
    let watch: Arc<dyn Watch> = Arc::new(Unwatched);
    let serving = access.serving(&parsed)?;
    let (model, _) = live(settings, &Commons::default(), &parsed, serving, purse, &watch)?;
    Ok(Some(Arc::new(ModelEyes::new(model))))
}

/// Who approves, as a policy.
pub fn approver(approve: &Approve) -> Result<Approver, EngineError> {
    Ok(match approve {
        Approve::Ask => Approver::Ask,
        Approve::Auto => Approver::Auto,
        Approve::Deny => Approver::Deny,
        Approve::Policy(policy) => Approver::Policy(
            PolicyFile::parse(&policy.name, &policy.text)
                .map_err(|error| EngineError::Unusable(error.to_string()))?,
        ),
    })
}

/// The readers of this build, with a sandbox of this machine for data that they do not understand.
pub fn readers(settings: &Settings) -> Result<Readers, EngineError> {
    let settings = settings.clone();
    let conversion = Conversion::new(Box::new(move || {
        local_sandbox(&settings, None)
            .map(|sandbox| -> Arc<dyn Sandbox> { Arc::new(sandbox) })
            .map_err(|error| error.to_string())
    }));
    Ok(native_readers()?.with_conversion(conversion))
}

/// The readers of this build alone.
pub fn native_readers() -> Result<Readers, EngineError> {
    Ok(Readers::new(document_helper()?))
}

/// The tools, over the readers of this build.
fn tools(settings: &Settings) -> Result<Registry, EngineError> {
    let plan = Stage::Design
        .artifact()
        .parse()
        .map_err(|error| EngineError::Unusable(format!("{error}")))?;
    let readers = Arc::new(readers(settings)?);
    Ok(
        Registry::standard(readers.clone(), readers.clone(), Writable::new(vec![plan]))
            .with(Arc::new(LookAtImage::new(readers))),
    )
}

/// This program, started again to read one document.
fn document_helper() -> Result<Helper, EngineError> {
    Helper::of_this_program()
        .map_err(|error| EngineError::Unusable(format!("this program cannot find itself: {error}")))
}

/// About how many tokens a study's paper has, at four bytes each; `None` where
/// its text cannot be read.
pub fn paper_tokens(study: &Study) -> Option<u64> {
    let paper = study.paper().ok()?;
    let helper = document_helper().ok()?;
    let document = helper.read(layout::PAPER, &paper, &Limits::default()).ok()?;
    Some(document.whole_text().len().div_ceil(4) as u64)
}

/// What grading needs besides a judge: the tools, and this program as a reader.
pub fn graders(settings: &Settings) -> Result<(Registry, Helper), EngineError> {
    Ok((tools(settings)?, document_helper()?))
}

/// What runs of one process can share.
#[derive(Clone)]
pub struct Kit {
    catalog: Arc<Catalog>,
    tools: Arc<Registry>,
    documents: Helper,
}

impl Kit {
    pub fn catalog(&self) -> &Catalog {
        &self.catalog
    }

    pub fn tools(&self) -> &Registry {
        &self.tools
    }

    /// The built-in definitions and tools, with the overrides of a folder.
    pub fn new(settings: &Settings, stages_dir: Option<&Path>) -> Result<Self, EngineError> {
        Ok(Self {
            catalog: Arc::new(match stages_dir {
                Some(folder) => Catalog::with_overrides(folder)?,
                None => Catalog::embedded()?,
            }),
            tools: Arc::new(tools(settings)?),
            documents: document_helper()?,
        })
    }
}

/// The effects of a run.
pub async fn effects(
    settings: &Settings,
    request: RunRequest,
    minds: Minds,
    person: Arc<dyn Person>,
) -> Result<Effects, EngineError> {
    let kit = Kit::new(settings, request.stages_dir.as_deref())?;
    effects_with(settings, request, minds, person, &kit).await
}

/// The effects of a run that shares a kit with others.
pub async fn effects_with(
    settings: &Settings,
    request: RunRequest,
    minds: Minds,
    person: Arc<dyn Person>,
    kit: &Kit,
) -> Result<Effects, EngineError> {
    let sandbox = sandbox_for(settings, &request).await?;
    let eyes = eyes(settings, &request, &minds)?;
    let ports = Ports {
        eyes,
        model: minds.model,
        purse: minds.purse,
        purses: minds.purses,
        waits: minds.waits,
        network: minds.network,
        sandbox,
        person,
        catalog: kit.catalog.clone(),
        documents: kit.documents.clone(),
        tools: kit.tools.clone(),
        approver: approver(&request.approve)?,
        images: settings.images(),
    };
    Ok(Effects::new(request, ports))
}

/// Takes a run's folder for this process.
pub fn session(
    settings: &Settings,
    folder: RunFolder,
    watch: Arc<dyn Watch>,
) -> Result<Session, EngineError> {
    let layer: Option<JournalLayer> = settings
        .die_after_event
        .map(|after| -> JournalLayer { Box::new(move |inner| Box::new(DyingJournal::new(inner, after))) });
    Session::open(folder, clock(settings), watch, layer)
}
