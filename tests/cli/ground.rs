use std::path::Path;

use super::support::{Place, RUN, copy};

#[test]
fn a_run_is_looked_up_in_its_paper() {
    let place = Place::finished();
    let called = place.call(&["ground", "out", "--all"]);
    insta::assert_snapshot!("ground", place.plain(&called.stdout));
    let called = place.call(&["ground", "out", "--json"]);
    let value: serde_json::Value = serde_json::from_str(&called.stdout).unwrap();
    assert_eq!(value["format"], "reprise-grounding/1");
    let report = std::fs::read_to_string(place.path().join("out/report.html")).unwrap();
    assert!(
        report.contains("were found as stated"),
        "no lookups in the report"
    );
}

/// The bundled study, whose paper is real text with a table.
#[test]
fn a_number_that_was_changed_is_absent_and_shown_beside_its_claim() {
    let place = Place::new();
    let study = place.path().join("duncan");
    copy(
        &Path::new(env!("CARGO_MANIFEST_DIR")).join("studies/duncan-1961"),
        &study,
    );
    let run = [
        "run",
        "duncan",
        "--stages",
        "extract..extract",
        "--approve",
        "auto",
        "--out",
        "out",
    ];
    let called = place.call(&run);
    assert_eq!(called.status, 0, "{}", called.stderr);
    let called = place.call(&["ground", "out"]);
    assert_eq!(called.status, 0, "{}{}", called.stdout, called.stderr);
    // The same answer about a paper with another number in it.
    let paper = std::fs::read(study.join("gt/human_report.pdf")).unwrap();
    let workspace = place.path().join("out/workspace/original_paper.pdf");
    std::fs::remove_file(&workspace).unwrap();
    std::fs::write(&workspace, paper).unwrap();
    let called = place.call(&["ground", "out"]);
    assert_eq!(called.status, 1, "{}{}", called.stdout, called.stderr);
    assert!(
        called.stdout.contains("absent: number `0.867`") && called.stdout.contains("it supports: "),
        "{}",
        called.stdout
    );
}

#[test]
fn a_run_without_an_extraction_is_refused() {
    let place = Place::new();
    place.study();
    place
        .command(&RUN)
        .env("REPRISE_DIE_AFTER_EVENT", "3")
        .output()
        .unwrap();
    let called = place.call(&["ground", "out"]);
    assert_eq!(called.status, 2, "{}", called.stdout);
    assert!(
        called.stderr.contains("no post-registration"),
        "{}",
        called.stderr
    );
}
