//! Asks again where another attempt may fare better.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use backon::{BackoffBuilder as _, ExponentialBuilder};

use crate::domain::answer_patience::AnswerPatience;
use crate::domain::conversation::{ChatResponse, Position};
use crate::model::attempt::{AttemptFault, FailedAttempt};
use crate::model::chat::{ChatModel, ChatRequest, ModelError};
use crate::model::layers::timer::Timer;
use crate::model::refusal::Refusal;

/// The bounds and waits of repeated attempts.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RetryPolicy {
    /// Most attempts, the first one included.
    pub attempts: u32,
    /// Longest time from the first attempt to the start of the last.
    pub total: Duration,
    /// The wait after the first failure; it doubles with each further one, and
    /// a random part of up to the same length is added.
    pub first_wait: Duration,
    /// What the doubling stops at.
    pub longest_wait: Duration,
    /// The longest wait that a provider may ask for; beyond it the call fails
    /// at once, since asking earlier is in vain.
    pub longest_asked: Duration,
    /// Where the random part begins; `None` for a different one each time.
    pub seed: Option<u64>,
}

impl Default for RetryPolicy {
    fn default() -> Self {
        Self {
            attempts: 8,
            total: Duration::from_secs(1800),
            first_wait: Duration::from_secs(1),
            longest_wait: Duration::from_secs(60),
            longest_asked: Duration::from_secs(300),
            seed: None,
        }
    }
}

impl RetryPolicy {
    /// The usual bounds, but for what was asked for. A longer wait for an answer also lengthens the time for attempts.
    pub fn with(patience: AnswerPatience) -> Self {
        let usual = Self::default();
        let answer = patience
            .answer_seconds
            .map_or(usual.total, |seconds| Duration::from_secs(seconds.into()));
        Self {
            attempts: patience.attempts.unwrap_or(usual.attempts),
            total: usual.total.max(answer),
            ..usual
        }
    }
}

/// One wait between two attempts, for whoever watches the run.
#[derive(Debug, Clone, PartialEq)]
pub struct Wait {
    pub position: Position,
    /// How many attempts have failed.
    pub failed: u32,
    pub duration: Duration,
    /// Why, as one sentence.
    pub reason: String,
}

/// Is told of every wait before it begins.
pub type OnWait = Arc<dyn Fn(&Wait) + Send + Sync>;

/// A model that is asked again after failures that may pass.
pub struct Retry {
    inner: Arc<dyn ChatModel>,
    policy: RetryPolicy,
    timer: Arc<dyn Timer>,
    on_wait: OnWait,
}

impl Retry {
    /// Retries around `inner`.
    pub fn new(
        inner: Arc<dyn ChatModel>,
        policy: RetryPolicy,
        timer: Arc<dyn Timer>,
        on_wait: OnWait,
    ) -> Self {
        Self {
            inner,
            policy,
            timer,
            on_wait,
        }
    }
}

/// The attempts of one call, whatever it asks for.
pub struct Attempts<'a> {
    pub policy: RetryPolicy,
    pub timer: &'a dyn Timer,
    /// Where the call stands, for whoever is told of waits.
    pub position: Position,
    pub on_wait: &'a (dyn Fn(&Wait) + Send + Sync),
}

