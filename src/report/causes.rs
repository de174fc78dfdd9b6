//! Why things failed in a run, by recorded cause.

use crate::domain::failure::FailureCause;
use crate::engine::archive::Archive;
use crate::engine::error::EngineError;
use crate::run::event::{BuildResult, StageEnd};
use crate::sandbox::diagnose;

/// The cause of every build, execution and stage that failed.
///
/// A stage that ended for the cause of its last execution is counted by that
/// execution alone.
pub fn of(run: &Archive) -> Result<Vec<FailureCause>, EngineError> {
    let mut causes = Vec::new();
    for build in &run.state.builds {
        if let BuildResult::Failed(failure) = &build.result {
            causes.push(failure.cause);
        }
    }
    for execution in run.state.executions.iter() {
        match &execution.finished {
            Some(finished) => {
                let stderr = run.text(&finished.stderr)?;
                causes.extend(diagnose::execution(finished.ending, &stderr).map(|found| found.cause));
            }
            None if execution.interrupted => causes.push(FailureCause::Interrupted),
            None => {}
        }
    }
    for stage in run.state.stages.values() {
        if let Some(StageEnd::Failed { cause, .. }) = &stage.end
            && !causes.contains(cause)
        {
            causes.push(*cause);
        }
    }
    Ok(causes)
}
