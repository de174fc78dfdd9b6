//! Runs in this process: a recording answers for the model, commands are not confined, and the journal
//! can end the process's part in the run behind any event.

use std::panic::{AssertUnwindSafe, resume_unwind};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use async_trait::async_trait;
use futures::FutureExt as _;
use jiff::Timestamp;
use reprise::app::live_indexes::LiveIndexes;
use reprise::app::models::{self, ModelChoice};
use reprise::app::process_shared::ProcessShared;
use reprise::app::tracks::{OpenTrack, Tracks};
use reprise::documents::helper::{Helper, VERB};
use reprise::documents::table::personal::Privacy;
use reprise::domain::clock::FixedClock;
use reprise::domain::conversation::ChatResponse;
use reprise::domain::digest::Digest;
use reprise::effects::context::Effects;
use reprise::effects::ports::{Nobody, Ports};
use reprise::engine::dispatch::{self, EngineStop};
use reprise::engine::folder::RunFolder;
use reprise::engine::request::RunRequest;
use reprise::engine::session::{JournalLayer, JournalWriting, Session};
use reprise::engine::watch::{Unwatched, Watch};
use reprise::journal::log::{Journal, JournalError};
use reprise::model::chat::{ChatModel, ChatRequest, ModelError};
use reprise::policy::approver::Approver;
use reprise::run::event::{Event, Record};
use reprise::settings::Settings;
use reprise::tools::readers::Readers;
use reprise::tools::registry::Registry;
use reprise::tools::write_file::Writable;
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio_util::sync::CancellationToken;

use crate::plain_sandbox::PlainSandbox;

/// The payload of the panic that simulates a kill: it unwinds the stack, and no code of the run runs after it.
struct Killed;

/// A journal behind one of whose events nothing happens any more.
struct KillingJournal {
    inner: Box<dyn Journal>,
    after: u64,
}

impl Journal for KillingJournal {
    fn append(&mut self, at: Timestamp, event: Event) -> Result<Record, JournalError> {
        let record = self.inner.append(at, event)?;
        if record.seq == self.after {
            resume_unwind(Box::new(Killed));
        }
        Ok(record)
    }
}

/// Counts what a model is asked.
struct Counted {
    inner: Arc<dyn ChatModel>,
    asked: Arc<AtomicUsize>,
}

#[async_trait]
impl ChatModel for Counted {
    fn name(&self) -> &str {
        self.inner.name()
    }

    async fn chat(&self, request: &ChatRequest) -> Result<ChatResponse, ModelError> {
        self.asked.fetch_add(1, Ordering::Relaxed);
        self.inner.chat(request).await
    }
}

/// A copy of a fixture study, and the runs of it.
pub struct World {
    place: TempDir,
    /// The request's fields that differ between tests.
    settings: Value,
}

/// One run, in one process or several.
pub struct Run<'a> {
    world: &'a World,
    folder: RunFolder,
    asked: Arc<AtomicUsize>,
}

/// The traces of a run that must not depend on whether it was killed.
#[derive(Debug, PartialEq, Eq)]
pub struct Left {
    /// The digests of the files of artifacts and workspace.
    files: Vec<(PathBuf, Digest)>,
    /// How often each kind of event comes that is written once its work is done.
    done: Vec<(String, usize)>,
    /// The events of probes, of the stages' ends and of the run's, whole.
    ends: Vec<Value>,
    /// The digests of the requests to the model.
    requests: Vec<String>,
    /// Calls of the model, in all processes.
    asked: usize,
}

impl World {
    /// The study of `tests/fixtures/slope`, run with a recording.
    pub fn slope(model: &str) -> Self {
        let world = Self {
            place: tempfile::tempdir().unwrap(),
            settings: json!({ "model": model }),
        };
        copy(
            &Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/slope"),
            &world.study(),
        );
        world
    }

    /// The same, with another setting of the request.
    pub fn with(mut self, key: &str, value: Value) -> Self {
        self.settings[key] = value;
        self
    }

    pub fn place(&self) -> &Path {
        self.place.path()
    }

    pub fn study(&self) -> PathBuf {
        self.place().join("slope")
    }

    fn request(&self) -> RunRequest {
        let mut request = json!({
            "format": 2,
            "run": "slope",
            "study": self.study(),
            "code_mode": "native",
            "code_access": "code",
            "stages": {"from": "extract", "to": "interpret"},
            "approve": "auto",
            "sandbox": "local",
            "limits": reprise::domain::execution::Limits::default(),
        });
        for (key, value) in self.settings.as_object().unwrap() {
            request[key] = value.clone();
        }
        serde_json::from_value(request).unwrap()
    }

    /// A run that nobody has begun.
    pub fn run(&self, out: &str) -> Run<'_> {
        let folder = self.place().join(out);
        std::fs::create_dir(&folder).unwrap();
        Run {
            world: self,
            folder: RunFolder::at(&folder).unwrap(),
            asked: Arc::default(),
        }
    }

    /// A run from its beginning to its end.
    pub fn whole(&self) -> (Left, Vec<String>) {
        let run = self.run("whole");
        assert_eq!(run.carry(None), Some(EngineStop::Finished));
        (run.left(), run.kinds())
    }
}

