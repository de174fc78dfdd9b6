//! Conversations of published agents: a step is one answer of the model, and what was seen of it.
//!
//! Nothing of them is a native call: a request holds text alone, and a model's answer is read by the
//! agent's own form. An answer that cannot be read is asked for again, with a correction that the
//! next request does not hold any more.

mod commands;
pub mod conversation;
mod fenced_block;
mod react;
mod reflecting;
mod step;
