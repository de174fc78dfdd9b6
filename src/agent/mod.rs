//! One conversation: the turn loop, its answer, and its text protocol. Sees no journal.

pub mod answer;
pub mod brief;
pub mod conversation;
pub mod protocol;
pub mod reading;
pub mod repeats;
pub mod results;
pub mod shrinking;
pub mod words;
pub mod written;
