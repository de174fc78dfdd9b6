//! The model that answers from a recording.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};

use async_trait::async_trait;
use serde_json::Value;

use crate::domain::conversation::{ChatResponse, Position};
use crate::domain::excerpt;
use crate::domain::stage::Stage;
use crate::model::chat::{ChatModel, ChatRequest, ModelError};
use crate::model::recording::canonical::Chain;
use crate::model::recording::cassette::Cassette;
use crate::model::recording::drift::Expected;
use crate::model::recording::format::{Recording, Turn};
use crate::model::recording::lines::joined;

/// An answer of the network as a recording holds it.
#[derive(Debug, Clone, PartialEq)]
pub struct RecordedResult {
    pub value: Value,
    pub failed: bool,
}

/// A model whose answers were written or recorded beforehand.
///
/// Opened for replay, a request is answered if it is the recorded one and
/// refused as [`ModelError::Drift`] if not. Opened to be refreshed, the position
/// alone decides, and the requests are collected.
#[derive(Debug)]
pub struct RecordedModel {
    name: String,
    recording: Recording,
    state: State,
}

#[derive(Debug)]
enum State {
    Replay(Mutex<BTreeMap<Stage, Chain>>),
    Refresh(Mutex<CollectedRequests>),
}

/// The requests that a refreshing run was asked.
#[derive(Debug, Default)]
struct CollectedRequests {
    cassette: Cassette,
    network: BTreeMap<(Stage, usize), (String, Value)>,
}

impl RecordedModel {
    /// A model that answers the recorded requests; `name` is its full name.
    pub fn new(name: impl Into<String>, recording: Recording) -> Self {
        Self {
            name: name.into(),
            recording,
            state: State::Replay(Mutex::default()),
        }
    }

    /// A model that answers by position alone and collects the requests.
    pub fn refreshing(name: impl Into<String>, recording: Recording) -> Self {
        Self {
            name: name.into(),
            recording,
            state: State::Refresh(Mutex::default()),
        }
    }

    /// The recording in a file, for replay, under the name `recorded:FILE`.
    ///
    /// # Errors
    /// A file that cannot be read, is too large, or is no recording.
    pub fn open(path: &Path) -> Result<Self, ModelError> {
        Ok(Self::new(
            format!("recorded:{}", path.display()),
            Recording::open(path)?,
        ))
    }

    /// The recording as it was opened.
    pub fn recording(&self) -> &Recording {
        &self.recording
    }

    /// The recording with the requests that were collected. Turns that were
    /// never asked for keep what they had. Opened for replay it is as it was.
    pub fn refreshed(&self) -> Recording {
        let mut refreshed = self.recording.clone();
        if let State::Refresh(collected) = &self.state {
            let collected = lock(collected);
            for (position, turn) in positions_mut(&mut refreshed) {
                if let Some(request) = collected.cassette.request(position) {
                    turn.request = Some(request.clone());
                }
            }
            for ((stage, index), (tool, arguments)) in &collected.network {
                let recorded = refreshed.stages.get_mut(stage);
                if let Some(answer) = recorded.and_then(|stage| stage.network.get_mut(*index)) {
                    answer.tool.clone_from(tool);
                    answer.arguments.clone_from(arguments);
                }
            }
        }
        refreshed
    }

    /// The positions that a refreshing run never asked for: their requests are
    /// missing or as old as the file.
    pub fn unasked(&self) -> Vec<Position> {
        let State::Refresh(collected) = &self.state else {
            return Vec::new();
        };
        let collected = lock(collected);
        positions(&self.recording)
            .filter(|position| collected.cassette.request(*position).is_none())
            .collect()
    }

    /// What the network answered to one call (its turn and number, from 0), where
    /// the recording holds its place, and whether that was a failure. What was
    /// asked is part of the conversation, whose requests are compared.
    pub fn network_at(&self, stage: Stage, turn: u32, call: u32) -> Option<RecordedResult> {
        let mut answers = self.recording.stages.get(&stage)?.network.iter();
        let answer = answers.find(|answer| answer.at == Some((turn, call)))?;
        Some(RecordedResult {
            value: joined(&answer.result),
            failed: answer.failed,
        })
    }

    /// Whether the recorded session was offered a tool, or used it.
    pub fn offers(&self, tool: &str) -> bool {
        self.recording.stages.values().any(|stage| {
            let offered = stage
                .turns
                .iter()
                .filter_map(|turn| turn.request.as_ref()?.tools.as_ref());
            offered.flatten().any(|one| one.name == tool)
                || stage.network.iter().any(|answer| answer.tool == tool)
        })
    }

    /// The tool of the `index`-th answer of the network in a stage, where there is one.
    pub fn network_tool(&self, stage: Stage, index: usize) -> Option<&str> {
        let answer = self.recording.stages.get(&stage)?.network.get(index)?;
        Some(&answer.tool)
    }

