//! Attempts at notebook tasks, as verbs ask for them.

pub mod agent;
pub mod args;
mod dated;
pub mod prepare;
pub mod recorded_task;
