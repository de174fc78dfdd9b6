//! Causes of a run's failures, as they were recorded.

use crate::catalog::artifacts::execution_results::ExecutionResults;
use crate::catalog::artifacts::replication_info::ReplicationInfo;
use crate::domain::failure::FailureCause;
use crate::domain::stage::Stage;
use crate::engine::error::EngineError;
use crate::engine::run_reader::{self, RunReader};
use crate::policy::diagnose::{self, PrintedText};
use crate::run::event::{BuildResult, StageEnd};
use crate::verdict::focal::focal_result;

/// The cause of every build, execution and stage that failed.
///
/// A stage that ended for the cause of its last execution is counted by that
/// execution alone. Code that ran and whose focal result was not had is counted
/// once, as result extraction: where the stage that reports ended without an
/// answer that could be read, and where its report holds no finding, or one
/// whose deciding numbers no execution printed.
///
/// # Errors
/// A stored answer or output of the run that cannot be read.
pub fn list(run: &RunReader) -> Result<Vec<FailureCause>, EngineError> {
    let mut causes = Vec::new();
    for build in &run.state.builds {
        if let BuildResult::Failed(failure) = &build.result {
            causes.push(failure.cause);
        }
    }
    for execution in run.state.executions.iter() {
        match &execution.finished {
            Some(finished) => {
                let (stdout, stderr) = (run.text(&finished.stdout)?, run.text(&finished.stderr)?);
                let printed = PrintedText {
                    stdout: &stdout,
                    stderr: &stderr,
                };
                causes.extend(diagnose::execution(finished.ending, printed).map(|found| found.cause));
            }
            None if execution.interrupted => causes.push(FailureCause::Interrupted),
            None => {}
        }
    }
    for (stage, state) in &run.state.stages {
        if let Some(StageEnd::Failed { cause, .. }) = &state.end {
            let cause = match cause {
                FailureCause::InvalidAnswer if *stage == Stage::EXECUTE && some_execution_succeeded(run) => {
                    FailureCause::ResultExtraction
                }
                cause => *cause,
            };
            if !causes.contains(&cause) {
                causes.push(cause);
            }
        }
    }
    if was_not_read(run)? {
        causes.push(FailureCause::ResultExtraction);
    }
    Ok(causes)
}

fn some_execution_succeeded(run: &RunReader) -> bool {
    let mut executions = run.state.executions.iter();
    executions.any(|one| one.finished.as_ref().is_some_and(|end| end.ending.ok()))
}

/// True if results were reported of code that ran, and not the one that decides.
fn was_not_read(run: &RunReader) -> Result<bool, EngineError> {
    if !some_execution_succeeded(run) {
        return Ok(false);
    }
    let plan = run_reader::answer::<ReplicationInfo>(&run.state, &run.store, Stage::DESIGN)?;
    let criterion = plan.and_then(|plan| plan.criterion());
    let report = run_reader::answer::<ExecutionResults>(&run.state, &run.store, Stage::EXECUTE)?;
    let (Some(criterion), Some(report)) = (criterion, report) else {
        return Ok(false);
    };
    let outputs = run_reader::outputs(&run.state, &run.store)?;
    let read = focal_result(
        &criterion.focal_term,
        criterion.rule,
        &report.findings(),
        &outputs,
    );
    Ok(read.is_err_and(|unread| unread.is_extraction()))
}
