//! Calls of a program on their way to the journal.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use tokio::sync::{mpsc, oneshot};
use tokio::task::{JoinError, JoinHandle, spawn_blocking};
use tokio::time::Instant;

use super::earlier_calls::{EarlierCall, EarlierEnd, EarlierQueue};
use super::normalised::Normalisation;
use super::questions::{self, CommandQuestion};
use super::recorded_bytes::RecordedBytes;
use crate::domain::digest::Digest;
use crate::domain::usage::Usage;
use crate::domain::waiting::Waiting;
use crate::model::chat::ModelError;
use crate::model::proxy::answer_reading::ProviderAnswer;
use crate::model::proxy::asked_command::{AskedCommand, CommandReply};
use crate::model::proxy::call_budget::{CallAllowance, CallBudget};
use crate::model::proxy::call_engine::{CallEngine, EndedCall};
use crate::model::proxy::call_failure::{CallFailure, ToldFailure};
use crate::model::proxy::proxied_call::ProxiedCall;
use crate::model::proxy::upstream::Upstream;
use crate::policy::limits::Reached;
use crate::run::program::CallCounts;

/// Reasons of requests that were turned away that are kept.
const REASONS: usize = 10;

/// Failures that are journaled of one start: a program that asks for ever fills no disk.
const FAILURES: u64 = 1000;

/// A call that is to be journaled before its program learns how it ended.
pub struct KeptCall {
    pub call: ProxiedCall,
    /// Digest of the request without what differs from start to start.
    pub digest: Digest,
    pub end: KeptEnd,
    pub wall_ms: u64,
    /// Told once it is in the journal, with the bytes that were recorded.
    pub journaled: oneshot::Sender<u64>,
}

/// The end of a call, for the journal.
pub enum KeptEnd {
    Answered(ProviderAnswer),
    /// The message to its program, and the tokens of its attempts.
    Failed(ToldFailure, Usage),
}

/// The end of the last call that failed, with no answer behind it.
#[derive(Debug, Clone)]
pub enum LastFailure {
    /// A cap does not allow calls, since an instant.
    Spent { reached: Reached, since: Instant },
    /// There is no room to record calls beyond so many bytes, since an instant.
    Full { most: u64, since: Instant },
    /// The provider did not answer.
    Unanswered(String),
    /// The run that is replayed has no such call.
    Diverged(String),
}

/// The traffic of a program's calls.
#[derive(Debug, Clone)]
pub struct CallTraffic {
    pub counts: CallCounts,
    /// Reasons of requests that were turned away, the first ones.
    pub turned_away: Vec<String>,
    pub under_way: u64,
    /// When a call last began or ended.
    pub active: Instant,
    pub failure: Option<LastFailure>,
    /// How long calls were under way, of those that have ended.
    asked: Duration,
    /// Since when some are.
    asking: Option<Instant>,
}

impl CallTraffic {
    /// No call yet.
    fn new(now: Instant) -> Self {
        Self {
            counts: CallCounts::default(),
            turned_away: Vec::new(),
            under_way: 0,
            active: now,
            failure: None,
            asked: Duration::ZERO,
            asking: None,
        }
    }

    /// How long calls were under way until now.
    pub fn asked(&self) -> Duration {
        self.asked + self.asking.map_or(Duration::ZERO, |since| since.elapsed())
    }

    fn begin(&mut self, now: Instant) {
        self.under_way += 1;
        self.active = now;
        self.asking.get_or_insert(now);
    }

    fn end(&mut self, now: Instant) {
        self.under_way = self.under_way.saturating_sub(1);
        self.active = now;
        if self.under_way == 0
            && let Some(since) = self.asking.take()
        {
            self.asked += now.saturating_duration_since(since);
        }
    }
}

/// The digest of a request, which is computed beside the call where nothing waits for it.
enum RequestDigest {
    Known(Digest),
    UnderWay(JoinHandle<Digest>),
}

