//! `reprise score failures`.

use serde_json::{Value, json};

use crate::cli::exit::{Failure, Status};
use crate::cli::output::Printer;
use crate::domain::failure::FailureCause;
use crate::grading::comparison::failure_counts::{FailureCount, FailureCounts, LogRules};
use crate::grading::comparison::failure_table::{FailureSum, ModelFailures, by_model};
use crate::scoring::failed_calls::by_tool;

use super::args::{FailuresArgs, FailuresBy, FailuresMode};
use crate::cli::text_table::TextTable;

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
    let models = by_model(&counted);
    if args.json {
        printer.json(&json!({
            "format": "reprise-score-failures/1",
            "mode": match args.mode { FailuresMode::Compat => "compat", FailuresMode::Corrected => "corrected" },
            "models": models,
            "sources": counted.iter().map(source_json).collect::<Vec<_>>(),
            "total": total,
            "agents_interval": total.agents.wilson(),
            "problems": problems,
        }))?;
        return Ok(Status::Done);
    }
    let mut table = match args.by {
        FailuresBy::Model => models_table(&models),
        FailuresBy::Source => sources_table(&counted),
    };
    table.row(cells("total", &FailureSum::of(&counted)));
    for line in table.lines() {
        printer.line(line);
    }
    if args.mode == FailuresMode::Compat && counted.iter().any(|one| one.is_log) {
        printer.line(
            "Logs are counted by the released rules, which see the text style of log alone; `--mode corrected` \
             reads both styles.",
        );
    }
    Ok(Status::Done)
}

fn source_json(one: &FailureCount) -> Value {
    let tools = one.calls.as_ref().map(|calls| by_tool(calls));
    json!({
        "source": one.name, "model": one.model, "setting": one.setting,
        "failures": one.breakdown, "tools": tools,
    })
}

/// The classes of the paper's Table 5, in its order, then one that is not the agent's.
const CLASSES: [FailureCause; 6] = [
    FailureCause::Setup,
    FailureCause::InputData,
    FailureCause::Implementation,
    FailureCause::ResultExtraction,
    FailureCause::Timeout,
    FailureCause::Infrastructure,
];

fn table(first: &str) -> TextTable {
    TextTable::new([
        first,
        "setup",
        "input data",
        "implement.",
        "results",
        "timeout",
        "infrastr.",
        "other",
        "all",
        "calls",
        "sources",
    ])
}

fn cells(name: &str, sum: &FailureSum) -> Vec<String> {
    let breakdown = &sum.breakdown;
    let count = |cause: &FailureCause| breakdown.by_cause.get(cause).copied().unwrap_or(0);
    let known: u64 = CLASSES.iter().map(count).sum();
    let mut cells = vec![name.to_owned()];
    cells.extend(CLASSES.iter().map(|cause| count(cause).to_string()));
    cells.push((breakdown.agents.of - known).to_string());
    cells.push(breakdown.agents.of.to_string());
    cells.push(
        sum.calls
            .map_or_else(|| "–".to_owned(), |calls| calls.to_string()),
    );
    cells.push(sum.sources.to_string());
    cells
}

/// A row a model, as Table 5 has it, and below it one a setting where there are several.
fn models_table(models: &[ModelFailures<'_>]) -> TextTable {
    let mut shown = table("model");
    for one in models {
        shown.row(cells(one.model, &one.all));
        for (setting, sum) in one.settings.iter().filter(|_| one.settings.len() > 1) {
            let setting = if setting.is_empty() { "no setting" } else { setting };
            shown.row(cells(&format!("  {setting}"), sum));
        }
    }
    shown
}

fn sources_table(counted: &[FailureCount]) -> TextTable {
    let mut shown = table("source");
    for one in counted {
        shown.row(cells(&one.name, &FailureSum::of([one])));
    }
    shown
}
