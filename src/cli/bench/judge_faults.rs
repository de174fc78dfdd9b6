//! Everything that keeps the cells of a bench from being judged.

use std::collections::{BTreeMap, BTreeSet};

use super::bench_limits::BenchLimits;
use super::cell_plan::PlannedCell;
use crate::analysis::bench::cell::TaskKind;
use crate::analysis::bench::judged::{CellsJudge, JUDGE, pooled};
use crate::app::program::Program;
use crate::cli::exit::Failure;
use crate::engine::request::RunRequest;
use crate::policy::scope::Scope;

/// The faults, under these caps on all cells, each with the first cell that has it.
pub fn judge_faults(program: &Program, cells: &[PlannedCell], limits: &BenchLimits) -> Vec<Failure> {
    let mut known = BTreeMap::<Vec<String>, Option<String>>::new();
    let mut told = BTreeSet::new();
    let mut faults = Vec::new();
    for cell in cells {
        let Some(judging) = &cell.judging else { continue };
        let request = &cell.run.request;
        let fault = match without_marks(cell.spec.kind, request) {
            Some(fault) => Some(fault),
            None => {
                let all = limits.of_agent(&cell.spec.agent);
                let key = [
                    format!("{:?}", all.money),
                    format!("{:?}", cell.spec.judging),
                    request.study.display().to_string(),
                    format!("{:?}{}", request.budget.caps(Scope::Run).money, request.model),
                ];
                let fault = known.entry(key.to_vec());
                fault
                    .or_insert_with(|| judging.of.fault(program, request, &all))
                    .clone()
            }
        };
        if let Some(fault) = fault.filter(|fault| told.insert(fault.clone())) {
            faults.push(Failure::usage(format!("{}: judge: {fault}", cell.spec.name())));
        }
    }
    let judges = cells.iter().filter_map(|cell| {
        let judging = cell.judging.as_ref()?;
        Some(CellsJudge {
            kind: cell.spec.kind,
            judge: &judging.of.judge.name,
            is_arm: cell.spec.arm.contains_key(JUDGE),
        })
    });
    if let Some((kind, names)) = pooled(judges) {
        faults.push(Failure::usage(format!(
            "the marks of two judges are never pooled, and {} have {}: give one to all, a list of `judge` so that each is an arm, or a bench to each",
            kind.plural(),
            names.join(" and ")
        )));
    }
    faults
}

/// Why nothing of a task's run is marked by a judge.
fn without_marks(kind: TaskKind, request: &RunRequest) -> Option<String> {
    let way_out = "leave it out of what is not studies, or give `judge = false` there or at the agent";
    match (kind, request.track.as_deref()) {
        (TaskKind::Study, None) => None,
        (TaskKind::Study, Some(track)) => Some(format!(
            "of the track {track} nothing is marked by a judge: {way_out}"
        )),
        (TaskKind::Capsule | TaskKind::Notebook, _) => Some(format!(
            "answers to {} are graded by code, and nothing of them is marked by a judge: {way_out}",
            kind.plural()
        )),
    }
}
