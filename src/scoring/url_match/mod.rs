//! Web addresses that agents found, against the resources that people used.
//!
//! [`levels`] names how close each match is, so that a bare portal and the very record
//! are not the same success. ReplicatorBench's own rule, which credits any page under a
//! known prefix, is in [`super::released::url_match`].

pub mod case;
mod checked;
pub mod files;
pub mod gold;
pub mod level;
pub mod levels;
pub mod limit;
pub mod metrics;
pub mod runs;
mod targets;
