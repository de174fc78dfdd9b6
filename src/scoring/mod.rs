//! Comparisons with references: each honest about its coverage.
//!
//! Nothing here reads a file or asks a model: bytes and values come in, scores with
//! their counts, intervals and trivial baselines go out. Where a published scorer has
//! quirks, it stands to the letter in [`released`], beside one that says what it mends.

pub mod aggregate;
pub mod agreement;
pub mod capsule;
pub mod checkpoints;
pub mod cut_json;
pub mod failed_calls;
pub mod failures;
pub mod fields;
pub mod grounding;
pub mod notebook;
pub mod outcome;
pub mod released;
pub mod rouge;
pub mod url_match;
