//! `reprise bench core`.

use std::path::{Path, PathBuf};

use clap::Args;
use serde_json::json;

use super::core_answers::graded;
use super::core_rows::{TableRowFilter, TableSplits};
use crate::analysis::attempts::attempt::ScoredAttempt;
use crate::analysis::attempts::repricing::{TokenCounts, corrected};
use crate::analysis::attempts::summary::{AttemptFigures, summary};
use crate::analysis::capsule::reliability::TaskMean;
use crate::capsule::task_file::TaskFile;
use crate::cli::column_table::{ColumnError, ColumnTable};
use crate::cli::exit::{Failure, Status};
use crate::cli::output::{Printer, paint, printable, styled};
use crate::domain::excerpt;
use crate::scoring::released::capsule::tallies::GraderName;
use crate::verdict::figure::figure;

/// The largest table, in bytes, and the most attempts.
const LARGEST: u64 = 256 << 20;
const MOST: usize = 1_000_000;

#[derive(Debug, Args)]
#[command(after_help = "\
FILE has a row for each attempt. Columns are found by their names, those that the published analysis of CORE-Bench v1.1 \
has among them; the options name others:
  agent       agent, agent_id, metadata.scaffold
  task        task, capsule_id, metadata.capsule_id, task_id, metadata.task_id
  success     success, successful, accuracy, metadata.scores.accuracy (true, false, 1 or 0)
  tokens      tokens, total_tokens
  cost        cost_usd, total_cost_usd, cost
  confidence  confidence (0 to 1)
With --correct-costs also scaffold (scaffold, metadata.scaffold), model (model, metadata.model), input_tokens (uncached), \
cached_tokens (or cached_input_tokens, cache_read_tokens), cache_creation_tokens and output_tokens; a missing column of tokens counts as none.

A table of several splits, levels or benchmarks is asked about: --where split=test takes the rows of one, and --where \
split=* those of all.

Tables that `reprise export --format tables` writes have no column of success: give --success result and --true solved.

Examples:
  reprise bench core runs.csv
  reprise bench core runs.csv --agent model --json
  reprise bench core gpt-5_k1_RAW_SUBMISSIONS.jsonl gpt-5_k2_RAW_SUBMISSIONS.jsonl --answers core_train.json --grader v1.1")]
pub struct CoreArgs {
    /// The table, as CSV with a header; with --answers, files of answers, one an agent and repeat
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,
    /// A task file: FILEs hold answers by task, as HAL's output.json and *_RAW_SUBMISSIONS.jsonl do, and are graded by it.
    #[arg(long, value_name = "TASKS", conflicts_with_all = ["agent", "task", "success", "true_value", "correct_costs"])]
    pub answers: Option<PathBuf>,
    /// The published grader of answers: original, hal, v1.1, v1.1-regrade or inspect.
    #[arg(long, default_value = "original", requires = "answers", value_name = "NAME")]
    pub grader: GraderName,
    /// The column of agents.
    #[arg(long, value_name = "COLUMN")]
    pub agent: Option<String>,
    /// The column of tasks.
    #[arg(long, value_name = "COLUMN")]
    pub task: Option<String>,
    /// Take only the rows with this value in a column; `*` takes every value. May be given several times
    #[arg(long = "where", value_name = "COLUMN=VALUE", conflicts_with = "answers")]
    pub only: Vec<String>,
    /// The column of success.
    #[arg(long, value_name = "COLUMN")]
    pub success: Option<String>,
    /// The value that is a success, where it is neither true nor 1
    #[arg(long = "true", value_name = "VALUE")]
    pub true_value: Option<String>,
    /// Price the attempts of the scaffold `core_agent` anew from their tokens, as the published analysis does
    #[arg(long)]
    pub correct_costs: bool,
    /// Print the figures as JSON.
    #[arg(long)]
    pub json: bool,
}

