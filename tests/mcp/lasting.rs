//! Runs that outlive their server.

use serde_json::json;

use crate::place::{Place, right};
use crate::stdio::Client;

#[test]
fn a_server_that_is_killed_is_followed_by_another() {
    let Some(place) = Place::new() else { return };
    let mut client = Client::connect(&place, &[]);
    client.bash("X=5; echo a > kept");
    // Killed while a command runs, of which the journal has the question alone.
    client.send(
        "tools/call",
        json!({ "name": "bash", "arguments": { "command": "touch begun; sleep 2; echo $((X + 1))" } }),
    );
    let begun = place.path().join("run/workspace/work/begun");
    Client::until("the command does not begin", || begun.exists());
    client.kill();
    let mut client = Client::connect(&place, &[]);
    let told = client.bash("echo $X; cat kept");
    assert!(told["text"].as_str().unwrap().contains("5\na\n"), "{told}");
    let task = client.tool("task", json!({}));
    assert_eq!(task["structuredContent"]["turn"], 3, "{task}");
    let taken = client.tool("submit", json!({ "answers": right() }));
    assert_eq!(taken["structuredContent"]["accepted"], true, "{taken}");
    assert_eq!(client.leave(), Some(0));
    let grade = place.events("run_graded").pop().unwrap();
    let parts = grade["grade"]["parts"].as_array().unwrap();
    assert!(parts.iter().all(|part| part["score"] == 1.0), "{grade}");
    assert_eq!(place.acts().len(), 3);
    // A run that is over says so to whoever comes.
    let mut client = Client::connect(&place, &[]);
    assert_eq!(client.tool("task", json!({}))["structuredContent"]["over"], true);
    let late = client.tool("submit", json!({ "answers": right() }));
    assert!(late["isError"] == true, "{late}");
    assert_eq!(client.leave(), Some(0));
}
