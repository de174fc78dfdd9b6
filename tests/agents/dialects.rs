//! A fake agent in each dialect, from its task to its grade.

use serde_json::{Value, json};

use crate::attempt::{Place, Where, commands};
use crate::provider::Speaks;
use crate::support::dialects::CANARY;

/// The agent runs, its answers are graded, and its calls stand in the run as other calls do.
fn comes_to_its_grade(speaks: Speaks, sandbox: Where, words: &[&str]) -> Option<Place> {
    let place = Place::new(speaks, sandbox, commands())?;
    let output = place
        .begin(&["--dialect", speaks.option()], words)
        .output()
        .unwrap();
    place.assert_right(&output, 4);
    let ended = place.events("program_ended").pop().unwrap();
    assert_eq!(ended["ending"], json!({"exited": 0}), "{ended}");
    assert!(
        ended["output"]["text"]
            .as_str()
            .unwrap()
            .ends_with("done after 3 commands\n"),
        "{ended}"
    );
    let cost = place
        .command(&["show", "cost", "out", "--json"])
        .output()
        .unwrap();
    let cost: Value = serde_json::from_slice(&cost.stdout).unwrap();
    let text = cost.to_string();
    assert!(text.contains("4000") && text.contains("\"calls\":4"), "{text}");
    Some(place)
}

#[test]
fn chat_completions_in_the_local_sandbox() {
    let Some(place) = comes_to_its_grade(Speaks::Chat, Where::Local, &[]) else {
        return;
    };
    let shown = place.command(&["show", "out"]).output().unwrap();
    let shown = String::from_utf8_lossy(&shown.stdout).into_owned();
    assert!(
        shown.contains("program    command: python3 /agent/agent.py chat ended with exit status 0"),
        "{shown}"
    );
    // The agent is told apart from our own loop, and from another version of its definition.
    let report = place
        .command(&["capsule", "report", "out", "--json"])
        .output()
        .unwrap();
    let report = String::from_utf8_lossy(&report.stdout).into_owned();
    assert!(
        report.contains("command ") && report.contains("(openai-api/"),
        "{report}"
    );
    let replay = place.command(&["replay", "out"]).output().unwrap();
    let said =
        String::from_utf8_lossy(&replay.stdout).into_owned() + &String::from_utf8_lossy(&replay.stderr);
    assert!(
        replay.status.success() && said.contains("Nothing differs"),
        "{said}"
    );
    assert_eq!(place.provider.arrived().len(), 4, "a replay asks nobody");
}

#[test]
fn responses_streamed_in_the_local_sandbox() {
    let Some(place) = comes_to_its_grade(Speaks::Responses, Where::Local, &["streamed"]) else {
        return;
    };
    let first = &place.events("model_answered")[0]["program"];
    assert_eq!(first["dialect"], "responses");
    let removed = first["removed"].to_string();
    assert!(
        removed.contains("web_search") && removed.contains("client_metadata"),
        "{removed}"
    );
    let arrived = &place.provider.arrived()[0];
    assert!(
        !arrived.body.to_string().contains("web_search"),
        "{}",
        arrived.body
    );
    assert!(first["stripped"].to_string().contains("x-session-id"), "{first}");
    // Each request but the first is kept as its difference from the one before.
    let last = &place.events("model_answered")[3]["program"]["asked"];
    assert!(last["beginning"].as_u64().unwrap() > 100, "{last}");
}

#[test]
fn messages_streamed_in_docker() {
    let Some(place) = comes_to_its_grade(Speaks::Messages, Where::Docker, &["streamed"]) else {
        return;
    };
    let arrived = &place.provider.arrived()[0];
    assert!(
        arrived.head.contains(&format!("x-api-key: {CANARY}")),
        "{}",
        arrived.head
    );
    assert!(!arrived.head.contains("x-session-id") && arrived.body.get("metadata").is_none());
}

#[test]
fn generate_content_streamed_in_docker() {
    comes_to_its_grade(Speaks::Gemini, Where::Docker, &["streamed"]);
}

#[test]
fn a_replay_that_takes_another_course_says_where() {
    let Some(place) = Place::new(Speaks::Chat, Where::Local, commands()) else {
        return;
    };
    let output = place.begin(&[], &[]).output().unwrap();
    place.assert_right(&output, 4);
    // Another word in the command is told, though the program makes nothing of it.
    let request = place.run().join("run.json");
    let text = std::fs::read_to_string(&request).unwrap();
    std::fs::write(&request, text.replace("\"chat\"", "\"chat\",\n\"anything\"")).unwrap();
    let replay = place.command(&["replay", "out"]).output().unwrap();
    let said = String::from_utf8_lossy(&replay.stdout).into_owned();
    assert_eq!(replay.status.code(), Some(1), "{said}");
    assert!(said.contains("the program: the command"), "{said}");
    assert!(said.contains("1 differences in 4 calls of the program"), "{said}");
    // Where the program takes another course, the first call that is another one is named.
    std::fs::write(&request, text.replace("\"chat\"", "\"chat\",\n\"detour\"")).unwrap();
    let replay = place.command(&["replay", "out"]).output().unwrap();
    let said =
        String::from_utf8_lossy(&replay.stdout).into_owned() + &String::from_utf8_lossy(&replay.stderr);
    assert!(!replay.status.success(), "{said}");
    assert!(
        said.contains("call 2 of the program") && said.contains("they part at character"),
        "{said}"
    );
}

#[test]
fn a_model_of_another_dialect_is_refused_before_anything_is_asked() {
    let Some(place) = Place::new(Speaks::Messages, Where::Local, commands()) else {
        return;
    };
    let output = place.begin(&["--dialect", "responses"], &[]).output().unwrap();
    let said = crate::attempt::said(&output);
    assert!(
        !output.status.success() && said.contains("is asked in Messages"),
        "{said}"
    );
    assert_eq!(place.provider.arrived().len(), 0);
}
