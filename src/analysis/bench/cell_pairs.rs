//! Cells in pairs: those that are the same but for what is compared.

use std::collections::BTreeMap;

use super::cell::BenchCell;
use super::clusters::StudyClusters;
use super::paired::{OutcomePair, PairedDifference};
use crate::analysis::capsule::accuracy::CountedShare;

/// The parts of a cell that it has in common with its counterpart.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct CellPosition<'a> {
    pub task: &'a str,
    /// Empty where agents are compared.
    pub agent: &'a str,
    /// Without the setting whose values are compared.
    pub arm: Vec<(&'a str, &'a str)>,
    pub repeat: u32,
}

/// The part of a cell that is compared, and in no position.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Compared<'a> {
    Agents,
    Setting(&'a str),
    /// Cells of two benches, with agents and arms alike.
    Benches,
}

impl<'a> CellPosition<'a> {
    /// The position of a cell but for what is compared.
    pub fn new(cell: &'a BenchCell, compared: Compared<'a>) -> Self {
        let arm = cell.arm.iter();
        let arm = arm.filter(|(name, _)| compared != Compared::Setting(name));
        Self {
            task: &cell.task,
            agent: if compared == Compared::Agents {
                ""
            } else {
                &cell.agent
            },
            arm: arm.map(|(name, value)| (name.as_str(), value.as_str())).collect(),
            repeat: cell.repeat,
        }
    }
}

/// The cells that count, by their positions.
#[derive(Debug, Default)]
pub struct PositionedCells<'a> {
    by_position: BTreeMap<CellPosition<'a>, ClusteredCell<'a>>,
    /// Cells whose position another one has as well: which of them were a counterpart is not known.
    pub ambiguous: usize,
}

/// A cell with the name of its cluster.
#[derive(Debug, Clone, Copy)]
struct ClusteredCell<'a> {
    cell: &'a BenchCell,
    cluster: &'a str,
}

/// Two cells that are counterparts, and both count.
#[derive(Debug)]
pub struct CellPair<'a> {
    pub position: CellPosition<'a>,
    pub first: &'a BenchCell,
    pub second: &'a BenchCell,
    pub outcomes: OutcomePair<'a>,
}

impl<'a> PositionedCells<'a> {
    /// Takes the cells that count.
    pub fn new(
        cells: impl IntoIterator<Item = &'a BenchCell>,
        compared: Compared<'a>,
        clusters: &StudyClusters<'a>,
    ) -> Self {
        let mut all = BTreeMap::<CellPosition<'a>, Vec<&'a BenchCell>>::new();
        for cell in cells {
            if cell.result.is_success().is_some() {
                all.entry(CellPosition::new(cell, compared))
                    .or_default()
                    .push(cell);
            }
        }
        let mut positioned = Self::default();
        for (position, cells) in all {
            match cells[..] {
                [cell] => {
                    let cluster = clusters.of(cell);
                    positioned
                        .by_position
                        .insert(position, ClusteredCell { cell, cluster });
                }
                _ => positioned.ambiguous += cells.len(),
            }
        }
        positioned
    }

    /// Cells whose position is theirs alone.
    pub fn count(&self) -> usize {
        self.by_position.len()
    }

    /// The counterparts, in the order of their positions.
    pub fn pairs(&self, second: &Self) -> Vec<CellPair<'a>> {
        let found = self.by_position.iter().filter_map(|(position, first)| {
            let (one, other) = (first.cell, second.by_position.get(position)?.cell);
            Some(CellPair {
                position: position.clone(),
                first: one,
                second: other,
                outcomes: OutcomePair {
                    task: position.task,
                    cluster: first.cluster,
                    first: one.result.is_success()?,
                    second: other.result.is_success()?,
                },
            })
        });
        found.collect()
    }
}

/// The shares of successes of the first and of the second, of the pairs alone.
pub fn shares(pairs: &[CellPair<'_>]) -> [CountedShare; 2] {
    [
        CountedShare::count(pairs.iter().map(|pair| pair.outcomes.first)),
        CountedShare::count(pairs.iter().map(|pair| pair.outcomes.second)),
    ]
}

/// The difference over pairs of cells.
pub fn difference(pairs: &[CellPair<'_>]) -> PairedDifference {
    let outcomes: Vec<OutcomePair<'_>> = pairs.iter().map(|pair| pair.outcomes).collect();
    PairedDifference::new(&outcomes)
}
