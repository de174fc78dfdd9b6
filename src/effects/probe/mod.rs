//! Running approved code again on changed data, to see whether its result comes from
//! them.
//!
//! Everything happens in copies of the workspace below the run's `probes/`, under the
//! limits and the confinement of the approved execution, and each copy is gone when
//! its sub-run has ended. Delimited text is changed here, cell by cell; every other
//! format in the sandbox, by a library of the run's own environment that writes it.

pub mod assigned;
pub mod change;
pub mod column;
pub mod copies;
pub mod delimited;
pub mod focal;
pub mod levels;
pub mod library;
pub mod material;
pub mod outcome;
pub mod perform;
pub mod probe_time;
pub mod probing;
pub mod programs;
pub mod refit;
pub mod scratch;
pub mod sub_run_context;
pub mod table_file;
pub mod tables;
pub mod trial;
