//! Environments of attempts at capsules.

use std::fs;

use serde_json::{Value, json};

use super::support::Place;

/// A task file with one task.
fn task(place: &Place) {
    let file = json!([{
        "field": "Physics", "language": "Python", "capsule_title": "One", "capsule_id": "capsule-0000002",
        "task_prompt": "Run it.", "results": [{"Report n.": 5}, {"Report n.": 5}], "capsule_doi": "https://doi.org/10.1/x",
    }]);
    write(place, "task.json", &file.to_string());
}

fn write(place: &Place, name: &str, text: &str) {
    let path = place.path().join(name);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

#[test]
fn a_local_session_has_what_this_machine_has_of_the_published_packages() {
    let place = Place::new();
    task(&place);
    write(
        &place,
        "capsule-0000002/environment/Dockerfile",
        "FROM python:3.8\nRUN apt-get install -y no-such-package-here\nCOPY kept-from-agents /x\n",
    );
    write(&place, "capsule-0000002/code/one.py", "print(1)\n");
    let turn =
        |name: &str, arguments: Value| json!({"answer": {"calls": [{"name": name, "arguments": arguments}]}});
    let recording = json!({
        "format": "reprise-recording/1", "origin": "written by hand", "note": "No model's output.",
        "study": "capsule-0000002", "setting": "capsule",
        "stages": {"reproduce": {"turns": [
            turn("bash", json!({"command": "python3 environment/capsule-0000002/code/one.py"})),
            turn("submit", json!({"answers": {}})),
            turn("submit", json!({"answers": {}})),
        ]}},
    });
    write(&place, "recordings/one.json", &recording.to_string());
    for level in ["medium", "hard"] {
        let called = place.call(&[
            "capsule",
            "run",
            "task.json",
            "--level",
            level,
            "--model",
            "scripted:one",
            "--approve",
            "auto",
            "--sandbox",
            "local",
            "--out",
            level,
        ]);
        assert_eq!(called.status, 0, "{}", called.stderr);
        let journal = fs::read_to_string(place.path().join(level).join("journal.jsonl")).unwrap();
        let ended = journal
            .lines()
            .find(|line| line.contains("session_ended"))
            .unwrap();
        for part in [
            "`no-such-package-here` is left out",
            "`COPY kept-from-agents /x`",
            "this machine's own Python",
        ] {
            assert!(ended.contains(part), "{level}, {part}: {ended}");
            // Besides the notes of the session, and of the environment that was made for it.
            let told = journal
                .lines()
                .filter(|line| !line.contains("\"session_ended\"") && !line.contains("\"kind\":\"built\""));
            let told = told.filter(|line| line.contains(part)).count();
            assert_eq!(told > 0, level == "medium", "{level}, {part}: {journal}");
        }
        assert!(
            journal.contains("The packages that the capsule was published with are installed"),
            "{journal}"
        );
        assert!(
            journal.contains("it has no network, so that nothing can be installed"),
            "{journal}"
        );
    }
}

#[test]
fn a_table_of_base_images_that_is_none_is_named() {
    let place = Place::new();
    task(&place);
    fs::create_dir_all(place.path().join("capsule-0000002")).unwrap();
    write(&place, "images.toml", "\"*\" = 1\n");
    let run = [
        "capsule",
        "run",
        "task.json",
        "--model",
        "scripted:one",
        "--base-images",
    ];
    let called = place.call(&[&run[..], &["images.toml"]].concat());
    assert_eq!(called.status, 2, "{}", called.stderr);
    assert!(
        called
            .stderr
            .contains("--base-images images.toml: it is no table of texts"),
        "{}",
        called.stderr
    );
}
