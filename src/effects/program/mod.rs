//! Agents that are programs of others: started in the task's environment in the place of a conversation.
//!
//! [`carry`] starts a program and journals its calls of the model, which reach it over a channel from
//! the model proxy. What a program did cannot be folded: one whose engine was killed begins anew, and
//! is given again what an earlier start has paid for, as far as it asks the same.

mod beforehand;
mod call_serving;
pub mod calls;
pub mod carry;
pub mod chosen;
pub mod conclude;
pub mod earlier_calls;
mod journal;
pub mod normalised;
mod open;
mod plain_texts;
pub mod prepared;
pub mod program_model;
pub mod questions;
mod ran_commands;
mod recorded_bytes;
mod release_files;
mod request_digest;
pub mod session;
mod stage_end;
pub mod stage_place;
mod stage_task;
mod supervise;
