//! A layer that makes a recording of whatever model it stands before.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use async_trait::async_trait;
use indexmap::IndexMap;

use crate::domain::conversation::{ChatResponse, Position};
use crate::domain::stage::Stage;
use crate::model::chat::{ChatModel, ChatRequest, Message, ModelError};
use crate::model::recording::answer::Answer;
use crate::model::recording::cassette::Cassette;
use crate::model::recording::format::{NetworkAnswer, Recording, Turn};

/// The requests and answers so far.
#[derive(Default)]
pub struct Tape {
    cassette: Cassette,
    /// By stage in the order in which they were begun, and by turn.
    answers: IndexMap<Stage, BTreeMap<u32, Answer>>,
    network: IndexMap<Stage, BTreeMap<usize, NetworkAnswer>>,
}

impl Tape {
    /// Takes in an exchange; those of a stage in their order.
    pub fn note(&mut self, request: &ChatRequest, response: &ChatResponse) {
        let position = request.position;
        let message = Message::Assistant {
            text: response.text.as_str().into(),
            calls: response.calls.clone(),
            thoughts: None,
        };
        self.cassette.add(request, message);
        let answer = Answer::from_response(response, position);
        let turns = self.answers.entry(position.stage).or_default();
        turns.insert(position.turn, answer);
    }

    /// Takes in what the network answered, the `index`-th time from 0 that
    /// `stage` asked it.
    pub fn note_network(&mut self, stage: Stage, index: usize, answer: NetworkAnswer) {
        self.network.entry(stage).or_default().insert(index, answer);
    }

    /// The recording so far, without `note`, `study` and `setting`; `model` is
    /// whose answers they are.
    ///
    /// Fails if turns are missing before ones that were recorded.
    ///
    /// # Errors
    /// A turn or answer of the network that is missing before one that was recorded.
    pub fn recording(&self, model: &str) -> Result<Recording, ModelError> {
        let mut recording = Recording::new(format!("recorded from {model}"));
        let answers = self.answers.iter();
        for (stage, turn, answer) in
            answers.flat_map(|(stage, turns)| turns.iter().map(move |(turn, answer)| (stage, turn, answer)))
        {
            let turns = &mut recording.stages.entry(*stage).or_default().turns;
            let position = Position {
                stage: *stage,
                turn: *turn,
            };
            in_order(turns.len(), u64::from(*turn), *stage, "turn")?;
            turns.push(Turn {
                request: self.cassette.request(position).cloned(),
                answer: answer.clone(),
            });
        }
        let network = self.network.iter();
        for (stage, index, answer) in
            network.flat_map(|(stage, asked)| asked.iter().map(move |(index, answer)| (stage, index, answer)))
        {
            let network = &mut recording.stages.entry(*stage).or_default().network;
            in_order(network.len(), *index as u64, *stage, "network answer")?;
            network.push(answer.clone());
        }
        Ok(recording)
    }
}

/// Records every answered request of the model behind it.
///
/// What is kept is what the model was shown and what it said: no address, no
/// header and no key.
pub struct Recorder {
    inner: Arc<dyn ChatModel>,
    tape: Mutex<Tape>,
}

impl Recorder {
    /// A recorder before `inner`.
    pub fn new(inner: Arc<dyn ChatModel>) -> Self {
        Self {
            inner,
            tape: Mutex::default(),
        }
    }

    /// Records an exchange that did not go through this layer, such as one that
    /// a resumed run read from its journal. In order, and before later turns.
    pub fn note(&self, request: &ChatRequest, response: &ChatResponse) {
        self.lock().note(request, response);
    }

    /// Records what the network answered, the `index`-th time from 0 that
    /// `stage` asked it.
    pub fn note_network(&self, stage: Stage, index: usize, answer: NetworkAnswer) {
        self.lock().note_network(stage, index, answer);
    }

    /// The recording so far, without `note`, `study` and `setting`.
    ///
    /// Fails if turns are missing before ones that were recorded.
    ///
    /// # Errors
    /// A turn or answer of the network that is missing before one that was recorded.
    pub fn recording(&self) -> Result<Recording, ModelError> {
        self.lock().recording(self.inner.name())
    }

    fn lock(&self) -> MutexGuard<'_, Tape> {
        self.tape.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn in_order(have: usize, next: u64, stage: Stage, what: &str) -> Result<(), ModelError> {
    if have as u64 == next {
        return Ok(());
    }
    Err(ModelError::Misconfigured(format!(
        "The run cannot be recorded: {what} {have} of the stage {stage} was not seen, though {what} {next} was. Record a run from its beginning."
    )))
}

#[async_trait]
impl ChatModel for Recorder {
    fn name(&self) -> &str {
        self.inner.name()
    }

    fn calls_tools(&self) -> bool {
        self.inner.calls_tools()
    }

    async fn chat(&self, request: &ChatRequest) -> Result<ChatResponse, ModelError> {
        let response = self.inner.chat(request).await?;
        self.note(request, &response);
        Ok(response)
    }
}
