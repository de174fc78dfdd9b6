//! A published agent's conversation as a fold, with the attempts that it makes.

use std::sync::Arc;

use serde_json::Value;

use super::step::{ReadStep, Step, UnreadStep};
use super::{commands, react, reflecting};
use crate::agent::beforehand::{StepBeforehand, ToldBeforehand};
use crate::agent::brief::{Brief, BriefDialogue};
use crate::agent::conversation::Move;
use crate::agent::pending_call::PendingCall;
use crate::agent::words;
use crate::catalog::stages::dialogue::DialogueForm;
use crate::domain::conversation::{ChatResponse, Finish, Position};
use crate::domain::digest::Digest;
use crate::domain::failure::FailureCause;
use crate::model::chat::{ChatRequest, Message};
use crate::notebook::told;
use crate::tools::contract::Observation;
use crate::tools::submit;

/// Said when the output limit cut an answer.
const CUT: &str = "Your last answer was cut off by the output limit, so that nothing of it was done. Give it again in a \
    shorter form.";
/// Where what a cut of an earlier observation leaves out can be read.
const WHOLE: &str = "the whole is below `logs/kernel/`";

/// An answer that could not be read, and the correction; the next request holds them, and none after it.
#[derive(Debug, Clone)]
struct Correction {
    said: Arc<str>,
    remark: Arc<str>,
}

/// A call that waits for its observation.
#[derive(Debug)]
struct OpenStep {
    said: Arc<str>,
    call: PendingCall,
}

/// A published agent's conversation under way.
#[derive(Debug)]
pub struct StepConversation {
    brief: Brief,
    dialogue: BriefDialogue,
    /// Steps of the attempt under way.
    steps: Vec<Step>,
    open: Option<OpenStep>,
    correction: Option<Correction>,
    /// Answers in a row that could not be read.
    unread: u32,
    /// Answers that were asked for, of all attempts.
    turns: u32,
    /// Those among them that count: neither unread ones nor plans do.
    iterations: u32,
    /// Attempts that are over.
    over: u32,
    /// Why the last one is over, until the plan for the next is there.
    reflects: Option<Arc<str>>,
    plans: Vec<String>,
    end: Option<Move>,
}

impl StepConversation {
    /// A conversation before its first turn.
    pub fn new(brief: Brief, dialogue: BriefDialogue) -> Self {
        Self {
            brief,
            dialogue,
            steps: Vec::new(),
            open: None,
            correction: None,
            unread: 0,
            turns: 0,
            iterations: 0,
            over: 0,
            reflects: None,
            plans: Vec::new(),
            end: None,
        }
    }

    /// What has to happen next.
    pub fn next(&self) -> Move {
        if let Some(end) = &self.end {
            return end.clone();
        }
        if let Some(open) = &self.open {
            return Move::Act(vec![open.call.clone()]);
        }
        if !self.is_reflecting() && self.iterations >= self.allowed() {
            let detail = format!("no answer was submitted within {} iterations", self.iterations);
            return Move::Fail {
                cause: FailureCause::Limit,
                detail,
            };
        }
        Move::Ask
    }

    /// The iterations by whose end the attempt under way is over: those of all attempts, in equal shares.
    fn allowed(&self) -> u32 {
        let (attempt, attempts) = (u64::from(self.over) + 1, u64::from(self.dialogue.attempts.max(1)));
        let share = u64::from(self.brief.limits.turns) * attempt / attempts;
        u32::try_from(share).unwrap_or(u32::MAX)
    }

    /// Whether the model is to write the plan for its next attempt.
    pub fn is_reflecting(&self) -> bool {
        self.reflects.is_some()
    }

    /// Whether another attempt is made where this one submits nothing.
    pub fn has_further_attempt(&self) -> bool {
        self.over + 1 < self.dialogue.attempts
    }

    /// Ends the attempt under way, which submitted nothing: the model is asked for a plan, and begins again.
    pub fn attempt_over(&mut self, why: &str) {
        self.over += 1;
        self.reflects = Some(why.into());
        self.end = None;
        self.open = None;
        self.correction = None;
        self.unread = 0;
    }

    /// The request that [`Move::Ask`] asks for.
    pub fn request(&self) -> ChatRequest {
        ChatRequest {
            position: self.position(),
            messages: self.messages(),
            tools: Arc::from([]),
            max_output_tokens: Some(self.brief.limits.output_tokens),
            form: None,
        }
    }

    /// Digest of that request.
    pub fn request_digest(&self) -> Digest {
        Digest::compute_json(&self.messages())
    }

    /// Where the next answer belongs.
    pub fn position(&self) -> Position {
        Position {
            stage: self.brief.stage,
            turn: self.turns,
        }
    }

    /// Turns that are left.
    pub fn turns_left(&self) -> u32 {
        self.brief.limits.turns.saturating_sub(self.iterations)
    }

