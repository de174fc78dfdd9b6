//! `reprise bench status`.

use std::collections::BTreeMap;

use clap::Args;
use serde_json::json;

use super::bench_limits::BenchLimits;
use super::collect::plan_of;
use super::opened::{BenchFileArgs, OpenedBench};
use super::standing::{BenchSight, Standing, StandingCell};
use super::told::cause_line;
use crate::analysis::bench::cell::CellResult;
use crate::cli::bench_results::quarantined;
use crate::cli::exit::{Failure, Status};
use crate::cli::output::{Printer, one_line};
use crate::cli::text_table::TextTable;
use crate::domain::format;
use crate::domain::usage::MicroDollars;
use crate::model::layers::spend_account::plus;
use crate::policy::limits::Used;

#[derive(Debug, Args)]
#[command(after_help = "\
The truth is what lies in the cells' folders; of cells that were submitted, the cluster is asked for the jobs, Slurm \
in one call for all and at most every ten seconds.

Examples:
  reprise bench status bench.toml
  reprise bench status bench.toml --json")]
pub struct StatusArgs {
    #[command(flatten)]
    pub bench: BenchFileArgs,
    /// Print the cells as JSON.
    #[arg(long)]
    pub json: bool,
}

/// Says where each cell stands.
///
/// # Errors
/// A bench of which nothing was planned, or a folder that cannot be read.
pub async fn status(printer: Printer, args: &StatusArgs) -> Result<Status, Failure> {
    let bench = OpenedBench::open(&args.bench.bench, args.bench.out.as_deref())?;
    let plan = plan_of(&bench)?;
    let sight = BenchSight::of(&bench.out).await?;
    let mut cells = sight.look_at_all(&plan.cells)?;
    tell_causes(&bench, &mut cells)?;
    let quarantined = quarantined(&plan, &bench.folder().audit()?);
    for cell in cells.iter_mut().filter(|cell| cell.standing == Standing::ToBegin) {
        if quarantined.contains_key(&cell.plan.cell) {
            cell.standing = Standing::Quarantined;
        }
    }
    let mut counts = BTreeMap::<Standing, usize>::new();
    for cell in &cells {
        *counts.entry(cell.standing).or_default() += 1;
    }
    let spent: MicroDollars = cells.iter().filter_map(money).sum();
    let limits = BenchLimits::read(&bench.file)?;
    if args.json {
        printer.json(&json!({
            "limits": limits,
            "name": plan.name,
            "planned": plan.cells.len(),
            "standings": counts.iter().map(|(standing, count)| json!({ "standing": standing, "cells": count })).collect::<Vec<_>>(),
            "cost": spent,
            "cells": cells.iter().map(|cell| told(cell, &quarantined)).collect::<Vec<_>>(),
        }))?;
        return Ok(Status::Done);
    }
    let mut table = TextTable::new(["cell", "id", "stands", "spent", "detail"]).with_text_columns(3);
    for cell in &cells {
        table.row([
            one_line(&cell.plan.name()),
            cell.plan.cell.clone(),
            words(cell.standing).to_owned(),
            match (money(cell), tokens(cell)) {
                (Some(money), _) => money.to_string(),
                (None, Some(tokens)) => format!("{} tokens", format::count(tokens)),
                (None, None) => String::new(),
            },
            detail(cell, &quarantined),
        ]);
    }
    for line in table.lines() {
        printer.line(line);
    }
    let counts = counts
        .iter()
        .map(|(standing, count)| format!("{count} {}", words(*standing)));
    printer.line(format!(
        "{} cells: {}",
        cells.len(),
        counts.collect::<Vec<_>>().join(", ")
    ));
    for line in limits.lines(Some(&|agent| spent_by(&cells, agent))) {
        printer.line(line);
    }
    Ok(Status::Done)
}

/// A cell that stopped for what its journal cannot tell, such as a recording that does not fit, has the cause that
/// its results were written with.
fn tell_causes(bench: &OpenedBench, cells: &mut [StandingCell]) -> Result<(), Failure> {
    let lacks = |cell: &StandingCell| {
        let is_stopped = matches!(cell.standing, Standing::Stopped | Standing::Infrastructure);
        is_stopped && cell.detail.is_none()
    };
    if !cells.iter().any(lacks) {
        return Ok(());
    }
    let known = bench.folder().known()?;
    for cell in cells.iter_mut().filter(|cell| lacks(cell)) {
        let before = known.get(&cell.plan.cell);
        let before = before.filter(|before| before.result == CellResult::Unscored);
        cell.detail = before.map(|before| cause_line(&before.words));
    }
    Ok(())
}

/// The money of its run and of its judge.
fn money(cell: &StandingCell) -> Option<MicroDollars> {
    cell.row.as_ref()?.money_with_judge(cell.plan.judge.as_ref())
}

/// What the last attempts of an agent's cells, or of all, have come to.
fn spent_by(cells: &[StandingCell], agent: Option<&str>) -> Used {
    let own = cells
        .iter()
        .filter(|cell| agent.is_none_or(|agent| cell.plan.agent == agent));
    let used = own.map(|cell| Used {
        tokens: tokens(cell).unwrap_or_default(),
        money: money(cell).unwrap_or_default(),
        ..Used::default()
    });
    used.fold(Used::default(), plus)
}

fn tokens(cell: &StandingCell) -> Option<u64> {
    let row = cell.row.as_ref()?;
    let of_judge = row.judged.as_ref().map_or(0, |judged| judged.spent.tokens);
    Some(row.usage.total() + of_judge)
}

/// Why it stands so, and why its task is quarantined.
fn detail(cell: &StandingCell, quarantined: &BTreeMap<String, String>) -> String {
    let why = quarantined.get(&cell.plan.cell).map(|why| match cell.standing {
        Standing::Quarantined => cause_line(why),
        _ => format!("quarantined: {}", cause_line(why)),
    });
    let parts = [cell.detail.as_deref().map(one_line), why];
    parts.into_iter().flatten().collect::<Vec<_>>().join("; ")
}

fn told(cell: &StandingCell, quarantined: &BTreeMap<String, String>) -> serde_json::Value {
    json!({
        "cell": cell.plan.cell,
        "name": cell.plan.name(),
        "folder": cell.plan.folder,
        "attempt": cell.plan.attempt,
        "standing": cell.standing,
        "detail": cell.detail,
        "quarantined": quarantined.get(&cell.plan.cell),
        "failures": cell.failures,
        "tokens": tokens(cell),
        "cost": money(cell),
        "allotted": cell.allotted,
    })
}

fn words(standing: Standing) -> &'static str {
    match standing {
        Standing::ToBegin => "to begin",
        Standing::Queued => "queued",
        Standing::Running => "running",
        Standing::Stopped => "stopped",
        Standing::Lost => "lost",
        Standing::Waiting => "waiting for an answer",
        Standing::Infrastructure => "failed by the machine",
        Standing::Limit => "at a limit",
        Standing::Unjudged => "to be judged",
        Standing::Finished => "finished",
        Standing::Quarantined => "quarantined",
    }
}
