//! Cells broken down as CSV tables: by facet, by cause, by stage, by task, and one by one.

use super::figure_tables::{FigureTable, known, table, with_share};
use crate::analysis::bench::breakdown::{CauseCount, FacetShare, StageFigures, TaskShares};
use crate::analysis::bench::cell::BenchCell;

/// Most cells that a page holds as a table: more are in `cells.jsonl` alone.
const MOST_CELLS: usize = 2_000;

/// Success by what tasks are of.
pub fn facets(shares: &[FacetShare]) -> Option<FigureTable> {
    let rows = shares.iter().map(|one| {
        let row = vec![
            one.kind.word().to_owned(),
            one.facet.word().to_owned(),
            one.value.clone(),
            one.agent.clone(),
            one.tasks.to_string(),
            one.clusters.to_string(),
        ];
        with_share(row, &one.success)
    });
    let header = [
        "kind",
        "facet",
        "value",
        "agent",
        "tasks",
        "clusters",
        "successes",
        "counted",
        "share",
        "lower",
        "upper",
    ];
    table("splits.csv", &header, rows)
}

/// Causes of early ends.
pub fn causes(counts: &[CauseCount]) -> Option<FigureTable> {
    let rows = counts.iter().map(|one| {
        vec![
            one.kind.word().to_owned(),
            one.agent.clone(),
            one.stage.clone().unwrap_or_default(),
            one.cause.clone(),
            one.counts.to_string(),
            one.share.count.hits.to_string(),
            one.share.count.of.to_string(),
        ]
    });
    let header = ["kind", "agent", "stage", "cause", "counts", "cells", "of"];
    table("causes.csv", &header, rows)
}

/// Time and tokens by stage.
pub fn stages(figures: &[StageFigures]) -> Option<FigureTable> {
    let rows = figures.iter().map(|one| {
        vec![
            one.kind.word().to_owned(),
            one.agent.clone(),
            one.stage.clone(),
            one.cells.to_string(),
            known(one.seconds.mean),
            known(one.seconds.median),
            known(one.share_of_time),
            known(one.tokens.mean),
            known(one.turns.mean),
        ]
    });
    let header = [
        "kind",
        "agent",
        "stage",
        "cells",
        "seconds_mean",
        "seconds_median",
        "share_of_time",
        "tokens_mean",
        "turns_mean",
    ];
    table("stages.csv", &header, rows)
}

/// Tasks by agents.
pub fn tasks(shares: &[TaskShares], agents: &[&str]) -> Option<FigureTable> {
    let rows = shares.iter().flat_map(|one| {
        agents.iter().zip(&one.agents).filter_map(|(agent, share)| {
            let share = share.as_ref()?;
            Some(vec![
                one.kind.word().to_owned(),
                one.task.clone(),
                (*agent).to_owned(),
                share.successes.to_string(),
                share.counted.to_string(),
                share.unscored.to_string(),
            ])
        })
    });
    let header = ["kind", "task", "agent", "successes", "counted", "unscored"];
    table("tasks.csv", &header, rows)
}

/// Each cell; `None` of more than a page can hold.
pub fn cells(cells: &[BenchCell]) -> Option<FigureTable> {
    if cells.len() > MOST_CELLS {
        return None;
    }
    let rows = cells.iter().map(|cell| {
        let arm = cell.arm.iter().map(|(name, value)| format!("{name} = {value}"));
        vec![
            cell.cell.clone(),
            cell.kind.word().to_owned(),
            cell.task.clone(),
            cell.agent.clone(),
            arm.collect::<Vec<_>>().join("; "),
            cell.repeat.to_string(),
            cell.attempt.to_string(),
            cell.result.word().to_owned(),
            cell.words.clone(),
            known(cell.score),
            cell.tokens.to_string(),
            known(cell.cost.map(|cost| cost.0 as f64 / 1e6)),
            known(cell.seconds),
        ]
    });
    let header = [
        "cell", "kind", "task", "agent", "arm", "repeat", "attempt", "result", "words", "score", "tokens",
        "cost_usd", "seconds",
    ];
    table("cells.csv", &header, rows)
}