impl RequestDigest {
    async fn known(self) -> Result<Digest, JoinError> {
        match self {
            Self::Known(digest) => Ok(digest),
            Self::UnderWay(task) => task.await,
        }
    }
}

/// A call under way.
struct BegunCall {
    at: Instant,
    digest: RequestDigest,
    /// The same call of the journal, which answers it.
    earlier: Option<EarlierCall>,
    prompt_bytes: u64,
    /// Bytes of the request.
    asked: u64,
    /// Tokens of attempts that gave no answer.
    lost: Usage,
}

/// The keeper of a program's calls: it pays for them and hands their answers to the engine.
pub struct ProgramCalls {
    budget: Arc<CallBudget>,
    normalisation: Arc<Normalisation>,
    earlier: EarlierQueue,
    recorded: RecordedBytes,
    /// Whether a call that no earlier one answers is a divergence.
    is_replay: bool,
    ended: mpsc::Sender<KeptCall>,
    asking: mpsc::Sender<CommandQuestion>,
    begun: Mutex<HashMap<u64, BegunCall>>,
    traffic: Mutex<CallTraffic>,
}

/// A keeper of calls, and what comes out of it.
pub struct KeptCalls {
    pub calls: Arc<ProgramCalls>,
    pub ended: mpsc::Receiver<KeptCall>,
    pub questions: mpsc::Receiver<CommandQuestion>,
}

impl ProgramCalls {
    /// Keeps calls on an account, with earlier ones that are answered again; what ends anew
    /// comes out of a receiver, and what a program asks about out of another.
    pub fn keeping(
        budget: Arc<CallBudget>,
        normalisation: Normalisation,
        earlier: Vec<EarlierCall>,
        recorded: RecordedBytes,
        is_replay: bool,
    ) -> KeptCalls {
        let (ended, receiver) = mpsc::channel(1);
        let (asking, questions) = mpsc::channel(1);
        let calls = Self {
            budget,
            normalisation: Arc::new(normalisation),
            earlier: EarlierQueue::new(earlier),
            recorded,
            is_replay,
            ended,
            asking,
            begun: Mutex::default(),
            traffic: Mutex::new(CallTraffic::new(Instant::now())),
        };
        KeptCalls {
            calls: Arc::new(calls),
            ended: receiver,
            questions,
        }
    }

    /// The traffic up to now.
    pub fn traffic(&self) -> CallTraffic {
        lock(&self.traffic).clone()
    }

    /// What the calls under way took, by an estimate of their prompts: nobody waits for their answers any more.
    pub fn lost_under_way(&self) -> Usage {
        let begun = lock(&self.begun);
        let asked = begun.values().filter(|call| call.earlier.is_none());
        asked.fold(Usage::default(), |sum, call| {
            let input = self.budget.estimate(call.prompt_bytes);
            let prompt = Usage {
                input,
                estimated: input,
                ..Usage::default()
            };
            sum + prompt + call.lost
        })
    }

    fn begin(&self, call: &ProxiedCall) -> bool {
        let at = Instant::now();
        let normalisation = self.normalisation.clone();
        let (dialect, streamed, asked) = (call.dialect, call.streamed, call.asked.clone());
        let computed = move || normalisation.digest(dialect, streamed, &asked);
        let (digest, earlier) = match self.earlier.is_empty() {
            // The provider is asked meanwhile.
            true => (RequestDigest::UnderWay(spawn_blocking(computed)), None),
            false => {
                let digest = computed();
                (RequestDigest::Known(digest), self.earlier.take(digest))
            }
        };
        let is_known = earlier.is_some();
        let begun = BegunCall {
            at,
            digest,
            earlier,
            prompt_bytes: call.prompt_bytes,
            asked: call.asked.len() as u64,
            lost: Usage::default(),
        };
        lock(&self.begun).insert(call.number, begun);
        lock(&self.traffic).begin(at);
        is_known
    }

