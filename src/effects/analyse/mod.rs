//! `run_analysis`: from the declared plan to what the agent is told of its run.
//!
//! The steps are build, ask, run each entry, and tell. Each is journaled, and
//! each finds out from the journal whether it has been done.

pub mod ado;
pub mod analysed;
mod apart;
mod approval_details;
pub mod ask;
pub mod available;
pub mod build;
pub mod command;
pub mod declared;
pub mod declared_variant;
mod doubtful_names;
pub mod execution_subject;
pub mod file_copy;
mod file_digest;
mod heartbeat;
mod holes;
mod left;
pub mod mend_by_rule;
mod network;
pub mod observe;
pub mod outputs;
mod present;
mod r_exports;
mod rescue;
mod rescue_words;
pub mod rules;
pub mod run;
mod stata_end;
pub mod variants;
pub mod wanted;
pub mod workspace_files;

pub use analysed::Analysed;
pub use run::run;
