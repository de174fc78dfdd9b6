//! The outcome of a review of a stage's answer.

use serde_json::Value;

use crate::domain::stage::Stage;
use crate::engine::dispatch::Step;
use crate::engine::error::EngineError;
use crate::engine::session::Session;
use crate::run::event::Event;
use crate::run::stage_state::StageState;

/// How often an answer is handed back.
pub(super) const OBJECTIONS: usize = 2;

/// The outcome of a review.
pub enum Reviewed {
    /// With what its reader should know, a sentence each.
    Stands {
        answer: Value,
        notes: Vec<String>,
    },
    /// The model has been told what to mend.
    Objected,
    Step(Step),
}

impl Reviewed {
    /// An answer of which nothing has to be said.
    pub(super) fn stands(answer: Value) -> Self {
        Self::Stands {
            answer,
            notes: Vec::new(),
        }
    }
}

/// How often a stage's answers were handed back.
pub(super) fn objections(stage: &StageState) -> usize {
    let reviews = stage.turns.iter().filter_map(|turn| turn.review.as_ref());
    reviews.filter(|review| review.remark.is_some()).count()
}

/// Journals what an answer was held against, and what its model is told.
pub(super) fn record(
    session: &mut Session,
    stage: Stage,
    turn: u32,
    checks: &str,
    remark: Option<&str>,
) -> Result<(), EngineError> {
    let checks = session.keep(checks.as_bytes())?;
    let remark = remark.map(|remark| session.keep(remark.as_bytes())).transpose()?;
    session.record(Event::AnswerReviewed {
        stage,
        turn,
        checks,
        remark,
    })
}
