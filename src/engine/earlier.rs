//! Results of execution calls before the last one, and what was changed since.

use std::collections::{BTreeMap, BTreeSet};

use crate::artifacts::store::Store;
use crate::domain::digest::Digest;
use crate::domain::finding::Finding;
use crate::domain::replication;
use crate::domain::result_line;
use crate::domain::stage::Stage;
use crate::domain::workspace_path::WorkspacePath;
use crate::run::event::{CallRef, Change};
use crate::run::execution_state::ExecutionState;
use crate::run::stage_state::StageState;
use crate::run::state::State;
use crate::verdict::earlier::EarlierResult;
use crate::verdict::printed_findings::printed_findings;

use super::error::EngineError;
use super::facts;

/// The most calls that are looked at, the first ones first.
const MOST: usize = 100;

/// The largest table that is read for a result, in bytes.
const LARGEST: u64 = 256 << 10;

/// What the executions of earlier calls of the execute stage gave, those that failed
/// included.
///
/// # Errors
/// Output or a list of files that the store lacks or holds damaged.
pub fn gather(state: &State, store: &dyn Store) -> Result<Vec<EarlierResult>, EngineError> {
    let last = facts::last_call(state);
    let Some(deciding) = last.first() else {
        return Ok(Vec::new());
    };
    let mut calls: BTreeMap<CallRef, Vec<&ExecutionState>> = BTreeMap::new();
    for execution in state.executions.iter() {
        let at = execution.started.at;
        // One that failed may have shown its result before.
        let finished = execution.finished.is_some();
        if finished && at.stage == Stage::EXECUTE && at < deciding.started.at {
            calls.entry(at).or_default().push(execution);
        }
    }
    calls
        .into_values()
        .take(MOST)
        .map(|call| {
            let mut printed = facts::printed(&call, store)?;
            printed.extend(in_tables(&call, store)?);
            Ok(EarlierResult {
                name: call
                    .first()
                    .map_or_else(String::new, |one| one.started.id.to_string()),
                recorded: facts::recorded(&call, store)?.0,
                printed,
                changed: changed(state, store, &call, &last)?,
            })
        })
        .collect()
}

/// Results in the text tables that a call wrote: who can look at them has seen them.
fn in_tables(call: &[&ExecutionState], store: &dyn Store) -> Result<Vec<Finding>, EngineError> {
    const TABLES: [&str; 6] = [".csv", ".tsv", ".txt", ".md", ".tex", ".log"];
    let mut found = Vec::new();
    let outputs = call
        .iter()
        .filter_map(|one| one.finished.as_ref())
        .flat_map(|finished| &finished.outputs);
    for file in outputs.filter(|file| file.size <= LARGEST && store.has(&file.digest)) {
        let name = file.path.as_str().to_lowercase();
        if !TABLES.iter().any(|end| name.ends_with(end)) {
            continue;
        }
        let bytes = store.get(&file.digest)?;
        let text = String::from_utf8_lossy(&bytes);
        // Cells stand apart as printed columns do.
        let apart = if name.ends_with(".csv") {
            text.replace('"', "").replace(',', "   ")
        } else {
            text.replace(['\t', '|', '&'], "   ")
        };
        found.extend(printed_findings(&apart));
    }
    Ok(found)
}

/// Files that a person or the agent changed between two calls: what stands
/// differently before each, but for what executions themselves wrote.
fn changed(
    state: &State,
    store: &dyn Store,
    before: &[&ExecutionState],
    after: &[&ExecutionState],
) -> Result<Vec<String>, EngineError> {
    let (Some(one), Some(other)) = (before.first(), after.first()) else {
        return Ok(Vec::new());
    };
    let (from, to) = (one.started.at, other.started.at);
    let execute = state.stages.get(&Stage::EXECUTE);
    let changes: Vec<&Change> = execute
        .into_iter()
        .flat_map(StageState::changes)
        .filter(|(at, _)| from < *at && *at < to)
        .map(|(_, change)| change)
        .collect();
    let edited: BTreeSet<&str> = changes.iter().map(|change| change.path.as_str()).collect();
    let written: BTreeSet<&str> = state
        .executions
        .iter()
        .filter_map(|one| one.finished.as_ref())
        .flat_map(|finished| &finished.outputs)
        .map(|file| file.path.as_str())
        .collect();
    let (old, new) = (files(one, store)?, files(other, store)?);
    let mut names: BTreeSet<String> = old
        .keys()
        .chain(new.keys())
        .filter(|path| old.get(*path) != new.get(*path))
        .filter(|path| edited.contains(path.as_str()) || !written.contains(path.as_str()))
        .cloned()
        .collect();
    // The plan stands beside the folder that snapshots hold.
    let plan = replication::artifact(Stage::DESIGN);
    let mut of_plan = changes.iter().filter(|change| change.path.as_str() == plan);
    if let Some(first) = of_plan.next() {
        let last = of_plan.next_back().unwrap_or(first);
        if first.before != Some(last.after.digest()) {
            names.insert(plan.to_owned());
        }
    }
    let commands = |call: &[&ExecutionState]| -> BTreeSet<Vec<String>> {
        call.iter().map(|one| one.started.command.clone()).collect()
    };
    // A call of which a part failed holds fewer commands, which alone is no change.
    if before.len() == after.len() && commands(before) != commands(after) {
        names.insert("the commands".to_owned());
    }
    Ok(names.into_iter().collect())
}

/// The files of the writable folder before an execution, with their digests.
fn files(execution: &ExecutionState, store: &dyn Store) -> Result<BTreeMap<String, Digest>, EngineError> {
    Ok(facts::before(execution, store)?
        .files
        .into_iter()
        .filter(|file| file.path.starts_with(WorkspacePath::WORK) && file.path.as_str() != result_line::FILE)
        .map(|file| (file.path.as_str().to_owned(), file.digest))
        .collect())
}
