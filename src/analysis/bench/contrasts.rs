//! Agents and arms of a bench, compared on the tasks that they have in common.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use super::cell::{BenchCell, TaskKind};
use super::cell_pairs::{CellPair, Compared, PositionedCells, difference, shares};
use super::clusters::StudyClusters;
use super::paired::PairedDifference;
use crate::analysis::capsule::accuracy::CountedShare;

/// Most agents of which each two are compared; of more, each is compared with the best.
const MOST_IN_PAIRS: usize = 4;

/// Two agents, or two values of a setting, on the same tasks.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Contrast {
    pub kind: TaskKind,
    /// Absent where agents are compared.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub setting: Option<String>,
    pub first: String,
    pub second: String,
    /// Of the pairs alone.
    pub first_success: CountedShare,
    pub second_success: CountedShare,
    /// Pairs with another result, such as met and unmet, which both decide.
    pub changed: u64,
    /// Over pairs of cells that differ in nothing else, and count in both.
    #[serde(flatten)]
    pub paired: PairedDifference,
}

impl Contrast {
    fn new(kind: TaskKind, setting: Option<&str>, names: [&str; 2], pairs: &[CellPair<'_>]) -> Self {
        let is_changed = |pair: &&CellPair<'_>| pair.first.result != pair.second.result;
        let [first_success, second_success] = shares(pairs);
        Self {
            kind,
            first_success,
            second_success,
            setting: setting.map(str::to_owned),
            first: names[0].to_owned(),
            second: names[1].to_owned(),
            changed: pairs.iter().filter(is_changed).count() as u64,
            paired: difference(pairs),
        }
    }
}

/// Each two agents of a kind of task; of more than four the best, by its share of successes, with
/// each other one. Agents of which nothing counts are left out.
pub fn agents(cells: &[BenchCell]) -> Vec<Contrast> {
    let clusters = StudyClusters::new(cells);
    let mut found = Vec::new();
    for kind in TaskKind::ALL {
        let mut own = BTreeMap::<&str, Vec<&BenchCell>>::new();
        for cell in cells.iter().filter(|cell| cell.kind == kind) {
            own.entry(&cell.agent).or_default().push(cell);
        }
        own.retain(|_, cells| cells.iter().any(|cell| cell.result.is_success().is_some()));
        let best = best(&own);
        let positioned: Vec<(&str, PositionedCells<'_>)> = own
            .into_iter()
            .map(|(agent, cells)| (agent, PositionedCells::new(cells, Compared::Agents, &clusters)))
            .collect();
        for (place, (one, of_one)) in positioned.iter().enumerate() {
            for (other, of_other) in &positioned[place + 1..] {
                let contrast = |names, first: &PositionedCells<'_>, second| {
                    Contrast::new(kind, None, names, &first.pairs(second))
                };
                let is_few = positioned.len() <= MOST_IN_PAIRS;
                if is_few || Some(*one) == best {
                    found.push(contrast([*one, *other], of_one, of_other));
                } else if Some(*other) == best {
                    found.push(contrast([*other, *one], of_other, of_one));
                }
            }
        }
    }
    found
}

/// The agent with the largest share of successes; of equal ones the first.
fn best<'a>(agents: &BTreeMap<&'a str, Vec<&BenchCell>>) -> Option<&'a str> {
    let share = |cells: &[&BenchCell]| {
        let counted = cells.iter().filter_map(|cell| cell.result.is_success());
        CountedShare::count(counted).share().unwrap_or(0.0)
    };
    let shares = agents.iter().map(|(agent, cells)| (*agent, share(cells)));
    shares
        .rev()
        .max_by(|one, other| one.1.total_cmp(&other.1))
        .map(|(agent, _)| agent)
}

