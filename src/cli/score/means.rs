//! What the gradings of one judge come to, over runs of one setting and model.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use crate::scoring::aggregate::summary::{Summary, mean};

use super::graded::Graded;
use super::table::{Table, percent_or_dash};

/// The stages of a mean; the execution's two halves are its own and count as one too.
const STAGES: [&str; 6] = [
    "extract",
    "design",
    "execute_design",
    "execute_execute",
    "execute",
    "interpret",
];
/// Those that are printed.
const PRINTED: [&str; 4] = ["extract", "design", "execute", "interpret"];

/// A mean over some gradings.
struct Mean {
    mean: Option<f64>,
    n: usize,
}

impl Mean {
    fn of(scores: impl Iterator<Item = f64>) -> Self {
        let scores: Vec<f64> = scores.collect();
        Self {
            mean: mean(&scores),
            n: scores.len(),
        }
    }

    fn cell(&self) -> String {
        format!("{} ({})", percent_or_dash(self.mean), self.n)
    }

    fn json(&self) -> Value {
        json!({"mean": self.mean, "n": self.n})
    }
}

/// One stage of a group, and where it is corrected the released arithmetic beside it.
struct Stage {
    mean: Mean,
    /// By the released arithmetic over the same gradings, and over all that it scores.
    released: Option<[Mean; 2]>,
}

impl Stage {
    fn of(name: &str, members: &[&Graded]) -> Self {
        let scored = |one: &&&Graded| one.summary.score(name).is_some();
        let released = |one: &&Graded| one.as_released.as_ref().and_then(|all: &Summary| all.score(name));
        let is_corrected = members.iter().any(|one| one.as_released.is_some());
        Self {
            mean: Mean::of(members.iter().filter_map(|one| one.summary.score(name))),
            released: is_corrected.then(|| {
                [
                    Mean::of(members.iter().filter(scored).filter_map(released)),
                    Mean::of(members.iter().filter_map(released)),
                ]
            }),
        }
    }

    /// Gradings that the released arithmetic scores and the corrected one refuses.
    fn refused(&self) -> usize {
        self.released.as_ref().map_or(0, |[same, all]| all.n - same.n)
    }
}

fn groups(graded: &[Graded]) -> BTreeMap<&str, Vec<&Graded>> {
    let mut groups: BTreeMap<&str, Vec<&Graded>> = BTreeMap::new();
    for one in graded {
        groups.entry(&one.group).or_default().push(one);
    }
    groups
}

/// The means by group, for programs.
pub fn as_json(graded: &[Graded]) -> Vec<Value> {
    let group = |(name, members): (&str, Vec<&Graded>)| {
        let stages = STAGES.iter().map(|stage| {
            let of = Stage::of(stage, &members);
            let mut value = of.mean.json();
            if let Some([same, all]) = &of.released {
                value["compat_over_the_same"] = same.json();
                value["compat_over_all"] = all.json();
            }
            ((*stage).to_owned(), value)
        });
        json!({
            "group": name,
            "gradings": members.len(),
            "stages": stages.collect::<Map<_, _>>(),
        })
    };
    groups(graded).into_iter().map(group).collect()
}

/// The means by group as a table; below corrected ones the released ones over
/// the same gradings, and where some are refused over all.
pub fn lines(graded: &[Graded]) -> Vec<String> {
    let mut table = Table::new(["mean (n)", "extract", "design", "execute", "interpret"]);
    let mut refused = Vec::new();
    for (name, members) in groups(graded) {
        let stages = PRINTED.map(|stage| Stage::of(stage, &members));
        let row = |label: String, cells: [String; 4]| [label].into_iter().chain(cells);
        table.row(row(
            name.to_owned(),
            stages.each_ref().map(|stage| stage.mean.cell()),
        ));
        let released = |which: usize| {
            let cell = |stage: &Stage| stage.released.as_ref().map(|both| both[which].cell());
            stages.each_ref().map(|stage| cell(stage).unwrap_or_default())
        };
        if stages.iter().any(|stage| stage.released.is_some()) {
            table.row(row(
                "  released arithmetic, the same gradings".to_owned(),
                released(0),
            ));
        }
        let fewer: Vec<String> = (PRINTED.iter().zip(&stages))
            .filter(|(_, stage)| stage.refused() > 0)
            .map(|(name, stage)| format!("{name} {} of {}", stage.refused(), stage.mean.n + stage.refused()))
            .collect();
        if !fewer.is_empty() {
            table.row(row("  released arithmetic, all gradings".to_owned(), released(1)));
            refused.push(format!("{name}: {} gradings are refused.", fewer.join(", ")));
        }
    }
    let mut lines = table.lines();
    if !refused.is_empty() {
        lines.extend(refused);
        lines.push(
            "Where gradings are refused, a corrected mean is over fewer runs than the released one over all: compare it \
             with the released mean over the same gradings. A refusal can be the judge's fault, which forgot fields, or \
             the agent's, whose answer lacks them."
                .to_owned(),
        );
    }
    lines
}
