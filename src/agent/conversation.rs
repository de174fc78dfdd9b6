//! One conversation as a fold: answers and observations go in, the next move
//! comes out. Pure, so that a resumed run arrives where it was.

use std::sync::Arc;

use serde_json::Value;

use crate::domain::conversation::{ChatResponse, Finish, Position, ToolCall};
use crate::domain::digest::Digest;
use crate::domain::failure::FailureCause;
use crate::model::chat::{ChatRequest, Message};
use crate::model::response_schema::ResponseSchema;
use crate::tools::contract::Observation;
use crate::tools::submit;

use super::beforehand::ToldBeforehand;
use super::brief::Brief;
use super::pending_call::PendingCall;
use super::protocol::KnownTools;
use super::reading::{self, Reading};
use super::repeats::{RepeatAction, Repeats};
use super::results::{self, LeftOut, Part, Placed, ResultStanding};
use super::{earlier_results, shrinking};
use super::{words, written};

/// The next move of a conversation.
#[derive(Debug, Clone, PartialEq)]
pub enum Move {
    /// Ask the model.
    Ask,
    /// Perform these calls, in order.
    Act(Vec<PendingCall>),
    /// The answer fits its schema.
    Finish { answer: Value, deviations: Vec<String> },
    /// The conversation is over without an answer.
    Fail { cause: FailureCause, detail: String },
}

/// A conversation under way.
#[derive(Debug)]
pub struct Conversation {
    brief: Brief,
    messages: Vec<Message>,
    /// Chain over `messages`.
    digest: Digest,
    turns: u32,
    calls: Vec<PendingCall>,
    /// Index of the message that made them.
    said: usize,
    observed: Vec<Option<Observation>>,
    /// Appended after the observations of this turn.
    remark: Option<String>,
    repairs: u32,
    /// What the next answer is held to, behind one that did not fit.
    form: Option<Arc<ResponseSchema>>,
    silent: u32,
    repeats: Repeats,
    /// Results and written texts among `messages`.
    placed: Vec<Placed>,
    left_out: Vec<LeftOut>,
    shrunk: u32,
    /// What the message on acts before the first turn becomes once there was one, and its index.
    beforehand: Option<(usize, Arc<str>)>,
    /// Whether the model was told that it wrote a call as text.
    told_of_text: bool,
    end: Option<Move>,
}

/// Consecutive answers with neither call nor result that are put up with.
const SILENT_TURNS: u32 = 3;
/// With this many turns left, the model is told so.
const LAST_TURNS: u32 = 3;

impl Conversation {
    /// A conversation before its first turn.
    pub fn new(brief: Brief) -> Self {
        let mut conversation = Self {
            digest: Digest::compute_json(&brief.tools),
            messages: Vec::new(),
            turns: 0,
            calls: Vec::new(),
            said: 0,
            observed: Vec::new(),
            remark: None,
            repairs: 0,
            form: None,
            silent: 0,
            repeats: Repeats::default(),
            placed: Vec::new(),
            left_out: Vec::new(),
            shrunk: 0,
            beforehand: None,
            told_of_text: false,
            end: None,
            brief,
        };
        conversation.push(Message::System {
            text: conversation.brief.system.clone(),
        });
        conversation.push(Message::User {
            text: conversation.brief.user.clone(),
        });
        conversation
    }

    /// What has to happen next.
    pub fn next(&self) -> Move {
        if let Some(end) = &self.end {
            return end.clone();
        }
        let waiting: Vec<PendingCall> = self
            .calls
            .iter()
            .zip(&self.observed)
            .filter(|(_, observed)| observed.is_none())
            .map(|(call, _)| call.clone())
            .collect();
        if !waiting.is_empty() {
            return Move::Act(waiting);
        }
        if self.turns >= self.brief.limits.turns {
            let detail = format!("no final answer within {} turns", self.brief.limits.turns);
            return Move::Fail {
                cause: FailureCause::Limit,
                detail,
            };
        }
        Move::Ask
    }

    /// The request that [`Move::Ask`] asks for.
    pub fn request(&self) -> ChatRequest {
        ChatRequest {
            position: self.position(),
            messages: self.messages.clone(),
            tools: self.brief.tools.clone(),
            max_output_tokens: Some(self.brief.limits.output_tokens),
            form: self.form.clone(),
        }
    }

    /// Digest of that request: a chain over its tools and messages.
    pub fn request_digest(&self) -> Digest {
        self.digest
    }

    /// How often old results were shrunk. Between two shrinkings every request
    /// begins with the one before it, word for word.
    pub fn shrinkings(&self) -> u32 {
        self.shrunk
    }

