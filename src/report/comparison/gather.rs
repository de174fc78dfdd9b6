//! From a run's folder to one side of a comparison.

use std::collections::BTreeSet;

use crate::analysis::parity::comparison::Side;
use crate::analysis::parity::printed::Reported;
use crate::analysis::parity::used::Used;
use crate::artifacts::content;
use crate::catalog::artifacts::execution_results::ExecutionResults;
use crate::domain::ids::ExecutionId;
use crate::domain::mode::Setting;
use crate::domain::replication;
use crate::domain::stage::Stage;
use crate::engine::error::EngineError;
use crate::engine::run_reader::{self, RunReader};
use crate::run::event::{RunStarted, StageEnd};
use crate::verdict::trace::Output;

/// A run that has nothing to be compared.
#[derive(Debug, thiserror::Error)]
pub enum NothingToCompare {
    #[error("{0} has not begun, so there is nothing to compare: `reprise resume {0}` begins it")]
    NotBegun(String),
    #[error("{run} has no `{file}`, so there is nothing to compare: {why}", file = replication::artifact(Stage::EXECUTE))]
    NoResults { run: String, why: String },
    #[error("{0} has no verdict yet, so there is nothing to compare: `reprise resume {0}` goes on with it")]
    NoVerdict(String),
    #[error(transparent)]
    Unreadable(#[from] EngineError),
}

/// How the run was started.
///
/// # Errors
/// A run that has not begun.
pub fn started(run: &RunReader) -> Result<&RunStarted, NothingToCompare> {
    let begun = run.state.started.as_ref();
    begun.ok_or_else(|| NothingToCompare::NotBegun(name(run)))
}

/// One side of a comparison.
///
/// # Errors
/// A run without reported results or without a verdict, or one that cannot be read.
pub fn side(run: &RunReader) -> Result<Side, NothingToCompare> {
    let started = started(run)?;
    let results = run_reader::answer::<ExecutionResults>(&run.state, &run.store, Stage::EXECUTE)?;
    let Some(results) = results else {
        return Err(NothingToCompare::NoResults {
            run: name(run),
            why: why_not(run, started),
        });
    };
    let Some(verdict) = run.state.verdict.clone() else {
        return Err(NothingToCompare::NoVerdict(name(run)));
    };
    let findings = Reported::all(&results);
    let printed = printed(run, &findings)?;
    Ok(Side {
        run: started.run.to_string(),
        setting: Setting::new(started.settings.code_mode, started.settings.code_access),
        model: started.settings.model.clone(),
        verdict,
        used: Used::trace(&run.state, &printed),
        findings,
        given: started.data.clone(),
    })
}

fn name(run: &RunReader) -> String {
    let path = run.folder.path();
    let short = std::env::current_dir().ok();
    let short = short.and_then(|here| path.strip_prefix(here).ok());
    short.unwrap_or(path).display().to_string()
}

fn why_not(run: &RunReader, started: &RunStarted) -> String {
    let name = name(run);
    if !started.settings.covers(Stage::EXECUTE) {
        return format!(
            "it was asked for the stages {} alone; start a run that includes {}",
            started.settings.stages,
            Stage::EXECUTE
        );
    }
    match run.state.end_of(Stage::EXECUTE) {
        Some(StageEnd::Failed { cause, detail }) => {
            format!("its stage {} failed ({cause}): {detail}", Stage::EXECUTE)
        }
        _ => format!(
            "its stage {} has not ended; `reprise resume {name}` goes on with it",
            Stage::EXECUTE
        ),
    }
}

/// For each reported estimate, the last successful execution that printed it.
fn printed(run: &RunReader, findings: &[Reported]) -> Result<BTreeSet<ExecutionId>, EngineError> {
    let mut left: Vec<f64> = findings.iter().filter_map(|one| one.finding.estimate).collect();
    let mut found = BTreeSet::new();
    for execution in run.state.executions.iter().rev() {
        let succeeded = execution.finished.as_ref().filter(|end| end.ending.ok());
        let Some(finished) = succeeded.filter(|_| !left.is_empty()) else {
            continue;
        };
        let stdout = content::load(&finished.stdout, &run.store)?;
        let id = execution.started.id;
        let mut output = Output::default();
        output.add(id, &String::from_utf8_lossy(&stdout));
        let before = left.len();
        left.retain(|estimate| output.find(*estimate).is_none());
        if left.len() < before {
            found.insert(id);
        }
    }
    Ok(found)
}
