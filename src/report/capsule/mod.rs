//! Pages of capsules: one a task, with each question and the answers to it, and one of all attempts.
//!
//! Pages of tasks hold gold answers and say so at their top: they are written outside of every
//! workspace. What they show arrives as plain data; text of agents and of capsules is escaped.

pub mod attempts_page;
pub mod from_runs;
pub mod number_line;
pub mod task_page;
pub mod task_view;