    /// What was shrunk: it has to be where its paths say before the
    /// model is asked.
    pub fn left_out(&self) -> &[LeftOut] {
        &self.left_out
    }

    /// Where the next answer belongs.
    pub fn position(&self) -> Position {
        Position {
            stage: self.brief.stage,
            turn: self.turns,
        }
    }

    /// Takes the model's answer in.
    pub fn answered(&mut self, response: &ChatResponse) {
        self.turns += 1;
        // Ids are made unique here, so that every provider's calls can be answered.
        let calls: Vec<ToolCall> = if self.brief.native_calls && response.finish != Finish::Length {
            response.calls.clone()
        } else {
            Vec::new()
        };
        let reading = reading::read(&self.brief, response);
        // What the model made up is never shown to it as something that was said.
        let said = match &reading {
            Reading::Calls {
                invented_at: Some(at),
                ..
            } => response.text[..*at].trim_end(),
            _ => &response.text,
        };
        // What a provider signed belongs to the answer as it was, and to no other.
        let whole = said == response.text && calls == response.calls;
        self.said = self.messages.len();
        self.push(Message::Assistant {
            text: said.into(),
            calls,
            thoughts: response.thoughts.clone().filter(|_| whole),
        });
        match reading {
            Reading::Calls {
                calls,
                as_text,
                invented_at,
            } => {
                self.silent = 0;
                self.form = None;
                self.observed = vec![None; calls.len()];
                self.calls = calls;
                self.remark = self.remark_on(as_text, invented_at.is_some());
            }
            Reading::Answer { answer, deviations } => {
                self.form = None;
                self.end = Some(Move::Finish { answer, deviations });
            }
            Reading::Misfit { faults } => self.misfit(&faults),
            Reading::Cut => {
                self.silent += 1;
                self.reply_or_give_up(words::CUT.to_owned(), "answers were cut off by the output limit");
            }
            Reading::Silent { hint } => {
                self.silent += 1;
                let nudge = words::nudge(&self.brief, hint.as_deref(), self.silent);
                self.reply_or_give_up(nudge, "answers held neither a tool call nor a final answer");
            }
            Reading::Refused => {
                let detail = words::excerpt(&response.text);
                self.end = Some(Move::Fail {
                    cause: FailureCause::Refused,
                    detail,
                });
            }
        }
    }

    /// Turns that are left.
    pub fn turns_left(&self) -> u32 {
        self.brief.limits.turns.saturating_sub(self.turns)
    }

    /// Tells of what was done before the first turn.
    pub fn told(&mut self, told: ToldBeforehand) {
        if told.later != told.first {
            self.beforehand = Some((self.messages.len(), told.later.into()));
        }
        self.push(Message::User {
            text: told.first.into(),
        });
    }

    /// Takes back an answer that fits its schema and not the world: the model is
    /// told why, and answers again.
    pub fn objected(&mut self, remark: &str) {
        self.end = None;
        self.push(Message::User { text: remark.into() });
    }

    /// Takes the observation of one call in; the last one completes the turn.
    pub fn observed(&mut self, index: u32, mut observation: Observation) {
        let index = index as usize;
        let Some(call) = self.calls.get(index) else { return };
        match self.repeats.note(call, observation.ok) {
            RepeatAction::Fine => {}
            RepeatAction::Warn(times) => {
                let warning = words::repeated(&call.tool, times);
                if let Some(stable) = &mut observation.stable {
                    stable.push_str(&warning);
                }
                observation.text.push_str(&warning);
            }
            RepeatAction::Stop(times) => {
                let detail = format!(
                    "the same call of `{}` failed {times} times in a row: {}",
                    call.tool,
                    words::excerpt(&observation.text)
                );
                self.end = Some(Move::Fail {
                    cause: FailureCause::Stuck,
                    detail,
                });
            }
        }
        self.observed[index] = Some(observation);
        if self.observed.iter().all(Option::is_some) {
            self.complete_turn();
        }
    }

    fn complete_turn(&mut self) {
        let calls = std::mem::take(&mut self.calls);
        let observed = std::mem::take(&mut self.observed);
        let submitted = submitted(&calls, &observed);
        for (call, observation) in calls.iter().zip(observed.iter().flatten()) {
            if observation.ok {
                self.note_written(call);
            }
        }
        for (call, observation) in calls.into_iter().zip(observed.into_iter().flatten()) {
            self.place(call, observation);
        }
        if let Some(remark) = self.remark.take() {
            self.push(Message::User { text: remark.into() });
        }
        let left = self.brief.limits.turns.saturating_sub(self.turns);
        if left == LAST_TURNS {
            self.push(Message::User {
                text: words::turns_left(left).into(),
            });
        }
        self.shrink();
        self.cut_earlier();
        if self.end.is_none()
            && let Some(answer) = submitted
        {
            self.end = Some(Move::Finish {
                answer,
                deviations: Vec::new(),
            });
        }
    }

