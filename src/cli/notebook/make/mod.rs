//! `reprise notebook make`: a task over a repository of one's own, with the answer of several runs.

pub mod args;
mod draft;
mod folder;
mod proposal;
mod runs;
mod solution;
mod values;
pub mod verb;
