//! Runs that were made in format 1 stay readable, resumable and replayable.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::provider::{Dialect, Provider};
use super::support::{Called, Place, called, copy, fixture_named};

/// The model's answers that a journal holds.
fn answered(run: &Path) -> usize {
    journal(run).matches(r#""kind":"model_answered""#).count()
}

fn journal(run: &Path) -> String {
    std::fs::read_to_string(run.join("journal.jsonl")).unwrap()
}

/// A copy of a run in a place of its own, with the study and the model where they are.
pub fn stored(place: &Place, name: &str, model: Option<&str>) -> PathBuf {
    let study = place.study();
    let run = place.path().join(name);
    copy(&fixture_named("runs/format-1").join(name), &run);
    let path = run.join("run.json");
    let mut request: Value = serde_json::from_slice(&std::fs::read(&path).unwrap()).unwrap();
    assert_eq!(request["format"], 1);
    request["study"] = json!(study);
    if let Some(model) = model {
        request["model"] = json!(model);
    }
    std::fs::write(&path, serde_json::to_vec_pretty(&request).unwrap()).unwrap();
    run
}

fn resume(place: &Place, provider: &Provider, name: &str) -> Called {
    let mut command = place.command(&["resume", name]);
    called(command.envs(provider.model().1).output().unwrap())
}

#[test]
fn they_are_shown_and_reported() {
    for (name, words) in [
        ("finished", "criterion met: `dose` is 1.94"),
        ("parked", "awaiting approval"),
        ("killed", "can be resumed"),
    ] {
        let place = Place::new();
        let run = stored(&place, name, None);
        let before = journal(&run);
        let shown = place.call(&["show", name]);
        assert_eq!(shown.status, 0, "{name}: {}", shown.stderr);
        assert!(shown.stdout.contains(words), "{name}: {}", shown.stdout);
        for format in ["html", "md", "json"] {
            let report = place.call(&["report", name, "--format", format, "--out", "-"]);
            assert_eq!(report.status, 0, "{name}: {}", report.stderr);
            assert!(report.stdout.contains("Yield and dose"), "{name}, {format}");
        }
        assert_eq!(journal(&run), before, "{name}");
    }
}

#[test]
fn a_parked_run_goes_on() {
    let place = Place::new();
    let given = answered(&fixture_named("runs/format-1/parked"));
    let provider = Provider::behind(Dialect::OpenAi, given);
    let run = stored(&place, "parked", Some(&provider.model().0));
    let mut ended = resume(&place, &provider, "parked");
    let mut asked = 0;
    while ended.status == 5 && asked < 10 {
        asked += 1;
        assert_eq!(place.call(&["approve", "parked"]).status, 0);
        ended = resume(&place, &provider, "parked");
    }
    assert_eq!(ended.status, 0, "{}{}", ended.stdout, ended.stderr);
    assert!(asked > 0);
    as_it_would_have_ended(&place, &run, &provider, given);
}

#[test]
fn a_killed_run_goes_on() {
    let place = Place::new();
    let given = answered(&fixture_named("runs/format-1/killed"));
    let provider = Provider::behind(Dialect::OpenAi, given);
    let run = stored(&place, "killed", Some(&provider.model().0));
    let ended = resume(&place, &provider, "killed");
    assert_eq!(ended.status, 0, "{}{}", ended.stdout, ended.stderr);
    assert!(journal(&run).contains(r#""kind":"execution_interrupted""#));
    as_it_would_have_ended(&place, &run, &provider, given);
}

/// The answers that were had are not asked for again, and the result is that of
/// the finished run.
fn as_it_would_have_ended(place: &Place, run: &Path, provider: &Provider, given: usize) {
    let whole = fixture_named("runs/format-1/finished");
    assert_eq!(provider.requests().len(), answered(&whole) - given);
    assert_eq!(answered(run), answered(&whole));
    let verdict = |journal: &str| -> Value {
        let last: Value = serde_json::from_str(journal.lines().last().unwrap()).unwrap();
        last["event"]["verdict"].clone()
    };
    let (old, new) = (verdict(&journal(&whole)), verdict(&journal(run)));
    for key in ["outcome", "reason", "agent"] {
        assert_eq!(old[key], new[key], "{new}");
    }
    assert_eq!(old["finding"]["estimate"], new["finding"]["estimate"]);
    let name = run.file_name().unwrap().to_str().unwrap();
    let replayed = place.call(&["replay", name]);
    assert_eq!(replayed.status, 0, "{}{}", replayed.stdout, replayed.stderr);
}

#[test]
fn a_finished_run_is_replayed() {
    let place = Place::new();
    stored(&place, "finished", None);
    let called = place.call(&["replay", "finished"]);
    assert_eq!(called.status, 0, "{}{}", called.stdout, called.stderr);
    assert!(called.stdout.contains("Nothing differs"), "{}", called.stdout);
}

#[test]
fn the_rules_of_this_version_stand_beside_the_recorded_verdict() {
    let place = Place::new();
    let run = stored(&place, "finished", None);
    let before = journal(&run);
    let called = place.call(&["report", "finished", "--recompute", "--format", "md"]);
    assert_eq!(called.status, 0, "{}", called.stderr);
    insta::assert_snapshot!("format1_recomputed", place.plain(&called.stdout));
    assert_eq!(journal(&run), before);
    let told = std::fs::read_to_string(run.join("report.md")).unwrap();
    assert!(told.contains("By the rules of this version"), "{told}");

    stored(&place, "parked", None);
    let called = place.call(&["report", "parked", "--recompute"]);
    assert_eq!(called.status, 0, "{}", called.stderr);
    assert!(
        called
            .stdout
            .starts_with("recorded    no verdict\nrecomputed  inconclusive"),
        "{}",
        called.stdout
    );
}
