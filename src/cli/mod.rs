//! The command line: one file per verb, output, errors and exit codes.

mod abilities;
pub mod approve;
pub mod args;
pub mod check;
pub mod clean;
pub mod compare;
pub mod data;
pub mod doctor;
pub mod exit;
pub mod ground;
mod leftovers;
pub mod model;
pub mod output;
mod probe;
pub mod progress;
pub mod read;
pub mod replay;
pub mod report;
pub mod resume;
pub mod run;
pub mod schema;
pub mod score;
pub mod show;
pub mod stamp;
pub mod terminal;
