//! The table of deviations of a run: plan, code and report side by side.

use std::path::Path;

use serde_json::Value;

use crate::catalog::artifacts::execution_results::ExecutionResults;
use crate::catalog::artifacts::replication_info::ReplicationInfo;
use crate::domain::doubt::Doubt;
use crate::domain::replication;
use crate::domain::stage::Stage;
use crate::domain::variant::Variant;
use crate::domain::workspace_path::WorkspacePath;
use crate::engine::error::EngineError;
use crate::engine::facts::RunFacts;
use crate::engine::run_reader::{self, RunReader};
use crate::engine::variants;
use crate::run::event::{CallRef, Change};
use crate::run::stage_state::StageState;
use crate::verdict::deviation::{self, Deviation};
use crate::verdict::deviation_kind::{DeviationKind, Timing};
use crate::verdict::variant_deviation;

use super::evidence::PlanDeviation;

/// Every deviation that the run shows or its agent names; `changed` are the files
/// that were changed after the plan was fixed.
///
/// # Errors
/// A stored answer or file of the run that cannot be read.
pub fn table(run: &RunReader, changed: &[PlanDeviation]) -> Result<Vec<Deviation>, EngineError> {
    let (state, store) = (&run.state, &run.store);
    let plan = run_reader::answer::<ReplicationInfo>(state, store, Stage::DESIGN)?;
    let facts = RunFacts::gather(state, store)?;
    let verdict = state.verdict.as_ref();
    let doubts: &[Doubt] = verdict
        .map(|verdict| verdict.doubts.as_slice())
        .unwrap_or_default();
    let finding = verdict.and_then(|verdict| verdict.finding.as_ref());
    let mut rows: Vec<Deviation> = Vec::new();
    if let Some(criterion) = &facts.criterion {
        let departure = verdict.and_then(|verdict| verdict.departure.as_deref());
        let outcome = verdict.map(|verdict| verdict.outcome);
        rows.extend(deviation::in_criterion(criterion, departure, outcome, doubts));
    }
    rows.extend(later_plan(run)?);
    let registered = variants::registered(state, store)?;
    let name = replication::artifact(Stage::DESIGN);
    let codebase = plan.as_ref().map(|plan| &plan.replication_study.codebase.files);
    for file in changed.iter().filter(|file| file.file != name) {
        let planned = codebase
            .and_then(|files| {
                let own = |path: &str| file.file.ends_with(path.trim_start_matches("./"));
                files.iter().find(|(path, _)| own(path.as_str()))
            })
            .map(|(_, words)| words.as_str());
        let when = timing(run, &file.file);
        let row = deviation::in_code(&file.file, planned, &file.diff, when, doubts);
        rows.push(variant_deviation::with_names(row, &file.file, &registered));
    }
    let variants = variants::gather(state, store)?;
    rows.extend(
        variants
            .map(|all| variant_deviation::in_results(&all.results))
            .unwrap_or_default(),
    );
    rows.extend(deviation::in_data(&facts.data, doubts));
    rows.extend(deviation::in_sample_size(
        finding.and_then(|finding| finding.n),
        &facts.data,
        doubts,
    ));
    let executed = run_reader::answer::<ExecutionResults>(state, store, Stage::EXECUTE)?;
    for stated in executed.iter().flat_map(|executed| &executed.deviations) {
        deviation::state(&mut rows, stated);
    }
    Ok(rows)
}

/// The plan's parts that its later copy changes.
fn later_plan(run: &RunReader) -> Result<Vec<Deviation>, EngineError> {
    let name = replication::artifact(Stage::DESIGN);
    let Some(fixed) = run
        .state
        .stages
        .get(&Stage::DESIGN)
        .and_then(|stage| stage.artifact())
    else {
        return Ok(Vec::new());
    };
    let last = changes(run)
        .filter(|(_, change)| change.path.as_str() == name)
        .last();
    let mut rows = match last {
        Some((_, last)) => against_later(&run.text(fixed)?, &run.text(&last.after)?, timing(run, name)),
        None => Vec::new(),
    };
    rows.extend(gone_plan(&run.folder.workspace()));
    Ok(rows)
}

