//! Comparisons with references: pure, and each honest about its coverage.
//!
//! Nothing here reads a file or asks a model: bytes and values come in, scores
//! with their counts, intervals and trivial baselines go out. Where a published
//! scorer has quirks, it is offered to the letter as `compat`, beside one that
//! says what it mends.

pub mod aggregate;
pub mod agreement;
pub mod aliases;
pub mod checkpoints;
pub mod failed_calls;
pub mod failures;
pub mod fields;
pub mod outcome;
pub mod proportion;
pub mod rouge;
pub mod trace;
