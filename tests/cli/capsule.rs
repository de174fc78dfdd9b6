//! Capsules: lists of tasks, checks and grades.

use std::fs;

use serde_json::{Value, json};

use super::support::Place;

/// A gold answer that nothing but grading may come near.
const CANARY: &str = "canary-5b2f";

/// A task file with two tasks.
fn tasks(place: &Place) {
    let task = |id: &str, field: &str, language: &str, results: Value| {
        json!({
            "field": field, "language": language, "capsule_title": format!("Capsule {id}"), "capsule_id": id,
            "task_prompt": "Run it.", "results": results, "capsule_doi": "https://doi.org/10.1/x",
        })
    };
    let runs = |run: Value| json!([run.clone(), run.clone(), run]);
    let file = json!([
        task(
            "capsule-0000001",
            "Medicine",
            "R",
            runs(json!({"Report p.": 0.957, "fig 1: which bar is highest?": CANARY}))
        ),
        task(
            "capsule-0000002",
            "Computer Science",
            "Python",
            json!([{"Report n.": 5}])
        ),
    ]);
    fs::write(place.path().join("tasks.json"), file.to_string()).unwrap();
}

fn write(place: &Place, name: &str, text: &str) {
    let path = place.path().join(name);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

#[test]
fn tasks_are_listed_without_their_answers() {
    let place = Place::new();
    tasks(&place);
    let called = place.call(&["capsule", "list", "tasks.json"]);
    assert_eq!(called.status, 0, "{}", called.stderr);
    insta::assert_snapshot!("capsule_list", called.stdout);
    let figures = place.call(&["capsule", "list", "tasks.json", "--modality", "vision", "--json"]);
    let value: Value = serde_json::from_str(&figures.stdout).unwrap();
    assert_eq!(value["tasks"].as_array().unwrap().len(), 1);
    assert_eq!(value["tasks"][0]["questions"][1]["is_about_figure"], true);
    assert!(!figures.stdout.contains(CANARY) && !called.stdout.contains(CANARY));
    assert!(
        place
            .call(&["capsule", "list", "tasks.json", "--gpu"])
            .stdout
            .contains("0 tasks of 2")
    );
}

#[test]
fn a_check_names_what_is_missing_and_what_cannot_be_answered() {
    let place = Place::new();
    tasks(&place);
    for part in ["code", "data", "environment"] {
        fs::create_dir_all(place.path().join("capsules/capsule-0000001").join(part)).unwrap();
    }
    let called = place.call(&["capsule", "check", "tasks.json", "--capsules", "capsules"]);
    assert_eq!(called.status, 1, "{}", called.stderr);
    insta::assert_snapshot!("capsule_check", called.stdout);
    let called = place.call(&["capsule", "check", "tasks.json", "--capsules", "nowhere"]);
    assert_eq!(called.status, 2);
}

#[test]
fn reports_of_every_harness_are_graded_and_the_rest_is_named() {
    let place = Place::new();
    tasks(&place);
    write(
        &place,
        "out/capsule-0000001/report.json",
        &json!({"Report p.": "0.957", "fig 1: which bar is highest?": CANARY}).to_string(),
    );
    write(
        &place,
        "output.json",
        &json!({"capsule-0000002": {"answer": {"Report n.": 5}}, "capsule-0000009": {}}).to_string(),
    );
    write(&place, "loose.json", "{\"Report n.\": NaN, \"Report n.\": 5}");
    write(&place, "broken.json", "{\"Report n.\": ");
    let reports = [
        "out/capsule-0000001/report.json",
        "output.json",
        "loose.json",
        "broken.json",
        "absent.json",
    ];
    let grade = [&["capsule", "grade", "--tasks", "tasks.json"][..], &reports].concat();
    let called = place.call(&grade);
    assert_eq!(called.status, 2, "{}{}", called.stdout, called.stderr);
    insta::assert_snapshot!("capsule_grade", called.stdout);
    let all = [
        &grade[..],
        &[
            "--grader",
            "v1.1",
            "--grader",
            "inspect",
            "--json",
            "--task",
            "capsule-0000002",
        ],
    ]
    .concat();
    let value: Value = serde_json::from_str(&place.call(&all).stdout).unwrap();
    assert_eq!(value["format"], "reprise-capsule-grades/1");
    assert_eq!(value["accuracy"][0]["grader"], "v1.1");
    assert_eq!(value["ungraded"].as_array().unwrap().len(), 3);
    let called = place.call(&[&grade[..], &["--task", "capsule-7777777"]].concat());
    assert_eq!(called.status, 2);
    assert!(
        called.stderr.contains("has no task of that name"),
        "{}",
        called.stderr
    );
    let called = place.call(&[&grade[..], &["--grader", "kind"]].concat());
    assert_eq!(called.status, 2);
    assert!(called.stderr.contains("is no grader"), "{}", called.stderr);
}

#[test]
fn a_task_file_that_is_wrong_is_named_and_no_answer_is_quoted() {
    let place = Place::new();
    tasks(&place);
    let file = place.path().join("tasks.json");
    let text = fs::read_to_string(&file).unwrap();
    for (from, to, said) in [
        (
            "\"task_prompt\":\"Run it.\"",
            "\"task_prompt\":7",
            "task 1: a value is not a string",
        ),
        ("capsule-0000002", "capsule-0000001", "another task has the same"),
        ("capsule_doi", "doi", "unknown field `doi`"),
    ] {
        fs::write(&file, text.replacen(from, to, 1)).unwrap();
        if to == "capsule-0000001" {
            fs::write(&file, text.replace(from, to)).unwrap();
        }
        let called = place.call(&["capsule", "list", "tasks.json"]);
        assert_eq!(called.status, 2, "{}", called.stdout);
        assert!(called.stderr.contains(said), "{said}: {}", called.stderr);
        assert!(!called.stderr.contains(CANARY));
    }
}
