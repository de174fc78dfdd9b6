//! One episode: a run that a client carries, call by call.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use crate::app::program::Program;
use crate::app::run_models::RunModels;
use crate::app::toolset::Toolset;
use crate::app::{report_files, run};
use crate::domain::grade::Grade;
use crate::effects::ports::{Nobody, Offline};
use crate::engine::dispatch;
use crate::engine::error::EngineError;
use crate::engine::folder::RunFolder;
use crate::engine::request::RunRequest;
use crate::engine::watch::Unwatched;
use crate::tools::{bash, submit};

use super::client_model::{ClientCall, ClientModel, ClientTurn};
use super::place::EpisodePlace;

/// Seconds that a command is waited for where its action says nothing: clients of OpenEnv wait 60 for an answer.
pub const PATIENCE: u64 = 45;

/// An act of a client.
#[derive(Debug, Clone, PartialEq)]
pub enum EpisodeAction {
    /// A command, with the seconds to wait for it.
    Command { command: String, seconds: Option<u64> },
    /// `wait`, `interrupt` or `kill` for the command that still runs.
    Control { control: String, seconds: Option<u64> },
    /// The answers, by which the episode ends.
    Report(Value),
}

impl EpisodeAction {
    fn call(self) -> ClientCall {
        let with_seconds = |mut arguments: Value, seconds: Option<u64>| {
            arguments["seconds"] = json!(seconds.unwrap_or(PATIENCE));
            arguments
        };
        match self {
            Self::Command { command, seconds } => ClientCall {
                tool: bash::NAME.to_owned(),
                arguments: with_seconds(json!({ "command": command }), seconds),
            },
            Self::Control { control, seconds } => ClientCall {
                tool: bash::NAME.to_owned(),
                arguments: with_seconds(json!({ "control": control }), seconds),
            },
            Self::Report(answers) => ClientCall {
                tool: submit::NAME.to_owned(),
                arguments: json!({ "answers": answers }),
            },
        }
    }
}

/// The reply of an episode.
#[derive(Debug, Clone, PartialEq)]
pub struct EpisodeReply {
    /// The step that it is to, from 1; 0 of what begins the episode.
    pub step: u64,
    /// What the client is told.
    pub text: String,
    /// 0 or 1 once the episode is over; absent before.
    pub reward: Option<f64>,
}

impl EpisodeReply {
    /// Whether the episode is over.
    pub fn is_done(&self) -> bool {
        self.reward.is_some()
    }
}

/// The error of an episode that cannot be carried on.
#[derive(Debug, thiserror::Error)]
pub enum EpisodeError {
    #[error(transparent)]
    Engine(#[from] EngineError),
    #[error("{path}: {error}")]
    Folder { path: PathBuf, error: std::io::Error },
    #[error("the episode is over: begin another by `reset`")]
    Over,
    #[error("the episode has no step {named} to do: the next one is {next}")]
    Step { named: u64, next: u64 },
    #[error("the episode broke off: {0}")]
    BrokenOff(String),
}

/// An episode under way.
pub struct Episode {
    pub id: String,
    /// The task in words, with its questions.
    pub prompt: String,
    pub steps: u64,
    /// Milliseconds that it took to be ready for the client.
    pub ready_ms: u64,
    asked: UnboundedReceiver<ClientTurn>,
    answers: Option<UnboundedSender<ClientCall>>,
    run: Option<JoinHandle<Result<Option<Grade>, EngineError>>>,
    cancel: CancellationToken,
    /// The reply to the last step, for a client that did not get it.
    last: Option<EpisodeReply>,
    /// When a client last asked for something.
    active: Instant,
    /// The place among the episodes that may be under way at once, until it is over.
    place: Option<EpisodePlace>,
}

impl Episode {
    /// Begins an episode in a folder of its own, and waits until its session is open.
    ///
    /// # Errors
    /// A run that cannot be begun, or that ends before the client is asked.
    pub async fn begin(
        program: Arc<Program>,
        request: RunRequest,
        folder: PathBuf,
        place: Option<EpisodePlace>,
    ) -> Result<Self, EpisodeError> {
        let begun = Instant::now();
        let io = |error| EpisodeError::Folder {
            path: folder.clone(),
            error,
        };
        std::fs::create_dir_all(&folder).map_err(io)?;
        let run_folder = RunFolder::at(&folder)?;
        request.save(&run_folder.request())?;
        let (asked_to, asked) = unbounded_channel();
        let (answers, answered) = unbounded_channel();
        let model = Arc::new(ClientModel::new(asked_to, answered));
        let cancel = CancellationToken::new();
        let stop = cancel.clone();
        let id = request.run.to_string();
        let run = tokio::spawn(async move { carry(&program, run_folder, request, model, &stop).await });
        let mut episode = Self {
            id,
            prompt: String::new(),
            steps: 0,
            ready_ms: 0,
            asked,
            answers: Some(answers),
            run: Some(run),
            cancel,
            last: None,
            active: begun,
            place,
        };
        let first = episode.reply().await?;
        if first.is_done() {
            return Err(EpisodeError::BrokenOff(first.text));
        }
        if let Some(place) = &mut episode.place {
            place.begun();
        }
        episode.prompt = first.text;
        episode.ready_ms = u64::try_from(begun.elapsed().as_millis()).unwrap_or(u64::MAX);
        Ok(episode)
    }

