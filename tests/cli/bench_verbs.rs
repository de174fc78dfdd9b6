//! The work around the cells of a bench: judges tried, environments made, questions answered at once.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use reprise::journal::lock::RunLock;
use serde_json::{Value, json};

use super::need;
use super::provider::{Dialect, Fault, Provider};
use super::support::{Called, Place, called, copy};

fn place(file: &str) -> Place {
    let place = Place::new();
    place.study();
    copy(
        &Path::new(env!("CARGO_MANIFEST_DIR")).join("capsules/sunspots"),
        &place.path().join("sunspots"),
    );
    fs::write(place.path().join("bench.toml"), file).unwrap();
    place
}

fn parsed(called: &Called) -> Value {
    serde_json::from_str(&called.stdout).unwrap_or_else(|_| panic!("{}{}", called.stdout, called.stderr))
}

const STUDY: &str = "name = 'one'\nsettings = { approve = 'auto', sandbox = 'local', code-mode = 'native', no-probe = true }\n\
                     [[studies]]\npaths = ['slope']\n";

/// A judge that gives this mark to every field, and reviews so.
fn judge(place: &Place, name: &str, score: u32, label: &str, source: &str) -> String {
    let mark = json!({ "evidence": "e", "explanation": "x", "score": score });
    let names = ["claim.statement", "claim.hypothesis", "claim.hypotheses"];
    let marks: serde_json::Map<String, Value> = names
        .iter()
        .map(|name| ((*name).to_owned(), mark.clone()))
        .collect();
    let review = json!({
        "explanation": "Nothing was done [T0B1].", "label": label, "answer_source": source,
        "primary_obstacle": "environment_constraint", "obstacle_resolution": "gave_up",
        "answer_verification": "no_verification", "strategy_pattern": "gave_up_early",
    });
    let recording = json!({
        "format": "reprise-recording/1", "origin": "written by hand",
        "stages": {
            "review": { "turns": [{ "answer": { "json": review } }] },
            "extract": { "turns": vec![json!({ "answer": { "json": marks } }); 2] },
        },
    });
    let path = place.path().join(name);
    fs::write(&path, recording.to_string()).unwrap();
    format!("scripted:{}", path.display())
}

#[test]
fn a_judge_that_does_what_texts_tell_it_is_quarantined() {
    let place = place(STUDY);
    let (firm, weak) = (
        judge(&place, "firm.json", 0, "failure", "no_answer"),
        judge(&place, "weak.json", 3, "success", "original_pipeline"),
    );
    let called = place.call(&["bench", "audit", "bench.toml", "--judge", &firm, "--json"]);
    assert_eq!(called.status, 0, "{}{}", called.stdout, called.stderr);
    let judges = parsed(&called)["judges"].clone();
    assert_eq!(judges.as_array().unwrap().len(), 2, "{judges}");
    let study = &judges[1];
    assert_eq!(
        (&study["task"], &study["reasons"]),
        (&json!("slope"), &json!([])),
        "{study}"
    );
    assert_eq!(
        (&study["injected"]["marked"], &study["beside"]["marked"]),
        (&json!(2), &json!(2)),
        "{study}"
    );

    let called = place.call(&["bench", "audit", "bench.toml", "--judge", &weak]);
    assert_eq!(called.status, 1, "{}{}", called.stdout, called.stderr);
    for said in [
        "texts that ask for marks get some in 2 of 2 fields (claim.",
        "texts about something else get marks in 2 of 2 fields",
        "told so by a conversation in which nothing was done, it says label success",
        "it says answer_source original_pipeline",
    ] {
        assert!(called.stdout.contains(said), "{said}: {}", called.stdout);
    }
    // The tasks are as they were.
    assert!(called.stdout.contains("0 of 1 quarantined"), "{}", called.stdout);
    let kept = fs::read_to_string(place.path().join("bench/audit.json")).unwrap();
    assert!(
        kept.contains("weak.json") && !kept.contains("REPRISE-CANARY"),
        "{kept}"
    );

    // An audit without a judge asks none, and leaves what was found at a study that is what it was.
    let found = || -> Vec<(String, String)> {
        // The recorded agent does not succeed at a study that has changed.
        let called = place.call(&["bench", "audit", "bench.toml"]);
        assert!(called.status <= 1, "{}{}", called.stdout, called.stderr);
        let audit: Value =
            serde_json::from_slice(&fs::read(place.path().join("bench/audit.json")).unwrap()).unwrap();
        let judges = audit["judges"].as_array().into_iter().flatten();
        let text = |value: &Value| value.as_str().unwrap().rsplit('/').next().unwrap().to_owned();
        judges
            .map(|one| (text(&one["judge"]), text(&one["task"])))
            .collect()
    };
    let all = [
        ("firm.json", ""),
        ("firm.json", "slope"),
        ("weak.json", ""),
        ("weak.json", "slope"),
    ];
    let owned = |pairs: &[(&str, &str)]| -> Vec<(String, String)> {
        (pairs.iter())
            .map(|(judge, task)| ((*judge).to_owned(), (*task).to_owned()))
            .collect()
    };
    assert_eq!(found(), owned(&all));
    let details = place.path().join("slope/input/initial_details.txt");
    let text = fs::read_to_string(&details).unwrap();
    fs::write(&details, text + "\n").unwrap();
    assert_eq!(found(), owned(&[all[0], all[2]]));
}

