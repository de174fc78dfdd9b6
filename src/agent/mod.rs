//! One conversation: the turn loop, its answer, and its text protocol. Sees no journal.

pub mod answer;
pub mod protocol;
