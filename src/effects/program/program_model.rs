//! The model of a run, as a program asks it.

use std::sync::Arc;

use crate::model::proxy::upstream::Upstream;

use super::earlier_calls::ReplayedCalls;

/// The answerer of a program's calls.
#[derive(Clone)]
pub enum CallSource {
    Provider(Arc<Upstream>),
    /// A run that is replayed. A call that it does not hold is a divergence.
    Replayed(Arc<ReplayedCalls>),
}

/// The model of a run as a program asks it, and the names by which it may.
#[derive(Clone)]
pub struct ProgramModel {
    pub source: CallSource,
    /// The model as the provider knows it.
    pub model: String,
    /// The field of chat completions with the limit on an answer.
    pub chat_limit: &'static str,
}
