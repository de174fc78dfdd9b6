//! Runs in the forms that other programs read: logs of Inspect AI, tables with a Frictionless
//! data package, submissions to HAL, and a Workflow Run RO-Crate of one run.
//!
//! Each is a projection of journals: it can be made again at any time, and holds no reference
//! that a run is scored against, and no key.

pub mod exported_run;
pub mod hal;
pub mod inspect;
pub mod member;
pub mod ro_crate;
pub mod tables;
