//! Facts for a verdict, read out of a journal.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::artifacts::content;
use crate::artifacts::store::Store;
use crate::catalog::artifacts::execution_results::ExecutionResults;
use crate::catalog::artifacts::post_registration::PostRegistration;
use crate::catalog::artifacts::replication_info::ReplicationInfo;
use crate::catalog::extraction::claimed_result;
use crate::domain::criterion::{Criterion, FixedCriterion};
use crate::domain::data_table::DataTable;
use crate::domain::doubt::Doubt;
use crate::domain::failure::FailureCause;
use crate::domain::finding::Finding;
use crate::domain::result_line::{self, BadResultLine};
use crate::domain::stage::Stage;
use crate::domain::workspace_path::WorkspacePath;
use crate::run::event::{CallRef, ExecutionFinished, FileRecord, Snapshot, StageEnd};
use crate::run::execution_state::ExecutionState;
use crate::run::state::State;
use crate::study::kind::Kind;
use crate::study::manifest::CodeTable;
use crate::verdict::contrary_evidence::DataFacts;
use crate::verdict::decide::VerdictFacts;
use crate::verdict::earlier::EarlierResult;
use crate::verdict::figure::quoted;
use crate::verdict::plan_words::PlanWords;
use crate::verdict::printed_findings::printed_findings;
use crate::verdict::trace::Output;

use super::error::EngineError;
use super::run_reader;

/// Everything that a run's journal says of its result.
#[derive(Debug, Clone, Default)]
pub struct RunFacts {
    /// The plan as it was when the design stage ended, not as mended since.
    pub criterion: Option<Criterion>,
    pub fixed: Option<FixedCriterion>,
    /// `None` where the execute stage gave no answer.
    pub reported: Option<Vec<Finding>>,
    pub recorded: Vec<Finding>,
    /// Lines of the results file that cannot be used.
    pub unusable: Vec<BadResultLine>,
    pub printed: Vec<Finding>,
    pub outputs: Output,
    pub data: DataFacts,
    pub plan: PlanWords,
    pub original: Option<Finding>,
    /// The original's focal finding, if the study publishes it.
    pub published: Option<Finding>,
    pub strict: bool,
    /// Whether any execution succeeded.
    pub ran: bool,
    pub design_failed: Option<FailureCause>,
    pub execute_failed: Option<FailureCause>,
    pub designed: bool,
    /// What calls before the last one gave; read by [`earlier`](super::earlier).
    pub earlier: Vec<EarlierResult>,
}

impl RunFacts {
    /// Reads them from a run's state and store.
    ///
    /// # Errors
    /// An answer or output that the store lacks or holds damaged, or an answer that no longer fits its
    /// type.
    pub fn gather(state: &State, store: &dyn Store) -> Result<Self, EngineError> {
        let plan = run_reader::answer::<ReplicationInfo>(state, store, Stage::DESIGN)?;
        let started = state.started.as_ref();
        let last = last_call(state);
        let (recorded, unusable) = recorded(&last, store)?;
        let failed = |stage| match state.end_of(stage) {
            Some(StageEnd::Failed { cause, .. }) => Some(*cause),
            _ => None,
        };
        let fixed = started.and_then(|started| started.claim.criterion.clone());
        let criterion = plan.as_ref().and_then(ReplicationInfo::criterion);
        let original = original(state, store)?;
        Ok(Self {
            criterion: criterion.map(|criterion| criterion.on(fixed.as_ref()).against(original.as_ref())),
            fixed,
            reported: run_reader::answer::<ExecutionResults>(state, store, Stage::EXECUTE)?
                .map(|results| results.findings()),
            recorded,
            unusable,
            printed: printed(&last, store)?,
            outputs: run_reader::outputs(state, store)?,
            data: data(state, plan.as_ref(), &last),
            plan: PlanWords {
                tables: tables(state),
                ..plan_words(plan.as_ref())
            },
            original,
            published: published(state),
            strict: started.is_some_and(|started| started.format >= 2),
            ran: !last.is_empty(),
            design_failed: failed(Stage::DESIGN),
            execute_failed: failed(Stage::EXECUTE),
            designed: matches!(state.end_of(Stage::DESIGN), Some(StageEnd::Finished { .. })),
            earlier: Vec::new(),
        })
    }

    /// The facts as the verdict takes them.
    pub fn facts<'a>(
        &'a self,
        criterion: &'a Criterion,
        probed: &'a [Doubt],
        from_data: bool,
    ) -> VerdictFacts<'a> {
        VerdictFacts {
            criterion,
            fixed: self.fixed.as_ref(),
            recorded: &self.recorded,
            printed: &self.printed,
            reported: self.reported.as_deref().unwrap_or_default(),
            outputs: &self.outputs,
            strict: self.strict,
            data: &self.data,
            plan: &self.plan,
            original: self.original.as_ref(),
            probed,
            from_data,
            earlier: &self.earlier,
        }
    }
}

