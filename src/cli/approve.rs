//! `reprise approve`.

use std::path::PathBuf;
use std::sync::Arc;

use clap::Args;
use serde_json::json;

use crate::app;
use crate::domain::ids::ApprovalId;
use crate::engine::watch::Unwatched;
use crate::run::event::{Asked, Asking, Decided, DecidedBy, Event};
use crate::settings::Settings;

use super::exit::{Failure, Status};
use super::output::{Printer, one_line};
use super::run_folder;
use super::signing::SignArgs;

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  reprise approve RUN                 approve what the run waits on
  reprise approve RUN a2 --deny --reason \"use the 1971 file\"
  reprise approve RUN a3 --answer \"yes, 2009\"")]
pub struct ApproveArgs {
    /// The run's folder.
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
    let folder = run_folder::folder(&args.dir)?;
    let mut session = app::run::session(settings, folder, Arc::new(Unwatched), args.sign.open()?)?;
    let open: Vec<Asked> = session.state.open_questions().into_iter().cloned().collect();
    let chosen: Vec<Asked> = match args.id {
        None => open,
        Some(id) => vec![pick(&open, id, &args.dir)?],
    };
    if chosen.is_empty() {
        return Err(Failure::usage(format!(
            "{} waits for no answer",
            args.dir.display()
        )));
    }
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
            "id": asked.id.to_string(), "allowed": decided.allowed, "digest": decided.digest, "words": decided.words,
        }));
    }
    if args.json {
        printer.json(&decisions)?;
    } else {
        printer.line(format!("`reprise resume {}` goes on.", args.dir.display()));
    }
    Ok(Status::Done)
}

fn pick(open: &[Asked], id: ApprovalId, dir: &std::path::Path) -> Result<Asked, Failure> {
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
