//! Five hundred conversations of twenty turns at once, in every dialect.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use nix::sys::resource::{Resource, UsageWho, getrlimit, getrusage, setrlimit};
use reprise::domain::usage::Usage;
use reprise::model::chat::ChatModel;
use reprise::model::layers::concurrency::{Gate, Limited};
use reprise::model::timeouts::AttemptBudget;
use serde_json::Value;
use tokio::task::JoinSet;

use crate::support::dialects::{DIALECTS, Dialect, Said, called, said};
use crate::support::requests::{ask, next, tool};
use crate::support::server::{Seen, Server};

pub const CONVERSATIONS: usize = 500;
pub const TURNS: u32 = 20;

/// Which dialect a request is in, by its path.
fn dialect(seen: &Seen) -> Dialect {
    if seen.head.starts_with("POST /v1/responses ") {
        Dialect::Responses
    } else if seen.head.starts_with("POST /v1/messages ") {
        Dialect::Messages
    } else {
        Dialect::Chat
    }
}

fn turn() -> Said {
    Said {
        text: "I read on.".into(),
        tokens: (100, 40, 7),
        ..called(&[("same", "read_file", "{\"path\":\"p\"}")])
    }
}

/// The calls of one conversation and what they used.
async fn converse(model: &dyn ChatModel, name: usize) -> (u32, Usage) {
    let mut request = ask(0, &format!("conversation {name}"));
    let mut used = Usage::default();
    for at in 0.. {
        let response = model.chat(&request).await.unwrap();
        assert_ne!(response.usage, Usage::default(), "every answer is counted");
        used += response.usage;
        if response.calls.is_empty() {
            assert_eq!(response.text, "done");
            return (at + 1, used);
        }
        let seen = tool(&response, "a line of the file", None);
        request = next(&request, &response, vec![seen]);
    }
    unreachable!()
}

/// Holds all conversations at once; what was counted on each side.
pub async fn hold(conversations: usize) -> (u64, Vec<(u64, Usage)>) {
    // Both ends of every connection are in this process.
    if let Ok((_, most)) = getrlimit(Resource::RLIMIT_NOFILE) {
        let _ = setrlimit(Resource::RLIMIT_NOFILE, most, most);
    }
    let asked = Arc::new(AtomicU64::new(0));
    let counter = asked.clone();
    let mut server = Server::answering(Arc::new(move |_, seen| {
        counter.fetch_add(1, Ordering::SeqCst);
        let streamed = seen.body["stream"] == true;
        let messages = seen.body.get("messages").or_else(|| seen.body.get("input"));
        let said_so_far = messages
            .and_then(Value::as_array)
            .into_iter()
            .flatten()
            .filter(|message| message["role"] == "assistant");
        let last = said_so_far.count() as u32 + 1 == TURNS;
        let answer = if last {
            Said {
                tokens: (100, 40, 7),
                ..said("done")
            }
        } else {
            turn()
        };
        dialect(seen).reply(&answer, streamed)
    }))
    .await;
    let gate = Gate::new(u32::try_from(conversations).unwrap());
    let ways = DIALECTS
        .into_iter()
        .flat_map(|dialect| [false, true].map(|streamed| (dialect, streamed)));
    let models: Vec<Arc<Limited>> = ways
        .map(|(dialect, streamed)| {
            let model = dialect.model(server.address, AttemptBudget::default(), streamed);
            Arc::new(Limited::new(model, gate.clone()))
        })
        .collect();
    let mut tasks = JoinSet::new();
    for name in 0..conversations {
        let at = name % models.len();
        let model = models[at].clone();
        tasks.spawn(async move { (at, converse(&*model, name).await) });
    }
    let mut counts = vec![(0, Usage::default()); models.len()];
    while let Some(ended) = tasks.join_next().await {
        let (at, (turns, used)) = ended.unwrap();
        assert_eq!(turns, TURNS);
        counts[at].0 += u64::from(turns);
        counts[at].1 += used;
    }
    assert_eq!(gate.running(), 0, "every pass was given back");
    for model in &models {
        assert_eq!(Arc::strong_count(model), 1, "no conversation holds its model");
    }
    drop(models);
    server.abandoned().await;
    (asked.load(Ordering::SeqCst), counts)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn many_conversations_are_counted_exactly_and_leave_nothing_open() {
    let (asked, counts) = hold(CONVERSATIONS).await;
    let turns = CONVERSATIONS as u64 * u64::from(TURNS);
    assert_eq!(asked, turns);
    let calls: u64 = counts.iter().map(|(calls, _)| calls).sum();
    assert_eq!(calls, turns);
    for (calls, usage) in counts {
        let expected = Usage {
            input: 100 * calls,
            cached: 40 * calls,
            output: 7 * calls,
            ..Usage::default()
        };
        assert_eq!(usage, expected);
    }
}

/// `cargo test --test model -- --ignored --nocapture what_many`: server and
/// client together, so that it is the growth that counts.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "a measurement"]
async fn what_many_conversations_take() {
    for conversations in [50, 500, 500] {
        let (asked, _) = hold(conversations).await;
        let peak = getrusage(UsageWho::RUSAGE_SELF).unwrap().max_rss() / 1024;
        println!("{conversations} conversations, {asked} calls: peak memory so far {peak} MiB");
    }
}
