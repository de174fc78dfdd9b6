//! The journal's part of a program's calls.

use crate::domain::stage::Stage;
use crate::engine::error::EngineError;
use crate::engine::session::Session;
use crate::run::event::Event;
use crate::run::program::{ProgramCall, RequestDifference};

use super::calls::AnsweredCall;
use super::earlier_calls::SharedEnds;

/// Writes the answers of a program's calls, each request as its difference from the one before.
pub struct CallJournal {
    stage: Stage,
    /// The request that was journaled last.
    before: Vec<u8>,
}

impl CallJournal {
    /// Goes on behind a request.
    pub fn new(stage: Stage, before: Vec<u8>) -> Self {
        Self { stage, before }
    }

    /// Journals an answer, then lets its program see it.
    ///
    /// # Errors
    /// A journal or a store that cannot be written.
    pub fn write(&mut self, session: &mut Session, answered: AnsweredCall) -> Result<(), EngineError> {
        let AnsweredCall {
            call,
            digest,
            answer,
            wall_ms,
            journaled,
        } = answered;
        let turns = session
            .state
            .stages
            .get(&self.stage)
            .map_or(0, |stage| stage.turns.len());
        let shared = SharedEnds::new(&self.before, &call.asked);
        let between = &call.asked[shared.beginning..call.asked.len() - shared.end];
        let mut removed = call.removed;
        if call.translation.is_some() && answer.response.thoughts.is_some() {
            removed.push("the model's thoughts, which their provider wants back".to_owned());
        }
        let program = ProgramCall {
            dialect: call.dialect,
            translated: call.translation.as_ref().map(|translation| translation.into),
            streamed: call.streamed,
            asked: RequestDifference {
                beginning: shared.beginning as u64,
                end: shared.end as u64,
                between: session.keep(between)?,
            },
            served: session.keep(&answer.body)?,
            removed,
            stripped: call.stripped,
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
        self.before = call.asked.to_vec();
        // A program that has gone away is told nothing.
        let _ = journaled.send(());
        Ok(())
    }
}
