//! A person as the model of a run: asks nobody, and waits until forms are filled in.

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use async_trait::async_trait;
use serde_json::{Value, json};

use crate::catalog::stages::load::Catalog;
use crate::domain::conversation::{ChatResponse, Finish, ToolCall};
use crate::domain::criterion::FixedCriterion;
use crate::domain::digest::Digest;
use crate::domain::execution::RUN_ANALYSIS;
use crate::domain::stage::Stage;
use crate::domain::usage::Usage;
use crate::domain::workspace_path::WorkspacePath;
use crate::model::chat::{ChatModel, ChatRequest, Message, ModelError};

use super::code::{self, ChangedFile};
use super::desk::{Desk, HandWork};
use super::files::{FormFile, HandFiles};
use super::filled_form::{self, FilledForm, FormRules};
use super::form::empty_form;

/// The tool that scripts are laid down with.
const WRITE: &str = "write_file";

/// The place and the rules of a person's work.
#[derive(Clone)]
pub struct Workplace {
    pub files: HandFiles,
    /// The run's workspace, into which scripts go.
    pub workspace: PathBuf,
    pub catalog: Arc<Catalog>,
    /// The rule that the study fixes for its claim.
    pub criterion: Option<FixedCriterion>,
    pub desk: Arc<dyn Desk>,
    /// The person's name.
    pub author: String,
}

/// A person who answers in the place of a model.
pub struct PersonModel {
    name: String,
    place: Workplace,
    /// Scripts that were laid down as they are, by digest: one that did not arrive is not
    /// laid down again.
    laid_down: Mutex<BTreeSet<Digest>>,
}

/// A move at the desk.
enum DeskMove {
    Answer(ChatResponse),
    Wait(HandWork),
}

/// A hindrance to the next move.
enum Hindrance {
    /// The run's folder fails.
    Files(io::Error),
    /// The person has something to mend: whole sentences.
    Person(String),
}

impl From<io::Error> for Hindrance {
    fn from(error: io::Error) -> Self {
        Self::Files(error)
    }
}

/// The occasion of a move, to which the person reacts.
enum Occasion {
    Opening,
    /// The analysis ran.
    Ran(String),
    /// Other calls were made, such as scripts laid down.
    Called(String),
    /// The last answer was taken back.
    Objected {
        said: String,
        answer: String,
    },
}

impl PersonModel {
    /// A person called `name` in models' lists, at a place of work.
    pub fn new(name: &str, place: Workplace) -> Self {
        Self {
            name: name.to_owned(),
            place,
            laid_down: Mutex::default(),
        }
    }

    fn next(&self, request: &ChatRequest) -> Result<DeskMove, Hindrance> {
        let (stage, turn) = (request.position.stage, request.position.turn);
        let files = &self.place.files;
        files.lay_out()?;
        let offers = |name: &str| request.tools.iter().any(|tool| tool.name == name);
        let occasion = occasion(&request.messages);
        let executes = offers(RUN_ANALYSIS);
        let changed = if offers(WRITE) {
            self.changed(stage)?
        } else {
            Vec::new()
        };
        match &occasion {
            Occasion::Opening if executes => {
                return Ok(self
                    .lay_down(request, changed)
                    .unwrap_or_else(|| run_analysis(turn)));
            }
            Occasion::Called(_) if executes && changed.is_empty() => return Ok(run_analysis(turn)),
            _ => {}
        }
        if let Some(words) = self.told(request, &occasion)? {
            return Ok(self.wait(stage, words));
        }
        let Some(form) = files.read_form(stage)? else {
            return Ok(self.wait(stage, self.invitation(request)));
        };
        // What was mended after a run is for another one, whatever the form says.
        let is_for_a_run = executes && !changed.is_empty();
        let filled = (!is_for_a_run).then(|| self.filled(&form, stage)).transpose()?;
        let Some(answer) = filled.filter(|_| changed.is_empty()) else {
            return Ok(self
                .lay_down(request, changed)
                .unwrap_or_else(|| self.not_laid_down(stage, &occasion)));
        };
        let text = written(&answer.given);
        if let Occasion::Objected { said, answer } = &occasion
            && *answer == text
        {
            let words = format!("{} has to be mended:\n{said}", form.path.display());
            return Ok(self.wait(stage, words));
        }
        Ok(DeskMove::Answer(response(text, Vec::new())))
    }

