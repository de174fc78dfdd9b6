//! State of one stage.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::domain::content::Content;
use crate::domain::conversation::{Finish, ToolCall};
use crate::domain::digest::Digest;
use crate::domain::execution::RUN_ANALYSIS;
use crate::domain::price::{Price, Prices};
use crate::domain::usage::{MicroDollars, Usage};
use crate::domain::waiting::Waiting;

use super::event::{ActedBeforehand, CallRef, Change, Spent, StageEnd, ToolFinished};
use super::program::ProgramCall;
use super::program_state::{FailedCallState, ProgramRounds, ProgramState};

/// One answer of the model and what came of its calls.
#[derive(Debug, Clone, PartialEq)]
pub struct TurnState {
    pub request: Digest,
    pub text: Content,
    pub calls: Vec<ToolCall>,
    pub finish: Finish,
    pub usage: Usage,
    /// The prices at which it was paid, and the calls that it led to.
    pub prices: Arc<Prices>,
    pub wall_ms: u64,
    pub waiting: Waiting,
    /// What the provider wants back with the next request.
    pub thoughts: Option<Content>,
    /// The name of the person who answered in the place of a model.
    pub author: Option<String>,
    /// The call of the program that asked, where the agent is one.
    pub program: Option<Arc<ProgramCall>>,
    /// Finished calls by their index.
    pub results: BTreeMap<u32, ToolFinished>,
    /// Of an answer that was held against the web or the claim.
    pub review: Option<ReviewState>,
}

/// A call of a model, and what it is paid by.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PricedCall<'a> {
    /// The model's full name.
    pub model: &'a str,
    pub usage: Usage,
    /// `None` where the journal holds no price for it.
    pub price: Option<Price>,
    pub is_answered: bool,
}

impl TurnState {
    fn beside(&self) -> impl Iterator<Item = (&str, Usage)> {
        self.results.values().flat_map(|result| {
            let looked = result.looked.iter().map(|one| (one.model.as_str(), one.usage));
            let spent = result.spent.iter().map(|one| (one.model.as_str(), one.usage));
            looked.chain(spent)
        })
    }
}

/// The review of an answer, and the remark that the model was told.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReviewState {
    pub checks: Content,
    pub remark: Option<Content>,
}

/// An attempt that submitted nothing, behind which another was begun.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AttemptOver {
    /// The stage's turns by then; the next one is its agent's plan.
    pub turns: usize,
    /// The stage's acts before first turns by then.
    pub beforehand: usize,
    /// Why, as a clause.
    pub why: String,
}

/// A stage that has begun.
#[derive(Debug, Clone, PartialEq)]
pub struct StageState {
    pub system: Content,
    pub user: Content,
    pub tools: Vec<String>,
    pub native_calls: bool,
    /// Whether its agent is a program of others.
    pub by_program: bool,
    /// Bytes that shrinking old results has to save; `None`: nothing is shrunk.
    pub shrink_at: Option<u64>,
    /// Bytes of the conversation below which nothing is shrunk.
    pub shrink_from: u64,
    /// What was done before the agent's first turn of each attempt, as the task asks for it.
    pub beforehand: Vec<ActedBeforehand>,
    pub turns: Vec<TurnState>,
    /// Attempts that submitted nothing, behind each of which another was begun.
    pub attempts_over: Vec<AttemptOver>,
    /// The starts of the program that is its agent, where it is one.
    pub programs: Vec<ProgramState>,
    /// The calls of that program that got no answer.
    pub failed_calls: Vec<FailedCallState>,
    pub end: Option<StageEnd>,
    /// What calls that were never answered had waited for, and took.
    pub in_vain: Waiting,
    /// The prices when the last of them broke off.
    pub prices_in_vain: Arc<Prices>,
}

impl StageState {
    /// The acts before the first turn of the attempt under way.
    pub fn own_beforehand(&self) -> &[ActedBeforehand] {
        let from = self.attempts_over.last().map_or(0, |over| over.beforehand);
        self.beforehand.get(from..).unwrap_or_default()
    }

