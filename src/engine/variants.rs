//! The variants of a run: which are registered, and what each came to.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use crate::artifacts::store::Store;
use crate::catalog::artifacts::replication_info::ReplicationInfo;
use crate::domain::criterion::Criterion;
use crate::domain::stage::Stage;
use crate::domain::variant::{self, Variant};
use crate::domain::workspace_path::WorkspacePath;
use crate::run::execution_state::ExecutionState;
use crate::run::state::State;
use crate::verdict::variant::{RuleResult, VariantEnd, VariantResult, VariantSummary, criterion_of, ruled};

use super::error::EngineError;
use super::facts::{self, RunFacts};
use super::run_reader;

/// Every variant of a run beside its main result.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Variants {
    pub results: Vec<VariantResult>,
    /// Absent where no usable rule was registered.
    pub summary: Option<VariantSummary>,
}

impl Variants {
    /// All of them on one line.
    pub fn line(&self) -> String {
        match &self.summary {
            Some(summary) => summary.line(&self.results),
            None => format!(
                "{} registered, and no rule that they could be held against",
                self.results.len()
            ),
        }
    }
}

/// The variants that the study fixes, and those of the plan as it was when the
/// design stage ended.
///
/// # Errors
/// A plan that the store lacks or that no longer fits its type.
pub fn registered(state: &State, store: &dyn Store) -> Result<Vec<Variant>, EngineError> {
    let plan = run_reader::answer::<ReplicationInfo>(state, store, Stage::DESIGN)?;
    let own = plan
        .map(|plan| plan.replication_study.variants)
        .unwrap_or_default();
    let fixed = state
        .started
        .as_ref()
        .map(|started| started.claim.variants.as_slice());
    Ok(variant::registered(fixed.unwrap_or_default(), &own))
}

/// What the variants of the deciding call came to; `None` where none is registered.
///
/// # Errors
/// A plan, output or results that the store lacks or holds damaged.
pub fn gather(state: &State, store: &dyn Store) -> Result<Option<Variants>, EngineError> {
    let variants = registered(state, store)?;
    if variants.is_empty() {
        return Ok(None);
    }
    let facts = RunFacts::gather(state, store)?;
    let call = facts::last_call(state);
    let gatherer = Gatherer {
        state,
        store,
        criterion: facts.criterion.as_ref(),
        present: present(&call, store)?,
        call: &call,
    };
    let results = variants
        .iter()
        .map(|variant| gatherer.result(variant))
        .collect::<Result<Vec<_>, _>>()?;
    let summary = facts
        .criterion
        .as_ref()
        .filter(|_| !call.is_empty())
        .map(|criterion| {
            let reported = facts.reported.as_deref().unwrap_or_default();
            let main = ruled(criterion, [&facts.recorded, &facts.printed, reported]);
            VariantSummary::new(criterion, &main, &results, &variants)
        });
    Ok(Some(Variants { results, summary }))
}

struct Gatherer<'a> {
    state: &'a State,
    store: &'a dyn Store,
    criterion: Option<&'a Criterion>,
    /// Files of the writable folder when the deciding call began.
    present: BTreeSet<WorkspacePath>,
    call: &'a [&'a ExecutionState],
}

impl Gatherer<'_> {
    fn result(&self, variant: &Variant) -> Result<VariantResult, EngineError> {
        let result = |ended, why: Option<String>| VariantResult {
            name: variant.name.clone(),
            changes: variant.changes.clone(),
            ended,
            why,
            finding: None,
            outcome: None,
        };
        let Some(first) = self.call.first() else {
            let why = "the main analysis did not end well".to_owned();
            return Ok(result(VariantEnd::NotRun, Some(why)));
        };
        let entries = match variant.entry.len() {
            0 => self.call.len(),
            own => own,
        };
        let ran = self.state.executions.for_variant(first.started.at, &variant.name);
        let ran: Vec<&ExecutionState> = ran.into_values().collect();
        let failed = ran.iter().find_map(|one| {
            let ending = one.finished.as_ref()?.ending;
            (!ending.ok()).then(|| format!("`{}` {}", one.started.path, ending.words()))
        });
        if failed.is_some() {
            return Ok(result(VariantEnd::Failed, failed));
        }
        if ran.len() < entries {
            return Ok(result(VariantEnd::NotRun, self.missing(variant)));
        }
        let Some(criterion) = self.criterion else {
            return Ok(result(VariantEnd::Ran, None));
        };
        let (recorded, _) = facts::recorded(&ran, self.store)?;
        let printed = facts::printed(&ran, self.store)?;
        let RuleResult {
            outcome,
            finding,
            reason,
        } = ruled(&criterion_of(variant, criterion), [&recorded, &printed, &[]]);
        Ok(VariantResult {
            why: finding.is_none().then_some(reason),
            outcome: finding.is_some().then_some(outcome),
            finding,
            ..result(VariantEnd::Ran, None)
        })
    }

    fn missing(&self, variant: &Variant) -> Option<String> {
        let is_there = |script: &str| {
            let named = script.trim().trim_start_matches("./");
            let named = ["work/", "replication_data/"]
                .into_iter()
                .find_map(|folder| named.strip_prefix(folder))
                .unwrap_or(named);
            let path = format!("{}/{named}", WorkspacePath::WORK);
            self.present.iter().any(|file| file.as_str() == path)
        };
        let missing = variant.entry.iter().find(|script| !is_there(script.as_str()))?;
        Some(format!("`{missing}` did not exist"))
    }
}

fn present(call: &[&ExecutionState], store: &dyn Store) -> Result<BTreeSet<WorkspacePath>, EngineError> {
    let Some(first) = call.first() else {
        return Ok(BTreeSet::new());
    };
    let snapshot = facts::before(first, store)?;
    Ok(snapshot.files.into_iter().map(|file| file.path).collect())
}
