//! The choices of a run before it begins, as plain data that the command line and bench files fill.

pub mod agent;
pub mod capsule;
pub mod lock;
pub mod notebook;
pub mod run;
pub mod session;
pub mod study;
