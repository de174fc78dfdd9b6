//! Figures over attempts at capsules: accuracy, repeats, answers given, money and time.
//!
//! An attempt that nobody graded counts in no share and is told beside it. Accuracy has Wilson's
//! interval at z = 1.96, as published for CORE-Bench v1.1, over attempts as if they were
//! independent; attempts at one task are not, so that figures of repeats take the task for the unit.

pub mod accuracy;
pub mod amounts;
pub mod attempt;
pub mod reliability;
pub mod repeats;
pub mod summary;
