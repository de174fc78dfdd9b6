//! One file per effect: joins agent, sandbox and scoring to the engine.
//!
//! [`context::Effects`] performs what [`crate::run::decide`] decides. Every
//! effect can be cut short at any instant: what is not in the journal is done
//! again, and what is in the journal is never done again.

pub mod act;
pub mod analyse;
pub mod ask_model;
pub mod begin;
pub mod call_tool;
pub mod capsule;
pub mod claim_only;
pub mod command_gate;
pub mod conclude;
pub mod context;
pub mod converse;
pub mod dated_lock;
pub mod end_stage;
pub mod environment;
pub mod extraction;
pub mod format1_answers;
pub mod gate;
pub mod grader;
pub mod halt;
pub mod helpers;
pub mod hurry;
pub mod interrupted;
pub mod known;
pub mod lasting;
pub mod left_out;
pub mod lock_review;
pub mod lock_wish;
pub mod look;
pub mod made_environment;
pub mod network_calls;
pub mod notebook;
pub mod objection;
pub mod paper;
pub mod performer;
pub mod plan_review;
pub mod ports;
pub mod prices;
pub mod probe;
pub mod program;
pub mod recorded_vision;
pub mod recording;
pub mod replaying;
pub mod replication;
pub mod review;
pub mod reviewed;
pub mod session_gate;
mod session_lock;
pub mod spent;
pub mod stage_prompt;
pub mod stage_sandbox;
pub mod staging;
pub mod start_stage;
pub mod time_left;
pub mod track_parts;
pub mod vision;
mod withheld_code;
