//! Runs that make the lock of a day themselves.

use std::fs;

use serde_json::{Value, json};

use super::index_server::IndexServer;
use super::need;
use super::scripted_study::{self, Script, arguments, events};
use super::support::{Called, Place, called};

const SCRIPT: &str = "import low_pkg, top_pkg
print('low', low_pkg.VERSION)
print('dose N 4 estimate 1.94 SE 0.0905539 t 21.4 p 0.00217167')
";

fn index() -> IndexServer {
    let server = IndexServer::new();
    server
        .module("top_pkg 1.0 2018-03-01 low-pkg>=1")
        .module("low_pkg 1.9 2019-01-01")
        .module("low_pkg 2.0 2021-01-01")
        .module("late_pkg 1.0 2022-05-01");
    server
}

fn place(python: &[&str]) -> Place {
    let place = Place::new();
    scripted_study::study(
        &place,
        &Script {
            name: "slope.py",
            text: SCRIPT,
            edits: &[],
            python,
            again: false,
        },
    );
    place
}

fn call(place: &Place, server: &IndexServer, arguments: &[&str]) -> Called {
    let mut command = place.command(arguments);
    command.env("PIP_INDEX_URL", format!("{}/simple", server.address));
    command.env("REPRISE_CACHE", place.path().join("cache"));
    command.env("REPRISE_UV", "off");
    called(command.output().unwrap())
}

fn printed(place: &Place, out: &str) -> String {
    let ended = &events(place, out, "execution_finished")[0];
    ended["stdout"]["text"].as_str().unwrap_or_default().to_owned()
}

fn lock(place: &Place, out: &str) -> Value {
    let made = events(place, out, "lock_made");
    assert_eq!(made.len(), 1, "{made:?}");
    serde_json::from_str(&scripted_study::content(place, out, &made[0]["lock"])).unwrap()
}

#[test]
fn a_run_of_a_day_makes_its_lock_which_approval_report_and_replay_go_by() {
    let Some(()) = need::program("python3", "apt-get install python3") else {
        return;
    };
    let place = place(&["top-pkg"]);
    let server = index();
    let run = |out: &str, day: &str| {
        let ran = call(&place, &server, &arguments(out, &["--as-of", day]));
        assert_eq!(ran.status, 0, "{}{}", ran.stdout, ran.stderr);
    };
    run("then", "2019-06-30");
    assert!(
        printed(&place, "then").contains("low 1.9"),
        "{}",
        printed(&place, "then")
    );
    let made = lock(&place, "then");
    assert_eq!(made["as_of"]["day"], "2019-06-30");
    assert_eq!(made["packages"][0]["name"], "low-pkg");
    assert_eq!(made["packages"][0]["required_by"], json!(["top-pkg"]));
    assert_eq!(made["packages"][1]["reasons"], json!(["The plan declares it."]));
    // The lock is of the Python that the sandbox has, so that its files are held to their digests.
    let built = &events(&place, "then", "built")[0]["result"]["ready"]["versions"];
    assert_eq!(built["files"], "held to the lock's SHA-256 digests", "{built}");
    let locked = made["interpreters"][0]["version"].as_str().unwrap();
    let python = built["python"].as_str().unwrap();
    assert!(
        python.starts_with(&format!("{locked}.")),
        "{python} is not {locked}"
    );
    run("later", "2021-06-30");
    assert!(printed(&place, "later").contains("low 2.0"));
    let approved = |out: &str| events(&place, out, "execution_started")[0]["digest"].clone();
    assert_ne!(approved("then"), approved("later"));

    let reported = place.call(&["report", "then", "--format", "md"]);
    assert_eq!(reported.status, 0, "{}", reported.stderr);
    let report = fs::read_to_string(place.path().join("then/report.md")).unwrap();
    assert!(report.contains("as of 2019-06-30, 2 packages"), "{report}");

    // The journal stands in the place of the index.
    server.hang_up_after(0);
    let replayed = call(&place, &server, &["replay", "then", "--out", "again"]);
    assert_eq!(replayed.status, 0, "{}{}", replayed.stdout, replayed.stderr);
    assert_eq!(approved("again"), approved("then"));
    assert_eq!(lock(&place, "again"), made);
}

#[test]
fn what_was_not_there_on_the_day_is_told_while_the_plan_is_made() {
    let place = place(&["top-pkg", "late-pkg"]);
    let server = index();
    let path = place.path().join("slope/recordings/native.json");
    let mut recording: Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
    let design = recording["stages"]["design"]["turns"].as_array_mut().unwrap();
    // Handed back once, the plan does without it.
    let mut mended = design.last().unwrap().clone();
    mended["answer"]["json"]["replication_study"]["docker_specs"]["packages"]["python"] = json!([]);
    design.push(mended);
    fs::write(&path, recording.to_string()).unwrap();
    let stages = ["--as-of", "2019-06-30", "--stages", "..design"];
    let ran = call(&place, &server, &arguments("out", &stages));
    assert_eq!(ran.status, 0, "{}{}", ran.stdout, ran.stderr);
    let reviewed = events(&place, "out", "answer_reviewed");
    let remarks: Vec<String> = reviewed
        .iter()
        .filter(|review| review["stage"] == "design" && !review["remark"].is_null())
        .map(|review| scripted_study::content(&place, "out", &review["remark"]))
        .collect();
    assert_eq!(remarks.len(), 1, "{remarks:?}");
    assert!(
        remarks[0]
            .contains("`late-pkg` (nothing of it was there on the day: its first file came on 2022-05-01)"),
        "{remarks:?}"
    );
    assert!(events(&place, "out", "built").is_empty());
}

