//! Runs whose scripts are older than their interpreters.

use std::fs;

use serde_json::{Value, json};

use super::need;
use super::support::Place;

const PYTHON: &str = "import time
start = time.clock()
rows = [line.split(',') for line in open('../replication_data/plots.csv')][1:]
print('dose N', len(rows), 'estimate 1.94 SE 0.0905539 t 21.4 p 0.00217167')
";
const R: &str = "x <- read.csv('../replication_data/plots.csv')
cat(toTitleCase('the slope'), nrow(x), fuddle(x), '\\n')
";

/// The slope study with one script of its own, and a recording whose agent runs it, makes `edits` and
/// runs it again.
fn study(place: &Place, script: &str, text: &str, edits: &[(&str, &str)]) {
    let study = place.study();
    fs::write(study.join("input/replication_data").join(script), text).unwrap();
    let path = study.join("recordings/native.json");
    let mut recording: Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
    let design = recording["stages"]["design"]["turns"].as_array_mut().unwrap();
    let plan = &mut design.last_mut().unwrap()["answer"]["json"]["replication_study"];
    let in_work = format!("work/{script}");
    plan["entry_points"] = json!([{ "path": in_work }]);
    plan["codebase"]["files"] = json!({ &in_work: "the study's script" });
    let turns = recording["stages"]["execute"]["turns"].as_array_mut().unwrap();
    let answer = turns.last().unwrap().clone();
    let call = |name: &str, arguments: Value| {
        let mut turn = answer.clone();
        turn["answer"] = json!({ "calls": [{ "name": name, "arguments": arguments }] });
        turn
    };
    let mut scripted = vec![call("run_analysis", json!({ "reason": "first run" }))];
    for (old, new) in edits {
        let edit = json!({ "path": in_work, "operation": "replace", "old_text": old, "new_text": new });
        scripted.push(call("edit_file", edit));
    }
    scripted.push(call("run_analysis", json!({ "reason": "again" })));
    scripted.push(answer);
    *turns = scripted;
    fs::write(&path, recording.to_string()).unwrap();
}

fn run(place: &Place) -> super::support::Called {
    place.call(&[
        "run",
        "slope",
        "--code-mode",
        "native",
        "--approve",
        "auto",
        "--sandbox",
        "local",
        "--model",
        "scripted:native",
        "--no-probe",
        "--out",
        "out",
    ])
}

fn events(place: &Place, kind: &str) -> Vec<Value> {
    let journal = fs::read_to_string(place.path().join("out/journal.jsonl")).unwrap();
    (journal.lines())
        .map(|line| serde_json::from_str::<Value>(line).unwrap()["event"].clone())
        .filter(|event| event["kind"] == kind)
        .collect()
}

/// A text that an event holds, or that it names in the store.
fn content(place: &Place, content: &Value) -> String {
    if let Some(text) = content["text"].as_str() {
        return text.to_owned();
    }
    let digest = content["blob"].as_str().unwrap().replace("sha256:", "");
    let blob = walkdir::WalkDir::new(place.path().join("out/blobs"))
        .into_iter()
        .map(Result::unwrap)
        .find(|entry| {
            let path = entry.path().to_string_lossy().replace('/', "");
            entry.file_type().is_file() && path.ends_with(&digest)
        })
        .unwrap();
    fs::read_to_string(blob.path()).unwrap()
}

fn report(place: &Place) -> String {
    let called = place.call(&["report", "out", "--format", "md"]);
    assert_eq!(called.status, 0, "{}", called.stderr);
    fs::read_to_string(place.path().join("out/report.md")).unwrap()
}

#[test]
fn a_known_fault_is_told_to_the_agent_and_the_person_and_the_mend_is_listed() {
    let Some(()) = need::program("python3", "apt-get install python3") else {
        return;
    };
    let place = Place::new();
    study(&place, "slope.py", PYTHON, &[("time.clock", "time.perf_counter")]);
    let called = run(&place);
    assert_eq!(called.status, 0, "{}{}", called.stdout, called.stderr);
    assert!(
        called.stderr.contains("failed for a known reason: `time.clock`"),
        "{}",
        called.stderr
    );
    let ends = events(&place, "execution_finished");
    let rescue = &ends[0]["rescue"];
    assert!(rescue["table"].as_u64().unwrap() > 0);
    assert_eq!(rescue["faults"][0]["id"], "python-time-clock");
    assert_eq!(rescue["faults"].as_array().unwrap().len(), 1, "{rescue}");
    assert!(ends[1].get("rescue").is_none());

    let calls = events(&place, "tool_finished");
    let ran = calls.iter().find(|call| call["tool"] == "run_analysis").unwrap();
    let told = content(&place, &ran["observation"]);
    for part in [
        "Known faults of old code",
        "line 2: `time.clock`",
        "This mend does not change results",
        "+start = time.perf_counter()",
        "logs/x1.mended.slope.py",
    ] {
        assert!(told.contains(part), "no {part} in {told}");
    }
    let compared = content(&place, &ran["stable"]);
    assert!(!compared.contains("Known faults"), "{compared}");
    let mended = fs::read_to_string(place.path().join("out/workspace/logs/x1.mended.slope.py")).unwrap();
    assert_eq!(mended, PYTHON.replace("time.clock", "time.perf_counter"));

    let report = report(&place);
    let said = "was mended for a newer interpreter, by version";
    assert!(report.contains(said), "{report}");
    assert!(report.contains("made before a later execution"), "{report}");
    let page = fs::read_to_string(place.path().join("out/report.html")).unwrap();
    assert!(page.contains("Known faults of old code") && page.contains("python-time-clock"));

    let replayed = place.call(&["replay", "out", "--out", "again", "--sandbox", "local"]);
    assert_eq!(replayed.status, 0, "{}{}", replayed.stdout, replayed.stderr);
}

#[test]
fn a_mend_of_another_kind_is_not_taken_for_the_proposed_one() {
    let Some(()) = need::program("python3", "apt-get install python3") else {
        return;
    };
    let place = Place::new();
    study(&place, "slope.py", PYTHON, &[("start = time.clock()\n", "")]);
    assert_eq!(run(&place).status, 0);
    let report = report(&place);
    assert!(report.contains("not made as proposed"), "{report}");
    assert!(!report.contains("was mended for a newer interpreter"));
}

#[test]
fn the_sandboxs_r_is_asked_which_package_has_a_function() {
    let Some(()) = need::program("Rscript", "apt-get install r-base-core") else {
        return;
    };
    let place = Place::new();
    let edit = [("toTitleCase(", "tools::toTitleCase(")];
    study(&place, "slope.R", R, &edit);
    let called = run(&place);
    let ends = events(&place, "execution_finished");
    let first = &ends[0]["rescue"];
    assert_eq!(
        first["installed"],
        json!([{ "name": "toTitleCase", "packages": ["tools"] }]),
        "{first} {}",
        called.stderr
    );
    let cause = first["faults"][0]["cause"].as_str().unwrap();
    assert!(
        cause.contains("`tools`, which is installed here and not attached"),
        "{cause}"
    );
    // No package has that one, so nothing is made up.
    assert!(ends[1].get("rescue").is_none(), "{}", ends[1]);
    assert!(!place.path().join("out/streams").exists());
}
