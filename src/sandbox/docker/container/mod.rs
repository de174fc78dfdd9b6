//! One execution in a container of its own, and what is left of it after a crash.

pub mod execute;
pub mod sweep;