/// The original's focal finding: as the study publishes it, else as it was extracted.
fn original(state: &State, store: &dyn Store) -> Result<Option<Finding>, EngineError> {
    if let Some(published) = published(state) {
        return Ok(Some(published));
    }
    let registered = run_reader::answer::<PostRegistration>(state, store, Stage::EXTRACT)?;
    Ok(registered.and_then(|registered| claimed_result(run_reader::claim(state), &registered)))
}

/// The original's focal finding as the study publishes it.
pub fn published(state: &State) -> Option<Finding> {
    let copy = state.study_copy()?;
    copy.original.as_ref().map(|published| published.finding())
}

/// The executions of the last call that was not left, of which every entry that ran succeeded.
pub fn last_call(state: &State) -> Vec<&ExecutionState> {
    let of_call = |at: CallRef| -> Vec<&ExecutionState> {
        let finished = state.executions.iter();
        finished
            .filter(|one| one.started.at == at && one.finished.is_some())
            .collect()
    };
    let mut calls: Vec<CallRef> = state.executions.iter().map(|one| one.started.at).collect();
    calls.dedup();
    calls.retain(|at| !state.executions.was_left(*at));
    calls
        .into_iter()
        .rev()
        .map(of_call)
        .find(|executions| {
            let ok = |one: &&ExecutionState| one.finished.as_ref().is_some_and(|end| end.ending.ok());
            !executions.is_empty() && executions.iter().all(ok)
        })
        .unwrap_or_default()
}

/// What the call's executions recorded, in order: the file is emptied before the
/// first of them, and a line that a later one took away counts all the same.
///
/// # Errors
/// Results that the store holds damaged.
pub fn results(call: &[&ExecutionState], store: &dyn Store) -> Result<String, EngineError> {
    let mut lines: Vec<String> = Vec::new();
    for execution in call {
        let Some(finished) = &execution.finished else {
            continue;
        };
        let written = finished
            .outputs
            .iter()
            .find(|file| file.path.as_str() == result_line::FILE);
        if let Some(file) = written.filter(|file| store.has(&file.digest)) {
            let text = store.get(&file.digest)?;
            result_line::take_up(&mut lines, &String::from_utf8_lossy(&text));
        }
    }
    Ok(lines.iter().map(|line| format!("{line}\n")).collect())
}

/// The results that a call recorded, and lines of its file that cannot be used.
///
/// # Errors
/// Results that the store holds damaged.
pub fn recorded(
    call: &[&ExecutionState],
    store: &dyn Store,
) -> Result<(Vec<Finding>, Vec<BadResultLine>), EngineError> {
    let (lines, unusable) = result_line::parse(&results(call, store)?);
    Ok((lines.iter().map(|line| line.finding()).collect(), unusable))
}

/// The rows that name a term and hold a result in what a call printed.
///
/// # Errors
/// Output that the store lacks or holds damaged.
pub fn printed(call: &[&ExecutionState], store: &dyn Store) -> Result<Vec<Finding>, EngineError> {
    let mut found = Vec::new();
    for finished in call.iter().filter_map(|one| one.finished.as_ref()) {
        let stdout = content::load(&finished.stdout, store)?;
        found.extend(printed_findings(&String::from_utf8_lossy(&stdout)));
    }
    Ok(found)
}

/// What stood in the writable folder before an execution.
///
/// # Errors
/// A list of files that the store lacks, or that is none.
pub fn before(execution: &ExecutionState, store: &dyn Store) -> Result<Snapshot, EngineError> {
    let bytes = content::load(&execution.started.before, store)?;
    serde_json::from_slice(&bytes).map_err(|error| {
        EngineError::Unusable(format!(
            "what stood before {} is not a snapshot: {error}",
            execution.started.id
        ))
    })
}

/// What a plan says of its model.
pub fn plan_words(plan: Option<&ReplicationInfo>) -> PlanWords {
    let Some(study) = plan.map(|plan| &plan.replication_study) else {
        return PlanWords::default();
    };
    let method = &study.planned_method;
    let all = serde_json::to_value((&study.hypothesis, &study.data_plan, method)).map(|value| texts(&value));
    PlanWords {
        outcome: method.outcome_variable.clone(),
        predictors: method.independent_variables.clone(),
        controls: method.control_variables.clone(),
        method: format!(
            "{}; {}",
            method.models, method.planned_estimation_and_test.estimation
        ),
        fit: study.fit.clone(),
        rows: [
            &study.data_plan.wave_or_subset,
            &study.data_plan.sample_size,
            &study.data_plan.notes,
            &method.missing_data_handling,
        ]
        .into_iter()
        .chain(&method.steps)
        .map(|text| format!("{text}\n"))
        .collect(),
        all: all.unwrap_or_default(),
        tables: Vec::new(),
    }
}