    /// The turns of the attempt under way, without that of its plan.
    pub fn own_turns(&self) -> &[TurnState] {
        let from = self.attempts_over.last().map_or(0, |over| over.turns + 1);
        self.turns.get(from..).unwrap_or_default()
    }

    /// Whether the attempt under way is begun, and has had no turn.
    pub fn is_before_turns(&self) -> bool {
        let from = self.attempts_over.last().map_or(0, |over| over.turns + 1);
        self.turns.len() == from
    }

    /// The files that its calls, or its program, changed, in order, each with its place.
    pub fn changes(&self) -> impl Iterator<Item = (CallRef, &Change)> {
        let results = self.turns.iter().flat_map(|turn| turn.results.values());
        let calls = results.filter_map(|call| Some((call.at, call.change.as_ref()?)));
        calls.chain(self.rounds().changes())
    }

    /// The rounds of its program.
    pub fn rounds(&self) -> ProgramRounds<'_> {
        ProgramRounds(&self.programs)
    }

    /// Takes in what a call that was never answered had waited for, and took.
    pub fn wait_in_vain(&mut self, waiting: Waiting, prices: Arc<Prices>) {
        self.in_vain += waiting;
        self.prices_in_vain = prices;
    }

    /// Whether its agent can have commands executed.
    pub fn executes(&self) -> bool {
        self.tools.iter().any(|tool| tool == RUN_ANALYSIS)
    }

    /// How many answers were reviewed.
    pub fn reviews(&self) -> usize {
        self.turns.iter().filter(|turn| turn.review.is_some()).count()
    }

    /// Tokens of every call, those that broke off included, of every picture that was looked at, and of
    /// every hosted search.
    pub fn usage(&self) -> Usage {
        let lost = self.turns.iter().map(|turn| turn.waiting.lost);
        let others = self.beside().map(|(_, usage)| usage).chain(lost);
        self.own_usage() + self.in_vain.lost + others.fold(Usage::default(), |sum, usage| sum + usage)
    }

    /// Tokens of every turn.
    pub fn own_usage(&self) -> Usage {
        self.turns
            .iter()
            .fold(Usage::default(), |sum, turn| sum + turn.usage)
    }

    /// Calls of a model beside the turns: its full name, and the tokens.
    pub fn beside(&self) -> impl Iterator<Item = (&str, Usage)> {
        self.turns.iter().flat_map(TurnState::beside)
    }

    /// Every call, those that broke off included, with the price that was journaled for it; `own` is the run's model.
    pub fn calls<'a>(&'a self, own: &'a str) -> impl Iterator<Item = PricedCall<'a>> {
        let answered = self.turns.iter().flat_map(move |turn| {
            let calls = std::iter::once((own, turn.usage + turn.waiting.lost)).chain(turn.beside());
            calls.map(|(model, usage)| PricedCall {
                model,
                usage,
                price: turn.prices.get(model),
                is_answered: true,
            })
        });
        let lost = (!self.in_vain.lost.is_none()).then(|| PricedCall {
            model: own,
            usage: self.in_vain.lost,
            price: self.prices_in_vain.get(own),
            is_answered: false,
        });
        answered.chain(lost)
    }

    /// What was charged for hosted searches beside their tokens, where that was known.
    pub fn fees(&self) -> MicroDollars {
        self.hosted().filter_map(|spent| spent.fee).sum()
    }

    /// Hosted searches of which it is not known what they cost beside their tokens.
    pub fn searches_without_fee(&self) -> u64 {
        let unknown = self.hosted().filter(|spent| spent.fee.is_none());
        unknown.map(|spent| spent.searches.max(1)).sum()
    }

    fn hosted(&self) -> impl Iterator<Item = &Spent> {
        let results = self.turns.iter().flat_map(|turn| turn.results.values());
        results.filter_map(|result| result.spent.as_ref())
    }

    /// The answer, where the stage finished.
    pub fn artifact(&self) -> Option<&Content> {
        match &self.end {
            Some(StageEnd::Finished { artifact, .. }) => Some(artifact),
            _ => None,
        }
    }
}
