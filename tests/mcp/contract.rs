//! The contract: handshakes, tools, results, the end and the grade.

use serde_json::{Value, json};

use crate::place::{Place, right};
use crate::stdio::Client;

/// The tools of the stage, behind the one that tells the task.
const TOOLS: [&str; 7] = [
    "task",
    "bash",
    "submit",
    "list_files",
    "read_file",
    "search_files",
    "inspect_data",
];

/// Holds a result to the schema that its tool declares, and its text to its structure.
fn assert_fits(tools: &Value, name: &str, result: &Value) {
    let tool = tools.as_array().unwrap().iter().find(|tool| tool["name"] == name);
    let structured = &result["structuredContent"];
    let schema = &tool.unwrap()["outputSchema"];
    assert!(jsonschema::is_valid(schema, structured), "{name}: {structured}");
    let text = result["content"][0]["text"].as_str().unwrap();
    assert_eq!(&serde_json::from_str::<Value>(text).unwrap(), structured);
}

#[test]
fn a_run_is_carried_to_its_grade_which_nobody_is_told() {
    let Some(place) = Place::new() else { return };
    let mut client = Client::connect(&place, &[]);
    let mut listed = client.ask("tools/list", json!({}));
    let tools = listed["result"]["tools"].take();
    let names: Vec<&str> = tools
        .as_array()
        .unwrap()
        .iter()
        .map(|tool| tool["name"].as_str().unwrap())
        .collect();
    assert_eq!(names, TOOLS);
    let task = client.tool("task", json!({}));
    assert_fits(&tools, "task", &task);
    let told = &task["structuredContent"];
    assert_eq!(told["questions"].as_array().unwrap().len(), 6);
    assert!(told["task"].as_str().unwrap().contains("sunspots.py"), "{told}");
    assert_eq!(
        (&told["turn"], &told["over"], &told["last"]),
        (&json!(0), &json!(false), &Value::Null)
    );
    let made = client.tool("bash", json!({ "command": "X=7; cd environment; (exit 3)" }));
    assert_fits(&tools, "bash", &made);
    // A command that fails is a result; its tool has worked.
    assert_eq!(
        (&made["isError"], &made["structuredContent"]["exit_status"]),
        (&json!(false), &json!(3))
    );
    let kept = client.bash("echo $X; basename $PWD");
    assert!(
        kept["text"].as_str().unwrap().starts_with("7\nenvironment\n"),
        "{kept}"
    );
    assert_eq!(
        (&kept["exit_status"], &kept["running"]),
        (&json!(0), &json!(false))
    );
    for (name, arguments, found) in [
        ("list_files", json!({}), "task.txt"),
        (
            "read_file",
            json!({ "path": "work/environment/capsule-9000001/code/sunspots.py" }),
            "import",
        ),
        (
            "search_files",
            json!({ "pattern": "autocorrelation" }),
            "sunspots.py",
        ),
        (
            "inspect_data",
            json!({ "path": "work/environment/capsule-9000001/data/sunspots.csv" }),
            "SUNACTIVITY",
        ),
    ] {
        let seen = client.tool(name, arguments);
        assert_fits(&tools, name, &seen);
        let text = seen["structuredContent"]["text"].as_str().unwrap();
        assert!(seen["isError"] == false && text.contains(found), "{name}: {seen}");
    }
    let wrong = client.tool("bash", json!({ "command": "ls", "seconds": 0 }));
    assert_fits(&tools, "bash", &wrong);
    assert_eq!(wrong["isError"], true, "{wrong}");
    let handed_back = client.tool(
        "submit",
        json!({ "answers": { "Report the mean number of sunspots.": 1 } }),
    );
    assert_fits(&tools, "submit", &handed_back);
    assert_eq!(
        handed_back["structuredContent"]["accepted"], false,
        "{handed_back}"
    );
    let mut answers = right();
    answers["Report the mean number of sunspots."] = json!(49.76);
    let taken = client.tool("submit", json!({ "answers": answers }));
    assert_fits(&tools, "submit", &taken);
    assert_eq!(taken["structuredContent"]["accepted"], true, "{taken}");
    let late = client.tool("bash", json!({ "command": "ls" }));
    assert_fits(&tools, "bash", &late);
    assert!(
        late["isError"] == true && late.to_string().contains("is over"),
        "{late}"
    );
    assert_eq!(client.tool("task", json!({}))["structuredContent"]["over"], true);
    let heard = Value::Array(std::mem::take(&mut client.heard)).to_string();
    assert!(
        !heard.contains("0.833") && !heard.contains("49.752104"),
        "{heard}"
    );
    assert_eq!(client.leave(), Some(0));
    let shown = place.shown();
    assert_eq!(
        (&shown["unmetered"], &shown["stages"][0]["turns"]),
        (&json!(true), &json!(9)),
        "{shown}"
    );
    let grade = place.events("run_graded").pop().unwrap();
    let scores = grade["grade"]["parts"]
        .as_array()
        .unwrap()
        .iter()
        .map(|part| part["score"].as_f64().unwrap());
    assert_eq!(scores.sum::<f64>(), 5.0, "{grade}");
    for page in ["run/report.html", "run/scores.json"] {
        assert!(place.path().join(page).is_file(), "{page}");
    }
    let report = std::fs::read_to_string(place.path().join("run/report.html")).unwrap();
    assert!(report.contains("unmetered"));
    let cost = place.call(&["show", "cost", "run"]);
    assert!(String::from_utf8_lossy(&cost.stdout).contains("unmetered"));
    let again = place.call(&["replay", "run"]);
    assert!(
        again.status.success(),
        "{}",
        String::from_utf8_lossy(&again.stdout)
    );
}

