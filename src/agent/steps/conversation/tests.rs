use crate::agent::brief::TurnLimits;
use crate::domain::stage::Stage;
use crate::domain::usage::Usage;

use super::*;

fn conversation(form: DialogueForm, attempts: u32, turns: u32) -> StepConversation {
    let brief = Brief {
        stage: Stage::named("solve").unwrap(),
        system: "SYSTEM".into(),
        user: "TASK".into(),
        tools: Arc::from([]),
        native_calls: true,
        limits: TurnLimits {
            turns,
            output_tokens: 1_500,
            repairs: 3,
        },
        shrink_at: None,
        shrink_from: 0,
        earlier_results: Some(500),
        criterion: None,
        own_schema: None,
        dialogue: None,
    };
    let dialogue = BriefDialogue {
        form,
        attempts,
        reflection: "REFLECT".into(),
    };
    StepConversation::new(brief, dialogue)
}

fn says(conversation: &mut StepConversation, text: &str) {
    assert_eq!(conversation.next(), Move::Ask, "{text}");
    conversation.answered(&ChatResponse {
        text: text.to_owned(),
        calls: Vec::new(),
        finish: Finish::Stop,
        usage: Usage::default(),
        thoughts: None,
    });
}

fn step(kind: &str, content: &str) -> String {
    format!("Thought: I go on.\nAction: {kind}\n<content>\n{content}\n</content>")
}

fn texts(conversation: &StepConversation) -> Vec<String> {
    let messages = conversation.request().messages;
    messages
        .iter()
        .map(|message| match message {
            Message::System { text } => format!("system {text}"),
            Message::User { text } => format!("user {text}"),
            Message::Assistant { text, .. } => format!("assistant {text}"),
            other => panic!("{other:?}"),
        })
        .collect()
}

#[test]
fn a_react_request_is_three_messages_with_the_history_in_one() {
    let mut conversation = conversation(DialogueForm::React, 1, 10);
    assert_eq!(texts(&conversation), ["system SYSTEM", "user TASK"]);
    conversation.told(ToldBeforehand {
        first: String::new(),
        later: String::new(),
        steps: vec![StepBeforehand {
            thought: "[pre-executed by user]".to_owned(),
            action: "execute".to_owned(),
            content: "!ls".to_owned(),
            seen: "a\n".to_owned(),
        }],
    });
    says(&mut conversation, &step("execute", "print('y' * 600)"));
    let Move::Act(calls) = conversation.next() else {
        panic!("no call")
    };
    assert_eq!((calls[0].tool.as_str(), calls.len()), ("execute", 1));
    let digest = conversation.request_digest();
    conversation.observed(Observation::good("y".repeat(600)));
    assert_ne!(conversation.request_digest(), digest);
    let said = texts(&conversation);
    assert_eq!(said.len(), 3);
    assert!(
        said[2].starts_with(
            "assistant Thought: [pre-executed by user]\nAction: execute\n<content>\n!ls\n</content>\nObservation: a\n\nThought: \
             I go on.\n"
        ),
        "{}",
        said[2]
    );
    // The newest is whole; once another is newer its end alone is shown.
    assert!(said[2].ends_with(&format!("\nObservation: {}", "y".repeat(600))));
    says(&mut conversation, &step("nothing", ""));
    conversation.observed(Observation::bad("there is no tool `nothing`"));
    let said = texts(&conversation);
    assert!(
        said[2].contains("[The first 100 of 600 characters are left out;"),
        "{}",
        said[2]
    );
    assert!(!said[2].contains(&"y".repeat(501)));
    says(&mut conversation, &step("submit", "{\"a\": 1}"));
    conversation.observed(Observation::good("taken"));
    assert!(
        matches!(conversation.next(), Move::Finish { answer, .. } if answer == serde_json::json!({"a": 1}))
    );
}

#[test]
fn what_cannot_be_read_is_corrected_thrice_and_not_kept() {
    let mut conversation = conversation(DialogueForm::React, 1, 10);
    for _ in 0..3 {
        says(&mut conversation, "I am done.");
        let said = texts(&conversation);
        assert_eq!(said[2], "assistant I am done.");
        assert!(said[3].contains("no action"), "{}", said[3]);
        assert_eq!(said.len(), 4);
    }
    says(&mut conversation, &step("execute", "!ls"));
    conversation.observed(Observation::good("a"));
    assert!(!texts(&conversation)[2].contains("I am done."));
    for _ in 0..4 {
        says(&mut conversation, "I am done.");
    }
    let Move::Fail { cause, detail } = conversation.next() else {
        panic!("it goes on")
    };
    assert_eq!(cause, FailureCause::InvalidAnswer);
    assert!(detail.contains("4 answers in a row"), "{detail}");
    assert_eq!(conversation.position().turn, 8);
}

#[test]
fn answers_that_were_not_read_are_no_iterations() {
    let mut conversation = conversation(DialogueForm::Commands, 1, 2);
    for _ in 0..2 {
        says(&mut conversation, "well");
        says(&mut conversation, "DISCUSSION\nI look.\n```\n!ls\n```");
        conversation.observed(Observation::good(""));
    }
    let Move::Fail { cause, detail } = conversation.next() else {
        panic!("it goes on")
    };
    assert_eq!(cause, FailureCause::Limit);
    assert!(detail.contains("within 2 iterations"), "{detail}");
}

#[test]
fn commands_are_answered_one_message_each() {
    let mut conversation = conversation(DialogueForm::Commands, 1, 9);
    says(
        &mut conversation,
        "DISCUSSION\nI look.\n```\nopen a.py\n```\nand more",
    );
    let Move::Act(calls) = conversation.next() else {
        panic!("no call")
    };
    assert_eq!(calls[0].tool, "file_command");
    conversation.observed(Observation::good(""));
    assert_eq!(
        texts(&conversation)[2..],
        [
            "assistant DISCUSSION\nI look.\n```\nopen a.py\n```".to_owned(),
            "user (It printed nothing.)".to_owned()
        ]
    );
}

#[test]
fn an_attempt_that_submitted_nothing_is_reflected_on() {
    let mut conversation = conversation(DialogueForm::React, 2, 4);
    for _ in 0..2 {
        says(&mut conversation, &step("execute", "!ls"));
        conversation.observed(Observation::good("a"));
    }
    // Half of the iterations are the first attempt's.
    assert!(matches!(
        conversation.next(),
        Move::Fail {
            cause: FailureCause::Limit,
            ..
        }
    ));
    assert!(conversation.has_further_attempt());
    conversation.attempt_over("no answer was submitted within 2 iterations");
    assert!(conversation.is_reflecting() && !conversation.has_further_attempt());
    let said = texts(&conversation);
    assert_eq!(said[0], "system REFLECT");
    assert!(
        said[1].contains("Action: execute")
            && said[1].ends_with("It submitted nothing: no answer was submitted within 2 iterations."),
        "{}",
        said[1]
    );
    says(&mut conversation, "It looked twice.\nPlan: look once.\n[END]");
    assert!(!conversation.is_reflecting());
    let said = texts(&conversation);
    assert_eq!(said.len(), 2, "another history");
    assert!(
        said[1].starts_with("user TASK\n\n") && said[1].ends_with("look once."),
        "{}",
        said[1]
    );
    for _ in 0..2 {
        says(&mut conversation, &step("execute", "!ls"));
        conversation.observed(Observation::good("a"));
    }
    assert!(matches!(conversation.next(), Move::Fail { .. }));
    assert_eq!(conversation.position().turn, 5);
}