    /// Does one act, and waits for what comes of it. A client that names the step by its number, from 1, gets the
    /// reply to the last one again.
    ///
    /// # Errors
    /// An episode that is over, or that breaks off, or another step than the next one.
    pub async fn step(
        &mut self,
        action: EpisodeAction,
        number: Option<u64>,
    ) -> Result<EpisodeReply, EpisodeError> {
        self.active = Instant::now();
        if let (Some(number), Some(last)) = (number, &self.last)
            && number == last.step
        {
            return Ok(last.clone());
        }
        let next = self.steps + 1;
        if let Some(named) = number.filter(|number| *number != next) {
            return Err(EpisodeError::Step { named, next });
        }
        let answers = self.answers.as_ref().filter(|_| !self.is_over());
        let answers = answers.ok_or(EpisodeError::Over)?;
        // Nobody listens any more where the run has ended, which the reply tells.
        let _ = answers.send(action.call());
        self.steps += 1;
        let reply = self.reply().await?;
        self.last = Some(reply.clone());
        self.active = Instant::now();
        Ok(reply)
    }

    /// Whether it has given its reward.
    pub fn is_over(&self) -> bool {
        self.last.as_ref().is_some_and(EpisodeReply::is_done)
    }

    /// How long no client has asked for anything.
    pub fn idle(&self) -> Duration {
        self.active.elapsed()
    }

    async fn reply(&mut self) -> Result<EpisodeReply, EpisodeError> {
        if let Some(turn) = self.asked.recv().await {
            return Ok(EpisodeReply {
                step: self.steps,
                text: turn.said,
                reward: None,
            });
        }
        // The model is gone, and with it the run.
        let run = self.run.take().ok_or(EpisodeError::Over)?;
        let grade = run
            .await
            .map_err(|error| EpisodeError::BrokenOff(error.to_string()))??;
        let Some(grade) = grade else {
            return Err(EpisodeError::BrokenOff(
                "it was stopped before its end".to_owned(),
            ));
        };
        if grade.scored() < grade.parts.len() {
            return Err(EpisodeError::BrokenOff(grade.line()));
        }
        // Its container is gone, and a client may keep it as long as it likes.
        self.place = None;
        Ok(EpisodeReply {
            step: self.steps,
            text: "The episode is over.".to_owned(),
            reward: Some(f64::from(u8::from(grade.mean() == Some(1.0)))),
        })
    }

    /// Ends an episode, wherever it is, with its container.
    pub async fn end(mut self) {
        self.cancel.cancel();
        self.answers = None;
        if let Some(run) = self.run.take() {
            // However it ended: it is the client's to leave.
            let _ = run.await;
        }
    }
}

impl Drop for Episode {
    fn drop(&mut self) {
        self.cancel.cancel();
    }
}

/// Carries the run of an episode to its end, and returns its grade where it has one.
async fn carry(
    program: &Program,
    folder: RunFolder,
    request: RunRequest,
    model: Arc<ClientModel>,
    cancel: &CancellationToken,
) -> Result<Option<Grade>, EngineError> {
    let mut session = run::session(&program.settings, folder, Arc::new(Unwatched), None)?;
    let toolset = Toolset::for_request(program, &request)?;
    let models = RunModels::free(model, Arc::new(Offline));
    let mut effects =
        run::effects_with(&program.settings, request, models, Arc::new(Nobody), &toolset).await?;
    effects.opens_early = true;
    dispatch::drive(&mut session, &mut effects, cancel).await?;
    // The model has to go before the client is told of the end.
    drop(effects);
    if session.state.is_finished() {
        report_files::write(&session.folder)?;
    }
    Ok(session.state.grade.clone())
}

#[cfg(test)]
pub mod tests {
    use super::*;
    use crate::domain::conversation::Position;
    use crate::domain::stage::Stage;

    /// The run of an episode, in the hands of a test.
    pub struct RunSide {
        pub told: UnboundedSender<ClientTurn>,
        pub calls: UnboundedReceiver<ClientCall>,
    }

    impl RunSide {
        /// Says what comes of a step.
        pub fn tell(&self, text: &str) {
            let turn = ClientTurn {
                position: Position {
                    stage: Stage::EXECUTE,
                    turn: 0,
                },
                task: String::new(),
                said: text.to_owned(),
            };
            self.told.send(turn).unwrap();
        }
    }

    /// An episode whose run is a test.
    pub fn episode() -> (Episode, RunSide) {
        let (told, asked) = unbounded_channel();
        let (answers, calls) = unbounded_channel();
        let episode = Episode {
            id: "e-1".to_owned(),
            prompt: String::new(),
            steps: 0,
            ready_ms: 0,
            asked,
            answers: Some(answers),
            run: None,
            cancel: CancellationToken::new(),
            last: None,
            active: Instant::now(),
            place: None,
        };
        (episode, RunSide { told, calls })
    }
}