    fn end(&self, call: &ProxiedCall) {
        lock(&self.begun).remove(&call.number);
        lock(&self.traffic).end(Instant::now());
    }

    fn failed(&self, failure: &CallFailure) {
        let mut traffic = lock(&self.traffic);
        match failure {
            CallFailure::Spent(reached)
            | CallFailure::Replayed(ToldFailure {
                reached: Some(reached),
                ..
            }) => {
                traffic.counts.refused += 1;
                let since = match &traffic.failure {
                    Some(LastFailure::Spent { since, .. }) => *since,
                    _ => Instant::now(),
                };
                traffic.failure = Some(LastFailure::Spent {
                    reached: *reached,
                    since,
                });
            }
            CallFailure::Full(most) => {
                traffic.counts.refused += 1;
                let since = match &traffic.failure {
                    Some(LastFailure::Full { since, .. }) => *since,
                    _ => Instant::now(),
                };
                traffic.failure = Some(LastFailure::Full { most: *most, since });
            }
            CallFailure::Unanswered(ModelError::Drift(why)) => {
                // The first one is the cause of those behind it.
                if !matches!(traffic.failure, Some(LastFailure::Diverged(_))) {
                    traffic.failure = Some(LastFailure::Diverged(why.clone()));
                }
            }
            CallFailure::Refused { .. } | CallFailure::Unanswered(_) | CallFailure::Replayed(_) => {
                traffic.counts.failed += 1;
                traffic.failure = Some(LastFailure::Unanswered(failure.to_string()));
            }
            CallFailure::Unrecorded(_) | CallFailure::Over(_) => {}
        }
    }

    /// Hands a call's end to the engine, and waits until it is in the journal.
    async fn journal(&self, call: &ProxiedCall, begun: BegunCall, end: KeptEnd) -> Result<(), CallFailure> {
        let unrecorded = || CallFailure::Unrecorded("the engine of the run has stopped".to_owned());
        let (journaled, done) = oneshot::channel();
        let wall_ms = u64::try_from(begun.at.elapsed().as_millis()).unwrap_or(u64::MAX);
        let kept = KeptCall {
            call: call.clone(),
            digest: begun.digest.known().await.map_err(|_| unrecorded())?,
            end,
            wall_ms,
            journaled,
        };
        self.ended.send(kept).await.map_err(|_| unrecorded())?;
        self.recorded.add(done.await.map_err(|_| unrecorded())?);
        Ok(())
    }
}

#[async_trait]
impl CallEngine for ProgramCalls {
    async fn reserve(&self, call: &ProxiedCall) -> Result<CallAllowance, CallFailure> {
        if self.begin(call) {
            return Ok(CallAllowance::free());
        }
        // With this one.
        let under_way = lock(&self.begun).values().map(|call| call.asked).sum();
        self.recorded.ensure_room(under_way)?;
        if self.is_replay {
            let why = format!(
                "call {} of the program ({}) is none of the run that is replayed: {}",
                call.number,
                call.dialect.name(),
                self.earlier.divergence(&self.normalisation, &call.asked)
            );
            return Err(CallFailure::Unanswered(ModelError::Drift(why)));
        }
        self.budget.reserve(call).await.map_err(CallFailure::Spent)
    }

    async fn ask(
        &self,
        call: &ProxiedCall,
        allowance: &CallAllowance,
        upstream: Option<&Upstream>,
    ) -> Result<ProviderAnswer, CallFailure> {
        if let Some(earlier) = lock(&self.begun)
            .get(&call.number)
            .and_then(|begun| begun.earlier.as_ref())
        {
            return match earlier.end.clone() {
                EarlierEnd::Answered { served, response } => Ok(ProviderAnswer {
                    body: served.into(),
                    streamed: call.streamed,
                    response: *response,
                    waiting: Waiting::default(),
                }),
                EarlierEnd::Failed(told) => Err(CallFailure::Replayed(told)),
            };
        }
        match upstream {
            Some(upstream) => {
                let asked = upstream.ask(call, allowance).await;
                if let Some(begun) = lock(&self.begun).get_mut(&call.number) {
                    begun.lost = allowance.lost();
                }
                asked
            }
            None => Err(CallFailure::Over("The run has no model to ask.".to_owned())),
        }
    }