    /// Scripts, and the plan that the stage executes, as far as the workspace does not hold
    /// them as the person has them.
    fn changed(&self, stage: Stage) -> Result<Vec<ChangedFile>, Hindrance> {
        let code = self.place.files.code();
        let mut changed = code::changed(&code, &self.place.workspace).map_err(|error| {
            Hindrance::Person(format!(
                "Scripts below {} cannot be taken: {error}.",
                code.display()
            ))
        })?;
        changed.extend(self.changed_plan(stage)?);
        Ok(changed)
    }

    fn changed_plan(&self, stage: Stage) -> Result<Option<ChangedFile>, Hindrance> {
        let catalog = &self.place.catalog;
        let planning = catalog.stage(stage).and_then(|stage| stage.inputs.plan);
        let place: Option<WorkspacePath> = catalog.plan_of(stage).and_then(|name| name.parse().ok());
        let (Some(planning), Some(place)) = (planning, place) else {
            return Ok(None);
        };
        let Some(form) = self.place.files.read_form(planning)? else {
            return Ok(None);
        };
        let plan = self.filled(&form, planning)?.canonical;
        let there = fs::read(place.below(&self.place.workspace)).ok();
        let there = there.and_then(|text| serde_json::from_slice::<Value>(&text).ok());
        Ok((there.as_ref() != Some(&plan)).then(|| ChangedFile {
            place,
            text: written(&plan),
        }))
    }

    /// A form as it is filled in.
    fn filled(&self, form: &FormFile, stage: Stage) -> Result<FilledForm, Hindrance> {
        filled_form::read(&form.text, form.syntax, self.rules(stage)).map_err(|faults| {
            let list: Vec<String> = faults.iter().map(|fault| format!("- {fault}")).collect();
            let words = format!("{} is not complete:\n{}", form.path.display(), list.join("\n"));
            Hindrance::Person(words)
        })
    }

    fn rules(&self, stage: Stage) -> FormRules<'_> {
        let definition = self.place.catalog.stage(stage);
        FormRules {
            stage,
            own_schema: definition.and_then(|stage| stage.own_schema.as_ref()),
            criterion: self.place.criterion.as_ref(),
        }
    }

    /// Writes down what the person has to know before this turn; `Some` where that had not
    /// been done, so that it has not been read either.
    fn told(&self, request: &ChatRequest, occasion: &Occasion) -> Result<Option<String>, io::Error> {
        let (stage, turn) = (request.position.stage, request.position.turn);
        let files = &self.place.files;
        let is_given = files.given(stage).exists();
        let has_form = !is_given && files.write_once(&files.form(stage), &self.form(stage))?;
        Ok(match occasion {
            Occasion::Opening => {
                if let Some(Message::User { text }) = request.messages.get(1) {
                    files.write_once(&files.instructions(stage), text)?;
                }
                has_form.then(|| self.invitation(request))
            }
            Occasion::Ran(said) => {
                let place = files.said(stage, turn);
                files.write_once(&place, said)?.then(|| {
                    format!(
                        "The analysis ran; what came of it is in {}. Fill in {}; or mend the scripts in {}, or the \
                         plan in its form, to run it again.",
                        place.display(),
                        files.form(stage).display(),
                        files.code().display()
                    )
                })
            }
            Occasion::Objected { said, .. } => {
                let is_new = files.write_once(&files.said(stage, turn), said)?;
                is_new.then(|| format!("{} has to be mended:\n{said}", files.answer(stage).display()))
            }
            Occasion::Called(_) => None,
        })
    }

    fn invitation(&self, request: &ChatRequest) -> String {
        let (stage, files) = (request.position.stage, &self.place.files);
        let scripts = if request.tools.iter().any(|tool| tool.name == WRITE) {
            format!(" Scripts go into {}.", files.code().display())
        } else {
            String::new()
        };
        format!(
            "The stage {stage} is done by hand: fill in {}.{scripts} What a model is told here, which says what \
             each part is for, is in {}.",
            files.form(stage).display(),
            files.instructions(stage).display()
        )
    }

    fn form(&self, stage: Stage) -> String {
        let introduction = format!(
            "The answer of the stage {stage}.\n\
             Lines with a # in front are comments; take the # away in front of a key to use it.\n\
             Text of several lines stands between three quotation marks (\"\"\"). What is left empty is not \
             answered; where it says FILL IN, something has to stand."
        );
        let stage = self.place.catalog.stage(stage);
        stage.map_or_else(String::new, |stage| {
            empty_form(&introduction, stage.answer_schema())
        })
    }

    fn wait(&self, stage: Stage, words: String) -> DeskMove {
        DeskMove::Wait(HandWork {
            stage,
            form: self.place.files.answer(stage),
            words,
        })
    }

    /// The calls that lay scripts down; `None` where there are none, or each was tried before.
    fn lay_down(&self, request: &ChatRequest, changed: Vec<ChangedFile>) -> Option<DeskMove> {
        let mut laid_down = self.laid_down.lock().unwrap_or_else(PoisonError::into_inner);
        let calls: Vec<ToolCall> = changed
            .into_iter()
            .filter(|file| laid_down.insert(Digest::compute_json(&(&file.place, &file.text))))
            .zip(0..)
            .map(|(file, index)| {
                let arguments = json!({ "path": file.place, "content": file.text, "overwrite": true });
                call(request.position.turn, index, WRITE, &arguments)
            })
            .collect();
        (!calls.is_empty()).then(|| DeskMove::Answer(response(String::new(), calls)))
    }

    fn not_laid_down(&self, stage: Stage, occasion: &Occasion) -> DeskMove {
        let why = match occasion {
            Occasion::Called(said) => said.as_str(),
            _ => "the workspace holds another file of that name",
        };
        let code = self.place.files.code();
        self.wait(
            stage,
            format!(
                "Scripts of {} did not get into the workspace: {why}",
                code.display()
            ),
        )
    }
}