#[test]
fn an_index_that_is_down_half_way_leaves_no_lock_and_the_run_goes_on_when_it_is_up() {
    let Some(()) = need::program("python3", "apt-get install python3") else {
        return;
    };
    let place = place(&["top-pkg"]);
    let server = index();
    server.hang_up_after(2);
    let ran = call(&place, &server, &arguments("out", &["--as-of", "2019-06-30"]));
    assert_eq!(ran.status, 7, "{}{}", ran.stdout, ran.stderr);
    assert!(ran.stderr.contains("nothing is kept of them"), "{}", ran.stderr);
    assert!(events(&place, "out", "lock_made").is_empty());
    server.hang_up_after(usize::MAX);
    let resumed = call(&place, &server, &["resume", "out"]);
    assert_eq!(resumed.status, 0, "{}{}", resumed.stdout, resumed.stderr);
    lock(&place, "out");
    assert!(printed(&place, "out").contains("low 1.9"));
}

#[test]
fn the_day_is_a_persons_or_that_of_the_evidence_and_no_copys() {
    let place = place(&["top-pkg"]);
    let script = place.path().join("slope/input/replication_data/slope.py");
    let tries = |choice: &str| place.call(&arguments("out", &["--as-of", choice, "--dry-run"]));
    let told = tries("2018-02-01");
    assert_eq!(told.status, 0, "{}", told.stderr);
    assert!(told.stdout.contains("as of      2018-02-01:"), "{}", told.stdout);
    fs::write(&script, format!("# Written on 2019-06-30\n{SCRIPT}")).unwrap();
    let found = tries("evidence");
    assert!(
        found.stdout.contains("as of      2019-06-30:") && found.stdout.contains("slope.py, line 1"),
        "{}{}",
        found.stdout,
        found.stderr
    );
    let odd = tries("last year");
    assert_eq!(odd.status, 2);
    assert!(odd.stderr.contains("a day such as 2019-06-30"), "{}", odd.stderr);
    let both = place.call(&arguments("out", &["--as-of", "evidence", "--lock", "x"]));
    assert_eq!(both.status, 2);
    assert!(!place.path().join("out").exists());
}

#[test]
fn an_attempt_at_a_capsule_has_the_packages_of_the_day() {
    let Some(()) = need::program("python3", "apt-get install python3") else {
        return;
    };
    let place = Place::new();
    let server = index();
    let write = |name: &str, text: &str| {
        let path = place.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    };
    let task = json!([{
        "field": "Physics", "language": "Python", "capsule_title": "One", "capsule_id": "capsule-0000002",
        "task_prompt": "Run it.", "results": [{"Report n.": 5}, {"Report n.": 5}], "capsule_doi": "https://doi.org/10.1/x",
    }]);
    write("task.json", &task.to_string());
    write(
        "capsule-0000002/environment/Dockerfile",
        "FROM python:3.8\nRUN pip install top-pkg late-pkg\n",
    );
    write("capsule-0000002/code/one.py", SCRIPT);
    let turn =
        |name: &str, arguments: Value| json!({"answer": {"calls": [{"name": name, "arguments": arguments}]}});
    let recording = json!({
        "format": "reprise-recording/1", "origin": "written by hand", "note": "No model's output.",
        "study": "capsule-0000002", "setting": "capsule",
        "stages": {"reproduce": {"turns": [
            turn("bash", json!({"command": "python3 code/one.py || python3 environment/capsule-0000002/code/one.py"})),
            turn("submit", json!({"answers": {}})),
            turn("submit", json!({"answers": {}})),
        ]}},
    });
    write("recordings/one.json", &recording.to_string());
    let mut attempt = vec![
        "capsule",
        "run",
        "task.json",
        "--level",
        "medium",
        "--approve",
        "auto",
    ];
    attempt.extend(["--model", "scripted:one", "--sandbox", "local", "--out", "out"]);
    attempt.extend(["--as-of", "2019-06-30"]);
    let ran = call(&place, &server, &attempt);
    assert_eq!(ran.status, 0, "{}{}", ran.stdout, ran.stderr);
    let request: Value =
        serde_json::from_slice(&fs::read(place.path().join("out/run.json")).unwrap()).unwrap();
    assert_eq!(request["lock"]["as_of"]["day"], "2019-06-30");
    let journal = fs::read_to_string(place.path().join("out/journal.jsonl")).unwrap();
    assert!(journal.contains("low 1.9"), "{journal}");
    assert!(
        journal.contains("The lock has not, and so are left out: late-pkg"),
        "{journal}"
    );
}
