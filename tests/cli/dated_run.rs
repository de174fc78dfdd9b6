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
    command.env("REPRISE_UV", need::uv().unwrap_or_default());
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

fn write(place: &Place, name: &str, text: &str) {
    let path = place.path().join(name);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

/// A turn of a recording, with one call.
fn turn(name: &str, arguments: Value) -> Value {
    json!({"answer": {"calls": [{"name": name, "arguments": arguments}]}})
}

/// What whoever approves the first thing is told.
fn details(place: &Place, out: &str) -> String {
    let asked = events(place, out, "asked")[0].clone();
    scripted_study::content(place, out, &asked["details"])
}

#[test]
fn a_run_of_a_day_makes_its_lock_which_approval_report_and_replay_go_by() {
    let Some(()) = need::python_and_uv() else {
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
    let Some(()) = need::python_and_uv() else {
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
    let Some(()) = need::python_and_uv() else {
        return;
    };
    let place = Place::new();
    let server = index();
    let write = |name: &str, text: &str| write(&place, name, text);
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
    let made = lock(&place, "out");
    assert_eq!(made["as_of"]["day"], "2019-06-30");
    assert_eq!(made["not_had"][0]["name"], "late-pkg", "{made}");
    // The decision on the session is of that lock.
    let details = details(&place, "out");
    assert!(details.contains("as of 2019-06-30"), "{details}");
    let journal = fs::read_to_string(place.path().join("out/journal.jsonl")).unwrap();
    assert!(journal.contains("low 1.9"), "{journal}");
    assert!(
        journal.contains("The lock has not, and so are left out: late-pkg"),
        "{journal}"
    );
}

/// A notebook task over plain files, with a recording that runs one cell.
fn notebook_place() -> Place {
    let place = Place::new();
    let write = |name: &str, text: &str| write(&place, name, text);
    let task = json!({
        "task_id": "slopes", "github_repo": "https://example.org/someone/slopes", "git_commit": null,
        "query": "Report the slope.",
        "query_components": {"e2e_task": "Report", "scenario_task": "", "report": "", "instructions": ""},
        "pre_execute_cells": [], "answer": json!({"slope": 2}).to_string(), "landmarks": [], "solution_dependencies": "",
    });
    write("tasks.jsonl", &task.to_string());
    write("repositories/slopes/slope.py", "import low_pkg\n");
    write("repositories/slopes/requirements.txt", "low-pkg==1.5\n");
    let recording = json!({
        "format": "reprise-recording/1", "origin": "written by hand", "note": "No model's output.",
        "stages": {"solve": {"turns": [turn("execute", json!({"cell": "print(1)"}))]}},
    });
    write("recordings/slopes.json", &recording.to_string());
    place
}

/// What is typed to attempt it with one package.
fn notebook<'a>(out: &'a str, more: &[&'a str]) -> Vec<&'a str> {
    let mut typed = vec!["notebook", "run", "tasks.jsonl", "--sandbox", "local"];
    typed.extend(["--package", "low-pkg", "--model", "scripted:slopes", "--out", out]);
    typed.extend(more);
    typed
}

#[test]
fn an_attempt_at_a_notebook_task_is_asked_about_with_the_lock_of_its_day() {
    let Some(()) = need::python_and_uv() else {
        return;
    };
    let place = notebook_place();
    let server = index();
    server
        .module("low_pkg 1.5 2018-06-01")
        .module("ipykernel 6.29.5 2024-07-01")
        .module("ipykernel 6.30.0 2025-07-21")
        .module("jupyter_client 8.6.2 2024-05-23");
    let attempt = |out: &str, more: &[&str]| call(&place, &server, &notebook(out, more));
    let asked = attempt("then", &["--as-of", "2024-09-30", "--approve", "ask"]);
    assert_eq!(asked.status, 5, "{}{}", asked.stdout, asked.stderr);
    let made = lock(&place, "then");
    let packages = made["packages"].as_array().unwrap().iter();
    let packages: Vec<String> = packages
        .map(|one| format!("{} {}", one["name"], one["version"]).replace('"', ""))
        .collect();
    // The repository's own files give the version of what was asked for; the day, that of the kernel's packages.
    assert_eq!(
        packages,
        ["ipykernel 6.29.5", "jupyter-client 8.6.2", "low-pkg 1.5"],
        "{made}"
    );
    let details = details(&place, "then");
    assert!(details.contains("as of 2024-09-30"), "{details}");
    let later = attempt("later", &["--as-of", "2025-09-30", "--approve", "ask"]);
    assert_eq!(later.status, 5, "{}{}", later.stdout, later.stderr);
    let question = |out: &str| events(&place, out, "asked")[0]["digest"].clone();
    assert_ne!(question("then"), question("later"));
    // Nothing is asked of the index again.
    server.hang_up_after(0);
    let resumed = call(&place, &server, &["resume", "then"]);
    assert_eq!(resumed.status, 5, "{}{}", resumed.stdout, resumed.stderr);
    assert_eq!(lock(&place, "then"), made);
    // What the lock lacks is refused before anything is made.
    server.hang_up_after(usize::MAX);
    let lacking = attempt(
        "lacking",
        &[
            "--as-of",
            "2024-09-30",
            "--package",
            "late-pkg>=2",
            "--approve",
            "auto",
        ],
    );
    assert_eq!(lacking.status, 2, "{}{}", lacking.stdout, lacking.stderr);
    assert!(
        lacking.stderr.contains("no Python package `late-pkg`"),
        "{}",
        lacking.stderr
    );
    assert!(events(&place, "lacking", "built").is_empty());
}

#[test]
fn a_kernel_of_a_day_before_its_own_packages_has_those_of_the_index() {
    let Some(()) = need::python_and_uv() else {
        return;
    };
    let place = notebook_place();
    let server = index();
    server
        .module("low_pkg 1.5 2018-06-01")
        .module("ipykernel 6.29.5 2024-07-01");
    let typed = notebook("out", &["--approve", "ask", "--as-of", "2019-06-30"]);
    let asked = call(&place, &server, &typed);
    assert_eq!(asked.status, 5, "{}{}", asked.stdout, asked.stderr);
    let made = lock(&place, "out");
    assert_eq!(made["packages"][0]["name"], "low-pkg");
    let not_had: Vec<&str> = made["not_had"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(|one| one["name"].as_str())
        .collect();
    assert_eq!(not_had, ["ipykernel", "jupyter-client"], "{made}");
    // Python 3.7 was that of the day, for which no kernel is made.
    let python = made["interpreters"][0].clone();
    assert!(
        python["reason"]
            .as_str()
            .unwrap()
            .contains("a kernel's own packages need Python 3.8"),
        "{python}"
    );
}

#[test]
fn a_bench_makes_the_lock_of_its_day_once_and_its_cells_find_it() {
    let Some(()) = need::python_and_uv() else {
        return;
    };
    let place = place(&["top-pkg"]);
    let server = index();
    let write = |day: &str| {
        let file = format!(
            "name = 'dated'\nrepeats = 2\n[settings]\napprove = 'auto'\nsandbox = 'local'\ncode-mode = 'native'\n\
             model = 'scripted:native'\nno-probe = true\nas-of = '{day}'\n[[studies]]\npaths = ['slope']\n"
        );
        fs::write(place.path().join("bench.toml"), file).unwrap();
    };
    let ids = || {
        let planned = call(&place, &server, &["bench", "bench.toml", "--plan", "--json"]);
        assert_eq!(planned.status, 0, "{}{}", planned.stdout, planned.stderr);
        let planned: Value = serde_json::from_str(&planned.stdout).unwrap();
        let cells = planned["cells"].as_array().unwrap().clone();
        assert_eq!(cells[0]["held"]["lock"], Value::Null, "{planned}");
        cells
            .iter()
            .map(|cell| cell["plan"]["cell"].clone())
            .collect::<Vec<_>>()
    };
    // A plan asks no index.
    server.hang_up_after(0);
    write("2021-06-30");
    let later = ids();
    write("2019-06-30");
    let then = ids();
    assert!(then.iter().all(|id| !later.contains(id)), "{then:?} {later:?}");
    let planned = call(&place, &server, &["bench", "bench.toml", "--plan"]);
    assert!(
        planned
            .stdout
            .contains("environments of 2 cells are those of 2019-06-30"),
        "{}",
        planned.stdout
    );
    let failed = call(&place, &server, &["bench", "prepare", "bench.toml"]);
    assert_eq!(failed.status, 7, "{}{}", failed.stdout, failed.stderr);
    assert!(
        failed.stdout.contains("lock as of 2019-06-30 failed"),
        "{}",
        failed.stdout
    );
    server.hang_up_after(usize::MAX);
    let prepared = call(&place, &server, &["bench", "prepare", "bench.toml", "--json"]);
    assert_eq!(prepared.status, 0, "{}{}", prepared.stdout, prepared.stderr);
    let prepared: Value = serde_json::from_str(&prepared.stdout).unwrap();
    let locks = prepared["locks"].as_array().unwrap();
    assert_eq!(locks.len(), 1, "{prepared}");
    assert_eq!(
        (&locks[0]["packages"], locks[0]["cells"].as_array().unwrap().len()),
        (&json!(2), 2)
    );
    let versions = prepared["environments"][0]["versions"].to_string();
    assert!(versions.contains("\"1.9\""), "{versions}");
    // Neither locks nor packages are asked for again.
    server.hang_up_after(0);
    let ran = call(&place, &server, &["bench", "bench.toml", "--quiet"]);
    assert_eq!(ran.status, 0, "{}{}", ran.stdout, ran.stderr);
    let cells = fs::read_dir(place.path().join("bench/cells")).unwrap().flatten();
    let made: Vec<Value> = cells
        .map(|cell| lock(&place, &format!("bench/cells/{}", cell.file_name().display())))
        .collect();
    assert_eq!(made.len(), 2);
    assert_eq!(made[0], made[1]);
}
