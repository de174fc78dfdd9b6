//! Clients that mean no good, or err, over standard input and output.

use serde_json::{Value, json};

use crate::place::{Place, right};
use crate::stdio::Client;

#[test]
fn messages_that_are_none_leave_the_run_as_it_is() {
    let Some(place) = Place::new() else { return };
    let mut client = Client::connect(&place, &[]);
    for name in ["grade", "run_analysis", "Bash", ""] {
        let answer = client.ask("tools/call", json!({ "name": name, "arguments": {} }));
        assert_eq!(answer["error"]["code"], -32602, "{answer}");
    }
    assert_eq!(client.ask("tools/score", json!({}))["error"]["code"], -32601);
    // More than a message may hold, and then something that is no message.
    let huge = json!({ "jsonrpc": "2.0", "id": 900, "method": "tools/call",
        "params": { "name": "bash", "arguments": { "command": "x".repeat(3 << 20) } } });
    client.say(&huge.to_string());
    client.say("{\"jsonrpc\":");
    client.say("[]");
    // What is small enough for a message, and too large for a command.
    let long = client.tool(
        "bash",
        json!({ "command": format!("echo {}", "y".repeat(300 << 10)) }),
    );
    assert!(
        long["isError"] == true && long.to_string().contains("longer than"),
        "{long}"
    );
    for arguments in [
        json!({ "command": "a", "control": "wait" }),
        json!({ "command": "a\u{0}b" }),
        json!({ "command": ["ls"] }),
        json!({ "control": "wait" }),
    ] {
        let result = client.tool("bash", arguments);
        assert_eq!(result["isError"], true, "{result}");
    }
    let outside = client.tool("read_file", json!({ "path": "../../run.json" }));
    assert_eq!(outside["isError"], true, "{outside}");
    for answers in [json!({ "answers": [] }), json!({}), json!({ "answers": "{}" })] {
        assert_eq!(
            client.tool("submit", answers)["structuredContent"]["accepted"],
            false
        );
    }
    assert!(
        client.bash("echo fine")["text"]
            .as_str()
            .unwrap()
            .contains("fine\n[exit status 0]")
    );
    client.leave();
    assert_eq!(place.events("run_graded"), Vec::<Value>::new());
}

#[test]
fn a_run_is_one_servers_and_one_tasks() {
    let Some(place) = Place::new() else { return };
    let mut first = Client::connect(&place, &[]);
    first.bash("true");
    let mut second = Client::connect(&place, &[]);
    let refused = second.tool("bash", json!({ "command": "ls" }));
    assert!(
        refused["isError"] == true && refused.to_string().contains("another process"),
        "{refused}"
    );
    second.leave();
    first.leave();
    let other = place.call(&[
        "agents",
        "mcp",
        "--level",
        "easy",
        crate::place::sunspots().to_str().unwrap(),
        "--out",
        "run",
    ]);
    assert_eq!(other.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&other.stderr).contains("at the level hard"));
    let resumed = place.call(&["resume", "run"]);
    assert!(String::from_utf8_lossy(&resumed.stderr).contains("reprise agents mcp"));
}

#[test]
fn a_session_waits_for_its_approval_and_acts_once() {
    let Some(place) = Place::new() else { return };
    let mut client = Client::connect(&place, &["--approve", "ask"]);
    let call = json!({ "command": "echo once >> log; wc -l < log" });
    for _ in 0..2 {
        let parked = client.tool("bash", call.clone());
        assert!(
            parked["isError"] == true && parked.to_string().contains("reprise approve"),
            "{parked}"
        );
    }
    assert!(place.acts().is_empty());
    let approved = place.call(&["approve", "run"]);
    assert!(
        approved.status.success(),
        "{}",
        String::from_utf8_lossy(&approved.stderr)
    );
    let made = client.tool("bash", call);
    let text = made["structuredContent"]["text"].as_str().unwrap();
    assert!(
        made["isError"] == false && text.contains("1\n[exit status 0]"),
        "{made}"
    );
    client.leave();
    assert_eq!(place.acts().len(), 1);
}

#[test]
fn a_session_that_is_refused_ends_the_run() {
    let Some(place) = Place::new() else { return };
    let mut client = Client::connect(&place, &["--approve", "deny"]);
    let refused = client.tool("bash", json!({ "command": "touch here" }));
    assert!(
        refused["isError"] == true && refused.to_string().contains("is over"),
        "{refused}"
    );
    let late = client.tool("submit", json!({ "answers": right() }));
    assert_eq!(late["structuredContent"]["accepted"], false, "{late}");
    assert_eq!(client.leave(), Some(4));
    assert!(place.acts().is_empty());
}
