//! Signatures beside a journal: one for every decision by a person, and one for the end.
//!
//! The journal's check sums find damage, and anybody can compute them. A signature is made
//! with a key that is nowhere in the run, over the run's id and format, what was decided,
//! and all of the journal up to there. It is written before the line that it covers, so
//! that no crash leaves a decision unsigned; one whose line was never written is dropped
//! when the journal is opened again.

pub mod file;
pub mod keys;
pub mod signer;
pub mod statement;
pub mod verification;