impl Attempts<'_> {
    /// Asks until there is an answer, or no use in asking again.
    ///
    /// # Errors
    /// What no further attempt mends, or the last failure.
    pub async fn repeat<T, F>(&self, mut attempt: impl FnMut() -> F) -> Result<T, ModelError>
    where
        F: Future<Output = Result<T, ModelError>>,
    {
        let begun = self.timer.passed();
        let mut before: Option<FailedAttempt> = None;
        let (mut count, mut same) = (0, 0);
        let mut backoff = self.backoff();
        loop {
            let last = match attempt().await {
                Err(ModelError::Attempt(failed)) => *failed,
                other => return other,
            };
            count += 1;
            let again =
                before.is_some_and(|before| before.fault == last.fault && before.message == last.message);
            same = if again { same + 1 } else { 1 };
            let failures = Failures {
                begun,
                count,
                same,
                last,
            };
            let own = backoff.next().unwrap_or(self.policy.longest_wait);
            let duration = self.next_wait(&failures, own)?;
            (self.on_wait)(&Wait {
                position: self.position,
                failed: count,
                duration,
                reason: failures.last.to_string(),
            });
            self.timer.wait(duration).await;
            before = Some(failures.last);
        }
    }

    fn backoff(&self) -> impl Iterator<Item = Duration> + use<> {
        let builder = ExponentialBuilder::new()
            .with_min_delay(self.policy.first_wait)
            .with_max_delay(self.policy.longest_wait)
            .without_max_times()
            .with_jitter();
        match self.policy.seed {
            Some(seed) => builder.with_jitter_seed(seed),
            None => builder,
        }
        .build()
    }

    /// How long to wait before the next attempt, or why there is none.
    fn next_wait(&self, failures: &Failures, own: Duration) -> Result<Duration, ModelError> {
        let last = &failures.last;
        if last.fault == AttemptFault::Unreachable {
            return Err(ModelError::Unavailable {
                provider: last.provider.clone(),
                message: last.message.clone(),
            });
        }
        if failures.is_repeated_refusal() {
            return Err(failures.rejected());
        }
        if failures.is_persistent_fault() {
            return Err(failures.unavailable("the same each time, which is no passing fault"));
        }
        if failures.count >= self.policy.attempts {
            return Err(failures.unavailable("that was the last attempt allowed"));
        }
        if let Some(asked) = last
            .retry_after
            .filter(|asked| *asked > self.policy.longest_asked)
        {
            return Err(failures.unavailable(&format!(
                "it asks to be left alone for {} s, and at most {} s are allowed",
                asked.as_secs(),
                self.policy.longest_asked.as_secs()
            )));
        }
        let wait = last
            .retry_after
            .map_or(own, |asked| asked.max(own.min(self.policy.first_wait)));
        let passed = self.timer.passed().saturating_sub(failures.begun);
        if passed.saturating_add(wait) > self.policy.total {
            return Err(failures.unavailable(&format!(
                "another attempt would come after more than the {} s allowed",
                self.policy.total.as_secs()
            )));
        }
        Ok(wait)
    }
}

/// The failures of one call so far.
struct Failures {
    begun: Duration,
    count: u32,
    /// How often the last failure came in a row.
    same: u32,
    last: FailedAttempt,
}

/// How often an error of the server's own, or an answer that makes no sense, may
/// come back word for word.
const SAME: u32 = 4;

impl Failures {
    /// The same refusal twice: the request is at fault, whatever the status says.
    /// A rate limit is the exception; it repeats itself and passes.
    fn is_repeated_refusal(&self) -> bool {
        let refused = matches!(self.last.fault, AttemptFault::Status(status) if (400..500).contains(&status));
        refused && !self.last.is_rate_limit() && self.same > 1
    }

    /// The same fault again and again that neither load nor the network explains.
    fn is_persistent_fault(&self) -> bool {
        let own = matches!(
            self.last.fault,
            AttemptFault::Status(500) | AttemptFault::Malformed | AttemptFault::Empty
        );
        own && self.same >= SAME
    }

    fn rejected(&self) -> ModelError {
        let status = match self.last.fault {
            AttemptFault::Status(status) => status,
            _ => 400,
        };
        ModelError::Rejected {
            provider: self.last.provider.clone(),
            status,
            why: Refusal::Request,
            message: format!("{} (twice the same)", self.last.message),
        }
    }

    fn unavailable(&self, why: &str) -> ModelError {
        ModelError::Unavailable {
            provider: self.last.provider.clone(),
            message: format!("{} (after {} attempts; {why})", self.last.message, self.count),
        }
    }
}

#[async_trait]
impl ChatModel for Retry {
    fn name(&self) -> &str {
        self.inner.name()
    }

    fn calls_tools(&self) -> bool {
        self.inner.calls_tools()
    }

    async fn chat(&self, request: &ChatRequest) -> Result<ChatResponse, ModelError> {
        let attempts = Attempts {
            policy: self.policy,
            timer: &*self.timer,
            position: request.position,
            on_wait: &*self.on_wait,
        };
        attempts.repeat(|| self.inner.chat(request)).await
    }
}
