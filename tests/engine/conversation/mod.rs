//! The turn loop, answer by answer.

mod bundled;
mod prefix;
mod results;
mod wire;

use serde_json::json;

use reprise::agent::brief::{Brief, TurnLimits};
use reprise::agent::conversation::{Conversation, Move};
use reprise::domain::conversation::{ChatResponse, Finish, ToolCall};
use reprise::domain::failure::FailureCause;
use reprise::domain::stage::Stage;
use reprise::model::chat::{Message, ToolSpec};
use reprise::tools::contract::Observation;

/// A stage's beginning with two tools.
fn brief(native_calls: bool, turns: u32) -> Brief {
    let tool = |name: &str, property: &str| ToolSpec {
        name: name.into(),
        description: String::new(),
        parameters: json!({ "type": "object", "properties": { property: { "type": "string" } }, "required": [property] }),
    };
    Brief {
        stage: Stage::SEARCH,
        system: "system".into(),
        user: "user".into(),
        tools: [tool("read_file", "path"), tool("web_search", "query")].into(),
        native_calls,
        limits: TurnLimits {
            turns,
            output_tokens: 100,
            repairs: 2,
        },
        shrink_at: None,
        shrink_from: 0,
        earlier_results: None,
        criterion: None,
        own_schema: None,
        dialogue: None,
    }
}

fn conversation(native_calls: bool, turns: u32) -> Conversation {
    Conversation::new(brief(native_calls, turns))
}

fn says(text: &str) -> ChatResponse {
    ChatResponse {
        text: text.into(),
        calls: vec![],
        finish: Finish::Stop,
        usage: Default::default(),
        thoughts: None,
    }
}

fn calls(names: &[(&str, &str)]) -> ChatResponse {
    let calls = names.iter().enumerate().map(|(at, (name, arguments))| ToolCall {
        id: format!("c{at}"),
        name: (*name).into(),
        arguments: (*arguments).into(),
    });
    ChatResponse {
        calls: calls.collect(),
        ..says("")
    }
}

/// The text of the last message.
fn last(conversation: &Conversation) -> String {
    match conversation.request().messages.last().unwrap() {
        Message::User { text }
        | Message::System { text }
        | Message::Pictured { text, .. }
        | Message::Assistant { text, .. }
        | Message::Tool { text, .. } => text.to_string(),
    }
}

const ANSWER: &str = r#"{"urls": [{"url": "https://example.org", "name": "x", "why": "y"}], "missing": []}"#;

