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

/// A client in the stage `execute`, whose script waits for long once it has begun.
fn before_a_long_analysis(place: &Place, approve: &str) -> Client {
    let mut client = Client::connect(place, &["--code-mode", "native", "--approve", approve]);
    let plan = recorded_plan();
    let taken = made(place, &mut client, "submit", &json!({ "answers": plan }));
    assert_eq!(taken["structuredContent"]["accepted"], true, "{taken}");
    let waits =
        json!({ "path": "work/helper.sh", "operation": "append", "new_text": "touch begun\nsleep 600\n" });
    let edited = made(place, &mut client, "edit_file", &waits);
    assert_eq!(edited["isError"], false, "{edited}");
    client
}

/// The plan of the fixture's recording, with the script that is there.
fn recorded_plan() -> Value {
    let study = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/slope");
    let recording = std::fs::read_to_string(study.join("recordings/native.json")).unwrap();
    let recording: Value = serde_json::from_str(&recording).unwrap();
    let turns = recording["stages"]["design"]["turns"].as_array().unwrap();
    let mut plan = turns.last().unwrap()["answer"]["json"].clone();
    plan["replication_study"]["entry_points"][0]["path"] = json!("work/slope.sh");
    plan
}

/// Asks for the analysis, and cancels the request once its script runs.
fn cancel_the_analysis(place: &Place, client: &mut Client) -> u64 {
    let id = client.send(
        "tools/call",
        json!({ "name": "run_analysis", "arguments": analysis() }),
    );
    let begun = place.path().join("run/workspace/work/begun");
    Client::until("the script does not begin", || begun.exists());
    client.notify("notifications/cancelled", json!({ "requestId": id }));
    id
}

fn analysis() -> Value {
    json!({ "reason": "the plan" })
}

/// Holds that a cancelled analysis was ended, is told, and can be made again to a good end.
fn goes_on_behind_a_cancelled_analysis(place: &Place, mut client: Client, cancelled: u64) {
    // It waits for the execution, which would take ten minutes.
    let listed = client.tool("list_files", json!({ "path": "work" }));
    let files = listed["structuredContent"]["text"].as_str().unwrap();
    assert!(
        files.contains("slope.sh") && !files.contains("begun"),
        "what the command wrote is gone: {files}"
    );
    assert!(
        client.heard.iter().all(|message| message["id"] != cancelled),
        "a cancelled call is not answered"
    );
    assert_eq!(place.events("execution_interrupted").len(), 1);
    assert!(place.events("execution_finished").is_empty());
    let calls = place.events("tool_finished");
    let left: Vec<&Value> = calls.iter().filter(|call| call["left"] == true).collect();
    assert!(left.len() == 1 && left[0]["tool"] == "run_analysis", "{calls:?}");
    let works = json!({
        "path": "work/helper.sh", "operation": "replace", "old_text": "touch begun\nsleep 600\n", "new_text": "",
    });
    let edited = made(place, &mut client, "edit_file", &works);
    assert_eq!(edited["isError"], false, "{edited}");
    let ran = made(place, &mut client, "run_analysis", &analysis());
    assert!(
        ran["isError"] == false && ran.to_string().contains("estimate 1.94"),
        "{ran}"
    );
    client.leave();
    let finished = place.events("execution_finished");
    assert_eq!(finished.len(), 1, "{finished:?}");
    assert_eq!(finished[0]["ending"]["exited"], 0, "{finished:?}");
    let shown = place.call(&["report", "run", "--format", "md", "--out", "-"]);
    assert!(
        String::from_utf8_lossy(&shown.stdout).contains("the caller stopped waiting"),
        "{}",
        String::from_utf8_lossy(&shown.stdout)
    );
    // A replay does not wait either: it leaves the call at the same place.
    let again = place.call(&["replay", "run"]);
    let said = String::from_utf8_lossy(&again.stdout);
    assert!(
        !said.contains("run_analysis") && said.contains("executions"),
        "{said}"
    );
}

#[test]
fn an_analysis_is_ended_when_its_request_is_cancelled() {
    let study = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/slope");
    let Some(place) = Place::of_study(study) else {
        return;
    };
    let mut client = before_a_long_analysis(&place, "auto");
    let cancelled = cancel_the_analysis(&place, &mut client);
    goes_on_behind_a_cancelled_analysis(&place, client, cancelled);
}

#[test]
fn an_analysis_that_was_approved_elsewhere_is_ended_when_its_request_is_cancelled() {
    let study = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/slope");
    let Some(place) = Place::of_study(study) else {
        return;
    };
    let mut client = before_a_long_analysis(&place, "ask");
    let asked = client.tool("run_analysis", analysis());
    assert!(asked.to_string().contains("reprise approve"), "{asked}");
    let approved = place.call(&["approve", "run"]);
    assert!(
        approved.status.success(),
        "{}",
        String::from_utf8_lossy(&approved.stderr)
    );
    // The engine that goes on is another than the one that asked.
    let cancelled = cancel_the_analysis(&place, &mut client);
    goes_on_behind_a_cancelled_analysis(&place, client, cancelled);
}
