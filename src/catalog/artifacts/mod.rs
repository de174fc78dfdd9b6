//! The five agent answers, one file each, with the on-disk names and shapes of
//! ReplicatorBench (`post_registration.json` and so on) and two parts of ours:
//! the decision criterion and the entry points.

pub mod criterion;
pub mod entries;
pub mod environment;
pub mod execution_results;
pub mod interpret_results;
pub mod own_plan;
pub mod plan;
pub mod post_registration;
pub mod replication_info;
pub mod scalar;
pub mod search_results;
