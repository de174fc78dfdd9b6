//! A run can be stopped anywhere, and goes on. `tests/engine` kills runs after every event, and `live.rs` a process.

use std::time::{Duration, Instant};

use super::support::{Place, RUN, called, tree};
use crate::need::need;

fn run(out: &str) -> Vec<&str> {
    [&RUN[..7], &[out]].concat()
}

/// What a run leaves that must not depend on whether it was stopped.
fn left(place: &Place, out: &str) -> Vec<(String, Vec<u8>)> {
    let mut left = tree(&place.path().join(out).join("artifacts"));
    left.extend(tree(&place.path().join(out).join("workspace")));
    left
}

/// Answered model calls, finished executions and interrupted ones of a journal.
fn counts(place: &Place, out: &str) -> (usize, usize, usize) {
    let journal = std::fs::read_to_string(place.path().join(out).join("journal.jsonl")).unwrap();
    let count = |kind: &str| journal.matches(&format!(r#""kind":"{kind}""#)).count();
    (
        count("model_answered"),
        count("execution_finished"),
        count("execution_interrupted"),
    )
}

#[test]
#[ignore = "takes minutes: .ci/run long"]
fn killed_at_any_instant_it_ends_as_if_nothing_had_been() {
    killed_at_instants(50, run);
}

#[test]
#[ignore = "takes minutes: .ci/run long"]
fn killed_at_any_instant_with_its_probes_it_ends_as_if_nothing_had_been() {
    killed_at_instants(15, |out| {
        let probed = run(out).into_iter().filter(|word| *word != "--no-probe");
        probed.collect()
    });
}

fn killed_at_instants(instants: u32, run: fn(&str) -> Vec<&str>) {
    let place = Place::new();
    place.study();
    let start = Instant::now();
    assert_eq!(place.call(&run("whole")).status, 0);
    let whole = start.elapsed();
    let expected = left(&place, "whole");
    let (answers, executions, _) = counts(&place, "whole");
    let mut cut_short = 0_u32;
    for instant in 0..instants {
        let out = format!("instant-{instant}");
        let mut child = place
            .command(&run(&out))
            .stdout(std::process::Stdio::null())
            .stderr(std::process::Stdio::null())
            .spawn()
            .unwrap();
        // Spread over the run and not in step with its events.
        std::thread::sleep(
            whole.mul_f64(f64::from(instant * 37 % instants) / f64::from(instants))
                + Duration::from_micros(instant.into()),
        );
        child.kill().unwrap();
        cut_short += u32::from(child.wait().unwrap().code().is_none());
        if !place.path().join(&out).join("run.json").exists() {
            continue;
        }
        let resumed = place.call(&["resume", &out]);
        assert_eq!(resumed.status, 0, "instant {instant}: {}", resumed.stderr);
        assert_eq!(left(&place, &out), expected, "instant {instant}");
        let (answers_paid, executions_run, _) = counts(&place, &out);
        assert_eq!(
            (answers_paid, executions_run),
            (answers, executions),
            "instant {instant}"
        );
        std::fs::remove_dir_all(place.path().join(&out)).unwrap();
    }
    assert!(cut_short * 5 >= instants, "only {cut_short} runs were cut short");
}

#[test]
fn ctrl_c_stops_cleanly() {
    let place = Place::new();
    let study = place.study();
    let script = study.join("input/replication_data/slope.sh");
    let waiting = format!(
        "{}\nwhile :; do :; done\n",
        std::fs::read_to_string(&script).unwrap()
    );
    std::fs::write(&script, waiting).unwrap();
    let mut arguments = run("out");
    arguments.extend(["--model", "scripted:native"]);
    let child = place
        .command(&arguments)
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    let journal = place.path().join("out/journal.jsonl");
    // The script never ends by itself: wait until its second start is on record.
    super::need::until("the execution did not start", || {
        let journal = std::fs::read_to_string(&journal).unwrap_or_default();
        journal.matches("execution_started").count() >= 2
    });
    nix::sys::signal::kill(
        nix::unistd::Pid::from_raw(child.id() as i32),
        nix::sys::signal::Signal::SIGINT,
    )
    .unwrap();
    let stopped = called(child.wait_with_output().unwrap());
    assert_eq!(stopped.status, 130, "{}", stopped.stderr);
    assert!(stopped.stdout.contains("nothing is lost"), "{}", stopped.stdout);
    let text = std::fs::read_to_string(&journal).unwrap();
    assert_eq!(text.matches("execution_interrupted").count(), 1);
    let last = text.lines().last().unwrap();
    assert!(
        last.contains(r#""kind":"interrupted","during":"execution""#),
        "{last}"
    );
    assert!(!place.path().join("out/workspace/work/finished.txt").exists());
}

#[test]
fn a_torn_line_is_dropped_and_damage_is_named() {
    let place = Place::new();
    place.study();
    place
        .command(&run("out"))
        .env("REPRISE_DIE_AFTER_EVENT", "20")
        .output()
        .unwrap();
    let journal = place.path().join("out/journal.jsonl");
    let whole = std::fs::read(&journal).unwrap();
    std::fs::write(&journal, &whole[..whole.len() - 7]).unwrap();
    let torn = place.call(&["resume", "out"]);
    assert_eq!(torn.status, 0, "{}", torn.stderr);
    assert!(torn.stderr.contains("last line was torn"), "{}", torn.stderr);
    let mut damaged = std::fs::read(&journal).unwrap();
    let second_line = damaged.iter().position(|byte| *byte == b'\n').unwrap() + 40;
    damaged[second_line] ^= 1;
    std::fs::write(&journal, damaged).unwrap();
    let called = place.call(&["resume", "out"]);
    assert_eq!(called.status, 7);
    assert!(
        called.stderr.contains("journal.jsonl, line 2:"),
        "{}",
        called.stderr
    );
}

#[test]
fn a_run_in_use_is_left_alone() {
    let place = Place::new();
    place.study();
    place
        .command(&run("out"))
        .env("REPRISE_DIE_AFTER_EVENT", "5")
        .output()
        .unwrap();
    let lock = reprise::journal::lock::RunLock::take(&place.path().join("out/lock")).unwrap();
    let called = place.call(&["resume", "out"]);
    assert_eq!(called.status, 7);
    assert!(
        called.stderr.contains("in use by another process (pid"),
        "{}",
        called.stderr
    );
    drop(lock);
    assert_eq!(place.call(&["resume", "out"]).status, 0);
}

#[test]
fn a_full_disk_loses_nothing() {
    use nix::mount::{MntFlags, MsFlags, mount, umount2};
    let place = Place::new();
    place.study();
    assert_eq!(place.call(&run("whole")).status, 0);
    let expected = left(&place, "whole");
    let disk = place.path().join("disk");
    std::fs::create_dir(&disk).unwrap();
    let sized = |size: &str, flags| mount(Some("tmpfs"), &disk, Some("tmpfs"), flags, Some(size));
    let mounted = sized("size=96k", MsFlags::empty());
    if need(mounted.map_err(|error| format!("mounting a small disk needs root: {error}"))).is_none() {
        return;
    }
    let full = place.call(&run("disk/out"));
    let message = full.stderr.lines().last().unwrap_or_default().to_owned();
    sized("size=16m", MsFlags::MS_REMOUNT).unwrap();
    let resumed = place.call(&["resume", "disk/out"]);
    let found = left(&place, "disk/out");
    umount2(&disk, MntFlags::MNT_DETACH).unwrap();
    assert_eq!(full.status, 7, "{}", full.stderr);
    assert!(
        message.contains("full") || message.contains("no space"),
        "{message}"
    );
    assert_eq!(resumed.status, 0, "{}", resumed.stderr);
    assert_eq!(found, expected);
}

/// A study with long files, and a script that reads them until old results shrink.
fn long_reads(place: &Place) {
    let study = place.study();
    let mut turns = Vec::new();
    // More than the 240 kB below which nothing is shrunk.
    for turn in 0..7 {
        let calls = ["a", "b", "c", "d"].map(|part| {
            let text: String = (0..300)
                .map(|row| format!("row {row} of {part}{turn}\n"))
                .collect();
            let path = format!("replication_data/{part}{turn}.txt");
            std::fs::write(study.join("input").join(&path), text.repeat(3)).unwrap();
            serde_json::json!({"name": "read_file", "arguments": {"path": path, "lines": 2000}})
        });
        turns.push(serde_json::json!({"answer": {"calls": calls}}));
    }
    let native = std::fs::read(study.join("recordings/native.json")).unwrap();
    let native: serde_json::Value = serde_json::from_slice(&native).unwrap();
    let answers = native["stages"]["extract"]["turns"].as_array().unwrap();
    turns.push(serde_json::json!({ "answer": answers.last().unwrap()["answer"] }));
    let script = serde_json::json!({
        "format": "reprise-recording/1",
        "origin": "written by hand",
        "stages": {"extract": {"turns": turns}},
    });
    std::fs::write(place.path().join("long.json"), script.to_string()).unwrap();
}

fn reading(out: &str) -> Vec<&str> {
    let model = "scripted:./long.json";
    vec![
        "run",
        "slope",
        "--model",
        model,
        "--stages",
        "extract..extract",
        "--out",
        out,
    ]
}

#[test]
fn a_run_whose_old_results_shrink_replays_with_the_same_prompts() {
    let place = Place::new();
    long_reads(&place);
    let whole = place.call(&reading("whole"));
    assert_eq!(whole.status, 0, "{}", whole.stderr);
    let results = place.path().join("whole/workspace/logs/results");
    let kept = std::fs::read_to_string(results.join("extract-1-1.txt")).unwrap();
    assert!(kept.contains("row 299 of a0") && kept.starts_with("`replication_data/a0.txt`: lines 1-900"));
    assert!(tree(&results).len() >= 2, "{:?}", tree(&results));
    let replayed = place.call(&["replay", "whole"]);
    assert_eq!(replayed.status, 0, "{}", replayed.stderr);
}

#[test]
fn the_time_that_a_crashed_run_lay_there_is_no_work() {
    let place = Place::new();
    place.study();
    let capped = [&run("out")[..], &["--max-time", "1h"]].concat();
    let whole = place.call(&[&run("whole")[..], &["--max-time", "1h"]].concat());
    assert_eq!(whole.status, 0, "{}", whole.stderr);
    let journal = |out: &str| std::fs::read_to_string(place.path().join(out).join("journal.jsonl")).unwrap();
    let started = journal("whole")
        .lines()
        .position(|line| line.contains(r#""kind":"execution_started""#))
        .unwrap();
    place.dies_behind(started + 1, &capped);
    // Ten hours later.
    let mut command = place.command(&["resume", "out"]);
    let resumed = called(
        command
            .env("REPRISE_FIXED_TIME", "2026-01-02T13:04:05Z")
            .output()
            .unwrap(),
    );
    assert_eq!(resumed.status, 0, "{}{}", resumed.stdout, resumed.stderr);
    // Readers of other programs take the time before an event for work, too.
    let written = journal("out");
    let place_of = |kind: &str| {
        let mark = format!(r#""kind":"{kind}""#);
        written.lines().position(|line| line.contains(&mark)).unwrap()
    };
    assert!(place_of("resumed") < place_of("execution_interrupted"));
    let report = place.call(&["report", "out", "--format", "json", "--out", "-"]);
    let report: serde_json::Value = serde_json::from_str(&report.stdout).unwrap();
    let hours = 10 * 3_600_000;
    assert_eq!(report["clocks"]["stopped_ms"], hours, "{}", report["clocks"]);
    assert_eq!(report["time"]["stopped_ms"], hours, "{}", report["time"]);
}

#[test]
fn another_approver_takes_over_and_what_was_decided_stands() {
    let place = Place::new();
    place.study();
    let mut run = RUN;
    run[5] = "ask";
    assert_eq!(place.call(&run).status, 5);
    assert_eq!(place.call(&["approve", "out"]).status, 0);
    let refused = place.call(&["resume", "out", "--approve", "policy:none.toml"]);
    assert_eq!(refused.status, 2);
    assert!(refused.stderr.contains("none.toml"), "{}", refused.stderr);
    let called = place.call(&["resume", "out", "--approve", "auto"]);
    assert_eq!(called.status, 0, "{}{}", called.stdout, called.stderr);
    let journal = std::fs::read_to_string(place.path().join("out/journal.jsonl")).unwrap();
    assert_eq!(journal.matches("\"approve\":\"auto\"").count(), 1);
    for by in ["person", "setting"] {
        assert!(
            journal.contains(&format!("\"by\":\"{by}\"")),
            "nothing was decided by {by}"
        );
    }
    let report = place
        .call(&["report", "out", "--format", "md", "--out", "-"])
        .stdout;
    assert!(
        report.contains("auto approves from here on, and before ask"),
        "{report}"
    );
    let again = place.call(&["replay", "out"]);
    assert_eq!(again.status, 0, "{}{}", again.stdout, again.stderr);
}
