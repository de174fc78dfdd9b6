//! Figures over reviews of conversations: shares of values, agreement of repeats, and success by value.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use crate::analysis::capsule::accuracy::CountedShare;
use crate::domain::finding::Interval;
use crate::scoring::agreement::nominal::nominal_alpha;
use crate::statistics::intervals;

/// The field of which success is asked by value, and the two values that are compared: an obstacle
/// mended where it was, and a computation written anew.
const RESOLUTION: &str = "obstacle_resolution";
const FIX: &str = "direct_fix";
const REWRITE: &str = "alternative_code";
/// The field that guesses at the result.
const GUESS: &str = "label";
const SUCCESS: &str = "success";
const LEVEL: f64 = 0.95;

/// The review of a cell's run: one line of `reviews.jsonl`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ReviewedCell {
    /// The cell's id, or the run's name where the run is no cell.
    pub cell: String,
    pub task: String,
    pub agent: String,
    pub judge: String,
    /// Whether the run reached what it was asked for, by its grade.
    pub success: Option<bool>,
    pub fields: Vec<CellField>,
}

/// A field of it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CellField {
    pub field: String,
    pub value: Option<String>,
    /// Whether code settled it.
    pub by_code: bool,
    /// Of each repeat of a judge.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub given: Vec<Option<String>>,
}

/// The figures of the reviews by one judge: those of two are never pooled.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ReviewFigures {
    pub judge: String,
    pub cells: usize,
    /// Fields with a value, of all.
    pub coverage: CountedShare,
    pub fields: Vec<FieldFigures>,
    /// Success by how an obstacle was resolved.
    pub by_resolution: Vec<SuccessByValue>,
    pub fix_or_rewrite: Option<FixOrRewrite>,
    /// Guesses of the judge that are not the result; the result counts.
    pub wrong_guesses: Option<CountedShare>,
}

/// The figures of a field.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct FieldFigures {
    pub field: String,
    /// Cells with a value, of all.
    pub known: CountedShare,
    /// Values that code settled.
    pub by_code: u64,
    /// The share of pairs of repeats that gave the same value, over all cells.
    pub agreement: Option<f64>,
    /// Krippendorff's alpha with nominal distances over the repeats of all cells.
    pub alpha: Option<f64>,
    pub agents: Vec<AgentValues>,
}

/// The values of a field over the cells of an agent.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct AgentValues {
    pub agent: String,
    pub values: Vec<ValueShare>,
}

/// The share of cells with a value, of those with any.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ValueShare {
    pub value: String,
    pub share: CountedShare,
}

/// The success of the cells with a value.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SuccessByValue {
    pub value: String,
    pub success: CountedShare,
}

/// Success where an obstacle was mended, against where the computation was written anew, on the tasks
/// with cells of both.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct FixOrRewrite {
    pub tasks: usize,
    pub fix: CountedShare,
    pub rewrite: CountedShare,
    /// The first less the second as the mean over tasks, and its interval (t) over them.
    pub difference: f64,
    pub interval: Option<Interval>,
}

/// The figures of reviews, judge by judge.
pub fn figures(cells: &[ReviewedCell]) -> Vec<ReviewFigures> {
    let mut judges = BTreeMap::<&str, Vec<&ReviewedCell>>::new();
    for cell in cells {
        judges.entry(&cell.judge).or_default().push(cell);
    }
    judges
        .into_iter()
        .map(|(judge, cells)| of_judge(judge, &cells))
        .collect()
}

fn of_judge(judge: &str, cells: &[&ReviewedCell]) -> ReviewFigures {
    let mut names: Vec<&str> = Vec::new();
    for field in cells.iter().flat_map(|cell| &cell.fields) {
        if !names.contains(&field.field.as_str()) {
            names.push(&field.field);
        }
    }
    let all = cells.iter().flat_map(|cell| &cell.fields);
    let guesses = cells
        .iter()
        .filter_map(|cell| Some((cell.value(GUESS)? == SUCCESS) != cell.success?));
    let wrong = CountedShare::count(guesses);
    ReviewFigures {
        judge: judge.to_owned(),
        cells: cells.len(),
        coverage: CountedShare::count(all.map(|field| field.value.is_some())),
        fields: names.into_iter().map(|name| of_field(name, cells)).collect(),
        by_resolution: by_value(cells, RESOLUTION),
        fix_or_rewrite: fix_or_rewrite(cells),
        wrong_guesses: (wrong.count.of > 0).then_some(wrong),
    }
}

impl ReviewedCell {
    fn field(&self, name: &str) -> Option<&CellField> {
        self.fields.iter().find(|field| field.field == name)
    }

    fn value(&self, name: &str) -> Option<&str> {
        self.field(name)?.value.as_deref()
    }
}

fn of_field(name: &str, cells: &[&ReviewedCell]) -> FieldFigures {
    let own: Vec<&CellField> = cells.iter().filter_map(|cell| cell.field(name)).collect();
    let mut agents = BTreeMap::<&str, Vec<&str>>::new();
    for cell in cells {
        let values = agents.entry(&cell.agent).or_default();
        values.extend(cell.value(name));
    }
    FieldFigures {
        field: name.to_owned(),
        known: CountedShare::count(own.iter().map(|field| field.value.is_some())),
        by_code: own.iter().filter(|field| field.by_code).count() as u64,
        agreement: agreement(&own),
        alpha: nominal_alpha(own.iter().map(|field| field.given.as_slice())),
        agents: (agents.into_iter())
            .map(|(agent, values)| AgentValues {
                agent: agent.to_owned(),
                values: shares(&values),
            })
            .collect(),
    }
}

