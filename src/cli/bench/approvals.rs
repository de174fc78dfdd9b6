//! `reprise bench approvals`.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use clap::Args;
use serde_json::{Value, json};

use super::collect::plan_of;
use super::local_run::{LocalArgs, run};
use super::opened::{BenchFileArgs, OpenedBench};
use super::planned_cells::CellChoiceArgs;
use super::submission::Submissions;
use crate::app::process_shared::EXECUTIONS;
use crate::app::program::Program;
use crate::cli::bench_plan::CellPlan;
use crate::cli::decisions::PersonsAnswer;
use crate::cli::exit::{Failure, Status};
use crate::cli::output::{Printer, one_line, paint, printable, styled};
use crate::cli::signing::SignArgs;
use crate::domain::excerpt;
use crate::engine::run_reader::RunReader;
use crate::run::event::Asked;

/// Cells of one question that are named.
const MOST_NAMED: usize = 4;

#[derive(Debug, Args)]
#[command(after_help = "\
Cells that wait for a person hold no node and no process. Without an answer this lists what they wait for: the same \
command with the same code, image and mounts is one question, however many cells ask it. An answer holds for every cell \
that is listed; `--digest`, `--only` and `--skip` choose among them. `reprise show RUN` shows a question whole.

`--go-on` runs the answered cells here at once; on a cluster `reprise bench submit` takes them up.

Examples:
  reprise bench approvals bench.toml
  reprise bench approvals bench.toml --allow --go-on
  reprise bench approvals bench.toml --deny --reason \"use the 1971 file\" --digest 0a1b2c
  reprise bench approvals bench.toml --only sunspots --allow --sign KEYFILE")]
pub struct ApprovalsArgs {
    #[command(flatten)]
    pub bench: BenchFileArgs,
    /// Only cells whose name holds this; may be given again
    #[arg(long, value_name = "TEXT")]
    pub only: Vec<String>,
    /// No cells whose name holds this; may be given again
    #[arg(long, value_name = "TEXT")]
    pub skip: Vec<String>,
    /// Only the question whose digest begins so
    #[arg(long, value_name = "HEX")]
    pub digest: Option<String>,
    /// Allow what is listed.
    #[arg(long, conflicts_with_all = ["deny", "answer"])]
    pub allow: bool,
    /// Refuse it; without a reason the stages end as cancelled.
    #[arg(long)]
    pub deny: bool,
    /// Advice to the agents that goes with a refusal.
    #[arg(long, requires = "deny")]
    pub reason: Option<String>,
    /// The answer to questions of agents.
    #[arg(long, conflicts_with = "deny")]
    pub answer: Option<String>,
    #[command(flatten)]
    pub sign: SignArgs,
    /// Run the answered cells here at once.
    #[arg(long)]
    pub go_on: bool,
    /// Print the questions, or the decisions, as JSON.
    #[arg(long)]
    pub json: bool,
}

impl ApprovalsArgs {
    fn is_answer(&self) -> bool {
        self.allow || self.deny || self.answer.is_some()
    }

    fn chooses(&self, cell: &CellPlan) -> bool {
        let name = cell.name();
        let holds = |texts: &[String]| texts.iter().any(|text| name.contains(text));
        (self.only.is_empty() || holds(&self.only)) && !holds(&self.skip)
    }

    fn is_chosen(&self, asked: &Asked) -> bool {
        let digest = asked.digest.hex();
        self.digest
            .as_ref()
            .is_none_or(|prefix| digest.starts_with(&prefix.to_ascii_lowercase()))
    }
}

/// A question of a cell.
struct CellQuestion {
    cell: CellPlan,
    run: PathBuf,
    asked: Asked,
}

/// Lists what cells wait for, or answers it.
///
/// # Errors
/// A bench of which nothing was planned, a run that another process holds, or an answer that fits no
/// question.
pub async fn approvals(program: &Program, printer: Printer, args: ApprovalsArgs) -> Result<Status, Failure> {
    let bench = OpenedBench::open(&args.bench.bench, args.bench.out.as_deref())?;
    if args.go_on && !args.is_answer() {
        return Err(Failure::usage(
            "--go-on needs an answer: --allow, --deny or --answer".to_owned(),
        ));
    }
    let questions = questions(&bench, &args)?;
    if !args.is_answer() {
        return list(printer, args.json, &questions);
    }
    if let Some(prefix) = &args.digest {
        let asked = questions
            .iter()
            .map(|one| (one.asked.digest.hex(), &*one.asked.summary));
        ensure_one(prefix, asked.collect())?;
    }
    if questions.is_empty() {
        return Err(Failure::usage(format!(
            "{}: no cell that was chosen waits for an answer",
            bench.out.display()
        )));
    }
    let answer = PersonsAnswer {
        is_refused: args.deny,
        reason: args.reason.as_deref(),
        answer: args.answer.as_deref(),
        sign: &args.sign,
        is_silent: true,
    };
    let mut decisions: Vec<Value> = Vec::new();
    let mut refused = Vec::new();
    for one in &questions {
        // One run that is held, or that the answer does not fit, keeps no other one waiting.
        match answer.give(&program.settings, printer, &one.run, Some(one.asked.id)) {
            Ok(given) => decisions.extend(given),
            Err(failure) => refused.push(format!("{}: {}", one.cell.name(), failure.message)),
        }
    }
    for why in &refused {
        printer.note(printable(why));
    }
    if decisions.is_empty() {
        return Err(Failure::usage("nothing was answered".to_owned()));
    }
    let is_submitted = !Submissions::read(&bench.out)?.is_empty();
    if args.json && !args.go_on {
        printer.json(&json!({ "decisions": decisions, "refused": refused }))?;
    } else if !args.json {
        let file = args.bench.bench.display();
        let next = match (args.go_on, is_submitted) {
            (true, _) => String::new(),
            (false, true) => format!(" `reprise bench submit {file} --engine slurm` goes on with them."),
            (false, false) => format!(" `reprise bench {file}` goes on with them."),
        };
        printer.line(format!(
            "{} of {} questions answered.{next}",
            decisions.len(),
            questions.len()
        ));
    }
    match args.go_on {
        true => run(program, printer, local(&args, &questions)).await,
        false => Ok(Status::Done),
    }
}

