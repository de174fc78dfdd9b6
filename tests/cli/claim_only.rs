//! A guess from a claim alone: what it is shown, how it counts, and what of it is published.

use std::fs;

use serde_json::{Value, json};

use super::support::{Called, Place};

/// The fixture study, with a recording that guesses.
fn place(verdict: &str) -> Place {
    let place = Place::new();
    let study = place.study();
    let turns =
        json!([{ "answer": { "json": { "verdict": verdict, "confidence": 0.7, "reasons": "A guess." } } }]);
    let recording = json!({
        "format": "reprise-recording/1",
        "origin": "written by hand",
        "note": "A guess for tests.",
        "study": "slope",
        "setting": "claim-only",
        "stages": { "predict": { "turns": turns } },
    });
    fs::write(study.join("recordings/claim-only.json"), recording.to_string()).unwrap();
    place
}

fn run(place: &Place, more: &[&str]) -> Called {
    let arguments = [
        "run",
        "slope",
        "--agent",
        "claim-only",
        "--model",
        "scripted:claim-only",
        "--out",
        "out",
    ];
    place.call(&[&arguments[..], more].concat())
}

fn parsed(called: &Called) -> Value {
    serde_json::from_str(&called.stdout).unwrap_or_else(|_| panic!("{}{}", called.stdout, called.stderr))
}

#[test]
fn it_is_shown_the_claim_and_nothing_else() {
    let place = place("met");
    let called = run(&place, &["--json"]);
    assert_eq!(called.status, 0, "{}", called.stderr);
    let grade = &parsed(&called)["grade"];
    assert_eq!(grade["parts"][0]["score"], 1.0, "{grade}");
    let claim = fs::read_to_string(place.path().join("slope/input/initial_details.txt")).unwrap();
    let (claim, hypotheses) = claim.split_once("[HYPOTHESES]").unwrap();
    let claim = claim.replace("[CLAIM]", "");
    let workspace = walkdir::WalkDir::new(place.path().join("out/workspace"));
    let files: Vec<_> = workspace
        .into_iter()
        .map(Result::unwrap)
        .filter(|entry| entry.file_type().is_file())
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .collect();
    // Its own answer.
    assert_eq!(files, ["prediction.json"]);
    let refreshed = place.call(&["replay", "refresh", "slope", "claim-only"]);
    assert_eq!(refreshed.status, 0, "{}", refreshed.stderr);
    let recording = fs::read(place.path().join("slope/recordings/claim-only.json")).unwrap();
    let recording: Value = serde_json::from_slice(&recording).unwrap();
    let request = &recording["stages"]["predict"]["turns"][0]["request"];
    assert_eq!(request["tools"].as_array().map_or(0, Vec::len), 0, "{request}");
    let asked = request["added"].to_string();
    let words: Vec<&str> = claim.split_whitespace().collect();
    assert!(
        words.iter().all(|word| asked.contains(word.trim_matches('"'))),
        "{asked}"
    );
    let hypotheses = hypotheses.trim();
    assert!(!hypotheses.is_empty() && !asked.contains(hypotheses), "{asked}");
    // It counts as a verdict among others, and beside the label.
    let scored = parsed(&place.call(&["score", "outcome", "out", "--json"]));
    let model = &scored["models"][0];
    assert_eq!(model["setting"], "claim-only", "{scored}");
    assert_eq!(model["score"]["accuracy"]["hits"], 1, "{scored}");
    let replayed = place.call(&["replay", "out"]);
    assert_eq!(replayed.status, 0, "{}{}", replayed.stdout, replayed.stderr);
}

#[test]
fn a_wrong_guess_is_wrong_and_no_verdict() {
    let place = place("unmet");
    let called = parsed(&run(&place, &["--json"]));
    assert_eq!(called["grade"]["parts"][0]["score"], 0.0, "{called}");
    assert!(called["verdict"].is_null(), "{called}");
}

#[test]
fn it_takes_no_program_and_no_other_task() {
    let place = place("met");
    let refused = run(&place, &["--agent-files", "."]);
    assert_eq!(refused.status, 2);
    assert!(
        refused.stderr.contains("has no use for --agent-files"),
        "{}",
        refused.stderr
    );
    fs::create_dir(place.path().join("task")).unwrap();
    fs::write(
        place.path().join("task/task.toml"),
        "format = 1\nid = 'a'\ntrack = 'sums'\nquestion = 'What?'\n",
    )
    .unwrap();
    let refused = place.call(&["run", "task", "--agent", "claim-only"]);
    assert_eq!(refused.status, 2, "{}", refused.stderr);
    assert!(
        refused.stderr.contains("guesses the outcome of a study's claim"),
        "{}",
        refused.stderr
    );
}

#[test]
fn a_bench_holds_it_against_labels_beside_verdicts() {
    let place = place("unmet");
    let file = "name = 'baseline'\nsettings = { approve = 'auto', sandbox = 'local' }\n\
                [[studies]]\npaths = ['slope']\n\
                [[agents]]\nname = 'by hand'\nsettings = { code-mode = 'native', no-probe = true }\n\
                [[agents]]\nname = 'guess'\nsettings = { agent = 'claim-only', model = 'scripted:claim-only' }\n";
    fs::write(place.path().join("bench.toml"), file).unwrap();
    let called = place.call(&["bench", "bench.toml", "--json"]);
    assert_eq!(called.status, 0, "{}", called.stderr);
    let bench = parsed(&called);
    let cell = |agent: &str| {
        let cells = bench["cells"].as_array().unwrap();
        cells.iter().find(|cell| cell["agent"] == agent).unwrap().clone()
    };
    assert_eq!(cell("guess")["result"], "predicted", "{bench}");
    assert_eq!(cell("guess")["words"], "unmet predicted, with confidence 0.7");
    assert_eq!(
        cell("guess")["labelled"],
        json!({ "label": "met", "is_right": false })
    );
    assert_eq!(cell("guess")["score"], Value::Null);
    assert_eq!(
        cell("by hand")["labelled"],
        json!({ "label": "met", "is_right": true })
    );
    // A guess decides nothing, right or wrong.
    let agents = bench["agents"].as_array().unwrap();
    let guess = agents.iter().find(|agent| agent["name"] == "guess").unwrap();
    assert_eq!(guess["success"]["of"], 0, "{guess}");
    let page = fs::read_to_string(place.path().join("bench/index.html")).unwrap();
    assert!(page.contains("guess, from the claim alone") && page.contains("always met"));
    let publish = [
        "bench",
        "publish",
        "bench",
        "--out",
        "shown",
        "--author",
        "Doe, Jane",
    ];
    assert_eq!(place.call(&publish).status, 0);
    let cells = fs::read_to_string(place.path().join("shown/cells.jsonl")).unwrap();
    assert!(
        cells.contains("predicted") && !cells.contains("is_right"),
        "{cells}"
    );
}
