//! Processor time of a turn in this process. Run by hand:
//! `CARGO_PROFILE_TEST_OPT_LEVEL=3 cargo test --test model cost -- --ignored --nocapture`

use std::sync::Arc;
use std::time::Duration;

use nix::sys::resource::{UsageWho, getrusage};
use reprise::model::chat::{ChatModel, ChatRequest};
use reprise::model::http::client;
use reprise::model::layers::concurrency::{Gate, Limited};
use reprise::model::layers::retry::{Retry, RetryPolicy};
use reprise::model::layers::timer::RealTime;
use reprise::model::recording::recorded::RecordedModel;
use reprise::model::recording::recorder::Recorder;
use reprise::model::timeouts::AttemptBudget;
use serde_json::json;

use crate::openai::model;
use crate::support::requests::{ask, next, tool};
use crate::support::server::{Server, json as answered};

/// Turns of one conversation, each of which adds about 5 KB.
const TURNS: u32 = 60;
/// Conversations; the clock of a thread is coarse on some systems.
const ROUNDS: u32 = 20;

fn processor_time() -> Duration {
    let usage = getrusage(UsageWho::RUSAGE_THREAD).unwrap();
    [usage.user_time(), usage.system_time()]
        .iter()
        .map(|time| {
            Duration::from_secs(time.tv_sec().unsigned_abs())
                + Duration::from_micros(time.tv_usec().unsigned_abs())
        })
        .sum()
}

/// A conversation of so many turns with a model, and the last request.
async fn converse(model: &dyn ChatModel) -> ChatRequest {
    let mut request = ask(0, &"The paper says so. ".repeat(1500));
    for _ in 0..TURNS {
        let response = model.chat(&request).await.unwrap();
        let seen = tool(&response, &"a line of output\n".repeat(250), None);
        request = next(&request, &response, vec![seen]);
    }
    request
}

#[test]
#[ignore = "a measurement"]
fn a_turn_of_chat_completions_and_of_a_recording() {
    let reply = json!({"choices": [{"message": {
        "content": "I think. ".repeat(100),
        "tool_calls": [{"id": "x", "function": {"name": "read_file", "arguments": "{\"path\":\"p\"}"}}]
    }, "finish_reason": "tool_calls"}], "usage": {"prompt_tokens": 1}});
    // The server has a thread of its own, so that its work is not counted.
    let server_runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(1)
        .enable_all()
        .build()
        .unwrap();
    let server = server_runtime.block_on(Server::start(vec![answered(reply)]));
    let here = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    here.block_on(async {
        let begun = processor_time();
        for _ in 0..ROUNDS {
            client(
                &"https://api.openai.com/v1".parse().unwrap(),
                &AttemptBudget::default(),
            )
            .unwrap();
        }
        println!(
            "a client with certificates: {:?}",
            (processor_time() - begun) / ROUNDS
        );
        let begun = processor_time();
        let openai = Arc::new(model(&server));
        println!("making the client: {:?}", processor_time() - begun);
        let limited = Arc::new(Limited::new(openai, Gate::new(4)));
        let retry = Retry::new(
            limited,
            RetryPolicy::default(),
            Arc::new(RealTime::default()),
            Arc::new(|_| {}),
        );
        let recorder = Recorder::new(Arc::new(retry));
        converse(&recorder).await;
        let begun = processor_time();
        for _ in 1..ROUNDS {
            converse(&recorder).await;
        }
        let last = converse(&recorder).await;
        let spent = processor_time() - begun;
        let bytes = serde_json::to_vec(&last.messages).unwrap().len();
        println!(
            "chat completions: {:?} a turn, {bytes} bytes at the end",
            spent / TURNS / ROUNDS
        );

        let recording = recorder.recording().unwrap();
        let begun = processor_time();
        for _ in 0..ROUNDS {
            converse(&RecordedModel::new("replay", recording.clone())).await;
        }
        println!(
            "recorded: {:?} a turn",
            (processor_time() - begun) / TURNS / ROUNDS
        );
    });
}
