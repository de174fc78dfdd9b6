//! Two runs of one study, compared as a user does.

use super::support::{Called, Place, copy, fixture_named};

/// With the study whose two data files have similar names.
fn harvest() -> Place {
    let place = Place::new();
    copy(&fixture_named("harvest"), &place.path().join("harvest"));
    place
}

/// Runs the fixture from its recording to its end, really executing its code.
fn run(place: &Place, study: &str, recording: &str, mode: &str, out: &str) -> Called {
    run_as(place, study, &format!("recorded:{recording}"), mode, out)
}

fn run_as(place: &Place, study: &str, model: &str, mode: &str, out: &str) -> Called {
    let called = place.call(&[
        "run",
        study,
        "--model",
        model,
        "--code-mode",
        mode,
        "--no-probe",
        "--approve",
        "auto",
        "--sandbox",
        "local",
        "--out",
        out,
    ]);
    assert_eq!(called.status, 0, "{}", called.stderr);
    called
}

/// What was printed, without the version of this machine's Python.
fn plain(place: &Place, text: &str) -> String {
    let version = regex::Regex::new(r"Python \d+\.\d+\.\d+").unwrap();
    version
        .replace_all(&place.plain(text), "Python [VERSION]")
        .into_owned()
}

/// Source: the ReplicatorBench paper, figure 6, where a translation read
/// another `.rds` of a similar name that happened to exist.
#[test]
fn a_translation_that_read_a_similarly_named_file_is_not_comparable() {
    let place = harvest();
    run(&place, "harvest", "native", "native", "native");
    let wrong = run(&place, "harvest", "python", "python", "python");
    // Nothing in the run itself gives the error away.
    assert!(wrong.stdout.starts_with("criterion met:"), "{}", wrong.stdout);
    let called = place.call(&["compare", "native", "python"]);
    assert_eq!(called.status, 1, "{}", called.stderr);
    assert!(!called.stdout.contains('\u{1b}'), "colours where no terminal is");
    insta::assert_snapshot!("compare_wrong_file", plain(&place, &called.stdout));

    let called = place.call(&["compare", "native", "python", "--json"]);
    assert_eq!(called.status, 1);
    let value: serde_json::Value = serde_json::from_str(&called.stdout).unwrap();
    assert_eq!(value["format"], "reprise-comparison/1");
    assert_eq!(value["same"], false);
    let found = &value["comparison"];
    assert_eq!(found["comparability"], "not_comparable");
    assert_eq!(found["same_verdict"], true);
    // Two modes are told other things from the design on; what they did is named beside it.
    assert_eq!(value["parting"]["told"]["first"], "the prompt");
    assert!(value["parting"]["did"]["turn"].is_u64(), "{}", value["parting"]);
    assert_eq!(found["pairs"][0]["same_sign"], true);
    assert_eq!(found["pairs"][0]["same_n"], true);
    assert_eq!(found["pairs"][1]["second"]["name"], "const");
    assert_eq!(
        found["opened"]["only_second"][0]["path"],
        "replication_data/harvest.csv"
    );

    let called = place.call(&["compare", "native", "python", "--html", "page.html"]);
    assert_eq!(called.status, 1, "{}", called.stderr);
    assert!(called.stdout.ends_with("page: page.html\n"), "{}", called.stdout);
    let page = std::fs::read_to_string(place.path().join("page.html")).unwrap();
    for words in [
        "The runs are not comparable",
        "replication_data/harvest.csv",
        "<svg",
        "joint",
    ] {
        assert!(page.contains(words), "{words} is not on the page");
    }
    assert!(!page.contains("src=") && !page.contains("<script"));
}

#[test]
fn a_faithful_translation_is_comparable_and_agrees() {
    let place = harvest();
    run(&place, "harvest", "native", "native", "native");
    run(&place, "harvest", "faithful", "python", "python");
    let called = place.call(&["compare", "native", "python"]);
    assert_eq!(called.status, 0, "{}{}", called.stdout, called.stderr);
    insta::assert_snapshot!("compare_faithful", plain(&place, &called.stdout));
    // A run beside itself is the same, too.
    assert_eq!(place.call(&["compare", "python", "python"]).status, 0);
    let page = place.call(&["compare", "native", "python", "--html", "-"]);
    assert!(page.stdout.contains("<!DOCTYPE html>"), "{}", page.stderr);
}

#[test]
fn data_that_were_corrected_between_two_runs_are_named() {
    let place = harvest();
    run(&place, "harvest", "native", "native", "before");
    let data = place
        .path()
        .join("harvest/input/replication_data/harvest_final.csv");
    // Another way of writing the same numbers, so that the recording still fits.
    let text = std::fs::read_to_string(&data).unwrap().replace('\n', "\r\n");
    std::fs::write(&data, text).unwrap();
    run_as(&place, "harvest", "scripted:native", "native", "after");
    let called = place.call(&["compare", "before", "after"]);
    assert_eq!(called.status, 1, "{}", called.stderr);
    let sentence = "The runs were given other contents of `replication_data/harvest_final.csv`.";
    assert!(called.stdout.contains(sentence), "{}", called.stdout);
    assert!(
        called.stdout.contains("the same verdict: criterion met"),
        "{}",
        called.stdout
    );
}

#[test]
fn what_cannot_be_compared_is_refused_in_one_line() {
    let place = harvest();
    place.study();
    run(&place, "harvest", "native", "native", "native");
    run(&place, "slope", "native", "native", "slope-run");
    let started = [
        "run",
        "harvest",
        "--code-mode",
        "native",
        "--no-probe",
        "--approve",
        "auto",
        "--sandbox",
        "local",
        "--out",
    ];
    let design = [&started[..], &["design", "--stages", "extract..design"]].concat();
    assert_eq!(place.call(&design).status, 0);
    let denied = [&started[..], &["denied", "--model", "scripted:native"]].concat();
    let denied: Vec<&str> = denied
        .into_iter()
        .map(|word| if word == "auto" { "deny" } else { word })
        .collect();
    assert_eq!(place.call(&denied).status, 4);
    for (out, event) in [("begun", "9"), ("nearly", "0")] {
        let last = std::fs::read_to_string(place.path().join("native/journal.jsonl"))
            .unwrap()
            .lines()
            .count()
            - 1;
        let event = if event == "0" {
            last.to_string()
        } else {
            event.to_owned()
        };
        place
            .command(&[&started[..], &[out]].concat())
            .env("REPRISE_DIE_AFTER_EVENT", event)
            .output()
            .unwrap();
    }
    let mut told = String::new();
    for second in [
        "slope-run",
        "design",
        "denied",
        "begun",
        "nearly",
        "harvest",
        "nowhere",
    ] {
        let called = place.call(&["compare", "native", second]);
        assert_eq!(called.status, 2, "{second}: {}{}", called.stdout, called.stderr);
        told.push_str(&format!("$ reprise compare native {second}\n{}", called.stderr));
    }
    insta::assert_snapshot!("compare_refused", place.plain(&told));
}
