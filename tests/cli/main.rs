//! The command line, as a user meets it: one file a verb.

mod approve;
mod check;
mod resume;
mod run;
mod show;
mod support;
