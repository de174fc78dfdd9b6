//! Capsules as task folders of Harbor: written, graded by the verifier that is in them, and read back.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use reprise::scoring::capsule::accepted::accepted;
use reprise::scoring::capsule::strict;
use reprise::scoring::released::capsule::value::PythonValue;
use serde_json::{Value, json};

use super::support::Place;
use crate::need;

fn sunspots() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("capsules/sunspots/task.json")
}

/// The bundled capsule, written at a level; the folder.
pub fn exported(place: &Place, level: &str) -> PathBuf {
    let tasks = sunspots();
    let called = place.call(&[
        "capsule",
        "export",
        tasks.to_str().unwrap(),
        "--harbor",
        "harbor",
        "--level",
        level,
    ]);
    assert_eq!(called.status, 0, "{}", called.stderr);
    place.path().join(format!("harbor/capsule-9000001-{level}"))
}

/// The right answers, as the task file has them.
pub fn right() -> Value {
    let text = fs::read_to_string(sunspots()).unwrap();
    serde_json::from_str::<Value>(&text).unwrap()[0]["results"][0].clone()
}

/// The verifier's script over a file of answers; `None` where there is no Python.
fn verified(tests: &Path, report: &Path, logs: &Path) -> Option<Value> {
    need::program("python3", "apt-get install python3")?;
    let output = Command::new("python3")
        .arg("-I")
        .arg(tests.join("grade.py"))
        .args([tests.join("accepted.json").as_path(), report, logs])
        .output()
        .unwrap();
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let reward = fs::read_to_string(logs.join("reward.json")).unwrap();
    Some(serde_json::from_str(&reward).unwrap())
}

/// Every file below a folder, as text, by its path.
fn texts(folder: &Path) -> Vec<(PathBuf, String)> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        match path.is_dir() {
            true => found.extend(texts(&path)),
            false => found.push((
                path.clone(),
                String::from_utf8_lossy(&fs::read(&path).unwrap()).into_owned(),
            )),
        }
    }
    found
}

#[test]
fn a_folder_has_harbors_files_and_no_answer_outside_of_the_verifier() {
    let place = Place::new();
    let folder = exported(&place, "hard");
    let told: toml::Table = fs::read_to_string(folder.join("task.toml"))
        .unwrap()
        .parse()
        .unwrap();
    assert_eq!(
        told["artifacts"].as_array().unwrap()[0].as_str(),
        Some("/workspace/report.json")
    );
    assert_eq!(told["verifier"]["environment_mode"].as_str(), Some("separate"));
    assert_eq!(
        told["verifier"]["environment"]["network_mode"].as_str(),
        Some("no-network")
    );
    assert_eq!(
        told["task"]["name"].as_str(),
        Some("reprise/capsule-9000001-hard")
    );
    let instruction = fs::read_to_string(folder.join("instruction.md")).unwrap();
    assert!(
        instruction.contains("`/workspace/report.json`") && instruction.contains("Report the mean number")
    );
    let image = fs::read_to_string(folder.join("environment/Dockerfile")).unwrap();
    assert!(image.starts_with("FROM python:"), "{image}");
    assert!(
        image.ends_with("COPY capsule-9000001 /workspace/environment/capsule-9000001\n"),
        "{image}"
    );
    let verifier = fs::read_to_string(folder.join("tests/Dockerfile")).unwrap();
    assert!(verifier.contains("COPY . /tests/"), "{verifier}");
    let script = fs::read_to_string(folder.join("tests/test.sh")).unwrap();
    assert!(
        script.contains("/workspace/report.json /logs/verifier"),
        "{script}"
    );
    let capsule = folder.join("environment/capsule-9000001");
    assert!(capsule.join("code/sunspots.py").is_file());
    assert!(!capsule.join("environment").exists() && !capsule.join("code/run").exists());
    // What an agent sees, and what a harness shows, holds no answer.
    for (path, text) in texts(&folder) {
        let is_verifiers = path.starts_with(folder.join("tests"));
        let holds = text.contains("49.752104") || text.contains("11.035714");
        assert!(is_verifiers || !holds, "{} holds an answer", path.display());
    }
    let again = place.call(&[
        "capsule",
        "export",
        sunspots().to_str().unwrap(),
        "--harbor",
        "harbor",
    ]);
    assert!(
        again.status == 2 && again.stderr.contains("not empty"),
        "{}",
        again.stderr
    );
}

