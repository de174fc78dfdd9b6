//! A bench: cells of tasks, agents, arms and repeats, what is passed over, and what is refused.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use super::support::{Called, Place, called, copy};

pub const FILE: &str = "\
name = 'small'
repeats = 2

[settings]
approve = 'auto'
sandbox = 'local'

[[studies]]
paths = ['slope']
settings = { code-mode = 'native', no-probe = [true, false] }

[[capsules]]
files = ['sunspots/task.json']
settings.level = ['easy', 'hard']

[[agents]]
name = 'by hand'
";

/// The fixture study, the bundled capsule and a bench file.
pub fn place(file: &str) -> Place {
    let place = Place::new();
    place.study();
    let capsules = Path::new(env!("CARGO_MANIFEST_DIR")).join("capsules/sunspots");
    copy(&capsules, &place.path().join("sunspots"));
    fs::write(place.path().join("bench.toml"), file).unwrap();
    place
}

pub fn parsed(called: &Called) -> Value {
    serde_json::from_str(&called.stdout).unwrap_or_else(|_| panic!("{}{}", called.stdout, called.stderr))
}

fn starts(place: &Place) -> usize {
    let cells = fs::read_dir(place.path().join("bench/cells")).unwrap();
    let journals = cells
        .flatten()
        .map(|cell| fs::read_to_string(cell.path().join("journal.jsonl")).unwrap());
    journals
        .map(|journal| journal.matches(r#""kind":"model_answered""#).count())
        .sum()
}

#[test]
fn cells_are_run_once_and_summed_up() {
    let place = place(FILE);
    let planned = parsed(&place.call(&["bench", "bench.toml", "--plan", "--json"]));
    let cells = planned["cells"].as_array().unwrap();
    assert_eq!(cells.len(), 8);
    assert!(
        cells.iter().all(|cell| cell["standing"] == "to begin"),
        "{planned}"
    );
    assert!(!place.path().join("bench").exists());

    let part = parsed(&place.call(&["bench", "bench.toml", "--only", "capsule-9000001", "--json"]));
    assert_eq!(part["cells"].as_array().unwrap().len(), 4, "{part}");
    let asked = starts(&place);
    let whole = place.call(&["bench", "bench.toml", "--json", "--events", "events.jsonl"]);
    assert_eq!(whole.status, 0, "{}", whole.stderr);
    let whole = parsed(&whole);
    assert_eq!(whole["cells"].as_array().unwrap().len(), 8, "{whole}");
    let after = starts(&place);
    assert!(asked < after);
    told(&place);
    for agent in whole["agents"].as_array().unwrap() {
        assert_eq!(agent["success"]["hits"], 4, "{agent}");
        assert_eq!(agent["unscored"], 0, "{agent}");
    }
    // The arms of one setting, with nothing that parts them.
    let paired = &whole["paired"][0];
    assert_eq!(
        (&paired["pairs"], &paired["p_value"]),
        (&Value::from(2), &Value::Null),
        "{whole}"
    );

    let again = place.call(&["bench", "bench.toml"]);
    assert_eq!(again.status, 0, "{}", again.stderr);
    assert!(
        again.stdout.contains("by hand: every answer right 1.000 (4 of 4"),
        "{}",
        again.stdout
    );
    assert_eq!(starts(&place), after);
    let page = fs::read_to_string(place.path().join("bench/index.html")).unwrap();
    assert!(page.contains("8 of 8 planned cells"));
    let lines = fs::read_to_string(place.path().join("bench/cells.jsonl")).unwrap();
    assert_eq!(lines.lines().count(), 8);
    published(&place);
    hidden_in_tables(&place);
}

/// Each cell's beginning and end were written, and how things stood; four cells were over before.
fn told(place: &Place) {
    let text = fs::read_to_string(place.path().join("events.jsonl")).unwrap();
    let events: Vec<Value> = text
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let of = |kind: &str| {
        events
            .iter()
            .filter(|event| event["event"] == kind)
            .collect::<Vec<_>>()
    };
    assert_eq!((of("began").len(), of("ended").len()), (8, 8), "{text}");
    assert_eq!(
        of("ended")
            .iter()
            .filter(|event| event["passed_over"] == true)
            .count(),
        4,
        "{text}"
    );
    let last = of("ended")[7];
    assert_eq!(
        (&last["counts"]["runs"], &last["counts"]["ended"]),
        (&json!(8), &json!(8)),
        "{text}"
    );
    assert_eq!(last["counts"]["under_way"], 0, "{text}");
    assert!(last["at"].is_string() && last["folder"].is_string(), "{text}");
}

/// What of the bench may be shown holds no conversation, no answer and no path of this machine.
fn published(place: &Place) {
    let attempt = json!({"agent": "null", "success": null, "score": null, "words": "/srv/lab/x.toml: cut off", "unearned": []});
    let audited = json!({
        "kind": "study", "task": "slope", "content": "c", "arm": {}, "trivial": [attempt], "known_good": null,
        "reasons": ["could not be tried: scripted:/srv/lab/null.json is no recording"],
    });
    let audit = json!({ "format": "reprise-bench-audit/1", "tasks": [audited] });
    fs::write(place.path().join("bench/audit.json"), audit.to_string()).unwrap();
    let publish = [
        "bench",
        "publish",
        "bench",
        "--out",
        "shown",
        "--author",
        "Doe, Jane",
    ];
    let called = place.call(&publish);
    assert_eq!(called.status, 0, "{}", called.stderr);
    let again = place.call(&publish);
    assert!(
        again.status == 2 && again.stderr.contains("shown exists"),
        "{}",
        again.stderr
    );
    let read = |name: &str| fs::read_to_string(place.path().join("shown").join(name)).unwrap();
    assert!(
        read("README.md").contains("| by hand | 1.000 |"),
        "{}",
        read("README.md")
    );
    assert!(read("CITATION.cff").contains(r#""family-names":"Doe""#));
    assert!(!read("index.html").contains("report.html"));
    assert!(read("index.html").contains("scripted:…/null.json is no recording"));
    assert_eq!(read("data/runs.csv").lines().count(), 9);
    let here = place.path().display().to_string();
    let gold = fs::read_to_string(place.path().join("sunspots/task.json")).unwrap();
    let gold: Value = serde_json::from_str(&gold).unwrap();
    let answers = gold.to_string();
    let answer = regex::Regex::new(r"\d+\.\d{3,}").unwrap();
    let answers: Vec<&str> = answer.find_iter(&answers).map(|found| found.as_str()).collect();
    assert!(!answers.is_empty());
    for file in [
        "README.md",
        "CITATION.cff",
        "index.html",
        "cells.jsonl",
        "bench.json",
        "data/runs.csv",
        "data/decisions.csv",
    ] {
        let text = read(file);
        assert!(!text.contains(&here) && !text.contains("/srv/lab"), "{file}");
        assert!(answers.iter().all(|answer| !text.contains(answer)), "{file}");
    }
}

/// Nor does a table: here the home is called as the study is.
fn hidden_in_tables(place: &Place) {
    let mut command = place.command(&[
        "bench",
        "publish",
        "bench",
        "--out",
        "hidden",
        "--author",
        "Doe, Jane",
    ]);
    let called = called(command.env("HOME", "slope").output().unwrap());
    assert_eq!(called.status, 0, "{}", called.stderr);
    for (folder, is_named) in [("shown", true), ("hidden", false)] {
        let runs = fs::read_to_string(place.path().join(folder).join("data/runs.csv")).unwrap();
        assert_eq!(runs.contains("slope"), is_named, "{runs}");
    }
}

/// A changed input is another cell, beside the one before.
#[test]
fn a_changed_task_makes_a_new_cell() {
    let file = "name = 'small'\nsettings = { approve = 'auto', sandbox = 'local', level = 'easy' }\n\
                [[capsules]]\nfiles = ['sunspots/task.json']\n";
    let place = place(file);
    assert_eq!(place.call(&["bench", "bench.toml"]).status, 0);
    let data = place.path().join("sunspots/capsule-9000001/data/sunspots.csv");
    let text = fs::read_to_string(&data).unwrap();
    fs::write(&data, text.replacen("1700,", "1700 ,", 1)).unwrap();
    let planned = parsed(&place.call(&["bench", "bench.toml", "--plan", "--json"]));
    assert_eq!(planned["cells"][0]["standing"], "to begin", "{planned}");
    // A budget is no other cell.
    fs::write(&data, text).unwrap();
    fs::write(
        place.path().join("bench.toml"),
        file.replace("level", "max-turns = 90, level"),
    )
    .unwrap();
    let planned = parsed(&place.call(&["bench", "bench.toml", "--plan", "--json"]));
    assert_eq!(planned["cells"][0]["standing"], "finished", "{planned}");
}

#[test]
fn what_cannot_be_run_is_named_all_at_once() {
    for (file, named) in [
        (
            "name = 'a'\n[[studies]]\npaths = ['gone', 'slope']\n[settings]\ncodemode = 'native'",
            &["gone", "there is no setting `codemode`"][..],
        ),
        (
            "name = 'a'\n[[capsules]]\nfiles = ['sunspots/task.json']\ntasks = ['capsule-1']",
            &["has no task capsule-1"],
        ),
        (
            "name = 'a'\n[settings]\ncode-mode='native'\n[[studies]]\npaths = ['slope', 'slope']",
            &["the same cell is named twice"],
        ),
        (
            "name = 'a'\nlimits.max-time = 3\n[[studies]]\npaths = ['slope']",
            &["line 2: `limits.max-time` is not a known key"],
        ),
        ("name = 'a'", &["it names no task"]),
    ] {
        let place = place(file);
        let called = place.call(&["bench", "bench.toml"]);
        assert!([2, 3].contains(&called.status), "{file}: {}", called.status);
        for named in named {
            assert!(called.stderr.contains(named), "{file}: {}", called.stderr);
        }
        assert!(!place.path().join("bench").exists());
    }
    let place = place("name = 'a'\n[settings]\ncode-mode = 'native'\n[[studies]]\npaths = ['slope']");
    fs::create_dir(place.path().join("bench")).unwrap();
    fs::write(
        place.path().join("bench/bench.json"),
        r#"{"name":"b","version":"0","cells":[]}"#,
    )
    .unwrap();
    let called = place.call(&["bench", "bench.toml"]);
    assert_eq!(called.status, 2);
    assert!(
        called
            .stderr
            .contains("holds the bench `b`: choose another --out"),
        "{}",
        called.stderr
    );
}

/// The agents of this program, by their names, as the agents of a bench: each makes a cell of its own.
#[test]
fn agents_of_this_program_are_agents_of_a_bench() {
    let place = place("");
    let notebooks = Path::new(env!("CARGO_MANIFEST_DIR")).join("notebooks");
    copy(&notebooks, &place.path().join("notebooks"));
    let planned = |tasks: &str, agents: &[(&str, &str)]| {
        let agents: Vec<String> = agents
            .iter()
            .map(|(name, agent)| format!("[[agents]]\nname = '{name}'\nsettings.agent = '{agent}'\n"))
            .collect();
        let settings = "name = 'own'\nsettings = { approve = 'auto', sandbox = 'local' }\n";
        let file = format!("{settings}{tasks}\n{}", agents.concat());
        fs::write(place.path().join("bench.toml"), file).unwrap();
        place.call(&["bench", "bench.toml", "--plan", "--json"])
    };
    let ids = |called: &Called| -> Vec<String> {
        assert_eq!(called.status, 0, "{}{}", called.stdout, called.stderr);
        let planned = parsed(called);
        let cells = planned["cells"].as_array().unwrap().clone();
        let mut ids: Vec<String> = cells
            .iter()
            .map(|cell| cell["plan"]["cell"].as_str().unwrap().to_owned())
            .collect();
        ids.sort();
        ids.dedup();
        assert_eq!(ids.len(), cells.len(), "{planned}");
        ids
    };
    let notebook = "[[notebooks]]\nfiles = ['notebooks/tasks.jsonl']\ntasks = ['degree-days']";
    let capsule = "[[capsules]]\nfiles = ['sunspots/task.json']";
    let all = planned(
        notebook,
        &[
            ("a", "plain"),
            ("b", "react"),
            ("c", "react-super"),
            ("d", "reflexion"),
            ("e", "swe-agent"),
        ],
    );
    assert_eq!(ids(&all).len(), 5);
    // The agent is a part of the cell's id, whatever it is called.
    let one = |tasks: &str, agent: &str| ids(&planned(tasks, &[("mine", agent)]));
    assert_ne!(one(notebook, "react"), one(notebook, "swe-agent"));
    assert_ne!(one(capsule, "plain"), one(capsule, "core-agent"));
    assert_eq!(one(capsule, "core-agent"), one(capsule, "core-agent"));
    let refused = planned(capsule, &[("mine", "react")]);
    assert_eq!(refused.status, 2, "{}", refused.stderr);
    let known = "no agent `react` for the track `capsule`: part of this program are plain (our own loop), core-agent;";
    assert!(refused.stderr.contains(known), "{}", refused.stderr);
}

/// An agent whose first answer is none: its stage fails.
fn failing(place: &Place) {
    let turns = vec![serde_json::json!({ "answer": { "text": "{}" } }); 12];
    let recording = serde_json::json!({
        "format": "reprise-recording/1",
        "origin": "written by hand",
        "stages": { "extract": { "turns": turns } },
    });
    fs::write(place.path().join("null.json"), recording.to_string()).unwrap();
    let file = format!(
        "name = 'null'\nsettings = {{ approve = 'auto', sandbox = 'local', code-mode = 'native', no-probe = true }}\n\
         [[studies]]\npaths = ['slope']\n[[agents]]\nname = 'by hand'\n[[agents]]\nname = 'null'\n\
         settings = {{ model = 'scripted:{}', allow-unpriced = true }}\n",
        place.path().join("null.json").display()
    );
    fs::write(place.path().join("bench.toml"), file).unwrap();
}

#[test]
fn what_failed_is_run_again_beside_the_attempt_before() {
    let place = place("");
    failing(&place);
    let first = place.call(&["bench", "bench.toml", "--json"]);
    assert_eq!(first.status, 4, "{}", first.stderr);
    let result = |cells: &Value, agent: &str| {
        let cells = cells["cells"].as_array().unwrap().clone();
        cells.into_iter().find(|cell| cell["agent"] == agent).unwrap()
    };
    let null = result(&parsed(&first), "null");
    assert_eq!(
        (&null["result"], &null["attempt"]),
        (&Value::from("failed"), &Value::from(1)),
        "{null}"
    );
    let asked = starts(&place);
    // Neither the same command nor another retry begins it again.
    for arguments in [
        &["bench", "bench.toml", "--json"][..],
        &["bench", "bench.toml", "--json", "--retry", "infrastructure"],
    ] {
        let again = place.call(arguments);
        assert_eq!(result(&parsed(&again), "null")["attempt"], 1);
        assert_eq!(starts(&place), asked);
    }
    let again = place.call(&["bench", "bench.toml", "--json", "--retry", "failed"]);
    let null = result(&parsed(&again), "null");
    assert_eq!(
        (&null["result"], &null["attempt"]),
        (&Value::from("failed"), &Value::from(2)),
        "{null}"
    );
    assert_eq!(result(&parsed(&again), "by hand")["attempt"], 1);
    assert!(starts(&place) > asked, "nothing was asked again");
    assert!(null["folder"].as_str().unwrap().ends_with(".2"), "{null}");
    let page = fs::read_to_string(place.path().join("bench/index.html")).unwrap();
    assert!(page.contains("1 cell is here with a later attempt"));
    assert!(page.contains("Not audited"));
}

#[test]
fn a_plan_says_what_earlier_cells_took() {
    let place = place(FILE);
    let plan =
        |place: &Place| parsed(&place.call(&["bench", "bench.toml", "--plan", "--json"]))["estimate"].clone();
    let before = plan(&place);
    assert_eq!(
        (&before["cells"], &before["without_earlier"]),
        (&Value::from(8), &Value::from(8)),
        "{before}"
    );
    assert_eq!(before["seconds"], Value::Null);
    let part = place.call(&["bench", "bench.toml", "--only", "easy", "--skip", "r2"]);
    assert_eq!(part.status, 0, "{}", part.stderr);
    let after = plan(&place);
    // Three further cells of the capsule have one to go by; the study's have none.
    assert_eq!(
        (&after["cells"], &after["without_earlier"]),
        (&Value::from(7), &Value::from(4)),
        "{after}"
    );
    assert_eq!(after["tokens"]["cells"], 3, "{after}");
    let line = place.call(&["bench", "bench.toml", "--plan"]).stdout;
    assert!(line.contains("estimate for 7 cells, by earlier ones: "), "{line}");
    let none = place.call(&["bench", "bench.toml", "--skip", "by hand"]);
    assert_eq!(none.status, 2);
    assert!(
        none.stderr.contains("--skip by hand: no cell is left"),
        "{}",
        none.stderr
    );
}

pub const AUDITED: &str = "\
name = 'audited'
settings = { approve = 'auto', sandbox = 'local' }
[[studies]]
paths = ['slope']
settings = { code-mode = 'native', no-probe = true }
[[capsules]]
files = ['sunspots/task.json']
settings.level = 'hard'
";

#[test]
fn agents_that_earn_nothing_get_nothing() {
    let place = place(AUDITED);
    let audit = place.call(&["bench", "audit", "bench.toml", "--json"]);
    assert_eq!(audit.status, 0, "{}{}", audit.stdout, audit.stderr);
    let audit = parsed(&audit);
    assert_eq!(audit["quarantined"], 0, "{audit}");
    let tasks = audit["tasks"].as_array().unwrap();
    assert_eq!(tasks.len(), 2);
    for task in tasks {
        let trivial = task["trivial"].as_array().unwrap();
        assert_eq!(
            trivial.len(),
            if task["kind"] == "capsule" { 7 } else { 6 },
            "{task}"
        );
        for attempt in trivial {
            assert_eq!(attempt["success"], false, "{task}");
        }
        assert_eq!(task["known_good"]["success"], true, "{task}");
    }
    // The bench goes on in the same folder, with both lines on its page.
    let bench = place.call(&["bench", "bench.toml"]);
    assert_eq!(bench.status, 0, "{}", bench.stderr);
    let page = fs::read_to_string(place.path().join("bench/index.html")).unwrap();
    for line in [
        "The best of agents that earn nothing, in the audit",
        "The recorded agent, in the audit",
    ] {
        assert_eq!(page.matches(line).count(), 2, "{line}");
    }
    assert!(!page.contains("Not audited"));
}

/// A question whose right answer is 0, or which everything answers, tells nothing.
#[test]
fn a_task_that_gives_itself_away_is_quarantined() {
    let place = place(AUDITED);
    let task = place.path().join("sunspots/task.json");
    let text = fs::read_to_string(&task).unwrap();
    fs::write(&task, text.replace("49.752104", "0.0")).unwrap();
    let audit = place.call(&["bench", "audit", "bench.toml"]);
    assert_eq!(audit.status, 1, "{}{}", audit.stdout, audit.stderr);
    for said in [
        "the agent `print`, which earns nothing, gets `Report the mean number of sunspots.` right",
        "the recorded agent gets score 0.833",
        "1 of 2 quarantined",
    ] {
        assert!(audit.stdout.contains(said), "{said}: {}", audit.stdout);
    }
    let bench = place.call(&["bench", "bench.toml", "--json"]);
    assert_eq!(bench.status, 0, "{}", bench.stderr);
    assert!(
        bench
            .stderr
            .contains("capsule-9000001 is quarantined, and left out"),
        "{}",
        bench.stderr
    );
    assert_eq!(parsed(&bench)["cells"].as_array().unwrap().len(), 1);
    let page = fs::read_to_string(place.path().join("bench/index.html")).unwrap();
    assert!(page.contains("Quarantined: 1 of 2 tasks"));
    let all = place.call(&["bench", "bench.toml", "--json", "--quarantined"]);
    assert_eq!(
        parsed(&all)["cells"].as_array().unwrap().len(),
        2,
        "{}",
        all.stderr
    );
    // A mended task is another, which no audit has seen.
    fs::write(&task, text).unwrap();
    let mended = place.call(&["bench", "bench.toml", "--json"]);
    assert_eq!(
        parsed(&mended)["cells"].as_array().unwrap().len(),
        2,
        "{}",
        mended.stderr
    );
}

/// The folder of a bench with an agent's results at tasks, a cell each: `+` solved, `-` not solved and
/// `?` unscored.
pub fn bench_folder(place: &Place, name: &str, agent: &str, cost: u64, results: &[(&str, &str)]) {
    let folder = place.path().join(name);
    fs::create_dir_all(&folder).unwrap();
    let (mut lines, mut plan) = (String::new(), Vec::new());
    for (task, marks) in results {
        for (position, mark) in marks.chars().enumerate() {
            let (result, score) = match mark {
                '+' => ("solved", json!(1.0)),
                '-' => ("not_solved", json!(0.5)),
                _ => ("unscored", Value::Null),
            };
            let cell = format!("{agent}-{task}-{position}");
            let mut planned = json!({
                "cell": cell, "kind": "capsule", "task": task, "agent": agent, "arm": { "level": "hard" },
                "repeat": position + 1, "attempt": 1, "folder": format!("cells/{cell}"),
            });
            let mut known = planned.clone();
            planned["options"] = json!([]);
            plan.push(planned);
            for (key, value) in [
                ("result", json!(result)),
                ("score", score),
                ("words", json!(result)),
                ("tokens", json!(10)),
                ("cost", json!(cost)),
                ("seconds", json!(1.5)),
            ] {
                known[key] = value;
            }
            lines += &format!("{known}\n");
        }
    }
    fs::write(folder.join("cells.jsonl"), lines).unwrap();
    let plan = json!({ "name": name, "version": "0", "cells": plan });
    fs::write(folder.join("bench.json"), plan.to_string()).unwrap();
}

#[test]
fn two_benches_are_compared_where_they_have_the_same_cells() {
    let place = Place::new();
    bench_folder(
        &place,
        "one",
        "x",
        1_000_000,
        &[("a", "++"), ("b", "-"), ("c", "?"), ("d", "+")],
    );
    bench_folder(
        &place,
        "two",
        "y",
        3_000_000,
        &[("a", "-+"), ("b", "+"), ("c", "+"), ("e", "+")],
    );
    let called = place.call(&["bench", "compare", "one", "two", "--json"]);
    assert_eq!(called.status, 0, "{}", called.stderr);
    let found = parsed(&called)["kinds"][0].clone();
    let counts = [
        "pairs",
        "tasks",
        "only_first",
        "only_second",
        "first_alone",
        "second_alone",
    ];
    let counts = counts.map(|name| found[name].as_u64().unwrap());
    assert_eq!(counts, [3, 2, 1, 1, 1, 2]);
    assert_eq!(found["difference"], 0.25);
    let told = place.call(&["bench", "compare", "one", "two"]);
    for part in [
        "3 pairs of 2 tasks in 2 clusters",
        "difference 0.25",
        "2 clusters are too few: even if all changed one way, p would be 0.5",
        "a, level=hard, repeat 1: solved -> not_solved",
    ] {
        assert!(told.stdout.contains(part), "{}", told.stdout);
    }
    for (second, said) in [
        ("absent", "name the folder of a bench"),
        ("three", "have no cell of the same task"),
    ] {
        bench_folder(&place, "three", "z", 0, &[("other", "+")]);
        let refused = place.call(&["bench", "compare", "one", second]);
        assert_eq!(refused.status, 2, "{}", refused.stdout);
        assert!(refused.stderr.contains(said), "{}", refused.stderr);
    }
}

#[test]
fn benches_are_merged_into_one_page_that_leads_to_their_runs() {
    let place = Place::new();
    bench_folder(&place, "one", "x", 1_000_000, &[("a", "++"), ("b", "-")]);
    bench_folder(&place, "two", "y", 3_000_000, &[("a", "--"), ("b", "+")]);
    let merged = place.call(&["bench", "merge", "all", "one", "two"]);
    assert_eq!(merged.status, 0, "{}", merged.stderr);
    let lines = fs::read_to_string(place.path().join("all/cells.jsonl")).unwrap();
    assert_eq!(lines.lines().count(), 6);
    assert!(lines.contains(r#""folder":"../two/cells/y-a-0""#), "{lines}");
    let page = fs::read_to_string(place.path().join("all/index.html")).unwrap();
    for part in [
        "one + two",
        "../one/cells/x-b-0/report.html",
        // The cheaper and the better are one, and the other is off the frontier.
        r#"<circle class="on""#,
        r#"<circle class="off""#,
        r#"download="agents-capsules.csv""#,
    ] {
        assert!(page.contains(part), "{part}");
    }
    let again = place.call(&["bench", "merge", "all", "one", "two"]);
    assert!(
        again.status == 2 && again.stderr.contains("all exists"),
        "{}",
        again.stderr
    );
    let merges = place.call(&["bench", "merge", "more", "all", "one"]);
    assert_eq!(merges.status, 0, "{}", merges.stderr);

    // A cell of one and the same id with two results.
    bench_folder(&place, "other", "x", 1_000_000, &[("a", "-")]);
    let torn = place.call(&["bench", "merge", "torn", "one", "other"]);
    assert_eq!(torn.status, 2, "{}", torn.stdout);
    assert!(
        torn.stderr.contains("the cell x-a-0 (a) is `solved` in one"),
        "{}",
        torn.stderr
    );
    assert!(!place.path().join("torn").exists());
}

/// Gives the agents of a bench's folder other cells, as another version or model makes them, and
/// options.
fn planned_otherwise(place: &Place, name: &str, digest: &str, option: &str) {
    for file in ["cells.jsonl", "bench.json"] {
        let path = place.path().join(name).join(file);
        let text = fs::read_to_string(&path).unwrap();
        let text = text
            .replace(r#""cell":""#, &format!(r#""cell":"{digest}"#))
            .replace(r#""options":[]"#, &format!(r#""options":["{option}"]"#));
        fs::write(&path, text).unwrap();
    }
}

/// Twelve cells are two tasks: nothing is told of them, however they part.
#[test]
fn repeats_of_few_tasks_are_no_evidence_of_many() {
    let place = Place::new();
    bench_folder(&place, "one", "x", 0, &[("a", "++++++"), ("b", "++++++")]);
    bench_folder(&place, "two", "y", 0, &[("a", "------"), ("b", "------")]);
    let called = place.call(&["bench", "compare", "one", "two", "--json"]);
    let found = parsed(&called);
    assert_eq!(found["format"], "reprise-bench-compare/3");
    let found = &found["kinds"][0];
    let keys = [
        "pairs",
        "tasks",
        "p_value",
        "least_p_value",
        "too_few",
        "clusters_down",
    ];
    assert_eq!(
        keys.map(|key| found[key].clone()),
        [json!(12), json!(2), json!(0.5), json!(0.5), json!(true), json!(2)],
        "{found}"
    );
    let told = place.call(&["bench", "compare", "one", "two"]);
    for part in ["exact p over clusters 0.5", "2 clusters are too few"] {
        assert!(told.stdout.contains(part), "{}", told.stdout);
    }
}

#[test]
fn different_agents_of_one_name_are_told_apart() {
    let place = Place::new();
    let agents = |folder: &str| {
        let lines = fs::read_to_string(place.path().join(folder).join("cells.jsonl")).unwrap();
        let mut agents: Vec<String> = lines
            .lines()
            .map(|line| {
                serde_json::from_str::<Value>(line).unwrap()["agent"]
                    .as_str()
                    .unwrap()
                    .to_owned()
            })
            .collect();
        agents.sort();
        agents.dedup();
        agents
    };
    // The same tasks by two models, and further ones by the first of them.
    bench_folder(&place, "one", "x", 0, &[("a", "++"), ("b", "++")]);
    bench_folder(&place, "two", "x", 0, &[("a", "--"), ("b", "--")]);
    bench_folder(&place, "rest", "x", 0, &[("c", "+")]);
    planned_otherwise(&place, "one", "1", "--model=first");
    planned_otherwise(&place, "two", "2", "--model=second");
    planned_otherwise(&place, "rest", "3", "--model=first");
    let merged = place.call(&["bench", "merge", "all", "one/", "two", "rest", "--json"]);
    assert_eq!(merged.status, 0, "{}", merged.stderr);
    assert_eq!(agents("all"), ["x (one)", "x (two)"]);
    assert_eq!(
        parsed(&merged)["renamed"][2],
        json!({ "agent": "x", "folder": "rest", "name": "x (one)" })
    );
    assert!(
        merged
            .stderr
            .contains("the agents `x` are different ones: that of two is `x (two)` here"),
        "{}",
        merged.stderr
    );
    let page = fs::read_to_string(place.path().join("all/index.html")).unwrap();
    assert!(page.contains("x (one)") && page.contains("x (two)"));
    // Other tasks by another model, no cell of which could be paired.
    let merged = place.call(&["bench", "merge", "disjoint", "two", "rest"]);
    assert_eq!(merged.status, 0, "{}", merged.stderr);
    assert_eq!(agents("disjoint"), ["x (rest)", "x (two)"]);
    // Parts of one bench are one agent's, and so is what has been merged before.
    let merged = place.call(&["bench", "merge", "same", "one", "rest"]);
    assert_eq!((merged.status, agents("same")), (0, vec!["x".to_owned()]));
    let merged = place.call(&["bench", "merge", "more", "same", "two"]);
    assert_eq!(merged.status, 0, "{}", merged.stderr);
    assert_eq!(agents("more"), ["x (same)", "x (two)"]);
    let merged = place.call(&["bench", "merge", "again", "all", "one"]);
    assert_eq!(merged.status, 0, "{}", merged.stderr);
    assert_eq!(agents("again"), ["x (one)", "x (two)"]);

    // Some cells are the same and others are of a task that has changed: no agent is another.
    bench_folder(&place, "older", "x", 0, &[("a", "+"), ("b", "+")]);
    bench_folder(&place, "newer", "x", 0, &[("a", "+"), ("b", "+")]);
    for file in ["cells.jsonl", "bench.json"] {
        let path = place.path().join("newer").join(file);
        let text = fs::read_to_string(&path).unwrap();
        fs::write(&path, text.replace(r#""cell":"x-b-0""#, r#""cell":"x-b-1""#)).unwrap();
    }
    let torn = place.call(&["bench", "merge", "torn", "older", "newer"]);
    assert_eq!(torn.status, 2, "{}", torn.stdout);
    assert!(
        torn.stderr
            .contains("older and newer have some cells of `x` in common and different cells of b"),
        "{}",
        torn.stderr
    );
    assert!(!place.path().join("torn").exists());
}
