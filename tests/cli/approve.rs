use super::support::{Place, tree};

const RUN: [&str; 8] = [
    "run",
    "slope",
    "--code-mode",
    "native",
    "--approve",
    "ask",
    "--out",
    "out",
];

/// A run that waits for its first execution to be approved.
fn parked() -> Place {
    let place = Place::new();
    place.study();
    let called = place.call(&RUN);
    assert_eq!(called.status, 5, "{}", called.stderr);
    place
}

/// Approves until the run has nothing more to ask.
fn approve_all(place: &Place) -> i32 {
    for _ in 0..10 {
        assert_eq!(place.call(&["approve", "out"]).status, 0);
        let status = place.call(&["resume", "out"]).status;
        if status != 5 {
            return status;
        }
    }
    panic!("the run asks for ever")
}

#[test]
fn a_run_without_a_terminal_parks_and_goes_on() {
    let place = parked();
    insta::assert_snapshot!("show_parked", place.plain(&place.call(&["show", "out"]).stdout));
    // Resuming without an answer parks again, and asks nothing twice.
    assert_eq!(place.call(&["resume", "out"]).status, 5);
    assert_eq!(approve_all(&place), 0);
    let mut unattended = RUN;
    unattended[5] = "auto";
    unattended[7] = "auto";
    assert_eq!(place.call(&unattended).status, 0);
    assert_eq!(
        tree(&place.path().join("out/artifacts")),
        tree(&place.path().join("auto/artifacts"))
    );
}

#[test]
fn a_refusal_without_advice_ends_the_stage_and_nothing_ran() {
    let place = parked();
    // The study's own helper is to be edited; then the execution is refused.
    loop {
        let shown = place.call(&["show", "out", "--json"]).stdout;
        let shown: serde_json::Value = serde_json::from_str(&shown).unwrap();
        let waiting = &shown["waiting_for"][0];
        if waiting["asking"] == "execute" {
            break;
        }
        assert_eq!(place.call(&["approve", "out"]).status, 0);
        assert_eq!(place.call(&["resume", "out"]).status, 5);
    }
    assert_eq!(place.call(&["approve", "out", "--deny"]).status, 0);
    let called = place.call(&["resume", "out"]);
    assert_eq!(called.status, 4, "{}", called.stderr);
    let journal = std::fs::read_to_string(place.path().join("out/journal.jsonl")).unwrap();
    assert!(!journal.contains("execution_started"));
}

#[test]
fn one_changed_byte_asks_again() {
    let place = parked();
    let execution = loop {
        let shown = place.call(&["show", "out", "--json"]).stdout;
        let shown: serde_json::Value = serde_json::from_str(&shown).unwrap();
        let waiting = shown["waiting_for"][0].clone();
        if waiting["asking"] == "execute" {
            break waiting;
        }
        assert_eq!(place.call(&["approve", "out"]).status, 0);
        assert_eq!(place.call(&["resume", "out"]).status, 5);
    };
    assert_eq!(place.call(&["approve", "out"]).status, 0);
    let helper = place.path().join("out/workspace/work/helper.sh");
    let mut text = std::fs::read_to_string(&helper).unwrap();
    text.push('\n');
    std::fs::write(&helper, text).unwrap();
    let called = place.call(&["resume", "out"]);
    assert_eq!(called.status, 5, "{}", called.stderr);
    let shown: serde_json::Value =
        serde_json::from_str(&place.call(&["show", "out", "--json"]).stdout).unwrap();
    assert_eq!(shown["waiting_for"][0]["asking"], "execute");
    assert_ne!(shown["waiting_for"][0]["digest"], execution["digest"]);
    assert!(shown["executions"].as_array().unwrap().is_empty());
}

#[test]
fn answers_that_fit_no_question_are_refused() {
    let place = parked();
    let mut told = String::new();
    for arguments in [
        &["approve", "out", "a9"][..],
        &["approve", "out", "one"],
        &["approve", "out", "--answer", "yes"],
        &["approve", "out", "--reason", "because"],
        &["approve", "nowhere"],
    ] {
        let called = place.call(arguments);
        told.push_str(&format!(
            "$ reprise {}\n[{}] {}\n",
            arguments.join(" "),
            called.status,
            called.stderr
        ));
    }
    insta::assert_snapshot!("approve_mistakes", place.plain(&told));
}
