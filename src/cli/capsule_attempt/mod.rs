//! Attempts at capsules, as verbs ask for them.

pub mod args;
pub mod choice;
pub mod dated_lock;
pub mod named_task;
mod own_agent;
pub mod prepare;
