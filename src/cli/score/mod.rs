//! `reprise score`: comparisons with references, each beside its trivial baseline.

pub mod agreement;
pub mod args;
pub mod failures;
pub mod found;
pub mod given;
pub mod graded;
pub mod input;
pub mod lexical;
pub mod means;
pub mod one_run;
pub mod origins;
pub mod outcome;
pub mod rating_pairs;
pub mod run_outcome;
pub mod runs;
pub mod search;
mod search_files;
pub mod shared_out;
pub mod sheet;
pub mod show;
pub mod spelling;
pub mod summary;
pub mod table;
pub mod verb;
