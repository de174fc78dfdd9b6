//! A run that a client carries call by call, over as many connections as it likes.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use serde_json::json;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use super::client_watch::{ClientWatch, SeenCall};
use super::run_stop::RunStop;
use crate::app::episodes::client_model::{ClientCall, ClientModel, ClientTurn};
use crate::app::program::Program;
use crate::app::run_models::RunModels;
use crate::app::toolset::Toolset;
use crate::app::{report_files, run};
use crate::domain::stage::Stage;
use crate::effects::hurry::Hurry;
use crate::effects::ports::{Nobody, Offline};
use crate::engine::dispatch::{self, EngineStop};
use crate::engine::error::EngineError;
use crate::engine::folder::RunFolder;
use crate::engine::request::RunRequest;
use crate::engine::run_reader::RunReader;
use crate::tools::bash;
use crate::tools::contract::CommandProgress;

/// A run that is served, with the folder that it lives in.
#[derive(Clone)]
pub struct ServedRun {
    pub program: Arc<Program>,
    pub toolset: Toolset,
    /// Its request is saved already.
    pub folder: RunFolder,
    pub request: RunRequest,
}

/// A run that a client carries. Its calls are performed one after the other.
pub struct ClientRun {
    served: ServedRun,
    watch: Arc<ClientWatch>,
    hurry: Arc<Hurry>,
    /// Ends the run where it is, to be taken up by another server.
    cancel: CancellationToken,
    line: tokio::sync::Mutex<CallLine>,
    standing: Mutex<RunStanding>,
}

/// The standing of a run, as far as it is known without waiting.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct RunStanding {
    /// The stage under way, once it has begun.
    pub stage: Option<Stage>,
    /// The task of the stage in words.
    pub task: Option<String>,
    /// The turn that is the client's, from 0.
    pub turn: u32,
    /// The last call, with what it came to, whether or not a client was there to be told.
    pub last: Option<(ClientCall, ClientReply)>,
    /// How it ended, once it has.
    pub end: Option<RunStop>,
}

/// The outcome of a call.
#[derive(Debug, Clone, PartialEq)]
pub struct ClientReply {
    /// What the client is told.
    pub text: String,
    /// Whether the call did what it was asked to do.
    pub ok: bool,
    /// How a command stands.
    pub command: Option<CommandProgress>,
    pub took_ms: u64,
    /// Whether the stage is over, and with the last one the run.
    pub stage_over: bool,
}

/// The reason for which a call has no reply.
#[derive(Debug, Clone, PartialEq)]
pub enum NoReply {
    /// The client does not wait any longer.
    Cancelled,
    Stopped(RunStop),
}

/// The line of calls, which one of them holds at a time.
#[derive(Default)]
struct CallLine {
    engine: Option<Engine>,
    /// Whether the engine waits for a call.
    asks: bool,
    /// The call that is under way, with its beginning.
    pending: Option<(ClientCall, Instant)>,
    /// A call that came to something while nobody waited for it.
    undelivered: Option<(ClientCall, ClientReply)>,
    /// Whether a command that the pending call leaves behind is interrupted.
    interrupts: bool,
}

impl CallLine {
    fn is_making(&self, call: &ClientCall) -> bool {
        self.pending.as_ref().is_some_and(|(pending, _)| pending == call)
    }
}

/// The engine of a run that is under way.
struct Engine {
    asked: UnboundedReceiver<ClientTurn>,
    answers: UnboundedSender<ClientCall>,
    run: JoinHandle<Result<RunStop, EngineError>>,
}

impl ClientRun {
    /// A run that is begun, or taken up, with its first call.
    pub fn new(served: ServedRun) -> Arc<Self> {
        Arc::new(Self {
            served,
            watch: Arc::default(),
            hurry: Arc::default(),
            cancel: CancellationToken::new(),
            line: tokio::sync::Mutex::default(),
            standing: Mutex::default(),
        })
    }

    /// What is under way that takes time, in words.
    pub fn under_way(&self) -> Option<String> {
        self.watch.under_way()
    }