/// Refuses the beginning of a digest by which an answer would be given to several questions, seen or not.
fn ensure_one(prefix: &str, asked: BTreeMap<String, &str>) -> Result<(), Failure> {
    if asked.len() <= 1 && !prefix.is_empty() {
        return Ok(());
    }
    let all = asked
        .iter()
        .map(|(digest, summary)| format!("{} ({})", excerpt::start(digest, 12), printable(summary)));
    Err(Failure::usage(format!(
        "--digest '{prefix}' does not name one question: give more of its digits. These begin so: {}",
        all.collect::<Vec<_>>().join(", ")
    )))
}

/// The arguments of the run that goes on with the cells of some questions.
fn local(args: &ApprovalsArgs, questions: &[CellQuestion]) -> LocalArgs {
    let mut only: Vec<String> = questions.iter().map(|one| one.cell.name()).collect();
    only.dedup();
    LocalArgs {
        file: Some(args.bench.bench.clone()),
        out: args.bench.out.clone(),
        choice: CellChoiceArgs {
            only,
            ..CellChoiceArgs::default()
        },
        plan: false,
        retry: Vec::new(),
        infrastructure_repeats: 2,
        parallel: 2,
        executions: EXECUTIONS,
        events: None,
        quiet: args.json,
        json: args.json,
        writes_plan: false,
    }
}

/// The questions of the cells that were chosen, in the order of the plan.
fn questions(bench: &OpenedBench, args: &ApprovalsArgs) -> Result<Vec<CellQuestion>, Failure> {
    let mut found = Vec::new();
    for cell in plan_of(bench)?.cells {
        let cell = cell.last_attempt(&bench.out);
        let run = bench.out.join(&cell.folder);
        if !args.chooses(&cell) || !run.join("journal.jsonl").is_file() {
            continue;
        }
        let state = RunReader::open(&run)?.state;
        if state.is_finished() {
            continue;
        }
        for asked in state
            .open_questions()
            .into_iter()
            .filter(|asked| args.is_chosen(asked))
        {
            found.push(CellQuestion {
                cell: cell.clone(),
                run: run.clone(),
                asked: asked.clone(),
            });
        }
    }
    Ok(found)
}

fn list(printer: Printer, json: bool, questions: &[CellQuestion]) -> Result<Status, Failure> {
    let mut groups = BTreeMap::<String, Vec<&CellQuestion>>::new();
    for one in questions {
        groups.entry(one.asked.digest.hex()).or_default().push(one);
    }
    if json {
        let told: Vec<Value> = groups
            .iter()
            .map(|(digest, group)| as_json(digest, group))
            .collect();
        printer.json(&json!({ "questions": told }))?;
        return Ok(Status::Done);
    }
    for (digest, group) in &groups {
        let Some(first) = group.first() else { continue };
        printer.line(format!(
            "{} {}",
            styled(paint::STRONG, excerpt::start(digest, 12)),
            one_line(&first.asked.summary)
        ));
        for one in group.iter().take(MOST_NAMED) {
            printer.line(format!(
                "  {} ({}, {})",
                one_line(&one.cell.name()),
                one.asked.id,
                shown(&one.run)
            ));
        }
        if group.len() > MOST_NAMED {
            printer.line(format!("  and {} more", group.len() - MOST_NAMED));
        }
    }
    printer.line(match questions.len() {
        0 => "no cell waits for an answer".to_owned(),
        all => format!(
            "{all} questions, {} different ones: answer them with --allow or --deny",
            groups.len()
        ),
    });
    Ok(Status::Done)
}

fn as_json(digest: &str, group: &[&CellQuestion]) -> Value {
    let cells = group.iter().map(|one| {
        json!({
            "cell": one.cell.cell,
            "name": one.cell.name(),
            "run": one.run,
            "id": one.asked.id.to_string(),
        })
    });
    let first = group.first();
    json!({
        "digest": digest,
        "asking": first.map(|one| one.asked.asking),
        "summary": first.map(|one| one.asked.summary.clone()),
        "cells": cells.collect::<Vec<_>>(),
    })
}

fn shown(run: &Path) -> String {
    printable(&run.display().to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_is_given_to_one_question() {
        let one = BTreeMap::from([("3a".repeat(32), "run work/a.py")]);
        let two: BTreeMap<String, &str> = one
            .clone()
            .into_iter()
            .chain([("3b".repeat(32), "run work/b.py")])
            .collect();
        assert!(ensure_one("3", one.clone()).is_ok());
        assert!(ensure_one("", one).is_err());
        let refused = ensure_one("3", two).unwrap_err().message;
        for part in ["3a3a3a3a3a3a (run work/a.py)", "3b3b3b3b3b3b (run work/b.py)"] {
            assert!(refused.contains(part), "{refused}");
        }
    }
}
