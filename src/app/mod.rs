//! The composition root: the one place that names concrete types.

pub mod clock;
pub mod commons;
pub mod kit;
pub mod minds;
pub mod recorded;
pub mod run;
pub mod sandboxes;
pub mod searching;
pub mod served;
