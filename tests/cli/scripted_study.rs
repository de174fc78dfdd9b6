//! A study with one script, and an agent that runs it, edits it and runs it again.

use std::fs;

use serde_json::{Value, json};

use super::support::{Called, Place};

/// A study's script, and what its agent does to it.
pub struct Script<'a> {
    pub name: &'a str,
    pub text: &'a str,
    /// Old and new texts of `edit_file`.
    pub edits: &'a [(&'a str, &'a str)],
    /// Packages that the plan declares.
    pub python: &'a [&'a str],
    /// Whether it runs it again without an edit.
    pub again: bool,
}

/// The slope study with one script of its own, and a recording whose agent runs it, and runs it again
/// behind its edits, where it makes any.
pub fn study(place: &Place, script: &Script<'_>) {
    let study = place.study();
    fs::write(
        study.join("input/replication_data").join(script.name),
        script.text,
    )
    .unwrap();
    let path = study.join("recordings/native.json");
    let mut recording: Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
    let design = recording["stages"]["design"]["turns"].as_array_mut().unwrap();
    let plan = &mut design.last_mut().unwrap()["answer"]["json"]["replication_study"];
    let in_work = format!("work/{}", script.name);
    plan["entry_points"] = json!([{ "path": in_work }]);
    plan["codebase"]["files"] = json!({ &in_work: "the study's script" });
    plan["docker_specs"]["packages"]["python"] = json!(script.python);
    let turns = recording["stages"]["execute"]["turns"].as_array_mut().unwrap();
    let answer = turns.last().unwrap().clone();
    let call = |name: &str, arguments: Value| {
        let mut turn = answer.clone();
        turn["answer"] = json!({ "calls": [{ "name": name, "arguments": arguments }] });
        turn
    };
    let mut scripted = vec![call("run_analysis", json!({ "reason": "first run" }))];
    for (old, new) in script.edits {
        let edit = json!({ "path": in_work, "operation": "replace", "old_text": old, "new_text": new });
        scripted.push(call("edit_file", edit));
    }
    if script.again || !script.edits.is_empty() {
        scripted.push(call("run_analysis", json!({ "reason": "again" })));
    }
    scripted.push(answer);
    *turns = scripted;
    fs::write(&path, recording.to_string()).unwrap();
}

/// What is typed to run it in the local sandbox.
pub fn arguments<'a>(out: &'a str, more: &[&'a str]) -> Vec<&'a str> {
    let mut arguments = vec![
        "run",
        "slope",
        "--code-mode=native",
        "--no-probe",
        "--approve",
        "auto",
    ];
    arguments.extend(["--sandbox", "local", "--model", "scripted:native"]);
    arguments.extend(["--out", out]);
    arguments.extend(more);
    arguments
}

/// Runs it.
pub fn run(place: &Place, out: &str, more: &[&str]) -> Called {
    place.call(&arguments(out, more))
}

/// The events of a kind, in their order.
pub fn events(place: &Place, out: &str, kind: &str) -> Vec<Value> {
    let journal = fs::read_to_string(place.path().join(out).join("journal.jsonl")).unwrap();
    (journal.lines())
        .map(|line| serde_json::from_str::<Value>(line).unwrap()["event"].clone())
        .filter(|event| event["kind"] == kind)
        .collect()
}

/// A text that an event holds, or that it names in the store.
pub fn content(place: &Place, out: &str, content: &Value) -> String {
    if let Some(text) = content["text"].as_str() {
        return text.to_owned();
    }
    let digest = content["blob"].as_str().unwrap().replace("sha256:", "");
    let blob = walkdir::WalkDir::new(place.path().join(out).join("blobs"))
        .into_iter()
        .map(Result::unwrap)
        .find(|entry| {
            let path = entry.path().to_string_lossy().replace('/', "");
            entry.file_type().is_file() && path.ends_with(&digest)
        })
        .unwrap();
    fs::read_to_string(blob.path()).unwrap()
}