    /// The standing as of the last call.
    pub fn standing(&self) -> RunStanding {
        self.standing
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    /// Begins the run, or takes it up, so that its session is open when the first call comes.
    pub fn start(self: &Arc<Self>) {
        let run = Arc::clone(self);
        tokio::spawn(async move {
            // Whatever keeps it from beginning is told to the first call.
            let _ = run.ready(&mut *run.line.lock().await).await;
        });
    }

    /// The standing once the run has begun; at once where a call is under way.
    ///
    /// # Errors
    /// A client that waits no longer, or a run that does not go on.
    pub async fn begun(&self, waits: &CancellationToken) -> Result<RunStanding, NoReply> {
        let mut line = match self.line.try_lock() {
            Ok(line) => line,
            Err(_) if self.standing().task.is_some() => return Ok(self.standing()),
            Err(_) => self.in_line(waits).await?,
        };
        match self.ready_within(&mut line, waits).await {
            Ok(()) => Ok(self.standing()),
            Err(NoReply::Stopped(stop)) if stop.is_end() => Ok(self.standing()),
            Err(other) => Err(other),
        }
    }

    /// Makes a call, and waits for what comes of it. Where the client does not wait so long, a command
    /// is interrupted, and an execution ended.
    ///
    /// # Errors
    /// A client that waits no longer, or a run that does not go on.
    pub async fn call(
        self: &Arc<Self>,
        call: ClientCall,
        waits: &CancellationToken,
    ) -> Result<ClientReply, NoReply> {
        let mut line = self.in_line(waits).await?;
        match self.ready_within(&mut line, waits).await {
            // The same call was made before a person approved, and is under way since.
            Err(NoReply::Cancelled) if line.is_making(&call) => return Err(self.leave(line)),
            ready => ready?,
        }
        // What was asked for already, and came to something meanwhile, is not done twice.
        if let Some((_, reply)) = line.undelivered.take_if(|(asked, _)| *asked == call) {
            return Ok(reply);
        }
        line.undelivered = None;
        self.give(&mut line, call)?;
        let answered = self.ready_within(&mut line, waits).await;
        match answered {
            Ok(()) => match line.undelivered.take() {
                Some((_, reply)) => Ok(reply),
                None => Err(NoReply::Stopped(RunStop::Broken(
                    "the call came to nothing".to_owned(),
                ))),
            },
            Err(NoReply::Cancelled) => Err(self.leave(line)),
            Err(NoReply::Stopped(RunStop::Submitted)) => Ok(ClientReply {
                text: RunStop::Submitted.words(),
                ok: true,
                command: None,
                took_ms: 0,
                stage_over: true,
            }),
            Err(stopped) => Err(stopped),
        }
    }

    /// Leaves the call that is under way, which its client does not wait for any longer.
    fn leave(self: &Arc<Self>, mut line: tokio::sync::MutexGuard<'_, CallLine>) -> NoReply {
        self.hurry.hurry();
        line.interrupts = true;
        drop(line);
        let run = Arc::clone(self);
        tokio::spawn(async move {
            let _ = run.ready(&mut *run.line.lock().await).await;
        });
        NoReply::Cancelled
    }

    /// Ends the run where it is, and returns how it stands.
    pub async fn end(&self) -> RunStop {
        self.cancel.cancel();
        let mut line = self.line.lock().await;
        if let Some(engine) = line.engine.take() {
            self.stopped(engine).await;
        }
        self.standing().end.unwrap_or(RunStop::Ended)
    }

    /// The line of calls, when it is this call's turn.
    async fn in_line(
        &self,
        waits: &CancellationToken,
    ) -> Result<tokio::sync::MutexGuard<'_, CallLine>, NoReply> {
        tokio::select! {
            line = self.line.lock() => Ok(line),
            () = waits.cancelled() => Err(NoReply::Cancelled),
        }
    }

    async fn ready_within(&self, line: &mut CallLine, waits: &CancellationToken) -> Result<(), NoReply> {
        tokio::select! {
            // What is there already is told.
            biased;
            ready = self.ready(line) => ready.map_err(NoReply::Stopped),
            () = waits.cancelled() => Err(NoReply::Cancelled),
        }
    }

    /// Waits until the engine asks for a call; begins or takes up the run where it is not under way.
    /// May be dropped, and asked again.
    async fn ready(&self, line: &mut CallLine) -> Result<(), RunStop> {
        loop {
            if let Some(end) = self.standing().end {
                return Err(end);
            }
            if line.asks {
                return Ok(());
            }
            if line.engine.is_none() {
                self.ensure_approved()?;
                line.interrupts = false;
                line.engine = Some(self.begin());
            }
            let Some(engine) = &mut line.engine else { continue };
            let asked = engine.asked.recv().await;
            match asked {
                Some(turn) => self.take(line, turn),
                None => {
                    let Some(engine) = line.engine.take() else {
                        continue;
                    };
                    return Err(self.stopped(engine).await);
                }
            }
        }
    }