    /// What the network answered: the `index`-th time, from 0, that `stage`
    /// asked it. A text comes back as a JSON string. A refreshing run is answered
    /// by position alone, and what it asked is collected.
    ///
    /// # Errors
    /// A request that was not recorded, or an other one in its place.
    pub fn network_answer(
        &self,
        stage: Stage,
        index: usize,
        tool: &str,
        arguments: &Value,
    ) -> Result<Value, ModelError> {
        let recorded = self.recording.stages.get(&stage);
        let answer = recorded
            .and_then(|stage| stage.network.get(index))
            .ok_or_else(|| {
                ModelError::Drift(format!(
                    "The recording `{}` holds {} network answers for the stage {stage}, and `{tool}` asks for number {}. Add the answer to the stage's `network` in the file, or record the run again.",
                    self.name,
                    recorded.map_or(0, |stage| stage.network.len()),
                    index + 1
                ))
            })?;
        let asked_other = answer.tool != tool || answer.arguments != *arguments;
        match &self.state {
            State::Refresh(collected) => {
                let asked = (tool.to_owned(), arguments.clone());
                lock(collected).network.insert((stage, index), asked);
            }
            State::Replay(_) if asked_other => {
                return Err(ModelError::Drift(format!(
                    "The recording `{}` holds another request to the network ({stage}, number {}): recorded {} {}, asked {tool} {}. Run `reprise replay refresh` on the recording if the change is meant, or record the run again.",
                    self.name,
                    index + 1,
                    answer.tool,
                    bounded(&answer.arguments),
                    bounded(arguments)
                )));
            }
            State::Replay(_) => {}
        }
        Ok(joined(&answer.result))
    }

    fn check(
        &self,
        request: &ChatRequest,
        turn: &Turn,
        chains: &Mutex<BTreeMap<Stage, Chain>>,
    ) -> Result<(), ModelError> {
        let position = request.position;
        let Some(recorded) = &turn.request else {
            return Err(ModelError::Drift(format!(
                "The recording `{}` has no request at {}: the answer is written, and no run has filled in the request that it answers. Run `reprise replay refresh` on the recording and look over what it writes.",
                self.name,
                place(position)
            )));
        };
        let mut chains = lock(chains);
        let asked = chains
            .entry(position.stage)
            .or_default()
            .digest(&request.messages, &request.tools);
        drop(chains);
        if asked.digest == recorded.digest {
            return Ok(());
        }
        let difference = match self.recording.stages.get(&position.stage) {
            Some(stage) => Expected::at(stage, position).difference(&request.messages, &asked.tools),
            None => String::new(),
        };
        Err(ModelError::Drift(format!(
            "The recording `{}` answers another request at {} (recorded {}, asked {}). If the change is meant, run `reprise replay refresh` on the recording, or record the run again.\n--- recorded\n+++ asked\n{difference}",
            self.name,
            place(position),
            recorded.digest.short(),
            asked.digest.short()
        )))
    }
}

#[async_trait]
impl ChatModel for RecordedModel {
    fn name(&self) -> &str {
        &self.name
    }

    fn calls_tools(&self) -> bool {
        !self.recording.text_protocol
    }

    fn origin(&self) -> Option<&str> {
        Some(&self.recording.origin)
    }

    async fn chat(&self, request: &ChatRequest) -> Result<ChatResponse, ModelError> {
        let position = request.position;
        let turn = self.recording.turn(position).ok_or_else(|| {
            let turns = self
                .recording
                .stages
                .get(&position.stage)
                .map_or(0, |stage| stage.turns.len());
            ModelError::Drift(format!(
                "The recording `{}` has run out: the stage {} has {turns} recorded turns, and turn {} is asked for. Add the turn to the file and run `reprise replay refresh`, or record the run again.",
                self.name, position.stage, position.turn
            ))
        })?;
        match &self.state {
            State::Replay(chains) => self.check(request, turn, chains)?,
            State::Refresh(collected) => lock(collected)
                .cassette
                .add(request, turn.answer.message(position)),
        }
        Ok(turn.answer.response(position))
    }
}

fn positions(recording: &Recording) -> impl Iterator<Item = Position> {
    recording.stages.iter().flat_map(|(stage, recorded)| {
        (0_u32..)
            .take(recorded.turns.len())
            .map(|turn| Position { stage: *stage, turn })
    })
}

fn positions_mut(recording: &mut Recording) -> impl Iterator<Item = (Position, &mut Turn)> {
    recording.stages.iter_mut().flat_map(|(stage, recorded)| {
        (0_u32..)
            .zip(&mut recorded.turns)
            .map(|(turn, recorded)| (Position { stage: *stage, turn }, recorded))
    })
}

fn place(position: Position) -> String {
    format!("stage {}, turn {}", position.stage, position.turn)
}

fn bounded(value: &Value) -> String {
    excerpt::shortened(&value.to_string(), 300)
}

/// A poisoned lock guards nothing that a panic could leave half done here.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
