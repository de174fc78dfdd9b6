use super::provider::{Dialect, KEY, Provider};
use super::support::{Place, called, tree};

const RUN: [&str; 6] = [
    "run",
    "slope",
    "--code-mode=native",
    "--no-probe",
    "--approve",
    "auto",
];

fn artifacts(place: &Place, out: &str) -> Vec<(String, Vec<u8>)> {
    tree(&place.path().join(out).join("artifacts"))
}

#[test]
fn a_session_of_one_dialect_replays_without_it() {
    let place = Place::new();
    place.study();
    let provider = Provider::start(Dialect::Anthropic, Vec::new());
    let (model, variables) = provider.model();
    let live = called(
        place
            .command(&RUN)
            .args([
                "--out",
                "live",
                "--model",
                &model,
                "--record",
                "./session.json",
                "--max-cost",
                "5",
            ])
            .envs(variables)
            .output()
            .unwrap(),
    );
    assert_eq!(live.status, 0, "{}", live.stderr);
    let asked = provider.requests().len();
    drop(provider);
    let recording = std::fs::read_to_string(place.path().join("session.json")).unwrap();
    assert!(recording.contains("recorded from anthropic/claude-sonnet-4-5"));
    assert!(!recording.contains(KEY) && !recording.contains("127.0.0.1"));
    // Without the budget that the model was told of, and without the provider.
    let again = place.call(
        &[
            &RUN[..],
            &["--out", "again", "--model", "recorded:./session.json"],
        ]
        .concat(),
    );
    assert_eq!(again.status, 0, "{}", again.stderr);
    assert_eq!(
        again.stdout.lines().next(),
        live.stdout.lines().next(),
        "the verdict"
    );
    assert_eq!(artifacts(&place, "again"), artifacts(&place, "live"));
    assert_eq!(asked, 19);
    // What was written over a recording, or answers another request, is refused.
    let refused = place.call(&["replay", "record", "live", "./session.json"]);
    assert_eq!(refused.status, 2);
    assert!(refused.stderr.contains("is there already"), "{}", refused.stderr);
    let other = place.path().join("slope/input/initial_details.txt");
    let text = std::fs::read_to_string(&other).unwrap();
    std::fs::write(&other, text.replacen("the", "some", 1)).unwrap();
    let strict = place.call(
        &[
            &RUN[..],
            &["--out", "strict", "--model", "recorded:./session.json"],
        ]
        .concat(),
    );
    assert_eq!(strict.status, 2, "{}", strict.stderr);
    assert!(
        strict.stderr.contains("answers another request"),
        "{}",
        strict.stderr
    );
}

#[test]
fn a_killed_run_has_a_recording_as_far_as_it_came() {
    let place = Place::new();
    place.study();
    let record = ["--out", "out", "--record", "killed"];
    place
        .command(&[&RUN[..], &record].concat())
        .env("REPRISE_DIE_AFTER_EVENT", "20")
        .output()
        .unwrap();
    assert!(!place.path().join("slope/recordings/killed.json").exists());
    let early = place.call(&["replay", "record", "out", "./early.json"]);
    assert_eq!(early.status, 0, "{}", early.stderr);
    let resumed = place.call(&["resume", "out"]);
    assert_eq!(resumed.status, 0, "{}", resumed.stderr);
    let read = |path: &str| {
        let text = std::fs::read(place.path().join(path)).unwrap();
        serde_json::from_slice::<serde_json::Value>(&text).unwrap()
    };
    let (early, whole) = (read("early.json"), read("slope/recordings/killed.json"));
    assert_eq!(whole["stages"].as_object().unwrap().len(), 5);
    let first = |recording: &serde_json::Value| recording["stages"]["extract"]["turns"][0].clone();
    assert_eq!(first(&early), first(&whole));
    let again = place.call(&[&RUN[..], &["--out", "again", "--model", "recorded:killed"]].concat());
    assert_eq!(again.status, 0, "{}", again.stderr);
    assert_eq!(artifacts(&place, "again"), artifacts(&place, "out"));
}