#[async_trait]
impl ChatModel for PersonModel {
    fn name(&self) -> &str {
        &self.name
    }

    fn author(&self) -> Option<&str> {
        Some(&self.place.author)
    }

    async fn chat(&self, request: &ChatRequest) -> Result<ChatResponse, ModelError> {
        loop {
            let next = match self.next(request) {
                Ok(next) => next,
                Err(Hindrance::Person(words)) => self.wait(request.position.stage, words),
                Err(Hindrance::Files(error)) => {
                    return Err(ModelError::Misconfigured(format!("work by hand: {error}")));
                }
            };
            match next {
                DeskMove::Answer(response) => return Ok(response),
                DeskMove::Wait(work) => {
                    if !self.place.desk.work(&work).await {
                        return Err(ModelError::AwaitsPerson(work.words));
                    }
                }
            }
        }
    }
}

/// The occasion that the messages end with.
fn occasion(messages: &[Message]) -> Occasion {
    let last = messages
        .iter()
        .rposition(|message| matches!(message, Message::Assistant { .. }));
    let Some(last) = last else {
        return Occasion::Opening;
    };
    let mut results = Vec::new();
    let mut remarks = Vec::new();
    let mut ran = false;
    for message in &messages[last + 1..] {
        match message {
            Message::Tool { name, text, .. } => {
                ran |= name == RUN_ANALYSIS;
                results.push(text.as_ref());
            }
            Message::User { text } => remarks.push(text.as_ref()),
            _ => {}
        }
    }
    if ran {
        return Occasion::Ran(results.join("\n\n"));
    }
    if !results.is_empty() {
        return Occasion::Called(results.join("\n"));
    }
    let answer = match &messages[last] {
        Message::Assistant { text, .. } => text.to_string(),
        _ => String::new(),
    };
    Occasion::Objected {
        said: remarks.join("\n"),
        answer,
    }
}

fn run_analysis(turn: u32) -> DeskMove {
    let reason = json!({ "reason": "the plan is carried out" });
    DeskMove::Answer(response(
        String::new(),
        vec![call(turn, 0, RUN_ANALYSIS, &reason)],
    ))
}

fn call(turn: u32, index: usize, name: &str, arguments: &Value) -> ToolCall {
    ToolCall {
        id: format!("by-hand-{turn}-{index}"),
        name: name.to_owned(),
        arguments: arguments.to_string(),
    }
}

fn response(text: String, calls: Vec<ToolCall>) -> ChatResponse {
    ChatResponse {
        text,
        calls,
        finish: Finish::Stop,
        usage: Usage::default(),
        thoughts: None,
    }
}

fn written(answer: &Value) -> String {
    serde_json::to_string_pretty(answer).unwrap_or_default()
}