#[test]
fn the_verifier_rewards_right_answers_alone_and_believes_no_reward() {
    let place = Place::new();
    let tests = exported(&place, "hard").join("tests");
    let report = place.path().join("report.json");
    let mut wrong = right();
    wrong["Report the mean number of sunspots."] = json!(50.75);
    let link = place.path().join("link.json");
    std::os::unix::fs::symlink(tests.join("task.json"), &link).unwrap();
    let huge = format!("{{\"a\": \"{}\"}}", "x".repeat(2 << 20));
    let deep = "[".repeat(100_000);
    for (name, text, reward) in [
        ("right", right().to_string(), 1),
        ("wrong", wrong.to_string(), 0),
        ("forged", json!({ "reward": 1 }).to_string(), 0),
        (
            "gold itself",
            fs::read_to_string(tests.join("accepted.json")).unwrap(),
            0,
        ),
        ("no JSON", "right".to_owned(), 0),
        ("huge", huge, 0),
        ("deep", deep, 0),
    ] {
        fs::write(&report, text).unwrap();
        let logs = place.path().join(name);
        // A reward that lies there beforehand was not given by the verifier.
        fs::create_dir_all(&logs).unwrap();
        fs::write(logs.join("reward.json"), json!({ "reward": 1 }).to_string()).unwrap();
        fs::write(logs.join("reward.txt"), "1").unwrap();
        let Some(found) = verified(&tests, &report, &logs) else {
            return;
        };
        assert_eq!(found, json!({ "reward": reward }), "{name}");
        assert!(!logs.join("reward.txt").exists(), "{name}");
    }
    for (name, path) in [("link", link), ("nothing", place.path().join("absent.json"))] {
        let logs = place.path().join(name);
        let found = verified(&tests, &path, &logs).unwrap();
        assert_eq!(found, json!({ "reward": 0 }), "{name}");
    }
    let details = fs::read_to_string(place.path().join("wrong/details.json")).unwrap();
    let details: Value = serde_json::from_str(&details).unwrap();
    let right = details["right"].as_object().unwrap();
    assert_eq!(
        right.values().filter(|right| **right == json!(true)).count(),
        5,
        "{details}"
    );
}

/// Gold of every kind with answers, some right and some not.
const ANSWERS: [(&str, &str); 30] = [
    ("5", "5"),
    ("5", "\" 5 % \""),
    ("5", "5.4"),
    ("5", "5.6"),
    ("1", "true"),
    ("5", "[5]"),
    ("5", "null"),
    ("5", "1e400"),
    ("1e-12", "5e-9"),
    ("0.957", "0.9572"),
    ("0.957", "0.95"),
    ("0.957", "\"0.957\""),
    ("0.716667", "0.7166674"),
    ("0.716667", "0.7166675"),
    ("0.716667", "0.716668"),
    ("28.170725", "28.170726"),
    ("true", "true"),
    ("true", "1"),
    ("\"Blue\"", "\" blue \""),
    ("\"50%\"", "\"50%\""),
    ("\"10\"", "10"),
    ("\"10\"", "10.0"),
    ("\"a\"", "\"b\""),
    ("\"None\"", "null"),
    ("\"True\"", "true"),
    ("[1, \"A\"]", "[1.0, \"a\"]"),
    ("[1, 2]", "[2, 1]"),
    ("[1, 2]", "\"[1, 2]\""),
    ("[[1], \"x\"]", "[[1], \"X\"]"),
    ("null", "null"),
];

#[test]
fn the_verifier_grades_as_strict_does() {
    let place = Place::new();
    let tests = exported(&place, "hard").join("tests");
    let object = |which: fn(&(&str, &str)) -> String| {
        let pairs: Vec<String> = ANSWERS
            .iter()
            .enumerate()
            .map(|(number, pair)| format!("\"q{number}\": {}", which(pair)))
            .collect();
        format!("{{{}}}", pairs.join(", "))
    };
    let run = object(|pair| pair.0.to_owned());
    let gold = format!("[{run}, {run}, {run}]");
    let answers = object(|pair| pair.1.to_owned());
    let questions = accepted(&gold).unwrap();
    fs::write(
        tests.join("accepted.json"),
        json!({ "questions": questions }).to_string(),
    )
    .unwrap();
    let (report, logs) = (place.path().join("report.json"), place.path().join("logs"));
    fs::write(&report, &answers).unwrap();
    if verified(&tests, &report, &logs).is_none() {
        return;
    }
    let details = fs::read_to_string(logs.join("details.json")).unwrap();
    let details: Value = serde_json::from_str(&details).unwrap();
    let graded = strict::grade(
        &PythonValue::parse(&gold).unwrap(),
        &PythonValue::parse(&answers).unwrap(),
    );
    let graded = graded.unwrap();
    assert!(graded.iter().any(|one| one.right) && graded.iter().any(|one| !one.right));
    for (number, one) in graded.iter().enumerate() {
        assert_eq!(
            details["right"][&one.question],
            json!(one.right),
            "{:?}",
            ANSWERS[number]
        );
    }
}

