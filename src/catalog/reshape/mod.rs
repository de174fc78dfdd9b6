//! Parts of an answer that stand in another place or form, brought to where
//! the schema has them. Every form here occurs in released runs or references,
//! or is one that a model is likely to write.

mod execution_results;
mod moves;
mod packages;
mod post_registration;
mod replication_info;
mod search_results;
pub mod stage;
#[cfg(test)]
mod tests;
