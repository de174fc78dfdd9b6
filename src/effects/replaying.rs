//! A finished run in the place of its model, its network and its person.

use std::sync::Arc;

use async_trait::async_trait;

use crate::domain::conversation::ChatResponse;
use crate::domain::digest::Digest;
use crate::engine::error::EngineError;
use crate::engine::run_reader::RunReader;
use crate::environment::lock::EnvironmentLock;
use crate::environment::lock_draft::LockDraft;
use crate::model::chat::{ChatModel, ChatRequest, ModelError};
use crate::run::event::{Asked, CallRef};
use crate::tools::contract::{Observation, Request};
use crate::tools::look_at_image;

use super::dated_lock;
use super::ports::{DatedIndexes, Network, Person, Reply, ToldOfWaits};

/// Answers from the journal of an earlier run, by position.
pub struct Replayed {
    run: RunReader,
    name: String,
    native_calls: bool,
    /// Answers what the earlier run was never asked.
    otherwise: Arc<dyn Person>,
}

impl Replayed {
    /// Replays `run`; `otherwise` answers questions about content that the run
    /// held no decision on.
    pub fn new(run: RunReader, otherwise: Arc<dyn Person>) -> Self {
        let name = run
            .state
            .started
            .as_ref()
            .map_or_else(String::new, |started| started.settings.model.clone());
        let native_calls = run.state.stages.values().all(|stage| stage.native_calls);
        Self {
            run,
            name,
            native_calls,
            otherwise,
        }
    }

    /// The run that is replayed.
    pub fn run(&self) -> &RunReader {
        &self.run
    }

    fn unreadable(error: impl std::fmt::Display) -> ModelError {
        ModelError::Misconfigured(format!("the run that is replayed cannot be read: {error}"))
    }
}

#[async_trait]
impl ChatModel for Replayed {
    fn name(&self) -> &str {
        &self.name
    }

    fn calls_tools(&self) -> bool {
        self.native_calls
    }

    fn origin(&self) -> Option<&str> {
        self.run.state.started.as_ref()?.settings.recording.as_deref()
    }

    async fn chat(&self, request: &ChatRequest) -> Result<ChatResponse, ModelError> {
        let position = request.position;
        let turn = self
            .run
            .state
            .stages
            .get(&position.stage)
            .and_then(|stage| stage.turns.get(position.turn as usize))
            .ok_or_else(|| {
                ModelError::Drift(format!(
                    "the replay asks for turn {} of stage {}, which the run never reached: what the tools say has \
                     changed so much that the conversation took another course",
                    position.turn + 1,
                    position.stage
                ))
            })?;
        Ok(ChatResponse {
            text: self.run.text(&turn.text).map_err(Self::unreadable)?,
            calls: turn.calls.clone(),
            finish: turn.finish,
            usage: turn.usage,
            thoughts: None,
        })
    }
}

#[async_trait]
impl DatedIndexes for Replayed {
    /// The lock of the same wish; else that of the same place, since another sandbox may have another Python.
    async fn settle(
        &self,
        at: CallRef,
        draft: LockDraft,
        _: ToldOfWaits<'_>,
    ) -> Result<EnvironmentLock, EngineError> {
        let wish = draft.digest();
        let locks = &self.run.state.locks;
        let same = locks.iter().find(|made| made.wish == wish);
        let made = same.or_else(|| locks.iter().rev().find(|made| made.at == at));
        let made = made.ok_or_else(|| {
            EngineError::from(ModelError::Drift(format!(
                "the replay asks for a lock in stage {} where the run made none",
                at.stage
            )))
        })?;
        dated_lock::parse(self.run.text(&made.lock)?.as_bytes())
    }
}

#[async_trait]
impl Network for Replayed {
    fn is_live(&self) -> bool {
        false
    }

    fn sees(&self) -> Option<bool> {
        let stages = self.run.state.stages.values();
        let mut offered = stages.flat_map(|stage| &stage.tools);
        Some(offered.any(|tool| tool == look_at_image::NAME))
    }

    async fn answer(&self, at: CallRef, _: u32, request: &Request) -> Result<Observation, ModelError> {
        let stage = self.run.state.stages.get(&at.stage);
        let turn = stage.and_then(|stage| stage.turns.get(at.turn as usize));
        if let Request::CheckAddresses { .. } = request {
            return Ok(match turn.and_then(|turn| turn.review.as_ref()) {
                Some(review) => Observation::good(self.run.text(&review.checks).map_err(Self::unreadable)?),
                None => Observation::bad("The run that is replayed holds no review of this answer."),
            });
        }
        let result = turn.and_then(|turn| turn.results.get(&at.call)).ok_or_else(|| {
            ModelError::Drift(format!(
                "the replay asks the network in stage {} where the run did not",
                at.stage
            ))
        })?;
        Ok(Observation {
            // What was left of the run's budget is none of the network's.
            text: (self
                .run
                .text(result.stable.as_ref().unwrap_or(&result.observation)))
            .map_err(Self::unreadable)?,
            stable: None,
            ok: result.ok,
            command: None,
        })
    }
}

#[async_trait]
impl Person for Replayed {
    fn has_decided(&self, digest: Digest) -> bool {
        self.run.state.gate.decision(digest).is_some()
    }

    async fn answer(&self, asked: &Asked, details: &str) -> Option<Reply> {
        match self.run.state.gate.decision(asked.digest) {
            Some(decided) => Some(Reply {
                allowed: decided.allowed,
                words: decided.words.clone(),
            }),
            None => self.otherwise.answer(asked, details).await,
        }
    }
}