    fn messages(&self) -> Vec<Message> {
        let user = |text: Arc<str>| Message::User { text };
        let assistant = |text: Arc<str>| Message::Assistant {
            text,
            calls: Vec::new(),
            thoughts: None,
        };
        if let Some(why) = &self.reflects {
            return vec![
                Message::System {
                    text: self.dialogue.reflection.clone(),
                },
                user(self.to_reflect_on(why).into()),
            ];
        }
        let mut messages = vec![
            Message::System {
                text: self.brief.system.clone(),
            },
            user(reflecting::with_plans(&self.brief.user, &self.plans)),
        ];
        let said = self.correction.as_ref().map(|correction| &*correction.said);
        match self.dialogue.form {
            DialogueForm::React => {
                let history = react::history(&self.steps, |index, step| self.seen(index, step));
                let texts = [history.as_str(), said.unwrap_or_default()];
                let texts: Vec<&str> = texts
                    .iter()
                    .map(|text| text.trim())
                    .filter(|text| !text.is_empty())
                    .collect();
                // Providers take neither an empty answer nor one that ends with a blank.
                if !texts.is_empty() {
                    messages.push(assistant(texts.join("\n\n").into()));
                }
            }
            DialogueForm::Commands => {
                for (index, step) in self.steps.iter().enumerate() {
                    messages.push(assistant(step.said.clone()));
                    let seen = self.seen(index, step);
                    messages.push(user(match seen.trim().is_empty() {
                        true => "(It printed nothing.)".into(),
                        false => seen.into(),
                    }));
                }
                messages.extend(
                    said.filter(|said| !said.trim().is_empty())
                        .map(|said| assistant(said.into())),
                );
            }
        }
        messages.extend(
            self.correction
                .as_ref()
                .map(|correction| user(correction.remark.clone())),
        );
        messages
    }

    /// What is shown of an observation: the newest as it was told, the last characters of those before it.
    fn seen(&self, index: usize, step: &Step) -> String {
        match (self.brief.earlier_results, index + 1 == self.steps.len()) {
            (Some(most), false) => told::last(&step.seen, most, WHOLE),
            _ => step.seen.to_string(),
        }
    }

    /// The attempt that is over, as its model reads it again.
    fn to_reflect_on(&self, why: &str) -> String {
        let most = self.brief.earlier_results.unwrap_or(told::EARLIER);
        let history = match self.dialogue.form {
            DialogueForm::React => react::history(&self.steps, |_, step| told::last(&step.seen, most, WHOLE)),
            DialogueForm::Commands => {
                let steps = self.steps.iter();
                let steps =
                    steps.map(|step| format!("{}\n\n{}\n", step.said, told::last(&step.seen, most, WHOLE)));
                steps.collect::<Vec<_>>().join("\n")
            }
        };
        format!(
            "The task:\n{}\n\nThe attempt:\n{}\n\nIt submitted nothing: {why}.",
            reflecting::with_plans(&self.brief.user, &self.plans),
            told::last(&history, reflecting::LONGEST_HISTORY, "they are not shown")
        )
    }

    /// Takes the model's answer in.
    pub fn answered(&mut self, response: &ChatResponse) {
        self.turns += 1;
        if self.reflects.take().is_some() {
            self.plans.push(match response.finish {
                Finish::Refused => String::new(),
                Finish::Stop | Finish::Length => reflecting::plan(&response.text),
            });
            self.steps.clear();
            return;
        }
        let read = match response.finish {
            Finish::Refused => {
                self.end = Some(Move::Fail {
                    cause: FailureCause::Refused,
                    detail: words::excerpt(&response.text),
                });
                return;
            }
            Finish::Length => Err(UnreadStep::from(CUT)),
            Finish::Stop => match self.dialogue.form {
                DialogueForm::React => react::read(&response.text),
                DialogueForm::Commands => commands::read(&response.text),
            },
        };
        match read {
            Ok(ReadStep { said, call }) => {
                self.iterations += 1;
                self.unread = 0;
                self.correction = None;
                self.open = Some(OpenStep {
                    said: said.into(),
                    call,
                });
            }
            Err(UnreadStep(remark)) => self.corrected(&response.text, &remark),
        }
    }

    fn corrected(&mut self, said: &str, remark: &str) {
        self.unread += 1;
        if self.unread > self.brief.limits.repairs {
            let why = remark.trim_end_matches('.');
            let detail = format!("{} answers in a row could not be read: {why}", self.unread);
            self.end = Some(Move::Fail {
                cause: FailureCause::InvalidAnswer,
                detail,
            });
            return;
        }
        self.correction = Some(Correction {
            said: said.into(),
            remark: remark.into(),
        });
    }

    /// Tells of what was done before the attempt's first turn.
    pub fn told(&mut self, told: ToldBeforehand) {
        let form = self.dialogue.form;
        self.steps.extend(told.steps.into_iter().map(|step| {
            let StepBeforehand {
                thought,
                action,
                content,
                seen,
            } = step;
            let said = match form {
                DialogueForm::React => react::written(&thought, &action, &content),
                DialogueForm::Commands => {
                    let command = if content.is_empty() { &action } else { &content };
                    commands::written(&thought, command)
                }
            };
            Step {
                said: said.into(),
                seen: seen.into(),
            }
        }));
    }

    /// Takes back an answer that does not fit the world: the model is told why, and answers again.
    pub fn objected(&mut self, remark: &str) {
        self.end = None;
        self.correction = Some(Correction {
            said: "".into(),
            remark: remark.into(),
        });
    }

    /// Takes what was seen of a call in.
    pub fn observed(&mut self, observation: Observation) {
        let Some(OpenStep { said, call }) = self.open.take() else {
            return;
        };
        self.steps.push(Step {
            said,
            seen: observation.text.into(),
        });
        if let Some(answer) = submitted(&call).filter(|_| observation.ok) {
            self.end = Some(Move::Finish {
                answer,
                deviations: Vec::new(),
            });
        }
    }
}

/// The answer that a call hands in.
fn submitted(call: &PendingCall) -> Option<Value> {
    let arguments = call.arguments.as_ref().ok()?;
    (call.tool == submit::NAME).then(|| submit::handed_in(arguments))?
}

#[cfg(test)]
mod tests;
