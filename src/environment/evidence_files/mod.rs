//! Files that tell of an analysis's time and software: locks, logs, notes, repositories.

pub mod conda;
pub mod dockerfile;
pub mod git;
pub mod json_locks;
pub mod read;
pub mod requirements;
pub mod texts;
pub mod toml_locks;
pub mod written_dates;
