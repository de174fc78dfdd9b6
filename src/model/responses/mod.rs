//! OpenAI's Responses interface, for the models that speak nothing else.
//!
//! Conversations are sent whole and nothing is stored with the provider, so
//! that a run depends on nothing but its own journal.

pub mod answer;
pub mod assembly;
pub mod dialect;
pub mod request;
