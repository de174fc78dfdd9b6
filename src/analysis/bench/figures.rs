//! The figures of a bench: by agent, by arm, and where two arms part on the same tasks.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use super::cell::{BenchCell, CellResult, TaskKind};
use crate::analysis::capsule::accuracy::CountedShare;
use crate::analysis::capsule::amounts::Amounts;
use crate::analysis::capsule::reliability::{Reliability, reliability, usual_repeats};
use crate::analysis::capsule::repeats::{PassesOfK, TaskRepeats, passes};

/// The figures of some cells of one kind.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct CellFigures {
    pub kind: TaskKind,
    /// The agent, or an arm as `setting = value`.
    pub name: String,
    pub cells: usize,
    /// Different tasks.
    pub tasks: usize,
    pub unscored: usize,
    /// Cells that reached what they were run for, of those that count.
    pub success: CountedShare,
    /// The results and how often each came about.
    pub results: BTreeMap<CellResult, usize>,
    pub score: Amounts,
    /// Chances over repeats of a task under one arm; none of single cells.
    pub passes: Vec<PassesOfK>,
    /// Over the tasks with as many cells that count as most have; `None` where these are single.
    pub reliability: Option<Reliability>,
    /// US dollars.
    pub cost: Amounts,
    pub seconds: Amounts,
    pub tokens: Amounts,
}

impl CellFigures {
    fn new(kind: TaskKind, name: String, cells: &[&BenchCell]) -> Self {
        let mut results = BTreeMap::new();
        for cell in cells {
            *results.entry(cell.result).or_insert(0) += 1;
        }
        let repeats = repeats(cells);
        let usual = usual_repeats(repeats.values()).filter(|usual| *usual > 1);
        let tasks: BTreeSet<_> = cells.iter().map(|cell| &cell.task).collect();
        Self {
            kind,
            name,
            cells: cells.len(),
            tasks: tasks.len(),
            unscored: results.get(&CellResult::Unscored).copied().unwrap_or(0),
            success: CountedShare::count(cells.iter().filter_map(|cell| cell.result.is_success())),
            results,
            passes: usual.map_or_else(Vec::new, |_| passes(repeats.values())),
            reliability: usual.and_then(|usual| reliability(repeats.values(), usual)),
            score: Amounts::new(cells.iter().map(|cell| cell.score)),
            cost: Amounts::new(cells.iter().map(|cell| cell.cost.map(|cost| cost.0 as f64 / 1e6))),
            seconds: Amounts::new(cells.iter().map(|cell| cell.seconds)),
            tokens: Amounts::new(cells.iter().map(|cell| Some(cell.tokens as f64))),
        }
    }
}

/// A task under one arm, by one agent.
type RepeatedCell<'a> = (&'a str, &'a str, Vec<(&'a str, &'a str)>);

/// The cells that count, by what they are repeats of.
fn repeats<'a>(cells: &[&'a BenchCell]) -> BTreeMap<RepeatedCell<'a>, TaskRepeats> {
    let mut repeats = BTreeMap::<_, TaskRepeats>::new();
    for cell in cells {
        let Some(success) = cell.result.is_success() else {
            continue;
        };
        let arm = cell.arm.iter();
        let arm = arm.map(|(name, value)| (name.as_str(), value.as_str())).collect();
        let own = repeats
            .entry((cell.task.as_str(), cell.agent.as_str(), arm))
            .or_default();
        own.solved.push(success);
        own.tokens.extend((cell.tokens > 0).then_some(cell.tokens as f64));
    }
    repeats
}

/// The commonest verdict on studies, and how many it is.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct CommonestVerdict {
    pub verdict: CellResult,
    /// Of the cells with a verdict.
    pub share: CountedShare,
}

/// What an agent would agree with that always says the commonest verdict; of two as common, the first
/// of met, unmet and inconclusive. `None` where there is no verdict.
pub fn commonest_verdict(cells: &[BenchCell]) -> Option<CommonestVerdict> {
    const VERDICTS: [CellResult; 3] = [CellResult::Met, CellResult::Unmet, CellResult::Inconclusive];
    let of = |verdict| cells.iter().filter(|cell| cell.result == verdict).count();
    let verdict = VERDICTS.into_iter().rev().max_by_key(|verdict| of(*verdict))?;
    let verdicts = cells.iter().filter(|cell| VERDICTS.contains(&cell.result));
    let share = CountedShare::count(verdicts.map(|cell| cell.result == verdict));
    (share.count.of > 0).then_some(CommonestVerdict { verdict, share })
}

/// Two values of a setting on the same tasks by the same agent.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PairedArms {
    pub kind: TaskKind,
    pub setting: String,
    pub first: String,
    pub second: String,
    /// Pairs of cells that differ in nothing else, and count in both.
    pub pairs: u64,
    pub only_first: u64,
    pub only_second: u64,
    /// Pairs with another result, such as met and unmet, which both decide.
    pub changed: u64,
    /// Two-sided, exact: as often one way as the other. `None` where no pair differs.
    pub p_value: Option<f64>,
}

