//! One conversation: the turn loop, its answer, and its text protocol. Sees no journal.
//!
//! A stage's answer is text, found and read leniently, and sent back with its
//! faults a bounded number of times. It is no call of a tool, so that models
//! without tools can give it and one prompt serves every dialect. Only behind an
//! answer that did not fit does a request carry the schema, for providers that
//! hold a model to one: from the first turn on, a model that means to think aloud
//! or to look again would be made to answer.

pub mod answer;
pub mod beforehand;
pub mod brief;
pub mod by_hand;
pub mod conversation;
pub mod dialogue;
pub mod earlier_results;
pub mod pending_call;
pub mod protocol;
pub mod reading;
pub mod repeats;
pub mod results;
pub mod shrinking;
pub mod steps;
pub mod words;
pub mod written;