/// Sums up attempts that another harness kept.
///
/// # Errors
/// A table that cannot be read, or a column that is missing.
pub fn core(printer: Printer, args: &CoreArgs) -> Result<Status, Failure> {
    let attempts = match &args.answers {
        Some(tasks) => from_answers(printer, args, tasks)?,
        None => from_table(args)?,
    };
    let found = summary(&attempts);
    if args.json {
        printer.json(&json!({
            "format": "reprise-bench-core/1",
            "attempts": attempts.len(),
            "agents": found.agents,
            "saturation": found.saturation,
        }))?;
        return Ok(Status::Done);
    }
    for agent in &found.agents {
        tell(printer, agent);
    }
    if let Some(saturation) = found.saturation {
        printer.line(format!(
            "the best agent ({}) and the fifth ({}) of {} tasks: {}, index {}",
            figure(saturation.best),
            figure(saturation.fifth),
            saturation.tasks,
            match saturation.saturated {
                true => "not told apart",
                false => "told apart",
            },
            figure(saturation.index)
        ));
    }
    Ok(Status::Done)
}

fn from_table(args: &CoreArgs) -> Result<Vec<ScoredAttempt>, Failure> {
    let [file] = args.files.as_slice() else {
        return Err(Failure::usage(
            "several files: give one table, or --answers TASKS where they hold answers".to_owned(),
        ));
    };
    read(args, file).map_err(|error| Failure::usage(format!("{}: {error}", file.display())))
}

fn from_answers(printer: Printer, args: &CoreArgs, tasks: &Path) -> Result<Vec<ScoredAttempt>, Failure> {
    let tasks =
        TaskFile::open(tasks).map_err(|error| Failure::new(Status::StudyInvalid, error.to_string()))?;
    let graded =
        graded(&args.files, &tasks, args.grader).map_err(|error| Failure::usage(error.to_string()))?;
    for note in &graded.notes {
        printer.note(printable(note));
    }
    Ok(graded.attempts)
}

fn tell(printer: Printer, agent: &AttemptFigures) {
    let accuracy = agent.accuracy;
    let interval = accuracy.interval.map_or_else(String::new, |interval| {
        format!(", 95 % interval {:.4} to {:.4}", interval.lower, interval.upper)
    });
    let share = accuracy
        .share()
        .map_or_else(|| "none".to_owned(), |share| format!("{share:.4}"));
    printer.line(format!(
        "{}: accuracy {share} ({} of {} attempts at {} tasks{interval})",
        styled(paint::STRONG, printable(&agent.agent)),
        accuracy.count.hits,
        accuracy.count.of,
        agent.tasks
    ));
    if let Some(found) = &agent.reliability {
        let told = |name: &str, mean: Option<TaskMean>| mean.map(|mean| format!("{name} {:.4}", mean.mean));
        let parts = [
            told("pass@1", Some(found.pass_at_1)),
            told("at least once", Some(found.pass_once)),
            told("always", Some(found.pass_all)),
            told("outcome consistency", found.outcome_consistency),
            told("resource consistency", found.resource_consistency),
        ];
        let parts: Vec<String> = parts.into_iter().flatten().collect();
        printer.line(format!("  {} repeats: {}", found.repeats, parts.join(", ")));
    }
    if let (Some(mean), Some(sum)) = (agent.cost.mean, agent.cost.sum) {
        printer.line(format!(
            "  cost {mean:.4} dollars in the mean, {sum:.2} in all, of {} attempts",
            agent.cost.known
        ));
    }
    if let Some(found) = &agent.calibration {
        let discrimination = found.discrimination.map_or_else(
            || "none: all succeeded, or none".to_owned(),
            |value| format!("{value:.4}"),
        );
        printer.line(format!(
            "  confidence {:.4}: calibration {:.4}, discrimination {discrimination}",
            found.mean_confidence, found.calibration
        ));
    }
}

