//! The known cells of a bench's plan: those that count, and those that do not.

use std::collections::BTreeMap;

use crate::analysis::bench::audit::AuditedTask;
use crate::analysis::bench::cell::{BenchCell, TaskKind};
use crate::cli::bench_plan::{BenchPlan, CellPlan};
use crate::domain::digest::Digest;

/// The results of the cells that are planned.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct BenchResults {
    /// Those that count.
    pub known: Vec<BenchCell>,
    /// Those whose runs are no longer in their folders.
    pub gone: Vec<BenchCell>,
    /// Why planned cells are of quarantined tasks, by their ids.
    pub quarantined: BTreeMap<String, String>,
}

impl BenchResults {
    /// Takes the planned ones out of known cells.
    pub fn new(plan: &BenchPlan, mut known: BTreeMap<String, BenchCell>, audit: &[AuditedTask]) -> Self {
        let planned = plan.cells.iter();
        let cells = planned.filter_map(|cell| known.remove(&cell.cell));
        let (gone, known) = cells.partition(|cell| cell.gone);
        Self {
            known,
            gone,
            quarantined: quarantined(plan, audit),
        }
    }
}

/// Why planned cells are of quarantined tasks, by their ids. A task that changed since the audit counts as not audited.
pub fn quarantined(plan: &BenchPlan, audit: &[AuditedTask]) -> BTreeMap<String, String> {
    type TaskKey<'a> = (TaskKind, &'a str, &'a BTreeMap<String, String>, String);
    let reasons: BTreeMap<TaskKey<'_>, String> = audit
        .iter()
        .filter(|task| task.is_quarantined())
        .map(|task| {
            let content = Digest::compute_json(&task.content).short();
            let key = (task.kind, task.task.as_str(), &task.arm, content);
            (key, task.reasons.join("; "))
        })
        .collect();
    if reasons.is_empty() {
        return BTreeMap::new();
    }
    let reason = |cell: &CellPlan| {
        // Plans of versions without parts do not say what a task was.
        let content = cell.parts.get("task")?.clone();
        let key = (cell.kind, cell.task.as_str(), &cell.arm, content);
        Some((cell.cell.clone(), reasons.get(&key)?.clone()))
    };
    plan.cells.iter().filter_map(reason).collect()
}