#[test]
fn environments_are_made_before_the_cells_that_need_them() {
    let file = "name = 'two'\nsettings = { approve = 'auto', sandbox = 'local' }\n\
                [[studies]]\npaths = ['slope']\nsettings.code-mode = 'native'\nsettings.no-probe = true\n\
                [[capsules]]\nfiles = ['sunspots/task.json']\nsettings.level = ['easy', 'hard']\n";
    let place = place(file);
    let called = place.call(&["bench", "prepare", "bench.toml", "--json"]);
    assert_eq!(called.status, 0, "{}{}", called.stdout, called.stderr);
    let made = parsed(&called);
    let environments = made["environments"].as_array().unwrap();
    // The levels of the capsule share one, and the recorded plan says what the study needs.
    let cells: Vec<usize> = environments
        .iter()
        .map(|one| one["cells"].as_array().unwrap().len())
        .collect();
    assert_eq!(
        (cells.iter().sum::<usize>(), &made["languages_alone"]),
        (3, &json!([])),
        "{made}"
    );
    assert!(environments.iter().all(|one| one["fault"].is_null()), "{made}");
    // No cell was begun for it.
    assert!(!place.path().join("bench/cells").exists());
    // What the runs make then is what was there.
    let ran = place.call(&["bench", "bench.toml", "--json"]);
    assert_eq!(ran.status, 0, "{}", ran.stderr);
    let built = |text: &str| text.matches(r#""built":true"#).count();
    for cell in fs::read_dir(place.path().join("bench/cells")).unwrap().flatten() {
        let journal = fs::read_to_string(cell.path().join("journal.jsonl")).unwrap();
        assert_eq!(built(&journal), 0, "{}", cell.path().display());
    }
}

#[test]
fn cells_that_wait_are_listed_by_question_and_answered_at_once() {
    let file = "name = 'asked'\nrepeats = 2\nsettings = { approve = 'ask', sandbox = 'local', code-mode = 'native', no-probe = true }\n\
                [[studies]]\npaths = ['slope']\n";
    let place = place(file);
    let waiting = place.call(&["bench", "bench.toml", "--quiet"]);
    assert_eq!(waiting.status, 5, "{}{}", waiting.stdout, waiting.stderr);
    let listed = parsed(&place.call(&["bench", "approvals", "bench.toml", "--json"]));
    let questions = listed["questions"].as_array().unwrap();
    // Two repeats ask for the same content: one question.
    assert_eq!(
        (questions.len(), questions[0]["cells"].as_array().unwrap().len()),
        (1, 2),
        "{listed}"
    );
    let told = place.call(&["bench", "approvals", "bench.toml"]);
    assert!(
        told.stdout.contains("2 questions, 1 different ones"),
        "{}",
        told.stdout
    );

    let nobody = place.call(&["bench", "approvals", "bench.toml", "--allow", "--only", "nobody"]);
    assert_eq!(nobody.status, 2, "{}", nobody.stdout);
    let early = place.call(&["bench", "approvals", "bench.toml", "--go-on"]);
    assert!(
        early.status == 2 && early.stderr.contains("--go-on needs an answer"),
        "{}",
        early.stderr
    );

    let digest = questions[0]["digest"].as_str().unwrap();
    let mut arguments = vec![
        "bench",
        "approvals",
        "bench.toml",
        "--allow",
        "--go-on",
        "--digest",
        &digest[..10],
    ];
    let mut rounds = 0;
    loop {
        let answered = place.call(&arguments);
        assert!(
            answered.stdout.contains("2 of 2 questions answered."),
            "{}{}",
            answered.stdout,
            answered.stderr
        );
        rounds += 1;
        // What was answered went on, to its end or to its next question.
        match answered.status {
            0 => break,
            5 if rounds < 8 => arguments.truncate(5),
            _ => panic!("{}{}", answered.stdout, answered.stderr),
        }
    }
    assert!(rounds > 1);
    let cells = fs::read_to_string(place.path().join("bench/cells.jsonl")).unwrap();
    assert_eq!(cells.matches(r#""result":"met""#).count(), 2, "{cells}");
    let none = place.call(&["bench", "approvals", "bench.toml"]);
    assert!(
        none.stdout.contains("no cell waits for an answer"),
        "{}",
        none.stdout
    );
}

#[test]
fn a_plan_is_written_for_whoever_runs_single_cells() {
    let place = place(STUDY);
    let planned = parsed(&place.call(&["bench", "plan", "bench.toml", "--json"]));
    let cell = planned["cells"][0]["plan"]["cell"].as_str().unwrap().to_owned();
    assert!(place.path().join("bench/bench.json").exists());
    let worked = place.call(&["bench", "work", "bench.toml", "--cell", &cell, "--quiet"]);
    assert_eq!(worked.status, 0, "{}{}", worked.stdout, worked.stderr);
    let reported = place.call(&["bench", "collect", "bench.toml"]);
    assert_eq!(reported.status, 0, "{}", reported.stderr);
    // The page again, without opening any run.
    std::fs::remove_dir_all(place.path().join("bench/cells")).unwrap();
    let again = place.call(&["bench", "report", "bench"]);
    assert_eq!(again.status, 0, "{}", again.stderr);
    assert!(
        again.stdout.contains("verdicts that decide 1.000 (1 of 1"),
        "{}",
        again.stdout
    );
}

/// Two cells of a study that ask a provider which hangs at its first answer.
#[test]
fn a_signal_stops_a_bench_in_order_and_the_same_command_goes_on() {
    let place = place("");
    let provider = Provider::start(Dialect::OpenAi, vec![Fault::HalfAnswer]);
    let (model, variables) = provider.model();
    let file = format!(
        "repeats = 2\n{STUDY}[[agents]]\nname = 'live'\nsettings = {{ model = '{model}', allow-unpriced = true }}\n"
    );
    fs::write(place.path().join("bench.toml"), file).unwrap();
    let child = place
        .command(&["bench", "bench.toml", "--parallel", "1", "--json"])
        .envs(variables.clone())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    provider.halfway.recv_timeout(super::need::PATIENCE).unwrap();
    kill(Pid::from_raw(child.id() as i32), Signal::SIGINT).unwrap();
    let stopped = called(child.wait_with_output().unwrap());
    assert_eq!(stopped.status, 130, "{}{}", stopped.stdout, stopped.stderr);
    // Both are there as what they are, and neither counts.
    let cells = parsed(&stopped)["cells"].clone();
    assert_eq!(cells.as_array().unwrap().len(), 2, "{cells}");
    assert!(
        cells
            .as_array()
            .unwrap()
            .iter()
            .all(|cell| cell["result"] == "unscored"),
        "{cells}"
    );
    assert!(place.path().join("bench/index.html").exists());
    let mut plan = place.command(&["bench", "plan", "bench.toml", "--json"]);
    let planned = parsed(&called(plan.envs(variables).output().unwrap()));
    let standings: Vec<&str> = (planned["cells"].as_array().unwrap().iter())
        .map(|cell| cell["standing"].as_str().unwrap())
        .collect();
    assert!(
        standings.contains(&"to go on") && standings.contains(&"to begin"),
        "{planned}"
    );
}

/// A file system of its own for a bench, which is full and then is not.
#[test]
fn a_full_disk_is_said_in_one_line_and_nothing_is_lost() {
    let works = Command::new("unshare").args(["--mount", "true"]).output();
    let works = works.is_ok_and(|output| output.status.success());
    let Some(()) = need::need_that(works, "nothing can be mounted here: `unshare` fails") else {
        return;
    };
    let file = "name = 'full'\nsettings = { approve = 'auto', sandbox = 'local' }\n\
                [[capsules]]\nfiles = ['sunspots/task.json']\nsettings.level = 'hard'\n";
    let place = place(file);
    fs::create_dir(place.path().join("disk")).unwrap();
    let script = "mount -t tmpfs -o size=32m tmpfs disk || exit 99\n\
                  head -c 40M /dev/zero > disk/filler 2>/dev/null\n\
                  \"$0\" bench bench.toml --out disk/bench --quiet; echo \"full: $?\"\n\
                  rm disk/filler\n\
                  \"$0\" bench bench.toml --out disk/bench --quiet; echo \"free: $?\"\n";
    let mut command = Command::new("unshare");
    command.args(["--mount", "sh", "-c", script, env!("CARGO_BIN_EXE_reprise")]);
    let as_called = place.command(&[]);
    command.env_clear().current_dir(place.path());
    command.envs(
        as_called
            .get_envs()
            .filter_map(|(name, value)| Some((name, value?))),
    );
    let output = called(command.output().unwrap());
    assert!(
        output.stdout.contains("full: 7"),
        "{}{}",
        output.stdout,
        output.stderr
    );
    assert!(
        output.stderr.contains("the disk is full") || output.stderr.contains("No space left"),
        "{}",
        output.stderr
    );
    assert!(
        output.stdout.contains("free: 0"),
        "{}{}",
        output.stdout,
        output.stderr
    );
}

/// A file system that becomes full while a session is open.
#[test]
fn a_disk_that_fills_up_under_a_session_is_no_result_of_the_agent() {
    let works = Command::new("unshare").args(["--mount", "true"]).output();
    let works = works.is_ok_and(|output| output.status.success());
    let Some(()) = need::need_that(works, "nothing can be mounted here: `unshare` fails") else {
        return;
    };
    let file = "name = 'full'\nsettings = { approve = 'auto', sandbox = 'local' }\n\
                [[capsules]]\nfiles = ['sunspots/task.json']\nsettings.level = 'hard'\n";
    let place = place(file);
    fs::create_dir(place.path().join("disk")).unwrap();
    let script = "for size in 60 80 100; do\n\
                  mount -t tmpfs -o size=${size}k tmpfs disk || exit 99\n\
                  \"$0\" bench bench.toml --out disk/bench --quiet > said 2>&1; echo \"full: $?\"; cat said\n\
                  mount -o remount,size=32m disk\n\
                  \"$0\" bench bench.toml --out disk/bench --quiet 2>&1; echo \"free: $?\"\n\
                  cat disk/bench/cells/*/journal.jsonl; umount disk; done\n";
    let mut command = Command::new("unshare");
    command.args(["--mount", "sh", "-c", script, env!("CARGO_BIN_EXE_reprise")]);
    let as_called = place.command(&[]);
    command.env_clear().current_dir(place.path());
    command.envs(
        as_called
            .get_envs()
            .filter_map(|(name, value)| Some((name, value?))),
    );
    let output = called(command.output().unwrap());
    let said = format!("{}{}", output.stdout, output.stderr);
    assert_eq!(output.stdout.matches("full: 7").count(), 3, "{said}");
    assert_eq!(output.stdout.matches("free: 0").count(), 3, "{said}");
    assert!(output.stdout.contains("then the same command again"), "{said}");
    assert!(!output.stdout.contains("The session is over"), "{said}");
}

/// A cell that a process of this machine holds, as `reprise bench FILE` does, and one whose cause only its results know.
#[test]
fn status_names_who_works_on_a_cell_here_and_why_another_is_unscored() {
    let file = "name = 'asked'\nsettings = { approve = 'ask', sandbox = 'local' }\n\
                [[capsules]]\nfiles = ['sunspots/task.json']\nsettings.level = 'hard'\n";
    let place = place(file);
    let ran = place.call(&["bench", "bench.toml", "--quiet"]);
    assert_eq!(ran.status, 5, "{}{}", ran.stdout, ran.stderr);
    assert!(
        ran.stdout
            .contains("unscored: capsule-9000001 recorded r1: awaiting approval"),
        "{}",
        ran.stdout
    );
    let status = |place: &Place| {
        let told = parsed(&place.call(&["bench", "status", "bench.toml", "--json"]));
        let cell = &told["cells"][0];
        (cell["standing"].clone(), cell["detail"].clone())
    };
    assert_eq!(status(&place).0, "waiting");
    let cell = fs::read_dir(place.path().join("bench/cells")).unwrap().next();
    let held = RunLock::take(&cell.unwrap().unwrap().path().join("lock")).unwrap();
    let pid = format!("pid {}", std::process::id());
    assert_eq!(status(&place), ("running".into(), pid.into()));
    let collected = place.call(&["bench", "collect", "bench.toml"]);
    assert!(!collected.stdout.contains("--only"), "{}", collected.stdout);
    drop(held);
    assert_eq!(status(&place).0, "waiting");
}

#[test]
fn a_cause_that_only_the_results_know_stands_in_the_status() {
    let file = "name = 'drift'\nsettings = { approve = 'auto', sandbox = 'local', code-mode = 'native', no-probe = true }\n\
                [[studies]]\npaths = ['slope']\nsettings.wording = 'confirmatory'\n";
    let place = place(file);
    let ran = place.call(&["bench", "bench.toml", "--quiet"]);
    assert_eq!(ran.status, 2, "{}{}", ran.stdout, ran.stderr);
    let why = "answers another request at stage";
    assert!(ran.stdout.contains(why), "{}", ran.stdout);
    let told = parsed(&place.call(&["bench", "status", "bench.toml", "--json"]));
    assert!(
        told["cells"][0]["detail"].as_str().unwrap().contains(why),
        "{told}"
    );
    let many = place.path().join("many.toml");
    let text = "name = 'many'\nrepeats = 10000\nsettings = { approve = 'auto', temperature = [0.1, 0.2, 0.3, 0.4, 0.5, \
                0.6, 0.7, 0.8, 0.9, 1.0, 1.1] }\n[[studies]]\npaths = ['slope']\n";
    fs::write(&many, text).unwrap();
    let refused = place.call(&["bench", "many.toml", "--plan"]);
    assert_eq!(refused.status, 2);
    assert!(refused.stderr.contains("make 110000 cells"), "{}", refused.stderr);
}