fn read(args: &CoreArgs, file: &Path) -> Result<Vec<ScoredAttempt>, String> {
    let told = |error: ColumnError| error.to_string();
    let table = ColumnTable::open(file, LARGEST).map_err(told)?;
    let first = |names: &[&str]| {
        names
            .iter()
            .find_map(|name| table.header.iter().position(|own| own == name))
    };
    let needed = |option: &'static str, named: Option<&String>, names: &[&str]| match named {
        Some(name) => table.named(option, name).map_err(told),
        None => first(names).ok_or_else(|| {
            format!(
                "it has none of the columns {}: name one with --{option}",
                names.join(", ")
            )
        }),
    };
    let agent = needed(
        "agent",
        args.agent.as_ref(),
        &["agent", "agent_id", "metadata.scaffold"],
    )?;
    let task = needed(
        "task",
        args.task.as_ref(),
        &[
            "task",
            "capsule_id",
            "metadata.capsule_id",
            "task_id",
            "metadata.task_id",
        ],
    )?;
    let outcomes = ["success", "successful", "accuracy", "metadata.scores.accuracy"];
    let success = needed("success", args.success.as_ref(), &outcomes)?;
    let tokens = first(&["tokens", "total_tokens"]);
    let cost = first(&["cost_usd", "total_cost_usd", "cost"]);
    let confidence = first(&["confidence"]);
    let pricing = args.correct_costs.then(|| PricingColumns {
        scaffold: first(&["scaffold", "metadata.scaffold"]),
        model: first(&["model", "metadata.model"]),
        tokens: [
            first(&["input_tokens"]),
            first(&["cached_tokens", "cached_input_tokens", "cache_read_tokens"]),
            first(&["cache_creation_tokens"]),
            first(&["output_tokens"]),
        ],
    });
    if let Some(lacking) = pricing.as_ref().and_then(PricingColumns::lacking) {
        return Err(format!("--correct-costs: it has no column {lacking}"));
    }
    let rows = TableRowFilter::parse(&args.only, &table).map_err(|fault| fault.to_string())?;
    let mut splits = TableSplits::find(&table, &rows, [agent, task, success]);
    let mut attempts = Vec::new();
    for row in table.rows() {
        let row = row.map_err(told)?;
        if !rows.takes(&row) {
            continue;
        }
        splits.note(&row);
        let line = row.line;
        let field = |at: usize| row.field(at);
        let number = |at: Option<usize>| at.and_then(|at| field(at).parse::<f64>().ok());
        let told = field(success);
        let outcome = outcome(told, args.true_value.as_deref()).ok_or_else(|| {
            format!(
                "line {line}: `{}` says neither success nor failure: name the value with --true",
                excerpt::shortened(told, 50)
            )
        })?;
        let sure = number(confidence);
        if sure.is_some_and(|sure| !(0.0..=1.0).contains(&sure)) {
            return Err(format!(
                "line {line}: the confidence {} is not between 0 and 1",
                field(confidence.unwrap_or_default())
            ));
        }
        attempts.push(ScoredAttempt {
            agent: field(agent).to_owned(),
            task: field(task).to_owned(),
            success: outcome,
            tokens: number(tokens),
            cost: match &pricing {
                None => number(cost),
                Some(columns) => {
                    let [input, cached, cache_creation, output] =
                        columns.tokens.map(|at| number(at).unwrap_or_default());
                    let counts = TokenCounts {
                        input,
                        cached,
                        cache_creation,
                        output,
                    };
                    let text = |at: Option<usize>| at.map_or("", field);
                    corrected(text(columns.scaffold), text(columns.model), number(cost), counts)
                }
            },
            confidence: sure,
        });
        if attempts.len() > MOST {
            return Err(format!("it has more than {MOST} attempts"));
        }
    }
    if attempts.is_empty() {
        return Err("it has no attempt".to_owned());
    }
    splits.ask(&table).map_err(|fault| fault.to_string())?;
    Ok(attempts)
}

/// The columns that costs are corrected by.
struct PricingColumns {
    scaffold: Option<usize>,
    model: Option<usize>,
    /// Fresh, cached, written to a cache, and output.
    tokens: [Option<usize>; 4],
}

impl PricingColumns {
    /// A column without which nothing can be corrected.
    fn lacking(&self) -> Option<&'static str> {
        match (self.scaffold, self.model, self.tokens[3]) {
            (None, ..) => Some("scaffold"),
            (_, None, _) => Some("model"),
            (.., None) => Some("output_tokens"),
            _ => None,
        }
    }
}

fn outcome(text: &str, true_value: Option<&str>) -> Option<bool> {
    if let Some(value) = true_value {
        return Some(text == value);
    }
    match text.to_ascii_lowercase().as_str() {
        "true" | "1" | "1.0" => Some(true),
        "false" | "0" | "0.0" => Some(false),
        _ => None,
    }
}
