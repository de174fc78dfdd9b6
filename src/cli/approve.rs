//! `reprise approve`.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::Args;
use serde_json::{Value, json};

use crate::app;
use crate::domain::ids::ApprovalId;
use crate::engine::folder::RunFolder;
use crate::engine::request::RunRequest;
use crate::engine::run_reader::RunReader;
use crate::engine::watch::Unwatched;
use crate::model::name::ModelName;
use crate::run::event::{Asked, Asking, Decided, DecidedBy, Event};
use crate::settings::Settings;

use super::exit::{Failure, Status};
use super::output::{Printer, one_line, paint, printable, styled};
use super::run_folder;
use super::runs_below;
use super::signing::SignArgs;

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  reprise approve RUN                 approve what the run waits on
  reprise approve RUN a2 --deny --reason \"use the 1971 file\"
  reprise approve batch               what any run of a batch waits on
  reprise approve RUN a3 --answer \"yes, 2009\"")]
pub struct ApproveArgs {
    /// The run's folder, or one that holds several, such as a batch's
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
    let several = runs_below::is_above_runs(&args.dir);
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
        decisions.extend(answer(settings, printer, dir, args)?);
    }
    if args.json {
        printer.json(&decisions)?;
    } else if several {
        printer.line("The same `reprise batch` goes on, or `reprise resume RUN` with one of them.");
    } else {
        printer.line(format!("`reprise resume {}` goes on.", args.dir.display()));
    }
    Ok(Status::Done)
}

/// The runs below a folder that wait for an answer.
fn waiting_below(dir: &Path) -> Result<Vec<PathBuf>, Failure> {
    let mut waiting = Vec::new();
    for run in runs_below::runs_below(dir)? {
        let state = RunReader::open(run_folder::folder(&run)?)?.state;
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

/// Answers the open questions of one run.
fn answer(
    settings: &Settings,
    printer: Printer,
    dir: &Path,
    args: &ApproveArgs,
) -> Result<Vec<Value>, Failure> {
    let folder = run_folder::folder(dir)?;
    let mut session = app::run::session(settings, folder, Arc::new(Unwatched), args.sign.open()?)?;
    let open: Vec<Asked> = session.state.open_questions().into_iter().cloned().collect();
    let chosen: Vec<Asked> = match args.id {
        None => open,
        Some(id) => vec![pick(&open, id, dir)?],
    };
    if chosen.is_empty() {
        return Err(Failure::usage(format!("{} waits for no answer", dir.display())));
    }
    // What does not fit a question is said before what nobody would hear.
    for asked in &chosen {
        words(asked, args)?;
    }
    ensure_heard(&session.folder, dir, args)?;
    let mut decisions = Vec::new();
    for asked in chosen {
        let decided = Decided {
            id: asked.id,
            digest: asked.digest,
            allowed: !args.deny,
            by: DecidedBy::Person,
            words: words(&asked, args)?,
        };
        session.record(Event::Decided(Box::new(decided.clone())))?;
        if !args.json {
            let word = if decided.allowed { "allowed" } else { "refused" };
            printer.line(format!("{} {word}: {}", asked.id, one_line(&asked.summary)));
        }
        decisions.push(json!({
            "run": dir, "id": asked.id.to_string(), "allowed": decided.allowed, "digest": decided.digest,
            "words": decided.words,
        }));
    }
    Ok(decisions)
}

/// Refuses words that nobody would react to: a recording goes on as it was written.
fn ensure_heard(folder: &RunFolder, dir: &Path, args: &ApproveArgs) -> Result<(), Failure> {
    let words = args.answer.as_ref().or(args.reason.as_ref());
    let model = RunRequest::load(&folder.request())?.model;
    if words.is_none() || !matches!(model.parse(), Ok(ModelName::Recorded(_))) {
        return Ok(());
    }
    let dir = dir.display();
    Err(Failure::usage(format!(
        "{dir} replays {model}, a recording, which goes on as it was written whatever it is told: `reprise resume {dir} \
         --model human` takes its place, and the same words are then for you to act on; or answer without words"
    )))
}

fn pick(open: &[Asked], id: ApprovalId, dir: &Path) -> Result<Asked, Failure> {
    open.iter().find(|asked| asked.id == id).cloned().ok_or_else(|| {
        let ids: Vec<String> = open.iter().map(|asked| asked.id.to_string()).collect();
        let known = if ids.is_empty() {
            "none".to_owned()
        } else {
            ids.join(", ")
        };
        Failure::usage(format!(
            "{} has no open question {id}; open: {known}",
            dir.display()
        ))
    })
}

fn words(asked: &Asked, args: &ApproveArgs) -> Result<Option<String>, Failure> {
    match (&args.answer, asked.asking) {
        (Some(answer), Asking::Person) => Ok(Some(answer.clone())),
        (Some(_), _) => Err(Failure::usage(format!(
            "{} is not a question to answer in words: approve or --deny it",
            asked.id
        ))),
        (None, _) => Ok(args.reason.clone()),
    }
}
