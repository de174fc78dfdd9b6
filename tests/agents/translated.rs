//! Programs that speak another dialect than the run's model, with `--translate`.

use serde_json::{Value, json};

use crate::attempt::{Place, Where, commands, said};
use crate::provider::{Provider, Speaks};

/// A place whose program speaks one dialect and whose provider speaks chat completions.
fn place(speaks: Speaks, sandbox: Where) -> Option<Place> {
    let mut place = Place::with(sandbox, speaks, || Provider::start(Speaks::Chat, commands()))?;
    place.model_speaks = Speaks::Chat;
    Some(place)
}

fn printed(place: &Place, arguments: &[&str]) -> String {
    let output = place.command(arguments).output().unwrap();
    String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr)
}

/// The program comes to its grade, and the run says what was translated.
fn comes_to_its_grade(speaks: Speaks, sandbox: Where, words: &[&str]) -> Option<Place> {
    let place = place(speaks, sandbox)?;
    let options = ["--dialect", speaks.option(), "--translate"];
    let output = place.begin(&options, words).output().unwrap();
    place.assert_right(&output, 4);
    for arrived in place.provider.arrived() {
        assert!(arrived.head.contains("/chat/completions"), "{}", arrived.head);
    }
    let name = match speaks {
        Speaks::Responses => "Responses",
        Speaks::Gemini => "generateContent",
        _ => "Messages",
    };
    let kept = speaks.option().replace('-', "_");
    for event in place.events("model_answered") {
        let program = &event["program"];
        assert_eq!(
            (&program["dialect"], &program["translated"]),
            (&json!(kept), &json!("chat_completions")),
            "{program}"
        );
    }
    let started = place.events("program_started").pop().unwrap();
    assert_eq!(
        started["translation"],
        json!({"from": kept, "into": "chat_completions", "spoken": ["chat_completions"]})
    );
    let between = format!("translated from {name} into chat completions");
    let shown = printed(&place, &["show", "out"]);
    assert!(shown.contains(&format!("calls      {between}: 4")), "{shown}");
    let report = printed(&place, &["report", "out", "--format", "md", "--out", "-"]);
    assert!(report.contains(&between), "{report}");
    let named = printed(&place, &["capsule", "report", "out", "--json"]);
    assert!(named.contains(&format!("scripted, {between})")), "{named}");
    Some(place)
}

#[test]
fn responses_streamed_with_a_model_of_chat_completions() {
    let Some(place) = comes_to_its_grade(Speaks::Responses, Where::Local, &["streamed"]) else {
        return;
    };
    let first = &place.events("model_answered")[0]["program"];
    let removed = first["removed"].to_string();
    for gone in ["client_metadata", "web_search", "store"] {
        assert!(removed.contains(gone), "{removed}");
    }
    let replay = printed(&place, &["replay", "out"]);
    assert!(replay.contains("Nothing differs"), "{replay}");
    assert_eq!(place.provider.arrived().len(), 4, "a replay asks nobody");
}

#[test]
fn messages_whole_with_a_model_of_chat_completions() {
    comes_to_its_grade(Speaks::Messages, Where::Local, &[]);
}

#[test]
fn messages_streamed_in_docker() {
    comes_to_its_grade(Speaks::Messages, Where::Docker, &["streamed"]);
}

#[test]
fn generate_content_streamed_with_a_model_of_chat_completions() {
    let Some(place) = comes_to_its_grade(Speaks::Gemini, Where::Local, &["streamed"]) else {
        return;
    };
    let first = &place.events("model_answered")[0]["program"];
    assert!(first["removed"].to_string().contains("googleSearch"), "{first}");
    let last = place.provider.arrived().pop().unwrap().body;
    // The agent numbers no call.
    let messages = last["messages"].as_array().unwrap();
    let results = messages.iter().filter(|message| message["role"] == "tool");
    let ids: Vec<_> = results.map(|message| message["tool_call_id"].clone()).collect();
    assert_eq!(ids, ["reprise_call_1", "reprise_call_2", "reprise_call_3"]);
    assert_eq!(
        last["tools"][0]["function"]["parameters"]["properties"]["command"]["type"],
        "string"
    );
    let replay = printed(&place, &["replay", "out"]);
    assert!(replay.contains("Nothing differs"), "{replay}");
    assert_eq!(place.provider.arrived().len(), 4, "a replay asks nobody");
}

