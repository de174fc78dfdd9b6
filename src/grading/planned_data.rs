//! The data files that a preregistered plan names.

use crate::domain::stage::Stage;
use crate::engine::error::EngineError;
use crate::engine::run_reader::RunReader;

/// The staged data files that the preregistered plan mentions by name.
///
/// # Errors
/// A stored plan that cannot be read.
pub fn planned_data(run: &RunReader) -> Result<Vec<String>, EngineError> {
    let Some(plan) = run
        .state
        .stages
        .get(&Stage::DESIGN)
        .and_then(|stage| stage.artifact())
    else {
        return Ok(Vec::new());
    };
    let text = run.text(plan)?;
    let data = run
        .state
        .started
        .as_ref()
        .map(|started| started.data.as_slice())
        .unwrap_or_default();
    Ok(data
        .iter()
        .filter(|file| text.contains(file.path.file_name()))
        .map(|file| file.path.as_str().to_owned())
        .collect())
}
