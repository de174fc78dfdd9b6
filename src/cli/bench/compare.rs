//! `reprise bench compare`.

use std::path::{Path, PathBuf};

use clap::Args;
use serde_json::json;

use crate::analysis::bench::cell::BenchCell;
use crate::analysis::bench::compare::{BenchComparison, PartedCell, compare};
use crate::analysis::capsule::accuracy::CountedShare;
use crate::cli::bench_folder::BenchFolder;
use crate::cli::exit::{Failure, Status};
use crate::cli::output::{Printer, paint, printable, styled};
use crate::verdict::figure::figure;

/// Pairs that part and are printed.
const SHOWN: usize = 20;

#[derive(Debug, Args)]
#[command(after_help = "\
FIRST and SECOND are folders of benches. Cells are paired by task, arm and repeat, and by agent where a bench has several. \
The difference is the mean over tasks, with a t interval over them; the p-value is exact (McNemar). What is unscored, or \
has no counterpart, is in neither.

Examples:
  reprise bench compare july/ august/
  reprise bench compare gpt-5/ opus/ --json")]
pub struct CompareArgs {
    /// The folder of a bench.
    pub first: PathBuf,
    /// The folder of another.
    pub second: PathBuf,
    /// Print the comparison as JSON.
    #[arg(long)]
    pub json: bool,
}

/// Compares two benches where they have the same tasks.
///
/// # Errors
/// A folder that holds no cells, or benches that have no cell in common.
pub fn compare_benches(printer: Printer, args: &CompareArgs) -> Result<Status, Failure> {
    let first = cells(&args.first)?;
    let second = cells(&args.second)?;
    let found = compare(&first, &second);
    if found.iter().all(|one| one.pairs == 0) {
        return Err(Failure::usage(format!(
            "{} and {} have no cell of the same task, arm and repeat that counts in both",
            args.first.display(),
            args.second.display()
        )));
    }
    if args.json {
        printer.json(&json!({ "format": "reprise-bench-compare/1", "kinds": found }))?;
        return Ok(Status::Done);
    }
    for one in found.iter().filter(|one| one.pairs > 0) {
        tell(printer, args, one);
    }
    Ok(Status::Done)
}

/// The last cells of a bench.
fn cells(folder: &Path) -> Result<Vec<BenchCell>, Failure> {
    let cells = BenchFolder(folder).current()?;
    match cells.is_empty() {
        true => Err(Failure::usage(format!(
            "{} holds no cells.jsonl with cells: name the folder of a bench",
            folder.display()
        ))),
        false => Ok(cells),
    }
}

fn tell(printer: Printer, args: &CompareArgs, one: &BenchComparison) {
    let goal = format!("{}, {}", one.kind.plural(), one.kind.goal());
    printer.line(styled(
        paint::STRONG,
        format!("{goal}: {} pairs of {} tasks", one.pairs, one.tasks),
    ));
    for (folder, share, alone) in [
        (&args.first, one.first, one.first_alone),
        (&args.second, one.second, one.second_alone),
    ] {
        let alone = match alone {
            0 => String::new(),
            count => format!("; {count} further cells have no counterpart"),
        };
        let name = printable(&folder.display().to_string());
        printer.line(format!("  {name}: {}{alone}", shared(share)));
    }
    if let Some(difference) = one.difference {
        let interval = one.interval.map_or_else(
            || "no interval: the tasks do not differ, or there is one".to_owned(),
            |interval| {
                let (lower, upper) = (figure(interval.lower), figure(interval.upper));
                format!("95 % interval over tasks {lower} to {upper}")
            },
        );
        printer.line(format!("  difference {} ({interval})", figure(difference)));
    }
    let parted = format!(
        "only the first {}, only the second {}",
        one.only_first, one.only_second
    );
    printer.line(match one.p_value {
        Some(p) => format!("  {parted}, exact p {}", figure(p)),
        None => format!("  {parted}: no pair parts"),
    });
    if one.least_p_value > 0.05 {
        let least = figure(one.least_p_value);
        printer.line(format!(
            "  {} pairs are too few: even if all parted one way, p would be {least}",
            one.pairs
        ));
    }
    for cell in one.parted.iter().take(SHOWN) {
        printer.line(printable(&format!(
            "  {}: {} -> {}",
            name(cell),
            cell.first,
            cell.second
        )));
    }
    if one.parted.len() > SHOWN {
        printer.line(format!("  and {} more: --json has all", one.parted.len() - SHOWN));
    }
}

fn shared(share: CountedShare) -> String {
    let value = share.share().map_or_else(|| "none".to_owned(), figure);
    format!("{value} ({} of {})", share.count.hits, share.count.of)
}

fn name(cell: &PartedCell) -> String {
    let arm = cell
        .arm
        .iter()
        .map(|(setting, value)| format!("{setting}={value}"));
    let mut parts = vec![cell.task.clone()];
    parts.extend((!cell.agent.is_empty()).then(|| cell.agent.clone()));
    parts.extend(arm);
    parts.push(format!("repeat {}", cell.repeat));
    parts.join(", ")
}