impl Run<'_> {
    fn effects(&self) -> Effects {
        let request = self.world.request();
        let variables = [("REPRISE_CACHE", self.world.place().join("cache"))];
        let settings = Settings::from_variables(
            variables.map(|(name, value)| (name.to_owned(), value.display().to_string())),
        )
        .unwrap();
        let watch: Arc<dyn Watch> = Arc::new(Unwatched);
        let shared = ProcessShared::default();
        let models = models::models(&settings, &shared, ModelChoice::by(&request), &watch).unwrap();
        let OpenTrack { catalog, parts } = Tracks::new(Vec::new()).unwrap().open_for(&request).unwrap();
        let documents = Helper {
            program: env!("CARGO_BIN_EXE_reprise").into(),
            arguments: vec![VERB.into()],
        };
        let readers = Arc::new(Readers::new(documents.clone()));
        let writable = catalog.plans().map(|plan| plan.parse().unwrap()).collect();
        let tools = Registry::standard(
            readers.clone(),
            readers,
            Writable::new(writable),
            Privacy::allowing(Vec::new()),
        );
        let ports = Ports {
            track: parts,
            model: Arc::new(Counted {
                inner: models.model,
                asked: self.asked.clone(),
            }),
            program: None,
            account: models.account,
            accounts: models.accounts,
            waits: models.waits,
            network: models.network,
            indexes: LiveIndexes::shared(&settings),
            vision: None,
            sandbox: Some(Arc::new(PlainSandbox)),
            person: Arc::new(Nobody),
            catalog: Arc::new(catalog),
            tools: Arc::new(tools),
            documents,
            approver: Approver::Auto,
            images: settings.images(),
            ado: None,
        };
        Effects::new(request, ports)
    }

    /// Goes on from wherever the journal is; `None` where it was killed behind an event.
    pub fn carry(&self, killed_after: Option<u64>) -> Option<EngineStop> {
        let layer = killed_after.map(|after| -> JournalLayer {
            Box::new(move |inner| Box::new(KillingJournal { inner, after }))
        });
        let work = async {
            let time = "2026-01-02T03:04:05Z".parse().unwrap();
            let writing = JournalWriting { layer, signer: None };
            let mut session = Session::open(
                self.folder.clone(),
                Arc::new(FixedClock(time)),
                Arc::new(Unwatched),
                writing,
            )
            .unwrap();
            dispatch::drive(&mut session, &mut self.effects(), &CancellationToken::new()).await
        };
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .enable_all()
            .build()
            .unwrap();
        match runtime.block_on(AssertUnwindSafe(work).catch_unwind()) {
            Ok(stop) => Some(stop.unwrap()),
            Err(cause) if cause.is::<Killed>() => None,
            Err(cause) => resume_unwind(cause),
        }
    }

    fn events(&self) -> Vec<Value> {
        let journal = std::fs::read_to_string(self.folder.journal()).unwrap();
        let lines = journal
            .lines()
            .map(|line| serde_json::from_str::<Value>(line).unwrap());
        lines.map(|mut line| line["event"].take()).collect()
    }

    pub fn records(&self) -> Vec<Record> {
        reprise::journal::read::read(&self.folder.journal())
            .unwrap()
            .records
    }

    fn kinds(&self) -> Vec<String> {
        let kind = |event: &Value| event["kind"].as_str().unwrap().to_owned();
        self.events().iter().map(kind).collect()
    }

    pub fn left(&self) -> Left {
        let events = self.events();
        let mut done: Vec<(String, usize)> = Vec::new();
        for kind in self.kinds() {
            // A kill may cut these off from what follows, so that they come again.
            let may_repeat = ["resumed", "execution_started", "execution_interrupted"];
            match done.iter_mut().find(|(known, _)| *known == kind) {
                Some((_, count)) => *count += 1,
                None if may_repeat.contains(&kind.as_str()) => {}
                None => done.push((kind, 1)),
            }
        }
        let answered = events.iter().filter(|event| event["kind"] == "model_answered");
        let ends = ["probe_finished", "probed", "stage_ended", "run_finished"];
        let ends = events
            .iter()
            .filter(|event| ends.iter().any(|kind| event["kind"] == *kind));
        assert!(!self.folder.probes().exists() && !self.folder.variant().exists());
        let folders = [self.folder.artifacts(), self.folder.workspace()];
        let files = folders.iter().flat_map(|folder| tree(folder));
        Left {
            files: files
                .map(|(name, bytes)| (name, Digest::compute(bytes)))
                .collect(),
            done,
            ends: ends.map(without_times).collect(),
            requests: answered.map(|event| event["request"].to_string()).collect(),
            asked: self.asked.load(Ordering::Relaxed),
        }
    }
}

/// An event without the milliseconds that its work took.
fn without_times(event: &Value) -> Value {
    match event {
        Value::Object(fields) => {
            let fields = fields.iter().filter(|(name, _)| *name != "wall_ms");
            fields
                .map(|(name, value)| (name.clone(), without_times(value)))
                .collect()
        }
        Value::Array(items) => items.iter().map(without_times).collect(),
        other => other.clone(),
    }
}

fn copy(from: &Path, to: &Path) {
    for (name, bytes) in tree(from) {
        let target = to.join(name);
        std::fs::create_dir_all(target.parent().unwrap()).unwrap();
        std::fs::write(target, bytes).unwrap();
    }
}

/// Every file below a folder with its content, in order.
fn tree(folder: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let files = walkdir::WalkDir::new(folder).sort_by_file_name().into_iter();
    files
        .map(Result::unwrap)
        .filter(|entry| entry.file_type().is_file())
        .map(|entry| {
            let name = entry.path().strip_prefix(folder).unwrap().to_owned();
            (name, std::fs::read(entry.path()).unwrap())
        })
        .collect()
}
