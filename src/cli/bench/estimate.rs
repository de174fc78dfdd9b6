//! An estimate of what cells will take, by cells that were run before.

use std::collections::BTreeMap;

use serde::Serialize;

use super::cell_plan::PlannedCell;
use super::prior::PriorBounds;
use crate::analysis::bench::cell::{BenchCell, CellResult};
use crate::domain::format;

/// An estimate of the tokens, money and time that cells which are not finished may take.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct BenchEstimate {
    /// Cells that are not finished.
    pub cells: usize,
    /// Of these, the ones without an earlier cell of their agent and kind of task to go by.
    pub without_earlier: usize,
    pub tokens: Option<EstimatedRange>,
    /// US dollars.
    pub cost: Option<EstimatedRange>,
    /// At work, one cell after the other.
    pub seconds: Option<EstimatedRange>,
    /// Bounds of those without an earlier one; absent where none of these asks anybody.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prior: Option<PriorBounds>,
}

/// A sum over cells: of the means of earlier cells, and of their least and their most.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct EstimatedRange {
    pub expected: f64,
    pub lower: f64,
    pub upper: f64,
    /// Cells that it is a sum over: earlier ones say how much they took.
    pub cells: usize,
}

impl BenchEstimate {
    /// Sums up what earlier cells took: those of the same task, agent and arm, else of the same
    /// task and agent, else of the same agent and kind of task. What bounds the others is asked of `prior`.
    pub fn new(
        planned: &[PlannedCell],
        known: &BTreeMap<String, BenchCell>,
        prior: impl FnOnce(&[&PlannedCell]) -> Option<PriorBounds>,
    ) -> Self {
        let is_over = |cell: &&BenchCell| cell.result != CellResult::Unscored;
        let known: Vec<&BenchCell> = known.values().filter(is_over).collect();
        let open: Vec<&PlannedCell> = planned
            .iter()
            .filter(|cell| !cell.run.before.as_ref().is_some_and(|before| before.finished))
            .collect();
        let earlier: Vec<Vec<&BenchCell>> = open.iter().map(|cell| alike(cell, &known)).collect();
        let range = |amount: &dyn Fn(&BenchCell) -> Option<f64>| {
            EstimatedRange::sum(
                earlier
                    .iter()
                    .map(|cells| cells.iter().filter_map(|cell| amount(cell)).collect::<Vec<f64>>()),
            )
        };
        let without = open.iter().zip(&earlier).filter(|(_, cells)| cells.is_empty());
        let without: Vec<&PlannedCell> = without.map(|(cell, _)| *cell).collect();
        Self {
            prior: prior(&without),
            cells: open.len(),
            without_earlier: earlier.iter().filter(|cells| cells.is_empty()).count(),
            tokens: range(&|cell| Some(cell.tokens as f64)),
            cost: range(&|cell| cell.cost.map(|cost| cost.0 as f64 / 1e6)),
            seconds: range(&|cell| cell.seconds),
        }
    }

    /// The estimate, and bounds where there is none.
    pub fn lines(&self) -> Vec<String> {
        let bounds = self.prior.as_ref().map(PriorBounds::line);
        std::iter::once(self.line()).chain(bounds).collect()
    }

    fn line(&self) -> String {
        if self.cells == 0 {
            return "every cell is finished".to_owned();
        }
        let of = |range: Option<EstimatedRange>, name: &str, written: &dyn Fn(f64) -> String| {
            let range = range?;
            let rest = match range.cells == self.cells {
                true => String::new(),
                false => format!(" for {} of them", range.cells),
            };
            Some(format!(
                "{} {name} ({} to {}){rest}",
                written(range.expected),
                written(range.lower),
                written(range.upper)
            ))
        };
        let parts = [
            of(
                self.tokens,
                "tokens",
                &|value| format::count(value.round() as u64),
            ),
            of(self.cost, "of money", &format::dollars),
            of(self.seconds, "at work", &|value| {
                format::duration((value * 1e3) as u64)
            }),
        ];
        let parts: Vec<String> = parts.into_iter().flatten().collect();
        let cells = format::counted(self.cells, "cell", "cells");
        match parts.as_slice() {
            [] => {
                format!("estimate for {cells}: none, since no earlier cell of their agents is there to go by")
            }
            parts => format!("estimate for {cells}, by earlier ones: {}", parts.join(", ")),
        }
    }
}

impl EstimatedRange {
    fn sum(cells: impl Iterator<Item = Vec<f64>>) -> Option<Self> {
        let mut sum = Self {
            expected: 0.0,
            lower: 0.0,
            upper: 0.0,
            cells: 0,
        };
        for amounts in cells.filter(|amounts| !amounts.is_empty()) {
            sum.expected += amounts.iter().sum::<f64>() / amounts.len() as f64;
            sum.lower += amounts.iter().copied().fold(f64::INFINITY, f64::min);
            sum.upper += amounts.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            sum.cells += 1;
        }
        (sum.cells > 0).then_some(sum)
    }
}

/// The earlier cells that are most like a planned one.
fn alike<'a>(cell: &PlannedCell, known: &[&'a BenchCell]) -> Vec<&'a BenchCell> {
    let spec = &cell.spec;
    let of_agent: Vec<&BenchCell> = known
        .iter()
        .copied()
        .filter(|one| one.kind == spec.kind && one.agent == spec.agent)
        .collect();
    let of_task: Vec<&BenchCell> = of_agent
        .iter()
        .copied()
        .filter(|one| one.task == spec.task)
        .collect();
    let of_arm: Vec<&BenchCell> = of_task
        .iter()
        .copied()
        .filter(|one| one.arm == spec.arm)
        .collect();
    let closest = [of_arm, of_task].into_iter().find(|cells| !cells.is_empty());
    closest.unwrap_or(of_agent)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_range_is_summed_over_the_cells_that_have_one() {
        let sum = EstimatedRange::sum([vec![1.0, 3.0], vec![], vec![10.0]].into_iter()).unwrap();
        assert_eq!(
            (sum.expected, sum.lower, sum.upper, sum.cells),
            (12.0, 11.0, 13.0, 2)
        );
        assert_eq!(EstimatedRange::sum(std::iter::once(vec![])), None);
    }
}