    async fn record(&self, call: &ProxiedCall, ended: EndedCall<'_>) -> Result<(), CallFailure> {
        // Under way until it is journaled, so that the engine waits for it.
        let result = match ended {
            EndedCall::Failed(failure) => {
                self.failed(failure);
                self.keep_failure(call, failure).await
            }
            EndedCall::Answered { answer, allowance } => self.answered(call, answer, allowance).await,
        };
        self.end(call);
        result
    }

    async fn decide(&self, command: AskedCommand) -> CommandReply {
        questions::ask(&self.asking, command).await
    }

    fn resent(&self, _: u64) {
        let mut traffic = lock(&self.traffic);
        traffic.counts.resent += 1;
        traffic.active = Instant::now();
    }

    fn turned_away(&self, why: &str) {
        let mut traffic = lock(&self.traffic);
        traffic.counts.turned_away += 1;
        let is_new = !traffic.turned_away.iter().any(|known| known == why);
        if is_new && traffic.turned_away.len() < REASONS {
            traffic.turned_away.push(why.to_owned());
        }
    }
}

impl ProgramCalls {
    async fn answered(
        &self,
        call: &ProxiedCall,
        answer: &mut ProviderAnswer,
        allowance: CallAllowance,
    ) -> Result<(), CallFailure> {
        let begun = lock(&self.begun).remove(&call.number);
        let Some(begun) = begun else {
            return Err(CallFailure::Over("The call was never begun.".to_owned()));
        };
        let is_paid = begun.earlier.is_some();
        if is_paid && !self.is_replay {
            lock(&self.traffic).counts.served_again += 1;
        } else {
            if !is_paid {
                self.budget.charge(call, answer, allowance);
            }
            self.journal(call, begun, KeptEnd::Answered(answer.clone()))
                .await?;
        }
        lock(&self.traffic).failure = None;
        Ok(())
    }

    /// Journals what the program is told of a call that got no answer, so that a replay tells it the same.
    async fn keep_failure(&self, call: &ProxiedCall, failure: &CallFailure) -> Result<(), CallFailure> {
        let reached = match failure {
            CallFailure::Spent(reached) => Some(*reached),
            CallFailure::Replayed(told) => told.reached,
            CallFailure::Unanswered(ModelError::Drift(_))
            | CallFailure::Full(_)
            | CallFailure::Unrecorded(_)
            | CallFailure::Over(_) => return Ok(()),
            CallFailure::Refused { .. } | CallFailure::Unanswered(_) => None,
        };
        let counts = lock(&self.traffic).counts;
        let begun = lock(&self.begun).remove(&call.number);
        let is_kept = |begun: &BegunCall| counts.refused + counts.failed <= FAILURES || !begun.lost.is_none();
        let Some(begun) = begun.filter(is_kept) else {
            return Ok(());
        };
        let lost = begun.lost;
        let told = ToldFailure {
            reached,
            why: failure.to_string(),
            reply: failure.reply(call.dialect),
        };
        self.journal(call, begun, KeptEnd::Failed(told, lost)).await
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_that_overlap_are_one_time_of_asking() {
        let start = Instant::now();
        let after = |seconds| start + Duration::from_secs(seconds);
        let mut traffic = CallTraffic::new(start);
        traffic.begin(after(1));
        traffic.begin(after(2));
        traffic.end(after(4));
        assert_eq!(traffic.asked, Duration::ZERO);
        traffic.end(after(6));
        assert_eq!((traffic.asked(), traffic.under_way), (Duration::from_secs(5), 0));
        traffic.begin(after(10));
        traffic.end(after(11));
        assert_eq!(traffic.asked(), Duration::from_secs(6));
    }
}
