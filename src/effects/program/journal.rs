//! The journal's part of a program's calls.

use crate::domain::digest::Digest;
use crate::domain::stage::Stage;
use crate::engine::error::EngineError;
use crate::engine::session::Session;
use crate::model::proxy::answer_reading::ProviderAnswer;
use crate::model::proxy::call_failure::ToldFailure;
use crate::model::proxy::proxied_call::ProxiedCall;
use crate::run::event::Event;
use crate::run::program::{ProgramCall, ProgramCallFailed, RequestDifference};

use super::calls::{KeptCall, KeptEnd};
use super::earlier_calls::SharedEnds;

/// Writes the ends of a program's calls, each request as its difference from the last one that was answered.
pub struct CallJournal {
    stage: Stage,
    /// The request that was answered last.
    before: Vec<u8>,
}

impl CallJournal {
    /// Goes on behind a request.
    pub fn new(stage: Stage, before: Vec<u8>) -> Self {
        Self { stage, before }
    }

    /// Journals the end of a call, then lets its program see it.
    ///
    /// # Errors
    /// A journal or a store that cannot be written.
    pub fn write(&mut self, session: &mut Session, kept: KeptCall) -> Result<(), EngineError> {
        let KeptCall {
            call,
            digest,
            end,
            wall_ms,
            journaled,
        } = kept;
        let asked = self.difference(session, &call)?;
        let answered = match &end {
            KeptEnd::Answered(answer) => answer.body.len() + answer.response.text.len(),
            KeptEnd::Failed(failure, _) => failure.reply.body.len(),
        };
        let recorded = asked.between.size() + answered as u64;
        match end {
            KeptEnd::Answered(answer) => {
                self.answered(session, digest, asked, &call, answer, wall_ms)?;
                self.before = call.asked.to_vec();
            }
            KeptEnd::Failed(ToldFailure { reached, why, reply }, lost) => {
                session.record(Event::CallFailed(Box::new(ProgramCallFailed {
                    stage: self.stage,
                    request: digest,
                    dialect: call.dialect,
                    streamed: call.streamed,
                    asked,
                    reached,
                    why,
                    lost,
                    status: reply.status,
                    served: session.keep(&reply.body)?,
                })))?;
            }
        }
        // A program that has gone away is told nothing.
        let _ = journaled.send(recorded);
        Ok(())
    }

    fn difference(&self, session: &Session, call: &ProxiedCall) -> Result<RequestDifference, EngineError> {
        let shared = SharedEnds::new(&self.before, &call.asked);
        let between = &call.asked[shared.beginning..call.asked.len() - shared.end];
        Ok(RequestDifference {
            beginning: shared.beginning as u64,
            end: shared.end as u64,
            between: session.keep(between)?,
        })
    }

    fn answered(
        &self,
        session: &mut Session,
        digest: Digest,
        asked: RequestDifference,
        call: &ProxiedCall,
        answer: ProviderAnswer,
        wall_ms: u64,
    ) -> Result<(), EngineError> {
        let stage = session.state.stages.get(&self.stage);
        let turns = stage.map_or(0, |stage| stage.turns.len());
        let program = ProgramCall {
            dialect: call.dialect,
            streamed: call.streamed,
            asked,
            served: session.keep(&answer.body)?,
            removed: call.removed.clone(),
            stripped: call.stripped.clone(),
        };
        session.record(Event::ModelAnswered {
            stage: self.stage,
            turn: u32::try_from(turns).unwrap_or(u32::MAX),
            request: digest,
            text: session.keep(answer.response.text.as_bytes())?,
            calls: answer.response.calls,
            finish: answer.response.finish,
            usage: answer.response.usage,
            wall_ms,
            waiting: session.in_bounds(answer.waiting),
            thoughts: None,
            author: None,
            program: Some(Box::new(program)),
        })?;
        Ok(())
    }
}