/// Each two values of each setting.
pub fn arms(cells: &[BenchCell]) -> Vec<Contrast> {
    let clusters = StudyClusters::new(cells);
    let mut settings = BTreeMap::<(TaskKind, &str), BTreeSet<&str>>::new();
    for cell in cells {
        for (setting, value) in &cell.arm {
            settings.entry((cell.kind, setting)).or_default().insert(value);
        }
    }
    let mut found = Vec::new();
    for ((kind, setting), values) in settings {
        let of_value = |value: &str| {
            let own = cells
                .iter()
                .filter(|cell| cell.kind == kind && cell.arm.get(setting).is_some_and(|own| own == value));
            PositionedCells::new(own, Compared::Setting(setting), &clusters)
        };
        let positioned: Vec<(&str, PositionedCells<'_>)> =
            values.into_iter().map(|value| (value, of_value(value))).collect();
        for (place, (one, of_one)) in positioned.iter().enumerate() {
            for (other, of_other) in &positioned[place + 1..] {
                let pairs = of_one.pairs(of_other);
                found.push(Contrast::new(kind, Some(setting), [*one, *other], &pairs));
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::super::cell::CellResult;
    use super::super::figures::tests::cell;
    use super::*;

    fn by(agent: &str, task: &str, result: CellResult) -> BenchCell {
        BenchCell {
            agent: agent.to_owned(),
            ..cell(task, "native", result)
        }
    }

    #[test]
    fn arms_are_compared_where_nothing_else_differs() {
        let mut cells = Vec::new();
        for task in ["a", "b", "c", "d", "e", "f"] {
            cells.push(cell(task, "native", CellResult::Met));
            cells.push(cell(task, "python", CellResult::Failed));
        }
        // The same both ways, not counted in one, and without a counterpart.
        cells.extend(["native", "python"].map(|mode| cell("same", mode, CellResult::Met)));
        cells.push(cell("open", "native", CellResult::Unscored));
        cells.push(cell("open", "python", CellResult::Met));
        cells.push(cell("alone", "native", CellResult::Met));
        let [found] = &arms(&cells)[..] else {
            panic!("one setting of two values");
        };
        assert_eq!(
            (found.first.as_str(), found.second.as_str()),
            ("native", "python")
        );
        let paired = &found.paired;
        assert_eq!(
            (paired.pairs, paired.only_first, paired.only_second, found.changed),
            (7, 6, 0, 6)
        );
        // 2 / 2^6
        assert_eq!((paired.p_value, paired.too_few), (Some(0.031_25), false));
        assert_eq!(paired.difference, Some(-6.0 / 7.0));
    }

    #[test]
    fn repeats_by_two_agents_are_as_few_tasks_as_they_are() {
        let mut cells = Vec::new();
        for repeat in 1..=6 {
            for task in ["a", "b"] {
                for (agent, result) in [("one", CellResult::Met), ("two", CellResult::Failed)] {
                    cells.push(BenchCell {
                        repeat,
                        ..by(agent, task, result)
                    });
                }
            }
        }
        let [found] = &agents(&cells)[..] else {
            panic!("two agents");
        };
        assert_eq!((found.paired.pairs, found.paired.tasks), (12, 2));
        assert_eq!((found.paired.p_value, found.paired.too_few), (Some(0.5), true));
    }

    #[test]
    fn many_agents_are_compared_with_the_best() {
        let mut cells = Vec::new();
        for (agent, result) in [
            ("a", CellResult::Failed),
            ("b", CellResult::Failed),
            ("c", CellResult::Met),
            ("d", CellResult::Met),
        ] {
            cells.push(by(agent, "t", result));
        }
        // It guesses, and has no successes to compare.
        cells.push(by("guess", "t", CellResult::Predicted));
        assert_eq!(agents(&cells).len(), 6);
        cells.push(by("e", "t", CellResult::Failed));
        let found = agents(&cells);
        let names: Vec<(&str, &str)> = found
            .iter()
            .map(|one| (one.first.as_str(), one.second.as_str()))
            .collect();
        assert_eq!(names, [("c", "a"), ("c", "b"), ("c", "d"), ("c", "e")]);
        assert_eq!(found[0].paired.difference, Some(-1.0));
    }

    #[test]
    fn cells_in_one_place_are_in_no_pair() {
        let cells = [
            by("a", "t", CellResult::Met),
            by("a", "t", CellResult::Failed),
            by("b", "t", CellResult::Met),
        ];
        assert_eq!(agents(&cells)[0].paired.pairs, 0);
        let own = PositionedCells::new(&cells, Compared::Benches, &StudyClusters::new(&cells));
        assert_eq!((own.ambiguous, own.count()), (2, 1));
    }
}