    /// Takes a turn of the engine's in.
    fn take(&self, line: &mut CallLine, turn: ClientTurn) {
        line.asks = true;
        let seen = self.watch.take_seen();
        let mut standing = self.standing.lock().unwrap_or_else(PoisonError::into_inner);
        standing.turn = turn.position.turn;
        let before = standing.stage.replace(turn.position.stage);
        standing.task = Some(turn.task.clone());
        let Some((call, begun)) = line.pending.take() else {
            return;
        };
        let reply = ClientReply {
            text: turn.said,
            // A call without an observation of its own was handed back by a review.
            ok: seen.as_ref().is_some_and(|seen| seen.ok),
            command: seen.as_ref().and_then(|seen: &SeenCall| seen.command),
            took_ms: u64::try_from(begun.elapsed().as_millis()).unwrap_or(u64::MAX),
            stage_over: before.is_some_and(|before| before != turn.position.stage),
        };
        standing.last = Some((call.clone(), reply.clone()));
        drop(standing);
        let runs_on = reply.command == Some(CommandProgress::Running);
        if std::mem::take(&mut line.interrupts) {
            if runs_on {
                let stop = ClientCall {
                    tool: bash::NAME.to_owned(),
                    arguments: json!({ "control": "interrupt" }),
                };
                // Where nobody asks any more, the next look says why.
                let _ = self.give(line, stop);
            }
            return;
        }
        line.undelivered = Some((call, reply));
    }

    /// Hands a call to the engine, which asks for one.
    fn give(&self, line: &mut CallLine, call: ClientCall) -> Result<(), NoReply> {
        let none = || NoReply::Stopped(RunStop::Ended);
        let engine = line.engine.as_ref().ok_or_else(none)?;
        self.watch.take_seen();
        self.hurry.begin();
        // An engine that has ended says so when it is asked next.
        let _ = engine.answers.send(call.clone());
        line.asks = false;
        line.pending = Some((call, Instant::now()));
        Ok(())
    }

    /// The stop of an engine that asks for nothing any more.
    async fn stopped(&self, engine: Engine) -> RunStop {
        drop(engine.answers);
        let stop = match engine.run.await {
            Ok(Ok(stop)) => stop,
            Ok(Err(error)) => RunStop::Broken(error.to_string()),
            Err(error) => RunStop::Broken(error.to_string()),
        };
        if stop.is_end() {
            let mut standing = self.standing.lock().unwrap_or_else(PoisonError::into_inner);
            standing.end = Some(stop.clone());
        }
        stop
    }

    /// Whether nobody has to approve before the run goes on: it is not taken up in vain.
    fn ensure_approved(&self) -> Result<(), RunStop> {
        let folder = &self.served.folder;
        if !folder.journal().exists() {
            return Ok(());
        }
        let run = RunReader::read(folder.clone()).map_err(|error| RunStop::Broken(error.to_string()))?;
        match run.state.is_finished() || run.state.open_questions().is_empty() {
            true => Ok(()),
            false => Err(RunStop::of_waiting(
                &run.state,
                folder.path().display().to_string(),
            )),
        }
    }

    fn begin(&self) -> Engine {
        // What was said of the call before a person was asked is not said of it afterwards.
        self.hurry.begin();
        let (asked_to, asked) = unbounded_channel();
        let (answers, answered) = unbounded_channel();
        let carried = CarriedRun {
            served: self.served.clone(),
            model: Arc::new(ClientModel::new(asked_to, answered)),
            watch: Arc::clone(&self.watch),
            hurry: Arc::clone(&self.hurry),
            cancel: self.cancel.clone(),
        };
        Engine {
            asked,
            answers,
            run: tokio::spawn(carried.carry()),
        }
    }
}

/// A run in the hands of its engine.
struct CarriedRun {
    served: ServedRun,
    model: Arc<ClientModel>,
    watch: Arc<ClientWatch>,
    hurry: Arc<Hurry>,
    cancel: CancellationToken,
}

impl CarriedRun {
    /// Carries the run until it is over or stops.
    async fn carry(self) -> Result<RunStop, EngineError> {
        let ServedRun {
            program,
            toolset,
            folder,
            request,
        } = self.served;
        let shown = folder.path().display().to_string();
        let mut session = run::session(&program.settings, folder, self.watch, None)?;
        if session.state.is_finished() {
            return Ok(RunStop::from_state(&session.state, EngineStop::Finished, shown));
        }
        let models = RunModels::free(self.model, Arc::new(Offline));
        let person = Arc::new(Nobody);
        let mut effects = run::effects_with(&program.settings, request, models, person, &toolset).await?;
        effects.opens_early = true;
        effects.hurry = self.hurry;
        let stop = dispatch::drive(&mut session, &mut effects, &self.cancel).await?;
        // The report is there before the client is told of the end, which it is when the model is gone.
        if session.state.is_finished() {
            report_files::write(&session.folder)?;
        }
        let stop = RunStop::from_state(&session.state, stop, shown);
        drop(effects);
        Ok(stop)
    }
}
