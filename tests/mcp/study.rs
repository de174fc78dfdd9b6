//! Stages of a study, carried by a client with the answers of a recording.

use std::path::Path;

use serde_json::{Value, json};

use crate::place::Place;
use crate::stdio::Client;

/// Makes a call; where a person has to approve first, it is approved elsewhere and made again.
fn made(place: &Place, client: &mut Client, name: &str, arguments: &Value) -> Value {
    for _ in 0..4 {
        let result = client.tool(name, arguments.clone());
        if !result.to_string().contains("reprise approve") {
            return result;
        }
        let approved = place.call(&["approve", "run"]);
        assert!(
            approved.status.success(),
            "{}",
            String::from_utf8_lossy(&approved.stderr)
        );
    }
    panic!("{name} {arguments} is not approved");
}

#[test]
fn a_client_plans_and_executes_behind_the_gate() {
    let study = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/slope");
    let recording = std::fs::read_to_string(study.join("recordings/native.json")).unwrap();
    let recording: Value = serde_json::from_str(&recording).unwrap();
    let Some(place) = Place::of_study(study) else {
        return;
    };
    let mut client = Client::connect(&place, &["--code-mode", "native"]);
    let task = client.tool("task", json!({}));
    assert_eq!(task["structuredContent"]["stage"], "design", "{task}");
    // A tool of a later stage is none of this one.
    let early = client.tool("run_analysis", json!({ "reason": "at once" }));
    assert!(
        early["isError"] == true && early.to_string().contains("there is no tool `run_analysis`"),
        "{early}"
    );
    for stage in ["design", "execute"] {
        for turn in recording["stages"][stage]["turns"].as_array().unwrap() {
            let answer = &turn["answer"];
            for call in answer["calls"].as_array().into_iter().flatten() {
                made(
                    &place,
                    &mut client,
                    call["name"].as_str().unwrap(),
                    &call["arguments"],
                );
            }
            if answer["json"].is_object() {
                let taken = made(
                    &place,
                    &mut client,
                    "submit",
                    &json!({ "answers": answer["json"] }),
                );
                assert_eq!(taken["structuredContent"]["accepted"], true, "{stage}: {taken}");
            }
        }
    }
    assert_eq!(client.tool("task", json!({}))["structuredContent"]["over"], true);
    assert_eq!(client.leave(), Some(0));
    let asked = place.events("asked");
    let of = |kind: &str| asked.iter().filter(|event| event["asking"] == kind).count();
    assert!(
        of("execute") >= 2,
        "each changed command is asked about: {asked:?}"
    );
    let decided = place.events("decided");
    assert!(decided.iter().any(|event| event["by"] == "person"), "{decided:?}");
    let finished = place.events("execution_finished");
    assert_eq!(finished.last().unwrap()["ending"]["exited"], 0, "{finished:?}");
    assert!(
        place
            .path()
            .join("run/artifacts/execution_results.json")
            .is_file()
    );
    assert_eq!(place.shown()["unmetered"], true);
}