    fn note_written(&mut self, call: &PendingCall) {
        let arguments = call.arguments.as_ref().ok();
        if let Some(digest) = arguments.and_then(|arguments| written::digest(&call.tool, arguments)) {
            self.placed.push(Placed {
                part: Part::Written,
                message: self.said,
                turn: self.turns,
                call: call.index,
                digest,
                standing: ResultStanding::Whole,
            });
        }
    }

    /// Appends a result, or a pointer to where it stands already.
    fn place(&mut self, call: PendingCall, observation: Observation) {
        let pointer = results::pointer(&call.tool, &observation, &self.brief.user, &self.placed);
        self.placed.push(Placed {
            part: Part::Result,
            message: self.messages.len(),
            turn: self.turns,
            call: call.index,
            digest: Digest::compute(&observation.text),
            standing: pointer
                .as_ref()
                .map_or(ResultStanding::Whole, |_| ResultStanding::Pointer),
        });
        self.push(Message::Tool {
            call: call.id,
            name: call.tool,
            text: pointer.unwrap_or(observation.text).into(),
            stable: observation.stable.map(Into::into),
        });
    }

    fn shrink(&mut self) {
        let Some(least) = self.brief.shrink_at else { return };
        let rule = shrinking::ShrinkingRule {
            least,
            from: self.brief.shrink_from,
            place: &format!("logs/results/{}", self.brief.stage),
            tools: &KnownTools::from_specs(&self.brief.tools),
        };
        let left_out = shrinking::shrink(&mut self.messages, &mut self.placed, self.turns, rule);
        if left_out.is_empty() {
            return;
        }
        self.left_out.extend(left_out);
        self.changed();
    }

    /// Cuts the results of turns before this one, where the stage has that.
    fn cut_earlier(&mut self) {
        let Some(most) = self.brief.earlier_results else {
            return;
        };
        let place = format!("logs/results/{}", self.brief.stage);
        let cut = earlier_results::cut(&mut self.messages, &mut self.placed, self.turns, most, &place);
        let mut is_changed = !cut.is_empty();
        self.left_out.extend(cut);
        if let Some((at, later)) = self.beforehand.take()
            && let Some(message) = self.messages.get_mut(at)
        {
            *message = Message::User { text: later };
            is_changed = true;
        }
        if is_changed {
            self.changed();
        }
    }

    /// The chain over messages that are others than they were.
    fn changed(&mut self) {
        self.shrunk += 1;
        self.digest = Digest::compute_json(&self.brief.tools);
        for message in &self.messages {
            self.digest = Digest::compute_json(&(self.digest, message));
        }
    }

    fn remark_on(&mut self, as_text: bool, invented: bool) -> Option<String> {
        let mut remarks = Vec::new();
        if as_text && !std::mem::replace(&mut self.told_of_text, true) {
            remarks.push(words::WRITTEN_AS_TEXT);
        }
        if invented {
            remarks.push(words::INVENTED);
        }
        (!remarks.is_empty()).then(|| remarks.join(" "))
    }

    fn misfit(&mut self, faults: &[String]) {
        self.silent = 0;
        if self.repairs >= self.brief.limits.repairs {
            let detail = format!("the answer still does not fit its schema: {}", faults.join("; "));
            self.end = Some(Move::Fail {
                cause: FailureCause::InvalidAnswer,
                detail,
            });
            return;
        }
        self.repairs += 1;
        // A call that is written as text would not fit the form.
        let native = self.brief.native_calls;
        self.form = native.then(|| Arc::new(self.brief.response_schema()));
        self.push(Message::User {
            text: words::faults(faults).into(),
        });
    }

    fn reply_or_give_up(&mut self, reply: String, what: &str) {
        if self.silent > SILENT_TURNS {
            let detail = format!("{} {what}", self.silent);
            self.end = Some(Move::Fail {
                cause: FailureCause::InvalidAnswer,
                detail,
            });
        } else {
            self.push(Message::User { text: reply.into() });
        }
    }

    fn push(&mut self, message: Message) {
        self.digest = Digest::compute_json(&(self.digest, &message));
        self.messages.push(message);
    }
}

/// The answers that the last call handed in.
fn submitted(calls: &[PendingCall], observed: &[Option<Observation>]) -> Option<Value> {
    let call = calls.last().filter(|call| call.tool == submit::NAME)?;
    let taken = observed
        .last()?
        .as_ref()
        .is_some_and(|observation| observation.ok);
    let arguments = call.arguments.as_ref().ok().filter(|_| taken)?;
    submit::handed_in(arguments)
}
