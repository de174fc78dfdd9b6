//! Models that fail as told, and time that passes when it is waited for.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use reprise::domain::conversation::{ChatResponse, Finish};
use reprise::domain::usage::Usage;
use reprise::model::attempt::{AttemptFault, FailedAttempt};
use reprise::model::chat::{ChatModel, ChatRequest, ModelError};
use reprise::model::layers::timer::Timer;
use tokio::sync::watch;

/// One outcome of a scripted model: an answer, or a failed attempt.
pub type Scripted = Result<ChatResponse, FailedAttempt>;

/// Gives its outcomes in order, and then the last one for ever.
pub struct Faulty {
    outcomes: Mutex<VecDeque<Scripted>>,
    asked: Mutex<u32>,
}

impl Faulty {
    pub fn new(outcomes: impl IntoIterator<Item = Scripted>) -> Arc<Self> {
        Arc::new(Self {
            outcomes: Mutex::new(outcomes.into_iter().collect()),
            asked: Mutex::new(0),
        })
    }

    pub fn asked(&self) -> u32 {
        *self.asked.lock().unwrap()
    }
}

#[async_trait]
impl ChatModel for Faulty {
    fn name(&self) -> &str {
        "faulty"
    }

    async fn chat(&self, _: &ChatRequest) -> Result<ChatResponse, ModelError> {
        *self.asked.lock().unwrap() += 1;
        let mut outcomes = self.outcomes.lock().unwrap();
        let outcome = if outcomes.len() > 1 {
            outcomes.pop_front().unwrap()
        } else {
            outcomes[0].clone()
        };
        outcome.map_err(|failed| Box::new(failed).into())
    }
}

pub fn answer(text: &str) -> ChatResponse {
    ChatResponse {
        text: text.into(),
        calls: vec![],
        finish: Finish::Stop,
        usage: Usage::default(),
        thoughts: None,
    }
}

pub fn failed(fault: AttemptFault, retry_after: Option<u64>) -> FailedAttempt {
    FailedAttempt {
        provider: "p".into(),
        fault,
        retry_after: retry_after.map(Duration::from_secs),
        message: format!("{fault:?}"),
    }
}

/// Time that passes when it is told to.
#[derive(Default)]
pub struct VirtualTime(watch::Sender<Duration>);

impl VirtualTime {
    pub fn advance(&self, duration: Duration) {
        self.0.send_modify(|passed| *passed += duration);
    }
}

#[async_trait]
impl Timer for VirtualTime {
    fn passed(&self) -> Duration {
        *self.0.borrow()
    }

    async fn wait(&self, duration: Duration) {
        let until = self.passed() + duration;
        let _ = self.0.subscribe().wait_for(|passed| *passed >= until).await;
    }
}

/// Time that stands still but for waits, which it keeps.
#[derive(Default)]
pub struct NoTime {
    pub waits: Mutex<Vec<Duration>>,
}

#[async_trait]
impl Timer for NoTime {
    fn passed(&self) -> Duration {
        self.waits.lock().unwrap().iter().sum()
    }

    async fn wait(&self, duration: Duration) {
        self.waits.lock().unwrap().push(duration);
    }
}
