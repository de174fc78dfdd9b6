//! `reprise bench compare`.

use std::path::{Path, PathBuf};

use clap::Args;
use serde_json::json;

use super::pooled_judges::ensure_one_judge;
use crate::analysis::bench::cell::BenchCell;
use crate::analysis::bench::compare::{BenchComparison, PartedCell, compare};
use crate::analysis::bench::paired::PairedDifference;
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
The tasks of one study (claims of one paper, a capsule at all its levels, notebook tasks of one repository) are a cluster. \
The difference is the mean over clusters, with a t interval over them; the p-value is that of an exact sign test over \
clusters: those at which the second succeeds more often against those at which it does less often, each once, however \
many cells it has. What is unscored, or has no counterpart, is in neither.

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
    ensure_one_judge(first.iter().chain(&second))?;
    let found = compare(&first, &second);
    if found.iter().all(|one| one.paired.pairs == 0) {
        return Err(Failure::usage(format!(
            "{} and {} have no cell of the same task, arm and repeat that counts in both",
            args.first.display(),
            args.second.display()
        )));
    }
    if args.json {
        printer.json(&json!({ "format": "reprise-bench-compare/3", "kinds": found }))?;
        return Ok(Status::Done);
    }
    for one in found.iter().filter(|one| one.paired.pairs > 0) {
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
    let paired = &one.paired;
    printer.line(styled(
        paint::STRONG,
        format!(
            "{goal}: {} pairs of {} tasks in {} clusters",
            paired.pairs, paired.tasks, paired.clusters
        ),
    ));
    for (folder, share, alone, ambiguous) in [
        (&args.first, one.first, one.first_alone, one.first_ambiguous),
        (&args.second, one.second, one.second_alone, one.second_ambiguous),
    ] {
        let alone = match alone {
            0 => String::new(),
            count => format!("; {count} further cells have no counterpart"),
        };
        let ambiguous = match ambiguous {
            0 => String::new(),
            count => format!(
                "; {count} further cells have task, agent, arm and repeat of another, and are in no pair"
            ),
        };
        let name = printable(&folder.display().to_string());
        printer.line(format!("  {name}: {}{alone}{ambiguous}", shared(share)));
    }
    for line in difference_lines(paired) {
        printer.line(format!("  {line}"));
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

fn difference_lines(paired: &PairedDifference) -> Vec<String> {
    let mut lines = Vec::new();
    if let Some(difference) = paired.difference {
        let interval = paired.interval.map_or_else(
            || "no interval: the clusters do not differ, or there is one".to_owned(),
            |interval| {
                let (lower, upper) = (figure(interval.lower), figure(interval.upper));
                format!("95 % interval over clusters {lower} to {upper}")
            },
        );
        lines.push(format!("difference {} ({interval})", figure(difference)));
    }
    lines.push(format!(
        "pairs: only the first {}, only the second {}",
        paired.only_first, paired.only_second
    ));
    let changed = format!(
        "clusters: the first more often {}, the second more often {}",
        paired.clusters_down, paired.clusters_up
    );
    lines.push(match paired.p_value {
        Some(p) => format!("{changed}; exact p over clusters {}", figure(p)),
        None => format!("{changed}: no cluster changes"),
    });
    if paired.too_few {
        let least = figure(paired.least_p_value);
        lines.push(match paired.clusters {
            1 => format!("1 cluster is too few: p is {least}, however it changes"),
            clusters => {
                format!("{clusters} clusters are too few: even if all changed one way, p would be {least}")
            }
        });
    }
    lines
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