#[test]
fn an_answer_that_did_not_fit_is_asked_for_with_its_schema() {
    let mut talk = conversation(true, 10);
    assert_eq!(talk.request().form, None, "a model may think aloud before");
    talk.answered(&says(r#"{"urls": 7}"#));
    let asked = talk.request();
    let form = asked.form.as_ref().unwrap();
    assert_eq!(form.name, "search_results");
    assert!(form.schema["properties"]["urls"].is_object(), "{}", form.schema);
    let before = talk.request_digest();
    talk.answered(&calls(&[("read_file", r#"{"path": "a"}"#)]));
    talk.observed(0, Observation::good("seen"));
    assert_eq!(talk.request().form, None, "it looks again");
    // The form is no part of the conversation, which recordings compare.
    let mut same = conversation(true, 10);
    same.answered(&says(r#"{"urls": 7}"#));
    assert_eq!(same.request_digest(), before);

    let mut written = conversation(false, 10);
    written.answered(&says(r#"{"urls": 7}"#));
    assert_eq!(written.request().form, None, "calls are written as text");
}

#[test]
fn parallel_calls_are_answered_in_their_order() {
    let mut conversation = conversation(true, 10);
    conversation.answered(&calls(&[
        ("read_file", r#"{"path": "a"}"#),
        ("web_search", r#"{"query": "b"}"#),
    ]));
    let Move::Act(pending) = conversation.next() else {
        panic!("no calls")
    };
    assert_eq!(pending.len(), 2);
    conversation.observed(1, Observation::good("second"));
    let Move::Act(pending) = conversation.next() else {
        panic!("one is left")
    };
    assert_eq!(pending[0].index, 0);
    conversation.observed(0, Observation::good("first"));
    assert_eq!(conversation.next(), Move::Ask);
    let texts: Vec<String> = conversation
        .request()
        .messages
        .iter()
        .filter_map(|message| match message {
            Message::Tool { call, text, .. } => Some(format!("{call} {text}")),
            _ => None,
        })
        .collect();
    assert_eq!(texts, ["c0 first", "c1 second"]);
}

#[test]
fn an_answer_ends_it_and_a_misfit_is_sent_back_a_bounded_number_of_times() {
    let mut good = conversation(true, 10);
    good.answered(&says(&format!("Here it is:\n```json\n{ANSWER}\n```")));
    assert!(matches!(good.next(), Move::Finish { .. }));
    let mut bad = conversation(true, 10);
    for _ in 0..2 {
        bad.answered(&says(r#"{"urls": 7}"#));
        assert_eq!(bad.next(), Move::Ask);
        assert!(last(&bad).contains("urls"), "{}", last(&bad));
    }
    bad.answered(&says(r#"{"urls": 7}"#));
    assert!(matches!(
        bad.next(),
        Move::Fail {
            cause: FailureCause::InvalidAnswer,
            ..
        }
    ));
}

#[test]
fn a_silent_turn_is_answered_every_time() {
    let mut conversation = conversation(true, 10);
    for _ in 0..3 {
        let before = conversation.request().messages.len();
        conversation.answered(&says("Let me think about it."));
        assert_eq!(conversation.next(), Move::Ask);
        assert_eq!(
            conversation.request().messages.len(),
            before + 2,
            "nothing was said back"
        );
        assert!(last(&conversation).contains("read_file, web_search"));
    }
    conversation.answered(&says("Still thinking."));
    assert!(matches!(
        conversation.next(),
        Move::Fail {
            cause: FailureCause::InvalidAnswer,
            ..
        }
    ));
}

#[test]
fn a_cut_answer_is_never_parsed() {
    let mut conversation = conversation(true, 10);
    conversation.answered(&ChatResponse {
        finish: Finish::Length,
        ..calls(&[("read_file", r#"{"path": "#)])
    });
    assert_eq!(conversation.next(), Move::Ask);
    assert!(last(&conversation).contains("cut off"));
    conversation.answered(&ChatResponse {
        finish: Finish::Refused,
        ..says("no")
    });
    assert!(matches!(
        conversation.next(),
        Move::Fail {
            cause: FailureCause::Refused,
            ..
        }
    ));
}

#[test]
fn the_text_protocol_needs_no_native_calls() {
    let mut conversation = conversation(false, 10);
    conversation.answered(&says(
        "Thought: look.\nAction: read_file: {\"path\": \"a\"}\nObservation: invented\nAnswer: {\"urls\": []}",
    ));
    let Move::Act(pending) = conversation.next() else {
        panic!("not performed")
    };
    assert_eq!(pending[0].arguments, Ok(json!({ "path": "a" })));
    conversation.observed(0, Observation::good("seen"));
    assert!(
        last(&conversation).contains("of its own making"),
        "{}",
        last(&conversation)
    );
    conversation.answered(&says(&format!("Thought: done.\nAnswer: {ANSWER}")));
    assert!(matches!(conversation.next(), Move::Finish { .. }));
}

#[test]
fn the_same_failing_call_changes_strategy_and_then_ends() {
    let mut conversation = conversation(true, 20);
    for time in 1..=5 {
        conversation.answered(&calls(&[("read_file", r#"{"path": "none"}"#)]));
        conversation.observed(0, Observation::bad("`none` does not exist"));
        match time {
            1 | 2 => assert!(!last(&conversation).contains("times in a row")),
            3 | 4 => assert!(last(&conversation).contains(&format!("{time} times in a row"))),
            _ => assert!(matches!(
                conversation.next(),
                Move::Fail {
                    cause: FailureCause::Stuck,
                    ..
                }
            )),
        }
    }
}

#[test]
fn turns_run_out_with_a_warning() {
    let mut conversation = conversation(true, 4);
    let mut warned = false;
    for _ in 0..4 {
        assert_eq!(conversation.next(), Move::Ask);
        conversation.answered(&calls(&[("read_file", r#"{"path": "a"}"#)]));
        conversation.observed(0, Observation::good("seen"));
        warned |= last(&conversation).contains("turns are left");
    }
    assert!(warned);
    assert!(matches!(
        conversation.next(),
        Move::Fail {
            cause: FailureCause::Limit,
            ..
        }
    ));
}

#[test]
fn requests_only_grow_and_their_digests_chain() {
    let mut one = conversation(true, 10);
    let mut other = conversation(true, 10);
    assert_eq!(one.request_digest(), other.request_digest());
    let before = one.request().messages;
    for conversation in [&mut one, &mut other] {
        conversation.answered(&calls(&[("read_file", r#"{"path": "a"}"#)]));
        conversation.observed(0, Observation::good("seen"));
    }
    assert_eq!(one.request_digest(), other.request_digest());
    assert_eq!(one.request().messages[..before.len()], before);
    one.answered(&says("x"));
    other.answered(&says("y"));
    assert_ne!(one.request_digest(), other.request_digest());
}

const INVENTING: &str = "Thought: look.\nAction: read_file: {\"path\": \"a\"}\nPAUSE\n\
    Observation: the file says 42\nThought: it is 42.\nAnswer: {}";

#[test]
fn a_call_written_as_text_is_performed_and_remarked_on_once() {
    let mut conversation = conversation(true, 10);
    for path in ["a", "b", "c"] {
        conversation.answered(&says(&format!("functions.read_file({{\"path\": \"{path}\"}})")));
        let Move::Act(pending) = conversation.next() else {
            panic!("the call was not performed")
        };
        assert_eq!(pending[0].arguments, Ok(json!({ "path": path })));
        assert_eq!(
            (pending[0].tool.as_str(), pending[0].id.as_str()),
            ("read_file", "")
        );
        conversation.observed(0, Observation::good("seen"));
    }
    let told = |message: &Message| matches!(message, Message::User { text } if text.contains("as text"));
    let messages = conversation.request().messages;
    assert_eq!(messages.iter().filter(|message| told(message)).count(), 1);
    assert!(told(&messages[4]), "{messages:?}");
}

#[tokio::test]
async fn what_a_model_invents_behind_its_call_is_in_no_request() {
    let native = ChatResponse {
        text: "Observation: the file says 42".into(),
        ..calls(&[("read_file", r#"{"path": "a"}"#)])
    };
    for (native_calls, response) in [(false, says(INVENTING)), (true, says(INVENTING)), (true, native)] {
        let mut conversation = conversation(native_calls, 10);
        conversation.answered(&response);
        assert!(matches!(conversation.next(), Move::Act(pending) if pending.len() == 1));
        conversation.observed(0, Observation::good("it says 7"));
        let request = wire::as_sent(&conversation.request(), native_calls).await;
        for (dialect, messages) in wire::encoded(&request) {
            let text = messages.concat();
            assert!(
                !text.contains("42") && text.contains("it says 7"),
                "{dialect}: {text}"
            );
            assert!(text.contains("of its own making"), "{dialect}: {text}");
        }
    }
}
