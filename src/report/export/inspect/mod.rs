//! Logs of Inspect AI (`.eval`, version 2): a zip of JSON files, one for each run, that
//! `inspect view`, `inspect log` and its data frames read.
//!
//! Written for the reader of inspect-ai 0.3.100 to 0.3.285: deflated members, pooled messages.
//! What Inspect has no field for stands in `metadata` and in `info` events, since an event of
//! another name makes a whole log unreadable.

pub mod archive;
pub mod conversation;
pub mod events;
pub mod log;
pub mod model_name;
pub mod sample;
pub mod score;