/// The fixed plan's text held against that of its later copy.
fn against_later(fixed: &str, later: &str, when: Timing) -> Vec<Deviation> {
    let read = |text: &str| serde_json::from_str::<Value>(text).ok().filter(Value::is_object);
    let Some(plan) = read(later) else {
        let name = replication::artifact(Stage::DESIGN);
        let what = format!("the later copy of the plan, `{name}`, cannot be read: it is no JSON object");
        let shown = format!("later copy: {}", deviation::quoted(later));
        return vec![whole_plan(what, shown, when)];
    };
    let Some(fixed) = read(fixed) else {
        return Vec::new();
    };
    let (fixed, own) = apart(fixed);
    let (later, later_own) = apart(plan);
    let mut rows = deviation::in_plan(&fixed, &later, when);
    rows.extend(variant_deviation::in_plan(&own, &later_own, when));
    rows
}

/// The row on a plan that is not in the workspace any more. A run's folder that was
/// kept without its workspace says nothing of it.
fn gone_plan(workspace: &Path) -> Option<Deviation> {
    let name = replication::artifact(Stage::DESIGN);
    let is_gone = workspace.join(WorkspacePath::WORK).is_dir() && !workspace.join(name).exists();
    is_gone.then(|| {
        let what = format!("the later copy of the plan, `{name}`, is gone");
        whole_plan(what, "no later copy is there".to_owned(), Timing::NotSaid)
    })
}

/// A change that no part of the plan can be named for. The rule in it is applied as it
/// was fixed, so that no later one can change the verdict.
fn whole_plan(what: String, shown: String, when: Timing) -> Deviation {
    Deviation {
        what,
        place: Some(replication::artifact(Stage::DESIGN).to_owned()),
        kind: DeviationKind::Other,
        when,
        why: None,
        could_change: Some(false),
        plan: None,
        code: Some(shown),
        report: None,
    }
}

/// A plan without its variants, and these.
fn apart(mut plan: Value) -> (Value, Vec<Variant>) {
    let variants = plan
        .get_mut("replication_study")
        .and_then(Value::as_object_mut)
        .and_then(|study| study.remove("variants"));
    let variants = variants.and_then(|variants| serde_json::from_value(variants).ok());
    (plan, variants.unwrap_or_default())
}

/// True if a file was last changed before any execution had succeeded.
fn timing(run: &RunReader, path: &str) -> Timing {
    let seen = run
        .state
        .executions
        .iter()
        .find(|one| one.finished.as_ref().is_some_and(|end| end.ending.ok()))
        .map(|one| one.started.at);
    let last = changes(run)
        .filter(|(_, change)| change.path.as_str() == path)
        .map(|(at, _)| at)
        .last();
    match (last, seen) {
        (Some(changed), Some(seen)) if seen < changed => Timing::AfterResult,
        (Some(_), _) => Timing::BeforeResult,
        (None, _) => Timing::NotSaid,
    }
}

fn changes(run: &RunReader) -> impl Iterator<Item = (CallRef, &Change)> {
    let stage = run.state.stages.get(&Stage::EXECUTE);
    stage.into_iter().flat_map(StageState::changes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_later_plan_that_cannot_be_read_has_one_row() {
        let fixed = r#"{"replication_study": {"hypothesis": "a"}}"#;
        let rows = |later| against_later(fixed, later, Timing::AfterResult);
        let torn = rows(r#"{"replication_study": {"hypo"#);
        assert_eq!(torn.len(), 1);
        let torn = &torn[0];
        assert_eq!(
            torn.what,
            "the later copy of the plan, `replication_info.json`, cannot be read: it is no JSON object"
        );
        assert_eq!(
            torn.code.as_deref(),
            Some(r#"later copy: {"replication_study": {"hypo"#)
        );
        assert_eq!((torn.when, torn.could_change), (Timing::AfterResult, Some(false)));
        assert_eq!(rows("[]")[0].what, torn.what);
        assert_eq!(rows(fixed), []);
    }

    #[test]
    fn a_plan_that_is_gone_has_a_row_where_its_workspace_is_there() {
        let workspace = tempfile::tempdir().unwrap();
        assert_eq!(gone_plan(workspace.path()), None);
        std::fs::create_dir(workspace.path().join(WorkspacePath::WORK)).unwrap();
        let gone = gone_plan(workspace.path()).unwrap();
        assert_eq!(
            gone.what,
            "the later copy of the plan, `replication_info.json`, is gone"
        );
        assert_eq!((gone.when, gone.could_change), (Timing::NotSaid, Some(false)));
        std::fs::write(workspace.path().join(replication::artifact(Stage::DESIGN)), "{}").unwrap();
        assert_eq!(gone_plan(workspace.path()), None);
    }
}