#[test]
fn both_handshakes_are_known() {
    let Some(place) = Place::new() else { return };
    let mut client = Client::discover(&place);
    let found = client.ask("server/discover", json!({}));
    let versions = found["result"]["supportedVersions"].as_array().unwrap();
    for version in ["2025-06-18", "2025-11-25", "2026-07-28"] {
        assert!(versions.contains(&json!(version)), "{found}");
    }
    assert_eq!(found["result"]["resultType"], "complete", "{found}");
    let listed = &client.ask("tools/list", json!({}))["result"];
    assert_eq!(listed["resultType"], "complete");
    assert!(
        listed["ttlMs"].is_number() && listed["cacheScope"].is_string(),
        "{listed}"
    );
    let result = client.tool("bash", json!({ "command": "echo $((6 * 7))" }));
    assert_eq!(result["resultType"], "complete", "{result}");
    assert!(
        result["structuredContent"]["text"]
            .as_str()
            .unwrap()
            .contains("42\n[exit status 0]")
    );
    assert_eq!(client.leave(), Some(130), "a run that is not over is interrupted");
    // Another connection, of the other kind, finds the run where it was left.
    let mut client = Client::connect(&place, &[]);
    let told = client.tool("task", json!({}));
    assert_eq!(told["structuredContent"]["turn"], 1, "{told}");
}

#[test]
fn a_long_call_gives_signs_of_life_and_can_be_cancelled() {
    let Some(place) = Place::new() else { return };
    let mut client = Client::connect(&place, &[]);
    client.bash("X=5");
    let id = client.send(
        "tools/call",
        json!({
            "name": "bash", "arguments": { "command": "sleep 600", "seconds": 900 }, "_meta": { "progressToken": "t" },
        }),
    );
    let told = client.hear();
    assert_eq!(told["method"], "notifications/progress", "{told}");
    assert_eq!(told["params"]["progressToken"], "t");
    assert!(told["params"]["progress"].as_f64().unwrap() >= 3.0, "{told}");
    client.notify(
        "notifications/cancelled",
        json!({ "requestId": id, "reason": "enough" }),
    );
    // The shell is free, and what it held is there.
    let next = client.bash("echo $X");
    assert!(next["text"].as_str().unwrap().starts_with("5\n"), "{next}");
    assert!(
        client.heard.iter().all(|message| message["id"] != id),
        "a cancelled call is not answered"
    );
    client.leave();
    let acts = place.acts();
    let left = acts[1]["seconds"].as_u64().unwrap();
    assert!(
        acts[1]["command"] == "sleep 600" && (3..60).contains(&left),
        "{acts:?}"
    );
    assert_eq!(acts[2]["control"], "interrupt", "{acts:?}");
    assert_eq!(acts.len(), 4);
}

#[test]
fn calls_that_come_together_are_made_in_their_order() {
    let Some(place) = Place::new() else { return };
    let mut client = Client::connect(&place, &[]);
    let ids: Vec<u64> = (0..4)
        .map(|number| {
            let command = format!("echo {number} >> order; wc -l < order");
            client.send(
                "tools/call",
                json!({ "name": "bash", "arguments": { "command": command } }),
            )
        })
        .collect();
    let mut lines: Vec<i64> = Vec::new();
    let mut waiting = ids;
    while !waiting.is_empty() {
        let answer = client.hear();
        waiting.retain(|id| answer["id"] != *id);
        let text = answer["result"]["structuredContent"]["text"]
            .as_str()
            .unwrap()
            .to_owned();
        lines.push(text.lines().find_map(|line| line.parse().ok()).unwrap());
    }
    lines.sort_unstable();
    assert_eq!(lines, [1, 2, 3, 4]);
    client.leave();
    assert_eq!(place.acts().len(), 4);
}
