//! Several studies out of one budget: what is shared, what is passed over, and
//! what a signal leaves.

use std::process::Stdio;
use std::time::Duration;

use serde_json::Value;

use super::provider::{Dialect, Fault, Provider};
use super::support::{Called, Place, called, copy, fixture_named};

const BATCH: [&str; 8] = [
    "batch",
    "slope",
    "harvest",
    "--code-mode",
    "native",
    "--approve",
    "auto",
    "--json",
];

/// Two studies with recordings of their own.
fn two() -> Place {
    let place = Place::new();
    place.study();
    copy(&fixture_named("harvest"), &place.path().join("harvest"));
    place
}

fn rows(called: &Called) -> Vec<Value> {
    let printed: Value = serde_json::from_str(&called.stdout).unwrap_or_else(|_| panic!("{}", called.stderr));
    printed["runs"].as_array().unwrap().clone()
}

fn answers(place: &Place, run: &str) -> usize {
    let journal = place.path().join("batch").join(run).join("journal.jsonl");
    let journal = std::fs::read_to_string(journal).unwrap_or_default();
    journal.matches(r#""kind":"model_answered""#).count()
}

#[test]
fn runs_of_a_batch_spend_out_of_one_purse_and_the_same_call_goes_on() {
    let place = two();
    let batch = |more: &[&str]| place.call(&[&BATCH[..], more].concat());
    let stopped = batch(&["--max-turns", "batch=20", "--parallel", "2"]);
    assert_eq!(stopped.status, 6, "{}{}", stopped.stdout, stopped.stderr);
    let spent = || answers(&place, "slope-native") + answers(&place, "harvest-native");
    assert_eq!(spent(), 20, "{}", stopped.stdout);
    let limited: Vec<_> = (rows(&stopped).into_iter())
        .filter(|row| row["exit_code"] == 6)
        .collect();
    let detail = limited[0]["detail"].as_str().unwrap();
    assert!(
        detail.contains("allowed for all runs together: `reprise batch` with a larger --max-turns batch=..."),
        "{detail}"
    );
    // What was spent before counts, so that the same cap buys nothing more.
    assert_eq!(batch(&["--max-turns", "batch=20"]).status, 6);
    assert_eq!(spent(), 20);

    let went_on = batch(&["--max-turns", "batch=100"]);
    assert_eq!(went_on.status, 0, "{}{}", went_on.stdout, went_on.stderr);
    let whole = spent();
    assert!(whole > 20 && answers(&place, "slope-native") == 19);
    for row in rows(&went_on) {
        assert!(row["verdict"].is_string(), "{row:#}");
        assert_eq!(row.get("cause"), None, "{row:#}");
        assert!(
            std::path::Path::new(row["folder"].as_str().unwrap())
                .ends_with(format!("batch/{}-native", row["study"].as_str().unwrap()))
        );
    }
    let again = batch(&["--quiet"]);
    assert_eq!((again.status, again.stderr.as_str()), (0, ""));
    assert!(rows(&again).iter().all(|row| row["passed_over"] == true));
    assert_eq!(spent(), whole);
}

#[test]
fn a_batch_prints_a_line_for_each_study_and_a_table() {
    let place = two();
    let called = place.call(&BATCH[..7]);
    assert_eq!(called.status, 0, "{}{}", called.stdout, called.stderr);
    for study in ["slope", "harvest"] {
        assert!(
            called.stderr.contains(&format!("{study}:   ")),
            "{}",
            called.stderr
        );
    }
    insta::assert_snapshot!("batch_table", place.plain(&called.stdout));
}

#[test]
fn a_signal_stops_every_run_of_a_batch_and_one_that_waits_is_never_begun() {
    let place = two();
    let provider = Provider::start(Dialect::OpenAi, vec![Fault::HalfAnswer]);
    let (model, variables) = provider.model();
    let arguments = [&BATCH[..], &["--model", &model, "--parallel", "1"]].concat();
    let child = place
        .command(&arguments)
        .envs(variables.clone())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    provider.halfway.recv_timeout(Duration::from_secs(120)).unwrap();
    nix::sys::signal::kill(
        nix::unistd::Pid::from_raw(child.id() as i32),
        nix::sys::signal::Signal::SIGINT,
    )
    .unwrap();
    let stopped = called(child.wait_with_output().unwrap());
    assert_eq!(stopped.status, 130, "{}{}", stopped.stdout, stopped.stderr);
    let rows = rows(&stopped);
    assert!(rows.iter().all(|row| row["exit_code"] == 130), "{rows:#?}");
    let begun = |run: &str| {
        place
            .path()
            .join("batch")
            .join(run)
            .join("journal.jsonl")
            .exists()
    };
    assert!(
        begun("slope-native") ^ begun("harvest-native"),
        "one had its turn"
    );
    assert_eq!(provider.requests().len(), 1);
}

#[test]
fn what_cannot_be_a_batch_is_refused_before_anything_runs() {
    let place = two();
    copy(&fixture_named("slope"), &place.path().join("again"));
    let refused = |arguments: &[&str], why: &str| {
        let called = place.call(arguments);
        assert_eq!(called.status, 2, "{}", called.stderr);
        assert!(called.stderr.contains(why), "{}", called.stderr);
        assert!(!place.path().join("batch").exists());
    };
    let native = ["--code-mode", "native", "--approve", "auto"];
    refused(
        &[&["batch", "slope", "again"][..], &native].concat(),
        "give each study once",
    );
    refused(
        &[&BATCH[..], &["--max-time", "batch=5m"]].concat(),
        "for each run",
    );
    refused(
        &[&BATCH[..], &["--model", "openai/gpt-99"]].concat(),
        "--allow-unpriced",
    );
    for verb in [&["run", "slope"][..], &["resume", "slope"]] {
        refused(&[verb, &["--max-turns", "batch=5"]].concat(), "`reprise batch`");
    }
}
