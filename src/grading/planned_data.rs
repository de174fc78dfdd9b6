//! The data files that a preregistered plan lists.

use crate::catalog::artifacts::replication_info::ReplicationInfo;
use crate::domain::stage::Stage;
use crate::engine::error::EngineError;
use crate::engine::run_reader::{self, RunReader};

/// The staged data files that the plan lists in `data_used.files`. A file that only its notes
/// mention is not planned.
///
/// # Errors
/// A stored plan that cannot be read.
pub fn planned_data(run: &RunReader) -> Result<Vec<String>, EngineError> {
    let plan = run_reader::answer::<ReplicationInfo>(&run.state, &run.store, Stage::DESIGN)?;
    let listed = plan.map_or_else(Vec::new, |plan| plan.replication_study.data_used.files);
    let started = run.state.started.as_ref();
    let staged = started.map(|started| started.data.as_slice()).unwrap_or_default();
    Ok(staged
        .iter()
        .filter(|file| listed.iter().any(|name| file.path.is_named_by(name)))
        .map(|file| file.path.as_str().to_owned())
        .collect())
}
