//! `reprise approve`.

use std::path::{Path, PathBuf};

use clap::Args;

use crate::domain::ids::ApprovalId;
use crate::engine::run_reader::RunReader;
use crate::engine::runs;
use crate::settings::Settings;

use super::decisions::PersonsAnswer;
use super::exit::{Failure, Status};
use super::output::{Printer, paint, printable, styled};
use super::signing::SignArgs;

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  reprise approve RUN                 approve what the run waits on
  reprise approve RUN a2 --deny --reason \"use the 1971 file\"
  reprise approve bench               what any run of a bench waits on
  reprise approve RUN a3 --answer \"yes, 2009\"")]
pub struct ApproveArgs {
    /// The run's folder, or one that holds several, such as a bench's
    pub dir: PathBuf,
    /// The question [default: every open one]
    pub id: Option<ApprovalId>,
    /// Refuse; without a reason the stage ends as cancelled.
    #[arg(long)]
    pub deny: bool,
    /// Advice to the agent that goes with a refusal.
    #[arg(long, requires = "deny")]
    pub reason: Option<String>,
    /// The answer to a question of the agent's.
    #[arg(long, conflicts_with = "deny")]
    pub answer: Option<String>,
    #[command(flatten)]
    pub sign: SignArgs,
    /// Print the decisions as JSON.
    #[arg(long)]
    pub json: bool,
}

/// Answers open questions; `resume` acts on the answers.
///
/// # Errors
/// No run in the folder, one that another process holds, or no open question of that name.
pub fn approve(settings: &Settings, printer: Printer, args: &ApproveArgs) -> Result<Status, Failure> {
    let mut decisions = Vec::new();
    let answer = PersonsAnswer {
        is_refused: args.deny,
        reason: args.reason.as_deref(),
        answer: args.answer.as_deref(),
        sign: &args.sign,
        is_silent: args.json,
    };
    let several = runs::is_above_runs(&args.dir);
    let waiting = match several {
        true => waiting_below(&args.dir)?,
        false => vec![args.dir.clone()],
    };
    if several && args.id.is_some() {
        return Err(Failure::usage(format!(
            "{} holds several runs, which number their questions each for itself: name the run",
            args.dir.display()
        )));
    }
    for dir in &waiting {
        if several && !args.json {
            printer.line(styled(paint::STRONG, printable(&dir.display().to_string())));
        }
        decisions.extend(answer.give(settings, printer, dir, args.id)?);
    }
    if args.json {
        printer.json(&decisions)?;
    } else if several {
        printer.line("The same `reprise bench` goes on, or `reprise resume RUN` with one of them.");
    } else {
        printer.line(format!("`reprise resume {}` goes on.", args.dir.display()));
    }
    Ok(Status::Done)
}

/// The runs below a folder that wait for an answer.
fn waiting_below(dir: &Path) -> Result<Vec<PathBuf>, Failure> {
    let mut waiting = Vec::new();
    for run in runs::runs_below(dir)? {
        let state = RunReader::open(&run)?.state;
        if !state.is_finished() && !state.open_questions().is_empty() {
            waiting.push(run);
        }
    }
    match waiting.is_empty() {
        true => Err(Failure::usage(format!(
            "{} holds no run that waits for an answer",
            dir.display()
        ))),
        false => Ok(waiting),
    }
}
