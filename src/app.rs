//! The composition root: the one place that names concrete types.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use jiff::Timestamp;
use serde_json::json;

use crate::catalog::stages::load::Catalog;
use crate::documents::helper::Helper;
use crate::domain::clock::{Clock, FixedClock};
use crate::domain::execution::Tier;
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
use crate::model::capabilities::Capabilities;
use crate::model::chat::{ChatModel, ModelError};
use crate::model::layers::patience::RealTime;
use crate::model::layers::retry::{Retry, RetryPolicy, Wait};
use crate::model::layers::text_calls::TextCalls;
use crate::model::name::ModelName;
use crate::model::recording::format::Recording;
use crate::model::recording::recorded::RecordedModel;
use crate::model::served::serve;
use crate::network;
use crate::network::lists::Lists;
use crate::network::search::name::SearchName;
use crate::policy::approver::Approver;
use crate::policy::file::PolicyFile;
use crate::run::event::CallRef;
use crate::sandbox::contract::{Sandbox, SandboxError};
use crate::sandbox::docker::daemon::Daemon;
use crate::sandbox::docker::sandbox::DockerSandbox;
use crate::sandbox::docker::settings::DockerSettings;
use crate::sandbox::local::sandbox::{LocalSandbox, LocalSettings};
use crate::settings::Settings;
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
        Ok(match result {
            serde_json::Value::String(text) => Observation::good(text),
            other => Observation::good(serde_json::to_string_pretty(&other).unwrap_or_default()),
        })
    }
}

/// Wraps a recording, already opened for replay or for stamping.
pub fn recorded(model: Arc<RecordedModel>) -> Minds {
    Minds {
        network: Arc::new(RecordedNetwork(model.clone())),
        model,
    }
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
    study: &Path,
    name: &str,
    watch: &Arc<dyn Watch>,
) -> Result<Minds, EngineError> {
    let parsed: ModelName = name
        .parse()
        .map_err(|error| EngineError::Unusable(format!("--model: {error}")))?;
    match &parsed {
        ModelName::Recorded(file) => {
            let recording = Recording::open(&recording_path(study, file))?;
            Ok(recorded(Arc::new(RecordedModel::new(name, recording))))
        }
        ModelName::Scripted(file) => {
            let recording = Recording::open(&recording_path(study, file))?;
            Ok(recorded(Arc::new(RecordedModel::stamping(name, recording))))
        }
        ModelName::Served { .. } => {
            let serving = Access::of(settings)?.serving(&parsed)?;
            let served = serve(&parsed, serving, clock(settings))?;
            Ok(Minds {
                model: patient(served, watch),
                network: Arc::new(Offline),
            })
        }
    }
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
    let model = patient(serve(&parsed, serving, clock(settings))?, watch);
    Ok(OnTrial { model, known })
}

/// The model and the network of a run, with the search engine that it asks for.
pub fn minds_of(
    settings: &Settings,
    request: &RunRequest,
    watch: &Arc<dyn Watch>,
) -> Result<Minds, EngineError> {
    let minds = minds(settings, &request.study, &request.model, watch)?;
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
    Ok(match web {
        Some(web) => Minds {
            network: Arc::new(web),
            ..minds
        },
        None => minds,
    })
}

/// The search engine that a flag or the environment names, for a model that is
/// not a recording: a recording answers for the network too.
pub fn search_name(
    settings: &Settings,
    flag: Option<SearchName>,
    model: &str,
) -> Result<Option<SearchName>, EngineError> {
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
            .map(str::parse)
            .transpose()
            .map_err(|error| EngineError::Unusable(format!("{SEARCH}: {error}")))?,
    };
    Ok(name.filter(|name| *name != SearchName::None))
}

/// A model that is asked again, with whoever watches told of every wait.
fn patient(model: Arc<dyn ChatModel>, watch: &Arc<dyn Watch>) -> Arc<dyn ChatModel> {
    let watch = watch.clone();
    let tell = move |wait: &Wait| {
        watch.line(&format!(
            "waiting for the provider, {} s ({})",
            wait.duration.as_secs(),
            wait.reason
        ));
    };
    Arc::new(Retry::new(
        Arc::new(TextCalls::new(model)),
        RetryPolicy::default(),
        Arc::new(RealTime::default()),
        Arc::new(tell),
    ))
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
    let serving = Access::of(settings)?.serving(&parsed)?;
    let model = serve(&parsed, serving, clock(settings))?;
    let watch: Arc<dyn Watch> = Arc::new(Unwatched);
    Ok(Some(Arc::new(ModelEyes::new(patient(model, &watch)))))
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
    Ok(Readers::new(document_helper()?).with_conversion(conversion))
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