#[test]
fn a_folder_is_checked_and_attempted_as_the_capsule_was() {
    let place = Place::new();
    let folder = exported(&place, "easy");
    let checked = place.call(&["capsule", "check", folder.to_str().unwrap()]);
    assert_eq!(checked.status, 0, "{}{}", checked.stdout, checked.stderr);
    assert!(
        checked.stdout.contains("1 task, 1 of them with a capsule"),
        "{}",
        checked.stdout
    );
    let recording = json!({
        "format": "reprise-recording/1", "origin": "written by hand", "note": "", "study": "capsule-9000001",
        "setting": "capsule", "stages": { "reproduce": { "turns": [
            { "answer": { "calls": [{ "name": "bash",
                "arguments": { "command": "ls environment/capsule-9000001/results" } }] } },
            { "answer": { "calls": [{ "name": "submit", "arguments": { "answers": right() } }] } },
        ] } },
    });
    fs::write(place.path().join("session.json"), recording.to_string()).unwrap();
    let attempted = place.call(&[
        "capsule",
        "run",
        folder.to_str().unwrap(),
        "--model",
        "scripted:./session.json",
        "--approve",
        "auto",
        "--sandbox",
        "local",
        "--out",
        "run",
    ]);
    assert_eq!(attempted.status, 0, "{}{}", attempted.stdout, attempted.stderr);
    let journal = fs::read_to_string(place.path().join("run/journal.jsonl")).unwrap();
    // Of the folder's level, which nobody named.
    assert!(journal.contains("\"level\":\"easy\""), "{journal}");
    let events: Vec<Value> = journal
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let grade = events
        .iter()
        .find(|line| line["event"]["kind"] == "run_graded")
        .unwrap();
    let parts = grade["event"]["grade"]["parts"].as_array().unwrap();
    assert!(
        parts.len() == 6 && parts.iter().all(|part| part["score"] == 1.0),
        "{grade}"
    );
    // A folder of somebody else is no capsule.
    fs::write(folder.join("task.toml"), "[metadata]\nauthor_name = \"A\"\n").unwrap();
    let refused = place.call(&["capsule", "check", folder.to_str().unwrap()]);
    assert!(
        refused.status == 2 && refused.stderr.contains("only those are read"),
        "{}",
        refused.stderr
    );
}

/// The release of Harbor whose model of tasks is tried, and what that imports.
const HARBOR: &str = "harbor==0.25.0";
const NEEDED: [&str; 4] = [
    "pydantic>=2.12",
    "toml==0.10.2",
    "pathspec>=1.0.3",
    "packaging>=25",
];

#[test]
#[ignore = "installs Harbor from PyPI: .ci/run long"]
fn a_folder_is_read_by_harbor_itself() {
    let kept = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let Some(python) = need::pypi::python(kept, "harbor-reader", &NEEDED) else {
        return;
    };
    // Its model of tasks needs none of what runs them, and Python 3.12 for one name alone.
    let installed = Command::new(&python)
        .args([
            "-m",
            "pip",
            "install",
            "--quiet",
            "--no-deps",
            "--ignore-requires-python",
            HARBOR,
        ])
        .output()
        .unwrap();
    let why = String::from_utf8_lossy(&installed.stderr);
    let is_installed = match installed.status.success() {
        true => Ok(()),
        false => Err(why),
    };
    if need::need(is_installed).is_none() {
        return;
    }
    let place = Place::new();
    let folder = exported(&place, "hard");
    need::ends_well(
        Command::new(python)
            .arg(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/cli/harbor_reader.py"))
            .arg(folder),
    );
}
