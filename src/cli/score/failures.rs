//! `reprise score failures`.

use serde_json::{Value, json};

use crate::cli::exit::{Failure, Status};
use crate::cli::output::Printer;
use crate::domain::failure::FailureCause;
use crate::grading::comparison::failure_counts::{FailureCount, FailureCounts, LogRules};
use crate::scoring::failed_calls::by_tool;
use crate::scoring::failures::Breakdown;

use super::args::{FailuresArgs, FailuresMode};
use super::table::TextTable;

/// Counts failures by class, in runs and in released logs.
///
/// # Errors
/// Places without a run or a log that can be counted.
pub fn failures(printer: Printer, args: &FailuresArgs) -> Result<Status, Failure> {
    let rules = match args.mode {
        FailuresMode::Compat => LogRules::Released,
        FailuresMode::Corrected => LogRules::Corrected,
    };
    let counts = FailureCounts::count(&args.paths, rules)?;
    let total = counts.total();
    let FailureCounts { counted, problems } = counts;
    if counted.is_empty()
        && let Some(first) = problems.first()
    {
        return Err(Failure::usage(first.clone()));
    }
    for problem in &problems {
        printer.note(problem);
    }
    if args.json {
        printer.json(&json!({
            "format": "reprise-score-failures/1",
            "mode": match args.mode { FailuresMode::Compat => "compat", FailuresMode::Corrected => "corrected" },
            "sources": counted.iter().map(source_json).collect::<Vec<_>>(),
            "total": total,
            "agents_interval": total.agents.wilson(),
            "problems": problems,
        }))?;
        return Ok(Status::Done);
    }
    for line in lines(&counted, &total, args.mode) {
        printer.line(line);
    }
    Ok(Status::Done)
}

fn source_json(one: &FailureCount) -> Value {
    let tools = one.calls.as_ref().map(|calls| by_tool(calls));
    json!({"source": one.name, "failures": one.breakdown, "tools": tools})
}

/// The classes of the paper's Table 5, then the ones that are not the agent's
/// or not in it.
const CLASSES: [FailureCause; 6] = [
    FailureCause::Setup,
    FailureCause::InputData,
    FailureCause::Implementation,
    FailureCause::ResultExtraction,
    FailureCause::Timeout,
    FailureCause::Infrastructure,
];

fn lines(counted: &[FailureCount], total: &Breakdown, mode: FailuresMode) -> Vec<String> {
    let mut table = TextTable::new([
        "source",
        "setup",
        "input data",
        "implement.",
        "results",
        "timeout",
        "infrastr.",
        "other",
        "all",
        "calls",
    ]);
    let mut add = |name: &str, breakdown: &Breakdown, calls: Option<usize>| {
        let count = |cause: &FailureCause| breakdown.by_cause.get(cause).copied().unwrap_or(0);
        let known: u64 = CLASSES.iter().map(count).sum();
        let mut cells = vec![name.to_owned()];
        cells.extend(CLASSES.iter().map(|cause| count(cause).to_string()));
        cells.push((breakdown.agents.of - known).to_string());
        cells.push(breakdown.agents.of.to_string());
        cells.push(calls.map_or_else(|| "–".to_owned(), |calls| calls.to_string()));
        table.row(cells);
    };
    for one in counted {
        add(&one.name, &one.breakdown, one.calls.as_ref().map(Vec::len));
    }
    let calls: Option<usize> = counted.iter().map(|one| one.calls.as_ref().map(Vec::len)).sum();
    add("total", total, calls);
    let mut lines = table.lines();
    if mode == FailuresMode::Compat && counted.iter().any(|one| one.is_log) {
        lines.push(
            "Logs are counted by the released rules, which see the text style of log alone; `--mode corrected` \
             reads both styles."
                .to_owned(),
        );
    }
    lines
}