/// The values of some cells, commonest first.
fn shares(values: &[&str]) -> Vec<ValueShare> {
    let names: BTreeSet<&str> = values.iter().copied().collect();
    let mut shares: Vec<ValueShare> = (names.into_iter())
        .map(|name| ValueShare {
            value: name.to_owned(),
            share: CountedShare::count(values.iter().map(|value| *value == name)),
        })
        .collect();
    shares.sort_by_key(|one| std::cmp::Reverse(one.share.count.hits));
    shares
}

/// The share of pairs of repeats that are of one value.
fn agreement(fields: &[&CellField]) -> Option<f64> {
    let (mut alike, mut all) = (0_u64, 0_u64);
    for field in fields {
        let given: Vec<&String> = field.given.iter().flatten().collect();
        for (place, one) in given.iter().enumerate() {
            for other in given.iter().skip(place + 1) {
                all += 1;
                alike += u64::from(one == other);
            }
        }
    }
    (all > 0).then(|| alike as f64 / all as f64)
}

fn by_value(cells: &[&ReviewedCell], field: &str) -> Vec<SuccessByValue> {
    let mut values = BTreeMap::<&str, Vec<bool>>::new();
    for cell in cells {
        if let (Some(value), Some(success)) = (cell.value(field), cell.success) {
            values.entry(value).or_default().push(success);
        }
    }
    let mut found: Vec<SuccessByValue> = (values.into_iter())
        .map(|(value, success)| SuccessByValue {
            value: value.to_owned(),
            success: CountedShare::count(success),
        })
        .collect();
    found.sort_by_key(|one| std::cmp::Reverse(one.success.count.of));
    found
}

fn fix_or_rewrite(cells: &[&ReviewedCell]) -> Option<FixOrRewrite> {
    let mut tasks = BTreeMap::<&str, BothWays>::new();
    for cell in cells {
        let Some(success) = cell.success else { continue };
        let ways = tasks.entry(&cell.task).or_default();
        match cell.value(RESOLUTION) {
            Some(FIX) => ways.fix.push(success),
            Some(REWRITE) => ways.rewrite.push(success),
            _ => {}
        }
    }
    tasks.retain(|_, ways| !ways.fix.is_empty() && !ways.rewrite.is_empty());
    let differences: Vec<f64> = tasks.values().filter_map(BothWays::difference).collect();
    if differences.is_empty() {
        return None;
    }
    Some(FixOrRewrite {
        tasks: tasks.len(),
        fix: CountedShare::count(tasks.values().flat_map(|ways| ways.fix.iter().copied())),
        rewrite: CountedShare::count(tasks.values().flat_map(|ways| ways.rewrite.iter().copied())),
        difference: differences.iter().sum::<f64>() / differences.len() as f64,
        interval: intervals::mean(&differences, LEVEL),
    })
}

/// Successes at one task, by way.
#[derive(Debug, Default)]
struct BothWays {
    fix: Vec<bool>,
    rewrite: Vec<bool>,
}

impl BothWays {
    fn difference(&self) -> Option<f64> {
        let share = |flags: &[bool]| CountedShare::count(flags.iter().copied()).share();
        Some(share(&self.fix)? - share(&self.rewrite)?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cell(task: &str, resolution: Option<&str>, success: bool, label: &str) -> ReviewedCell {
        let field = |name: &str, value: Option<&str>| CellField {
            field: name.to_owned(),
            value: value.map(str::to_owned),
            by_code: name == RESOLUTION && value == Some("not_applicable"),
            given: vec![value.map(str::to_owned), Some("gave_up".to_owned())],
        };
        ReviewedCell {
            cell: format!("{task}{success}"),
            task: task.to_owned(),
            agent: "a".to_owned(),
            judge: "j".to_owned(),
            success: Some(success),
            fields: vec![field(GUESS, Some(label)), field(RESOLUTION, resolution)],
        }
    }

    #[test]
    fn a_fix_is_held_against_a_rewrite_on_the_tasks_with_both() {
        let cells = [
            cell("x", Some(FIX), true, "success"),
            cell("x", Some(FIX), true, "failure"),
            cell("x", Some(REWRITE), false, "success"),
            cell("y", Some(FIX), false, "failure"),
            cell("y", Some(REWRITE), false, "failure"),
            cell("z", Some(FIX), false, "failure"),
            cell("z", None, true, "success"),
        ];
        let [figures] = &figures(&cells)[..] else {
            panic!("one judge")
        };
        let both = figures.fix_or_rewrite.as_ref().unwrap();
        assert_eq!((both.tasks, both.fix.count.hits, both.fix.count.of), (2, 2, 3));
        assert_eq!((both.rewrite.count.hits, both.rewrite.count.of), (0, 2));
        assert!((both.difference - 0.5).abs() < 1e-12 && both.interval.is_some());
        // Over all cells, those of tasks with one way alone too.
        let all = &figures.by_resolution[0];
        assert_eq!(
            (all.value.as_str(), all.success.count.hits, all.success.count.of),
            (FIX, 2, 4)
        );
        let wrong = figures.wrong_guesses.unwrap();
        assert_eq!((wrong.count.hits, wrong.count.of), (2, 7));
        assert_eq!((figures.coverage.count.hits, figures.coverage.count.of), (13, 14));
    }

    #[test]
    fn judges_are_not_pooled_and_repeats_agree_as_counted() {
        let mut other = cell("x", Some("gave_up"), false, "failure");
        other.judge = "k".to_owned();
        let cells = [cell("x", Some(FIX), true, "success"), other];
        let found = figures(&cells);
        assert_eq!(found.iter().map(|one| one.cells).collect::<Vec<_>>(), [1, 1]);
        let agreement = |at: usize| found[at].fields[1].agreement;
        assert_eq!((agreement(0), agreement(1)), (Some(0.0), Some(1.0)));
        assert_eq!(found[0].fields[1].agents[0].values[0].value, FIX);
    }
}