#[test]
fn generate_content_whole_in_docker() {
    comes_to_its_grade(Speaks::Gemini, Where::Docker, &[]);
}

#[test]
fn killed_and_resumed_nothing_is_paid_twice() {
    for speaks in [Speaks::Messages, Speaks::Gemini] {
        killed_and_resumed(speaks);
    }
}

fn killed_and_resumed(speaks: Speaks) {
    let Some(whole) = place(speaks, Where::Local) else {
        return;
    };
    let output = whole.begin(&["--translate"], &["streamed"]).output().unwrap();
    whole.assert_right(&output, 4);
    let second = whole.number("model_answered", 2);
    let place = place(speaks, Where::Local).unwrap();
    let killed = place
        .begin(&["--translate"], &["streamed"])
        .env("REPRISE_DIE_AFTER_EVENT", second.to_string())
        .output()
        .unwrap();
    assert_eq!(killed.status.code(), None, "{}", said(&killed));
    assert_eq!(place.provider.arrived().len(), 2);
    let output = place.resume(&[]);
    place.assert_right(&output, 4);
    let ended = place.events("program_ended").pop().unwrap();
    assert_eq!(ended["calls"], json!({"served_again": 2}), "{ended}");
    // Nothing says which dialect the program speaks, before it does.
    let started = place.events("program_started").pop().unwrap();
    assert_eq!(started["translation"].get("from"), None::<&Value>);
    let replay = printed(&place, &["replay", "out"]);
    assert!(replay.contains("Nothing differs"), "{replay}");
    assert_eq!(place.provider.arrived().len(), 4, "a replay asks nobody");
}

#[test]
fn without_the_flag_a_program_of_another_dialect_is_refused_with_the_way_out() {
    let Some(place) = place(Speaks::Responses, Where::Local) else {
        return;
    };
    let output = place.begin(&["--dialect", "responses"], &[]).output().unwrap();
    assert!(!output.status.success());
    assert!(said(&output).contains("--translate"), "{}", said(&output));
    assert_eq!(place.provider.arrived().len(), 0);
}

#[test]
fn what_would_be_lost_ends_the_program_and_is_refused_again_in_a_replay() {
    let Some(place) = place(Speaks::Responses, Where::Local) else {
        return;
    };
    let output = place.begin(&["--translate"], &["freeform"]).output().unwrap();
    assert!(!output.status.success());
    let ended = place.events("program_ended").pop().unwrap();
    assert_eq!(ended["calls"], json!({"turned_away": 1}), "{ended}");
    let why = ended["turned_away"][0].as_str().unwrap();
    assert!(why.contains("freeform tool `apply_patch`"), "{why}");
    assert_eq!(place.provider.arrived().len(), 0);
    let replay = printed(&place, &["replay", "out"]);
    assert!(replay.contains("Nothing differs"), "{replay}");
}

#[test]
fn what_is_approved_says_that_calls_are_translated() {
    let Some(place) = place(Speaks::Responses, Where::Local) else {
        return;
    };
    let output = place
        .asked("ask", "local", &["--dialect", "responses", "--translate"])
        .args(["--", "python3", "/agent/agent.py", "responses"])
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(5), "{}", said(&output));
    let asked = place.journal().iter().map(Value::to_string).collect::<String>();
    assert!(
        asked.contains("Its calls of the model are translated from Responses into chat completions."),
        "{asked}"
    );
}