/// The tables that the probes found to be opened.
fn tables(state: &State) -> Vec<DataTable> {
    let summary = state.probes.summary.as_ref();
    summary.map(|summary| summary.tables.clone()).unwrap_or_default()
}

/// Every text of a value, a line each.
fn texts(value: &Value) -> String {
    match value {
        Value::String(text) => format!("{text}\n"),
        Value::Array(parts) => parts.iter().map(texts).collect(),
        Value::Object(parts) => parts.values().map(texts).collect(),
        _ => String::new(),
    }
}

/// Whether a file tells of data and holds none.
fn describes(name: &str) -> bool {
    let name = name.to_lowercase();
    let text = [".txt", ".md", ".rtf", ".log"]
        .iter()
        .any(|end| name.ends_with(end));
    text && ["codebook", "readme", "dictionary", "licence", "license", "labels"]
        .iter()
        .any(|word| name.contains(word))
}

/// Earlier executions that made files which the last call opened: what they read
/// is behind its result as well.
fn makers<'a>(state: &'a State, last: &[&'a ExecutionFinished]) -> Vec<&'a ExecutionFinished> {
    let mut wanted: BTreeSet<&WorkspacePath> = last.iter().flat_map(|one| &one.opened.files).collect();
    let own: BTreeSet<&WorkspacePath> = last
        .iter()
        .flat_map(|one| &one.outputs)
        .map(|file| &file.path)
        .collect();
    let first = last.first().map(|one| one.id);
    let before: Vec<&ExecutionFinished> = state
        .executions
        .iter()
        .filter_map(|one| one.finished.as_ref())
        .filter(|one| first.is_some_and(|first| one.id < first))
        .collect();
    let mut found = Vec::new();
    for one in before.into_iter().rev() {
        let made = |file: &FileRecord| wanted.contains(&file.path) && !own.contains(&file.path);
        if one.outputs.iter().any(made) {
            wanted.extend(&one.opened.files);
            found.push(one);
        }
    }
    found
}

/// That none of the files which a plan lists is among the study's data, in a sentence.
pub fn unstaged(state: &State, plan: &ReplicationInfo) -> Option<String> {
    let listed = plan.replication_study.data_used.files.as_slice();
    let staged = state.started.as_ref()?.data.as_slice();
    let named = |file: &FileRecord| listed.iter().any(|name| file.path.is_named_by(name));
    if listed.is_empty() || staged.is_empty() || staged.iter().any(named) {
        return None;
    }
    let few = |names: Vec<&str>| quoted(names.into_iter().take(5));
    Some(format!(
        "The plan lists the data {}, and no file of the study has such a name: there are {}.",
        few(listed.iter().map(String::as_str).collect()),
        few(staged.iter().map(|file| file.path.as_str()).collect()),
    ))
}

/// Planned and opened data of the deciding call.
fn data(state: &State, plan: Option<&ReplicationInfo>, call: &[&ExecutionState]) -> DataFacts {
    let is_data = |path: &WorkspacePath| {
        path.starts_with(WorkspacePath::DATA)
            && Kind::from_path(path, &CodeTable::default()) == Kind::Data
            && !describes(path.file_name())
    };
    let staged: Vec<&WorkspacePath> = state
        .started
        .as_ref()
        .map(|started| started.data.as_slice())
        .unwrap_or_default()
        .iter()
        .filter(|file| is_data(&file.path))
        .map(|file| &file.path)
        .collect();
    let plan = plan.map(|plan| &plan.replication_study.data_used);
    let listed: &[String] = plan.map(|plan| plan.files.as_slice()).unwrap_or_default();
    let names = |path: &WorkspacePath| listed.iter().any(|name| path.is_named_by(name));
    let finished: Vec<_> = call.iter().filter_map(|one| one.finished.as_ref()).collect();
    let mut opened: Vec<&WorkspacePath> = finished
        .iter()
        .copied()
        .chain(makers(state, &finished))
        .flat_map(|finished| &finished.opened.files)
        .filter(|path| is_data(path))
        .collect();
    opened.sort();
    opened.dedup();
    let (planned_opened, unplanned): (Vec<&WorkspacePath>, Vec<&WorkspacePath>) = opened
        .into_iter()
        .partition(|path| listed.is_empty() || names(path));
    let texts = |paths: Vec<&WorkspacePath>| paths.into_iter().map(|path| path.as_str().to_owned()).collect();
    DataFacts {
        planned: staged
            .iter()
            .filter(|path| names(path))
            .map(|path| path.as_str().to_owned())
            .collect(),
        listed: !listed.is_empty(),
        opened: texts(planned_opened),
        unplanned: texts(unplanned),
        complete: !finished.is_empty() && finished.iter().all(|finished| finished.opened.complete),
        has_data: !staged.is_empty(),
        expected: plan.and_then(|plan| plan.expected_rows.count()),
        tolerance: plan
            .and_then(|plan| plan.row_tolerance.number())
            .map(|rows| rows.max(0.0) as u64),
    }
}
