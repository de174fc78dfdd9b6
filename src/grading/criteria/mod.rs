//! The published criteria, applied to an original and its replication.

pub mod both_estimates;
pub mod common_pair;
pub mod line;
pub mod notes;
pub mod scale;
pub mod shared_axis;
pub mod table;
