//! The published criteria, applied to an original and its replication.

pub mod common_pair;
pub mod line;
pub mod notes;
pub mod place;
pub mod scale;
pub mod table;
