use std::fs;

use super::support::Place;

const DESIGN: [&str; 10] = [
    "run",
    "slope",
    "--code-mode",
    "native",
    "--approve",
    "auto",
    "--stages",
    "..design",
    "--out",
    "out",
];

#[test]
fn a_plan_is_registered_between_design_and_execution() {
    let place = Place::new();
    place.study();
    let called = place.call(&DESIGN);
    assert_eq!(called.status, 0, "{}", called.stderr);
    let called = place.call(&["preregister", "out"]);
    assert_eq!(called.status, 0, "{}", called.stderr);
    assert_eq!(called.stdout.lines().count(), 2, "{}", called.stdout);
    let page = fs::read_to_string(place.path().join("out/preregistration.md")).unwrap();
    insta::assert_snapshot!("preregistration", place.plain(&page));
    let page = fs::read_to_string(place.path().join("out/preregistration.html")).unwrap();
    assert!(page.contains("<h2>Analysis plan</h2>"), "{page}");

    let arguments = [
        "resume",
        "out",
        "--stages",
        "..interpret",
        "--registration",
        "https://osf.io/abcde",
    ];
    let called = place.call(&arguments);
    assert_eq!(called.status, 0, "{}{}", called.stdout, called.stderr);
    assert!(called.stdout.starts_with("criterion met"), "{}", called.stdout);
    let report = fs::read_to_string(place.path().join("out/report.html")).unwrap();
    assert!(report.contains("said to be registered at https://osf.io/abcde, not checked"));
    // What is known is not registered, and a run that is over goes no further.
    let complaint = place.complaint(&["preregister", "out"]);
    assert!(complaint.contains("has executed its plan"), "{complaint}");
    let called = place.call(&["replay", "out"]);
    assert_eq!(called.status, 0, "{}{}", called.stdout, called.stderr);
}

#[test]
fn a_plan_whose_scripts_were_executed_before_is_warned_of() {
    let place = Place::new();
    place.study();
    let second: Vec<&str> = DESIGN
        .iter()
        .map(|word| if *word == "out" { "second" } else { word })
        .collect();
    assert_eq!(place.call(&DESIGN).status, 0);
    assert_eq!(place.call(&second).status, 0);
    let warned = |called: super::support::Called| {
        assert_eq!(called.status, 0, "{}", called.stderr);
        called
            .stderr
            .contains("out has executed the same scripts on the same data")
    };
    // A second plan is no execution.
    assert!(!warned(place.call(&["preregister", "second"])));
    assert_eq!(
        place.call(&["resume", "out", "--stages", "..interpret"]).status,
        0
    );
    assert!(warned(place.call(&["preregister", "second"])));
}

#[test]
fn a_run_goes_on_to_later_stages_and_to_no_others() {
    let place = Place::new();
    place.study();
    assert_eq!(place.call(&DESIGN).status, 0);
    let complaint = place.complaint(&["resume", "out", "--stages", "search..interpret"]);
    assert!(
        complaint.starts_with(
            "$ reprise resume out --stages search..interpret\n[2] error: --stages search..interpret:"
        ),
        "{complaint}"
    );
    // Killed behind the event that extends it, it goes on all the same.
    let journal = || fs::read_to_string(place.path().join("out/journal.jsonl")).unwrap();
    let events = journal().lines().count();
    for later in 1..4 {
        place.dies_behind(events + later, &["resume", "out", "--stages", "..interpret"]);
    }
    let called = place.call(&["resume", "out"]);
    assert_eq!(called.status, 0, "{}{}", called.stdout, called.stderr);
    assert!(called.stdout.starts_with("criterion met"), "{}", called.stdout);
    assert_eq!(journal().matches("\"kind\":\"extended\"").count(), 1);
}

#[test]
fn a_run_without_a_plan_registers_nothing() {
    let place = Place::new();
    place.study();
    let arguments: Vec<&str> = DESIGN
        .iter()
        .map(|one| if *one == "..design" { "..extract" } else { one })
        .collect();
    assert_eq!(place.call(&arguments).status, 0);
    let complaint = place.complaint(&["preregister", "out"]);
    assert!(complaint.contains("has no plan yet"), "{complaint}");
}
