//! Answers of a person to the open questions of runs.

use std::path::Path;
use std::sync::Arc;

use serde_json::{Value, json};

use super::exit::Failure;
use super::output::{Printer, one_line};
use super::signing::SignArgs;
use crate::app;
use crate::domain::ids::ApprovalId;
use crate::engine::folder::RunFolder;
use crate::engine::request::RunRequest;
use crate::engine::watch::Unwatched;
use crate::model::name::ModelName;
use crate::run::event::{Asked, Asking, Decided, DecidedBy, Event};
use crate::settings::Settings;

/// The answer of a person to open questions.
#[derive(Clone, Copy)]
pub struct PersonsAnswer<'a> {
    pub is_refused: bool,
    /// Advice that goes with a refusal.
    pub reason: Option<&'a str>,
    /// The answer to a question in words.
    pub answer: Option<&'a str>,
    pub sign: &'a SignArgs,
    /// Whether nothing is printed on the way.
    pub is_silent: bool,
}

impl PersonsAnswer<'_> {
    /// Answers the open questions of one run, or the one of that id.
    ///
    /// # Errors
    /// No run in the folder, one that another process holds, or no open question of that name.
    pub fn give(
        &self,
        settings: &Settings,
        printer: Printer,
        dir: &Path,
        id: Option<ApprovalId>,
    ) -> Result<Vec<Value>, Failure> {
        let folder = RunFolder::find(dir)?;
        let mut session = app::run::session(settings, folder, Arc::new(Unwatched), self.sign.open()?)?;
        let open: Vec<Asked> = session.state.open_questions().into_iter().cloned().collect();
        let chosen: Vec<Asked> = match id {
            None => open,
            Some(id) => vec![pick(&open, id, dir)?],
        };
        if chosen.is_empty() {
            return Err(Failure::usage(format!("{} waits for no answer", dir.display())));
        }
        // What does not fit a question is said before what nobody would hear.
        for asked in &chosen {
            self.words(asked)?;
        }
        self.ensure_heard(&session.folder, dir)?;
        let mut decisions = Vec::new();
        for asked in chosen {
            let decided = Decided {
                id: asked.id,
                digest: asked.digest,
                allowed: !self.is_refused,
                by: DecidedBy::Person,
                words: self.words(&asked)?,
            };
            session.record(Event::Decided(Box::new(decided.clone())))?;
            if !self.is_silent {
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
    fn ensure_heard(&self, folder: &RunFolder, dir: &Path) -> Result<(), Failure> {
        let model = RunRequest::load(&folder.request())?.model;
        let words = self.answer.or(self.reason);
        if words.is_none() || !matches!(model.parse(), Ok(ModelName::Recorded(_))) {
            return Ok(());
        }
        let dir = dir.display();
        Err(Failure::usage(format!(
            "{dir} replays {model}, a recording, which goes on as it was written whatever it is told: `reprise resume \
             {dir} --model human` takes its place, and the same words are then for you to act on; or answer without words"
        )))
    }

    fn words(&self, asked: &Asked) -> Result<Option<String>, Failure> {
        match (self.answer, asked.asking) {
            (Some(answer), Asking::Person) => Ok(Some(answer.to_owned())),
            (Some(_), _) => Err(Failure::usage(format!(
                "{} is not a question to answer in words: approve or --deny it",
                asked.id
            ))),
            (None, _) => Ok(self.reason.map(str::to_owned)),
        }
    }
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
