//! Comparisons with references: each honest about its coverage.
//!
//! Nothing here reads a file: bytes and values come in, scores with their
//! counts, intervals and trivial baselines go out. Only [`judge`] asks a model,
//! which it is given. Where a published
//! scorer has quirks, it is offered to the letter as `compat`, beside one that
//! says what it mends.

pub mod aggregate;
pub mod agreement;
pub mod checkpoints;
pub mod failed_calls;
pub mod failures;
pub mod fields;
pub mod grounding;
pub mod outcome;
mod python;
pub mod rouge;
pub mod url_match;
