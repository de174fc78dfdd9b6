//! Programs of others that carry stages of a study as of a day.

use std::process::Command;
use std::sync::Arc;

use serde_json::Value;

use crate::attempt::{Place, Where, said};
use crate::index_server::IndexServer;
use crate::need;
use crate::provider::{Provider, Speaks};
use crate::study::{DESIGN, STAGES, answer, assert_met, design, done, execution, is_in, write};

const DAY: &str = "2023-12-30";

const LOOK: &str = "python3 -c 'import low_pkg; print(\"low\", low_pkg.VERSION)'";

/// What a program installs by itself, and tries of today's index.
const INSTALL: &[&str] = &[
    "pip install low-pkg > log 2>&1; tail -n 2 log",
    LOOK,
    "pip install late-pkg 2>&1 | grep -o 'No matching distribution.*'; rm -f log",
    "python3 -c 'import urllib.request; urllib.request.urlopen(\"https://pypi.org/simple/\")' 2>&1 | tail -n 1",
];

fn index() -> IndexServer {
    let server = IndexServer::new();
    server
        .module("low_pkg 1.9 2019-01-01")
        .module("low_pkg 2.0 2024-05-01")
        .module("late_pkg 1.0 2024-05-01");
    server
}

/// A program that does what the recording does, with a plan of those packages, and in `execute` further commands first.
fn program(plan: &'static [&'static str], in_execute: &'static [&'static str]) -> Provider {
    let carried = move |body: &Value, count: usize| {
        let is_design = is_in(body, DESIGN);
        let (mut own, further) = match is_design {
            true => (design(), &[][..]),
            false => (execution(), in_execute),
        };
        if is_design {
            let mut answer = answer("design");
            answer["replication_study"]["docker_specs"]["packages"]["python"] = plan.into();
            *own.last_mut().unwrap() = write("\"$REPRISE_ANSWER_FILE\"", &answer.to_string());
        }
        let further = further.iter().map(|one| (*one).to_owned());
        done(&further.chain(own).collect::<Vec<_>>(), count)
    };
    Provider::scripted(Speaks::Chat, Arc::new(carried))
}

fn begin(place: &Place, server: &IndexServer, further: &[&str]) -> Command {
    let mut command = place.study(&[&STAGES[..], &["--as-of", DAY], further].concat(), &[]);
    command
        .env("PIP_INDEX_URL", format!("{}/simple", server.address))
        .env("REPRISE_UV", need::uv().unwrap_or_default());
    command
}

/// What a program printed, by the calls that it was told in.
fn told(place: &Place) -> String {
    let arrived = place.provider.arrived();
    arrived.iter().map(|call| call.body.to_string()).collect()
}

/// A content of the journal.
fn content(place: &Place, content: &Value) -> String {
    if let Some(text) = content["text"].as_str() {
        return text.to_owned();
    }
    let digest = content["blob"].as_str().unwrap().replace("sha256:", "");
    let entries = walkdir::WalkDir::new(place.run().join("blobs")).into_iter();
    let blob = entries.map(Result::unwrap).find(|entry| {
        let path = entry.path().to_string_lossy().replace('/', "");
        entry.file_type().is_file() && path.ends_with(&digest)
    });
    std::fs::read_to_string(blob.unwrap().path()).unwrap()
}

#[test]
fn the_packages_of_a_programs_stage_are_those_of_the_runs_day() {
    let Some(_) = need::uv() else { return };
    let server = index();
    let careful = || program(&["low-pkg"], &[LOOK]);
    let Some(place) = Place::with(Where::Local, Speaks::Chat, careful) else {
        return;
    };
    let cache = place.path().join("cache");
    let output = begin(&place, &server, &[])
        .env("REPRISE_CACHE", &cache)
        .output()
        .unwrap();
    assert_met(&place, &output);
    assert!(told(&place).contains("low 1.9"), "{}", told(&place));
    // One lock for the interpreter of the planning stage, and one that session and execution of the plan share.
    let locks = place.events("lock_made");
    let locks: Vec<Value> = locks
        .iter()
        .map(|made| serde_json::from_str(&content(&place, &made["lock"])).unwrap())
        .collect();
    let packages: Vec<usize> = locks
        .iter()
        .map(|lock| lock["packages"].as_array().unwrap().len())
        .collect();
    assert_eq!(packages, [0, 1], "{locks:?}");
    let asked = place.events("asked");
    let details = content(&place, &asked[1]["details"]);
    assert!(
        details.contains("low-pkg==1.9") && details.contains(&format!("as of {DAY}")),
        "{details}"
    );
    // The journal stands in the place of the index.
    server.hang_up_after(0);
    let mut replay = place.command(&["replay", "out", "--quiet"]);
    let replay = replay
        .env("REPRISE_CACHE", &cache)
        .env("REPRISE_UV", need::uv().unwrap_or_default())
        .output()
        .unwrap();
    assert!(replay.status.success(), "{}", said(&replay));
}

#[test]
fn what_a_program_installs_in_docker_was_there_on_the_runs_day() {
    let server = index();
    let careful = || program(&[], INSTALL);
    let Some(place) = Place::with(Where::Docker, Speaks::Chat, careful) else {
        return;
    };
    let hosts = [
        "--allow-host",
        "pypi.org",
        "--allow-host",
        "files.pythonhosted.org",
    ];
    // Nothing is fetched for an image from an index that has two packages.
    let output = begin(&place, &server, &hosts)
        .env("REPRISE_UV", "off")
        .output()
        .unwrap();
    assert_met(&place, &output);
    let told = told(&place);
    for part in [
        "low 1.9",
        "No matching distribution found for late-pkg",
        "Tunnel connection failed: 403 Forbidden",
    ] {
        assert!(told.contains(part), "{part}: {told}");
    }
    let held = format!("Python's index is of what the index lists up to {DAY}");
    let details = content(&place, &place.events("asked")[0]["details"]);
    assert!(details.contains(&held), "{details}");
    let notes = place.events("program_ended")[1]["notes"].to_string();
    assert!(
        notes.contains(&held) && notes.contains("index-of-2023-12-30-"),
        "{notes}"
    );
    // Its program installs the same again.
    let mut replay = place.command(&["replay", "out", "--quiet"]);
    replay.env("PIP_INDEX_URL", format!("{}/simple", server.address));
    let replay = replay.output().unwrap();
    let printed = String::from_utf8_lossy(&replay.stdout);
    assert!(replay.status.success(), "{printed}{}", said(&replay));
}
