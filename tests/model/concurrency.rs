//! The gate before a provider: it narrows at once and widens slowly.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use reprise::domain::conversation::ChatResponse;
use reprise::model::attempt::AttemptFault;
use reprise::model::chat::{ChatModel, ChatRequest, ModelError};
use reprise::model::layers::concurrency::{Gate, Limited};
use tokio::sync::{Semaphore, mpsc};
use tokio::task::JoinSet;

use crate::support::faulty::{Faulty, answer, failed};
use crate::support::requests::ask;

fn limited() -> Result<ChatResponse, reprise::model::attempt::FailedAttempt> {
    Err(failed(AttemptFault::Status(429), None))
}

#[tokio::test]
async fn a_rate_limit_halves_and_answers_win_back_slowly() {
    let gate = Gate::new(8);
    let refusing = Limited::new(Faulty::new([limited()]), gate.clone());
    for allowed in [4, 2, 1, 1] {
        refusing.chat(&ask(0, "x")).await.unwrap_err();
        assert_eq!(gate.allowed(), allowed);
    }
    let answering = Limited::new(Faulty::new([Ok(answer("yes"))]), gate.clone());
    answering.chat(&ask(0, "x")).await.unwrap();
    assert_eq!(gate.allowed(), 2, "one answer at a width of one is a whole round");
    for _ in 0..3 {
        answering.chat(&ask(0, "x")).await.unwrap();
    }
    assert_eq!(gate.allowed(), 3);
    for _ in 0..100 {
        answering.chat(&ask(0, "x")).await.unwrap();
    }
    assert_eq!(gate.allowed(), 8, "never more than at first");
}

/// Tells when a call has begun, and ends it when it is let go.
struct Held {
    begun: mpsc::UnboundedSender<()>,
    let_go: Arc<Semaphore>,
    ends_in: ModelEnd,
}

#[derive(Clone, Copy)]
enum ModelEnd {
    Answer,
    RateLimit,
}

#[async_trait]
impl ChatModel for Held {
    fn name(&self) -> &str {
        "held"
    }

    async fn chat(&self, _: &ChatRequest) -> Result<ChatResponse, ModelError> {
        self.begun.send(()).unwrap();
        self.let_go.acquire().await.unwrap().forget();
        match self.ends_in {
            ModelEnd::Answer => Ok(answer("yes")),
            ModelEnd::RateLimit => Err(Box::new(failed(AttemptFault::Status(429), None)).into()),
        }
    }
}

fn held(gate: &Arc<Gate>, ends_in: ModelEnd) -> (Arc<Limited>, mpsc::UnboundedReceiver<()>, Arc<Semaphore>) {
    let (begun, begins) = mpsc::unbounded_channel();
    let let_go = Arc::new(Semaphore::new(0));
    let model = Held {
        begun,
        let_go: let_go.clone(),
        ends_in,
    };
    (
        Arc::new(Limited::new(Arc::new(model), gate.clone())),
        begins,
        let_go,
    )
}

fn many(model: &Arc<Limited>, calls: usize) -> JoinSet<bool> {
    let mut set = JoinSet::new();
    for _ in 0..calls {
        let model = model.clone();
        set.spawn(async move { model.chat(&ask(0, "x")).await.is_ok() });
    }
    set
}

/// What happens at once or never, so that a fault is a failure and no hang.
async fn soon<T>(event: impl Future<Output = T>) -> T {
    tokio::time::timeout(Duration::from_secs(600), event)
        .await
        .unwrap()
}

#[tokio::test]
async fn never_more_than_allowed_are_under_way_and_all_get_through() {
    let gate = Gate::new(3);
    let (model, mut begins, let_go) = held(&gate, ModelEnd::Answer);
    let calls = many(&model, 20);
    for _ in 0..3 {
        begins.recv().await.unwrap();
    }
    tokio::task::yield_now().await;
    assert!(begins.try_recv().is_err(), "a fourth call has begun");
    assert_eq!(gate.running(), 3);
    let_go.add_permits(20);
    assert_eq!(soon(calls.join_all()).await, vec![true; 20]);
    assert_eq!(gate.running(), 0);
}

#[tokio::test]
async fn calls_that_are_limited_together_halve_once() {
    let gate = Gate::new(8);
    let (model, mut begins, let_go) = held(&gate, ModelEnd::RateLimit);
    let calls = many(&model, 8);
    for _ in 0..8 {
        begins.recv().await.unwrap();
    }
    let_go.add_permits(8);
    calls.join_all().await;
    assert_eq!(gate.allowed(), 4);
}

#[tokio::test]
async fn an_abandoned_call_makes_room() {
    let gate = Gate::new(1);
    let (model, mut begins, let_go) = held(&gate, ModelEnd::Answer);
    let mut first = many(&model, 1);
    begins.recv().await.unwrap();
    let second = many(&model, 1);
    first.abort_all();
    while first.join_next().await.is_some() {}
    soon(begins.recv()).await.unwrap();
    let_go.add_permits(1);
    assert_eq!(soon(second.join_all()).await, [true]);
}
