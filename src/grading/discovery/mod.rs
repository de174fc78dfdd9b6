//! Runs, gradings, predictions and labels that are to be scored, where they lie: ours and
//! released ones.
//!
//! Places come from a person, so a file that cannot be used is named and the others are
//! read; only what leaves nothing to score is a [`error::DiscoveryError`].

pub mod benchmark_outcomes;
pub mod bounded_file;
pub mod error;
pub mod fields_to_mark;
pub mod graded_folder;
pub mod grading_files;
pub mod judge_prompt;
pub mod origin_file;
pub mod outcome_labels;
pub mod parallel_map;
pub mod rating_pairs;
pub mod released_run;
pub mod run_discovery;
pub mod run_outcome;
pub mod search_files;