/// The figures of each agent, kind by kind.
pub fn by_agent(cells: &[BenchCell]) -> Vec<CellFigures> {
    grouped(cells, |cell| vec![cell.agent.clone()])
}

/// The figures of each value of each setting that has several.
pub fn by_arm(cells: &[BenchCell]) -> Vec<CellFigures> {
    grouped(cells, |cell| {
        let arm = cell.arm.iter();
        arm.map(|(setting, value)| format!("{setting} = {value}"))
            .collect()
    })
}

fn grouped(cells: &[BenchCell], names: impl Fn(&BenchCell) -> Vec<String>) -> Vec<CellFigures> {
    let mut groups = BTreeMap::<(TaskKind, String), Vec<&BenchCell>>::new();
    for cell in cells {
        for name in names(cell) {
            groups.entry((cell.kind, name)).or_default().push(cell);
        }
    }
    groups
        .into_iter()
        .map(|((kind, name), cells)| CellFigures::new(kind, name, &cells))
        .collect()
}

/// A cell but for one setting.
type Rest<'a> = (&'a str, &'a str, u32, Vec<(&'a str, &'a str)>);

/// Each two values of each setting, compared where nothing else differs.
pub fn paired(cells: &[BenchCell]) -> Vec<PairedArms> {
    let mut settings = BTreeMap::<(TaskKind, &str), BTreeSet<&str>>::new();
    for cell in cells {
        for (setting, value) in &cell.arm {
            settings.entry((cell.kind, setting)).or_default().insert(value);
        }
    }
    let mut compared = Vec::new();
    for ((kind, setting), values) in settings {
        let values: Vec<&str> = values.into_iter().collect();
        for (position, first) in values.iter().enumerate() {
            for second in &values[position + 1..] {
                let of = |value: &str| outcomes(cells, kind, setting, value);
                let parted = Parted::count(&of(first), &of(second));
                compared.push(PairedArms {
                    kind,
                    setting: setting.to_owned(),
                    first: (*first).to_owned(),
                    second: (*second).to_owned(),
                    pairs: parted.pairs,
                    only_first: parted.only_first,
                    only_second: parted.only_second,
                    changed: parted.changed,
                    p_value: sign_test(parted.only_first, parted.only_second),
                });
            }
        }
    }
    compared
}

/// What came of the cells with a value, by what they are but for it.
fn outcomes<'a>(
    cells: &'a [BenchCell],
    kind: TaskKind,
    setting: &str,
    value: &str,
) -> BTreeMap<Rest<'a>, CellResult> {
    let chosen = cells
        .iter()
        .filter(|cell| cell.kind == kind && cell.arm.get(setting).is_some_and(|own| own == value));
    chosen
        .filter_map(|cell| {
            let others = cell.arm.iter().filter(|(name, _)| name.as_str() != setting);
            let others = others
                .map(|(name, value)| (name.as_str(), value.as_str()))
                .collect();
            let rest = (cell.task.as_str(), cell.agent.as_str(), cell.repeat, others);
            cell.result.is_success()?;
            Some((rest, cell.result))
        })
        .collect()
}

/// Pairs, and those in which one alone succeeded.
#[derive(Debug, Clone, Copy, Default)]
struct Parted {
    pairs: u64,
    only_first: u64,
    only_second: u64,
    changed: u64,
}

impl Parted {
    fn count(of_first: &BTreeMap<Rest<'_>, CellResult>, of_second: &BTreeMap<Rest<'_>, CellResult>) -> Self {
        let mut parted = Self::default();
        for (rest, one) in of_first {
            let Some(other) = of_second.get(rest) else {
                continue;
            };
            let is_success = |result: &CellResult| result.is_success() == Some(true);
            parted.pairs += 1;
            parted.only_first += u64::from(is_success(one) && !is_success(other));
            parted.only_second += u64::from(!is_success(one) && is_success(other));
            parted.changed += u64::from(one != other);
        }
        parted
    }
}

/// The exact two-sided p-value of `one` against `other` where both are as likely (McNemar's
/// exact test); `None` of nothing.
pub fn sign_test(one: u64, other: u64) -> Option<f64> {
    let n = one + other;
    if n == 0 {
        return None;
    }
    // The terms of the binomial, each from the one before, all times 2^n.
    let mut term = -(n as f64) * std::f64::consts::LN_2;
    let mut tail = 0.0;
    for k in 0..=one.min(other) {
        tail += term.exp();
        term += ((n - k) as f64).ln() - ((k + 1) as f64).ln();
    }
    Some((2.0 * tail).min(1.0))
}

#[cfg(test)]
#[path = "figures_tests.rs"]
pub mod tests;
