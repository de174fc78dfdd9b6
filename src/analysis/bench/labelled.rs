//! Verdicts of cells beside the labels that people gave their studies, and beside what earns nothing.

use std::collections::BTreeMap;

use serde::Serialize;

use super::cell::{BenchCell, CellResult};
use super::clusters::StudyClusters;
use crate::analysis::capsule::accuracy::CountedShare;
use crate::scoring::outcome::{Label, LabelledVerdict};

/// The verdicts of the cells whose studies have a label.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct LabelledFigures {
    pub agents: Vec<LabelledAgent>,
    /// Always the commoner label; of two as common, met.
    pub always: CommonestLabel,
}

/// The verdicts of an agent.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct LabelledAgent {
    pub name: String,
    /// True where it saw claims alone.
    pub predicts: bool,
    /// Different studies.
    pub tasks: usize,
    /// Different clusters of these studies' claims.
    pub clusters: usize,
    /// Cells with the label's verdict; an open one is not that. With an interval over clusters.
    pub share: CountedShare,
}

/// The commoner label, and how many studies it is right of, with an interval over clusters.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct CommonestLabel {
    pub label: Label,
    pub share: CountedShare,
}

/// The figures of labelled cells; `None` where no study has a label.
pub fn labelled(cells: &[BenchCell]) -> Option<LabelledFigures> {
    let clusters = StudyClusters::new(cells);
    let of = |cell: &BenchCell| cell.labelled.filter(|_| cell.result != CellResult::Unscored);
    let labelled: Vec<(&BenchCell, LabelledVerdict)> =
        cells.iter().filter_map(|cell| Some((cell, of(cell)?))).collect();
    let mut agents: BTreeMap<(&str, bool), Vec<(&BenchCell, LabelledVerdict)>> = BTreeMap::new();
    let mut labels: BTreeMap<&str, (&str, Label)> = BTreeMap::new();
    for (cell, verdict) in labelled {
        let predicts = cell.result == CellResult::Predicted;
        let own = agents.entry((cell.agent.as_str(), predicts)).or_default();
        own.push((cell, verdict));
        labels.insert(&cell.task, (clusters.of(cell), verdict.label));
    }
    Some(LabelledFigures {
        always: commonest(&labels)?,
        agents: agents
            .into_iter()
            .map(|((name, predicts), cells)| agent(name, predicts, &cells, &clusters))
            .collect(),
    })
}

fn agent(
    name: &str,
    predicts: bool,
    cells: &[(&BenchCell, LabelledVerdict)],
    clusters: &StudyClusters<'_>,
) -> LabelledAgent {
    let mut tasks: Vec<&str> = cells.iter().map(|(cell, _)| cell.task.as_str()).collect();
    tasks.sort_unstable();
    tasks.dedup();
    LabelledAgent {
        name: name.to_owned(),
        predicts,
        tasks: tasks.len(),
        clusters: clusters.count(cells.iter().map(|(cell, _)| *cell)),
        share: CountedShare::clustered(
            cells
                .iter()
                .map(|(cell, verdict)| (clusters.of(cell), verdict.is_right)),
        ),
    }
}

/// Of the labels of tasks, each with its cluster.
fn commonest(labels: &BTreeMap<&str, (&str, Label)>) -> Option<CommonestLabel> {
    let count = |label| labels.values().filter(|(_, own)| *own == label).count();
    let label = match count(Label::Unmet) > count(Label::Met) {
        true => Label::Unmet,
        false => Label::Met,
    };
    let share = CountedShare::clustered(labels.values().map(|(cluster, own)| (cluster, *own == label)));
    (share.count.of > 0).then_some(CommonestLabel { label, share })
}

#[cfg(test)]
mod tests {
    use super::super::figures::tests::cell;
    use super::*;

    fn of(task: &str, agent: &str, result: CellResult, label: Label, is_right: bool) -> BenchCell {
        BenchCell {
            agent: agent.to_owned(),
            labelled: Some(LabelledVerdict { label, is_right }),
            ..cell(task, "native", result)
        }
    }

    #[test]
    fn verdicts_and_predictions_are_counted_by_agent_and_labels_by_study() {
        assert_eq!(labelled(&[cell("a", "native", CellResult::Met)]), None);
        let cells = [
            of("a", "own", CellResult::Met, Label::Met, true),
            of("a", "own", CellResult::Inconclusive, Label::Met, false),
            of("b", "own", CellResult::Met, Label::Unmet, false),
            of("c", "own", CellResult::Unmet, Label::Unmet, true),
            of("b", "guess", CellResult::Predicted, Label::Unmet, true),
            // What nobody can blame on the agent.
            of("d", "guess", CellResult::Unscored, Label::Met, false),
        ];
        let found = labelled(&cells).unwrap();
        let rows: Vec<_> = found
            .agents
            .iter()
            .map(|one| {
                let count = one.share.count;
                (one.name.as_str(), one.predicts, one.tasks, count.hits, count.of)
            })
            .collect();
        assert_eq!(rows, [("guess", true, 1, 1, 1), ("own", false, 3, 2, 4)]);
        let always = &found.always;
        let count = always.share.count;
        assert_eq!((always.label, count.hits, count.of), (Label::Unmet, 2, 3));
    }
}
