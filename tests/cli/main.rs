//! The command line, as a user meets it: one file a verb.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stdout)]

mod approve;
mod budget;
mod check;
mod clean;
mod compare;
mod cost;
mod data;
mod doctor;
mod ground;
mod live;
mod provider;
mod read;
mod record;
mod replay;
mod report;
mod resume;
mod run;
mod schema;
mod score;
mod search;
mod secrets;
mod show;
mod support;
mod terminal;
