//! Single cells of a bench with caps on all of them, each worked on by a process of its own.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::Read as _;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use jiff::Timestamp;
use nix::pty::{Winsize, openpty};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use reprise::journal::claim::ClaimFolder;
use reprise::journal::holder::Holder;
use serde_json::{Value, json};

use super::bench::{parsed, place};
use super::provider::{Dialect, Provider};
use super::support::{Called, Place, called};

/// Turns stand for money: recordings cost none. Each cell needs 19.
const CAPPED: &str = "\
name = 'capped'
repeats = 4
limits.max-turns = 40
settings = { approve = 'auto', sandbox = 'local', code-mode = 'native', no-probe = true }
[[studies]]
paths = ['slope']
";

/// Plans the bench, and returns the ids of its cells.
fn planned(place: &Place) -> Vec<String> {
    ids(&place.call(&["bench", "plan", "bench.toml", "--json"]))
}

fn ids(plan: &Called) -> Vec<String> {
    let plan = parsed(plan);
    let cells = plan["cells"].as_array().unwrap().iter();
    let id = |cell: &Value| cell["plan"]["cell"].as_str().unwrap().to_owned();
    cells.map(id).collect()
}

fn work(place: &Place, cell: &str) -> Command {
    let mut command = place.command(&["bench", "work", "bench.toml", "--cell", cell, "--quiet"]);
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// One process for each cell, all at once.
fn at_once(place: &Place, cells: &[String]) -> Vec<Called> {
    let children: Vec<Child> = cells
        .iter()
        .map(|cell| work(place, cell).spawn().unwrap())
        .collect();
    let ended = children
        .into_iter()
        .map(|child| child.wait_with_output().unwrap());
    ended.map(called).collect()
}

/// The answered calls of all cells.
fn turns(place: &Place) -> usize {
    let cells = fs::read_dir(place.path().join("bench/cells")).unwrap();
    let journals = cells
        .flatten()
        .map(|cell| fs::read_to_string(cell.path().join("journal.jsonl")).unwrap_or_default());
    journals
        .map(|journal| journal.matches(r#""kind":"model_answered""#).count())
        .sum()
}

/// The part of a cell, as it is in the plan.
fn part(place: &Place, cell: &str) -> Value {
    let plan = fs::read(place.path().join("bench/bench.json")).unwrap();
    let plan: Value = serde_json::from_slice(&plan).unwrap();
    let cells = plan["cells"].as_array().unwrap();
    let own = cells.iter().find(|one| one["cell"] == cell).unwrap();
    own["allotted"].clone()
}

#[test]
fn cells_at_once_divide_a_cap_and_none_passes_it() {
    let place = place(CAPPED);
    let cells = planned(&place);
    assert_eq!(cells.len(), 4);
    for _ in 0..2 {
        for one in at_once(&place, &cells) {
            assert_eq!(one.status, 6, "{}{}", one.stdout, one.stderr);
        }
        // All of it was to be had, and no more.
        assert_eq!(turns(&place), 40);
    }
    planned(&place);
    for one in at_once(&place, &cells) {
        let is_used_up = one.stderr.contains("nothing is left of [limits] for cell");
        assert!(one.status == 6 && is_used_up, "{}{}", one.stdout, one.stderr);
    }
    // A larger cap resumes each, to its end, once it is divided; what is over is only shown.
    let file = CAPPED.replace("40", "80");
    fs::write(place.path().join("bench.toml"), file).unwrap();
    let early = called(work(&place, &cells[0]).output().unwrap());
    assert!(
        early.status == 2 && early.stderr.contains("were not divided among the cells yet"),
        "{}",
        early.stderr
    );
    assert_eq!(turns(&place), 40);
    planned(&place);
    for one in at_once(&place, &cells) {
        assert_eq!(one.status, 0, "{}{}", one.stdout, one.stderr);
    }
    assert_eq!(turns(&place), 4 * 19);
    let over = called(work(&place, &cells[0]).output().unwrap());
    assert_eq!(over.status, 0, "{}{}", over.stdout, over.stderr);
    assert_eq!(turns(&place), 4 * 19);
    let collected = parsed(&place.call(&["bench", "collect", "bench.toml", "--json"]));
    let results = collected["cells"].as_array().unwrap();
    assert!(results.iter().all(|cell| cell["result"] == "met"), "{collected}");
}

/// Machines that share a folder divide its cells among them, whatever a killed one leaves.
#[test]
fn processes_on_one_folder_work_on_all_of_its_cells_once() {
    let place = place(&CAPPED.replace("40", "90"));
    assert_eq!(planned(&place).len(), 4);
    let folder = place.path().to_str().unwrap().to_owned();
    let start = |elsewhere: &Path| {
        let mut command = place.command(&["bench", "work", &folder, "--quiet"]);
        command
            .current_dir(elsewhere)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap()
    };
    let elsewhere = tempfile::tempdir().unwrap();
    let mut killed = place.command(&["bench", "work", &folder, "--quiet"]);
    let killed = killed.env("REPRISE_DIE_AFTER_EVENT", "12").output().unwrap();
    assert_eq!(killed.status.code(), None);
    let both = [start(place.path()), start(elsewhere.path())];
    for one in both.map(|child| called(child.wait_with_output().unwrap())) {
        assert_eq!(one.status, 0, "{}{}", one.stdout, one.stderr);
    }
    assert_eq!(turns(&place), 4 * 19);
    let status = parsed(&place.call(&["bench", "status", "bench.toml", "--json"]));
    assert_eq!(
        status["standings"],
        json!([{ "standing": "finished", "cells": 4 }]),
        "{status}"
    );
    assert_eq!(fs::read_dir(elsewhere.path()).unwrap().count(), 0);
}

/// Two cells that ask a provider with prices, one of which hangs in its second turn.
#[test]
fn what_a_killed_process_did_not_spend_is_divided_again_and_the_account_is_exact() {
    let place = place(
        "name = 'live'\nrepeats = 2\nlimits.max-turns = 50\nlimits.max-cost = 90\n\
         settings = { approve = 'auto', sandbox = 'local', code-mode = 'native', no-probe = true, \
         model = 'anthropic/claude-sonnet-4-5' }\n[[studies]]\npaths = ['slope']\n",
    );
    let provider = Provider::for_many(Dialect::Anthropic, 1);
    let variables: BTreeMap<String, String> = provider
        .model()
        .1
        .into_iter()
        .map(|(name, value)| (name.to_owned(), value))
        .collect();
    let planned = || {
        let mut plan = place.command(&["bench", "plan", "bench.toml", "--json"]);
        ids(&called(plan.envs(&variables).output().unwrap()))
    };
    let cells = planned();
    let work = |cell: &str| {
        let mut command = work(&place, cell);
        command.envs(&variables);
        command
    };
    let hanging = work(&cells[0]).spawn().unwrap();
    provider.halfway.recv_timeout(super::need::PATIENCE).unwrap();
    assert_eq!(part(&place, &cells[0])["turns"], 25);
    // Who plans anew leaves a cell at work its part.
    planned();
    assert_eq!(part(&place, &cells[0])["turns"], 25);
    let status = || {
        let status = parsed(&place.call(&["bench", "status", "bench.toml", "--json"]));
        let cells = status["cells"].as_array().unwrap().iter();
        let by_id = cells.map(|cell| (cell["cell"].as_str().unwrap().to_owned(), cell.clone()));
        by_id.collect::<BTreeMap<String, Value>>()
    };
    let first = status()[&cells[0]].clone();
    assert_eq!(
        (&first["standing"], &first["allotted"]["turns"]),
        (&json!("running"), &json!(25)),
        "{first}"
    );
    let again = called(work(&cells[0]).output().unwrap());
    assert_eq!(again.status, 7, "{}", again.stderr);
    assert!(
        again.stderr.contains("in use by another process"),
        "{}",
        again.stderr
    );
    kill(Pid::from_raw(hanging.id() as i32), Signal::SIGKILL).unwrap();
    hanging.wait_with_output().unwrap();

    // Of the first cell one turn was answered: once the second one is over, what neither spent is the first one's.
    let second = called(work(&cells[1]).output().unwrap());
    assert_eq!(second.status, 0, "{}{}", second.stdout, second.stderr);
    assert_eq!(part(&place, &cells[0])["turns"], 25);
    planned();
    assert_eq!(part(&place, &cells[0])["turns"], 1 + 50 - 1 - 19);
    let first = called(work(&cells[0]).output().unwrap());
    assert_eq!(first.status, 0, "{}{}", first.stdout, first.stderr);
    assert_eq!(turns(&place), 2 * 19);
    assert_eq!(provider.requests().len(), 2 * 19 + 1);
    // What is over has what it spent.
    planned();
    for (cell, standing) in status() {
        let spent = part(&place, &cell);
        assert_eq!(spent["turns"], 19, "{spent}");
        assert!(spent["money"].as_u64().unwrap() > 0, "{spent}");
        assert_eq!(spent["money"], standing["cost"], "{standing}");
    }
}

/// Nobody is allotted anything beside whoever hands out all of it.
#[test]
fn a_cell_is_not_worked_on_while_another_process_hands_out_all() {
    let place = place(CAPPED);
    let cells = planned(&place);
    let coordinator = ClaimFolder(place.path().join("bench/claims/coordinator"));
    let held = coordinator
        .take(Holder::here(None), Timestamp::now(), None)
        .unwrap();
    let refused = called(work(&place, &cells[0]).output().unwrap());
    assert_eq!(refused.status, 7, "{}", refused.stderr);
    let said = format!(
        "another process (pid {}) hands out the cells of this bench",
        std::process::id()
    );
    assert!(refused.stderr.contains(&said), "{}", refused.stderr);
    assert!(!place.path().join("bench/cells").exists());
    drop(held);
    // A process that is gone hands out nothing.
    let worked = called(work(&place, &cells[0]).output().unwrap());
    assert_eq!(worked.status, 6, "{}{}", worked.stdout, worked.stderr);
    assert_eq!(part(&place, &cells[0]), json!({ "turns": 10 }));
}

#[test]
fn cells_go_in_the_order_of_the_file_and_stay_the_cells_that_they_are() {
    let file = CAPPED
        .replace("repeats = 4", "repeats = 5")
        .replace("limits.max-turns = 40\n", "");
    let place = place(&file);
    let given = planned(&place);
    let with = |line: &str| {
        fs::write(place.path().join("bench.toml"), format!("{line}\n{file}")).unwrap();
        planned(&place)
    };
    let sorted = |ids: &[String]| {
        let mut ids = ids.to_vec();
        ids.sort();
        ids
    };
    let one = with("order = 'shuffled'\norder-seed = 1");
    let other = with("order = 'shuffled'\norder-seed = 4");
    assert_eq!((sorted(&one), sorted(&other)), (sorted(&given), sorted(&given)));
    assert!(one != given && one != other, "{given:?} {one:?} {other:?}");
    assert_eq!(with("order = 'by-task'"), given);
    // It is the order in which they begin.
    with("order = 'shuffled'\norder-seed = 1");
    let ran = place.call(&[
        "bench",
        "bench.toml",
        "--parallel",
        "1",
        "--quiet",
        "--events",
        "events.jsonl",
    ]);
    assert_eq!(ran.status, 0, "{}", ran.stderr);
    let plan = fs::read(place.path().join("bench/bench.json")).unwrap();
    let plan: Value = serde_json::from_slice(&plan).unwrap();
    let ended = fs::read_to_string(place.path().join("events.jsonl")).unwrap();
    let ended = ended
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap());
    let folders: Vec<String> = ended
        .filter(|event| event["event"] == "ended")
        .map(|event| event["folder"].as_str().unwrap().to_owned())
        .collect();
    let id_of = |folder: &String| {
        let cells = plan["cells"].as_array().unwrap().iter();
        let own = cells.filter(|cell| folder.ends_with(cell["folder"].as_str().unwrap()));
        own.map(|cell| cell["cell"].as_str().unwrap().to_owned())
            .next()
            .unwrap()
    };
    assert_eq!(folders.iter().map(id_of).collect::<Vec<_>>(), one);
}

#[test]
fn tasks_are_chosen_by_what_their_files_say_of_them() {
    let file = |filter: &str, origin: &str| {
        format!(
            "name = 'some'\nsettings = {{ approve = 'auto', sandbox = 'local' }}\n[[capsules]]\n\
             files = ['sunspots/task.json']\nsettings.level = 'hard'\n{filter}\n[[studies]]\npaths = ['slope']\n\
             settings = {{ code-mode = 'native', no-probe = true }}\n{origin}\n"
        )
    };
    let place = place(&file("", ""));
    let both = planned(&place);
    assert_eq!(both.len(), 2);
    let write = |filter: &str, origin: &str| {
        fs::write(place.path().join("bench.toml"), file(filter, origin)).unwrap();
        place.call(&["bench", "plan", "bench.toml", "--json"])
    };
    let listed = parsed(&place.call(&["capsule", "list", "sunspots/task.json", "--json"]));
    let field = listed["tasks"][0]["field"].as_str().unwrap();
    let language = listed["tasks"][0]["language"].as_str().unwrap();
    let own =
        format!("field = ['X', '{field}']\nlanguage = ['{language}']\ngpu = false\nmodality = 'written'");
    assert_eq!(ids(&write(&own, "")), both);
    // What is left out is said, of capsules and studies alike, at once.
    let none = write(
        "field = ['X']\ngpu = true",
        "data-origin = ['collected']\ncode-origin = ['replicators']",
    );
    assert_eq!(none.status, 2, "{}", none.stdout);
    for said in [
        "sunspots/task.json: `field = [\"X\"]` and `gpu` (yes) leave none of 1 tasks",
        "[[studies]] number 1: `data-origin` and `code-origin` leave none of its 1 studies",
    ] {
        assert!(none.stderr.contains(said), "{said}: {}", none.stderr);
    }
    for (filter, origin, said) in [
        ("modality = 'spoken'", "", "`vision` or `written`"),
        ("", "data-origin = ['mine']", "`mine`"),
        ("", "field = ['X']", "`studies.field` is not a known key"),
    ] {
        let refused = write(filter, origin);
        assert_eq!(refused.status, 2, "{}", refused.stdout);
        assert!(refused.stderr.contains(said), "{}", refused.stderr);
    }
}

/// At a terminal a table stands in the place of the lines of each run.
#[test]
fn a_table_of_cells_stands_at_a_terminal() {
    let place = place(&CAPPED.replace("limits.max-turns = 40\n", ""));
    let size = Winsize {
        ws_row: 40,
        ws_col: 120,
        ws_xpixel: 0,
        ws_ypixel: 0,
    };
    let pty = openpty(Some(&size), None).unwrap();
    let end = || Stdio::from(pty.slave.try_clone().unwrap());
    let mut child = place
        .command(&["bench", "bench.toml"])
        .env("TERM", "xterm")
        .stdin(Stdio::null())
        .stdout(end())
        .stderr(end())
        .spawn()
        .unwrap();
    drop(pty.slave);
    let (mut master, mut seen) = (File::from(pty.master), Vec::new());
    let mut buffer = [0; 4096];
    // Where nobody is left at the other end, reading fails.
    while let Ok(count @ 1..) = master.read(&mut buffer) {
        seen.extend_from_slice(&buffer[..count]);
    }
    assert!(child.wait().unwrap().success());
    let seen = String::from_utf8_lossy(&seen);
    for part in [
        "under way",
        "slope recorded r1",
        "at work",
        "0 of 4 ended",
        "page: ",
    ] {
        assert!(seen.contains(part), "{part}: {seen}");
    }
    assert!(!seen.contains("slope recorded r1: "), "{seen}");
    let piped = place.call(&["bench", "bench.toml", "--retry", "failed"]);
    assert!(!piped.stderr.contains("under way"), "{}", piped.stderr);
}

/// Before any cell has run nothing is made up: there are bounds, as far as they follow from the file.
#[test]
fn a_plan_of_cells_that_never_ran_says_what_bounds_them() {
    let file = |more: &str| {
        format!(
            "name = 'prior'\nsettings = {{ approve = 'auto', sandbox = 'local', code-mode = 'native', no-probe = true, \
             model = 'anthropic/claude-sonnet-4-5' }}\n[[studies]]\npaths = ['slope']\n{more}"
        )
    };
    let place = place(&file(""));
    let provider = Provider::for_many(Dialect::Anthropic, 0);
    let plan = |arguments: &[&str]| {
        let mut command = place.command(&[&["bench", "bench.toml", "--plan"], arguments].concat());
        let called = called(command.envs(provider.model().1).output().unwrap());
        assert_eq!(called.status, 0, "{}", called.stderr);
        called
    };
    let prior = || parsed(&plan(&["--json"]))["estimate"]["prior"].clone();
    let number = |value: &Value| value.as_f64().unwrap();
    let free = prior();
    assert_eq!(
        (&free["cells"], &free["unknown"]),
        (&json!(1), &json!(0)),
        "{free}"
    );
    for quantity in ["tokens", "cost"] {
        let range = &free[quantity];
        assert!(number(&range["least"]) > 0.0, "{free}");
        assert!(number(&range["most"]) > number(&range["least"]), "{free}");
    }
    let told = plan(&[]).stdout;
    for part in [
        "estimate for 1 cell: none, since no earlier cell",
        "before any run, bounds for 1 cell",
        "their time is not known",
    ] {
        assert!(told.contains(part), "{told}");
    }
    // A cap on all cells, and one on each.
    fs::write(
        place.path().join("bench.toml"),
        file("[limits]\nmax-cost = 0.5\n"),
    )
    .unwrap();
    assert_eq!(prior()["cost"]["most"], 0.5);
    let each = file("").replace("no-probe", "max-tokens = 9000, no-probe");
    fs::write(place.path().join("bench.toml"), each).unwrap();
    assert_eq!(prior()["tokens"]["most"], 9000.0);
    // A recording asks nobody.
    let recorded = file("").replace("true, model = 'anthropic/claude-sonnet-4-5'", "true");
    fs::write(place.path().join("bench.toml"), &recorded).unwrap();
    assert_eq!(prior(), Value::Null);
    assert!(!plan(&[]).stdout.contains("before any run"));
}
