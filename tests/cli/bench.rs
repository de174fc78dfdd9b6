//! A bench: cells of tasks, agents, arms and repeats, what is passed over, and what is refused.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use super::support::{Called, Place, called, copy};

const FILE: &str = "\
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
fn place(file: &str) -> Place {
    let place = Place::new();
    place.study();
    let capsules = Path::new(env!("CARGO_MANIFEST_DIR")).join("capsules/sunspots");
    copy(&capsules, &place.path().join("sunspots"));
    fs::write(place.path().join("bench.toml"), file).unwrap();
    place
}

fn parsed(called: &Called) -> Value {
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
    let events: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let of = |kind: &str| events.iter().filter(|event| event["event"] == kind).collect::<Vec<_>>();
    assert_eq!((of("began").len(), of("ended").len()), (8, 8), "{text}");
    assert_eq!(of("ended").iter().filter(|event| event["passed_over"] == true).count(), 4, "{text}");
    let last = of("ended")[7];
    assert_eq!((&last["counts"]["runs"], &last["counts"]["ended"]), (&json!(8), &json!(8)), "{text}");
    assert_eq!(last["counts"]["under_way"], 0, "{text}");
    assert!(last["at"].is_string() && last["folder"].is_string(), "{text}");
}

/// What of the bench may be shown holds no conversation, no answer and no path of this machine.
fn published(place: &Place) {
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
        assert!(!text.contains(&here), "{file}");
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
            &["gone", "unexpected argument '--codemode'"][..],
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
            &["[limits] has no `max-time`"],
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

const AUDITED: &str = "\
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
            if task["kind"] == "capsule" { 7 } else { 1 },
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

#[test]
fn attempts_of_other_harnesses_are_summed_up() {
    let place = Place::new();
    let mut table = "agent_id,capsule_id,successful,total_tokens,confidence\n".to_owned();
    for (task, passes) in [("a", [1, 1, 1]), ("b", [1, 0, 1]), ("c", [0, 0, 0])] {
        for (repeat, pass) in passes.iter().enumerate() {
            table += &format!("one,{task},{pass},{},0.{}\n", 10 * (repeat + 1), repeat + 4);
        }
    }
    table += "two,a,True,,\n";
    fs::write(place.path().join("runs.csv"), &table).unwrap();
    let called = place.call(&["bench", "core", "runs.csv", "--json"]);
    assert_eq!(called.status, 0, "{}", called.stderr);
    let found = parsed(&called);
    let one = &found["agents"][0];
    assert_eq!(
        (&one["accuracy"]["hits"], &one["accuracy"]["of"]),
        (&Value::from(5), &Value::from(9))
    );
    let near = |value: &Value, expected: f64| {
        assert!(
            (value.as_f64().unwrap() - expected).abs() < 1e-12,
            "{value} for {expected}"
        );
    };
    // (1 + 1/9 + 1) / 3, and exp(-10/20) for each task.
    near(&one["reliability"]["outcome_consistency"]["mean"], 19.0 / 27.0);
    near(
        &one["reliability"]["resource_consistency"]["mean"],
        (-0.5_f64).exp(),
    );
    near(&one["calibration"]["mean_confidence"], 0.5);
    assert_eq!(found["agents"][1]["calibration"], Value::Null);
    assert_eq!(found["saturation"], Value::Null);
    for (table, said) in [
        (
            "agent,task\nx,y\n",
            "it has none of the columns success, successful",
        ),
        (
            "agent,task,success\nx,y,perhaps\n",
            "line 2: `perhaps` says neither success nor failure",
        ),
        (
            "agent,task,success,confidence\nx,y,1,32\n",
            "the confidence 32 is not between 0 and 1",
        ),
        ("agent,task,success\n", "it has no attempt"),
    ] {
        fs::write(place.path().join("runs.csv"), table).unwrap();
        let called = place.call(&["bench", "core", "runs.csv"]);
        assert_eq!(called.status, 2);
        assert!(called.stderr.contains(said), "{}", called.stderr);
    }
}

#[test]
fn costs_of_one_scaffold_are_corrected_from_its_tokens() {
    let place = Place::new();
    let table = "agent,task,success,cost,scaffold,model,input_tokens,cached_tokens,output_tokens\n\
                 x,a,1,9,core_agent,openai/gpt-5,1000000,0,100000\n\
                 x,b,1,9,core_agent,openai/gpt-5,,,\n\
                 y,a,1,3,codex,gpt-5,1000000,0,100000\n";
    fs::write(place.path().join("runs.csv"), table).unwrap();
    let costs = |more: &[&str]| {
        let called = place.call(&[&["bench", "core", "runs.csv", "--json"], more].concat());
        assert_eq!(called.status, 0, "{}", called.stderr);
        let found = parsed(&called);
        [0, 1].map(|at: usize| found["agents"][at]["cost"]["sum"].as_f64().unwrap())
    };
    assert_eq!(costs(&[]), [18.0, 3.0]);
    // 1.25 for input and 1 for output; what has no tokens keeps its cost.
    assert_eq!(costs(&["--correct-costs"]), [11.25, 3.0]);
    fs::write(place.path().join("runs.csv"), "agent,task,success\nx,a,1\n").unwrap();
    let called = place.call(&["bench", "core", "runs.csv", "--correct-costs"]);
    assert!(
        called.status == 2 && called.stderr.contains("it has no column scaffold"),
        "{}",
        called.stderr
    );
}

/// The folder of a bench with an agent's results at tasks, a cell each: `+` solved, `-` not solved and
/// `?` unscored.
fn bench_folder(place: &Place, name: &str, agent: &str, cost: u64, results: &[(&str, &str)]) {
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
        "3 pairs of 2 tasks",
        "difference 0.25",
        "3 pairs are too few: even if all parted one way, p would be 0.25",
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

#[test]
fn released_files_are_laid_beside_the_paper() {
    let Some(root) = super::need::shared("data/replicatorbench") else {
        return;
    };
    let place = Place::new();
    let called = place.call(&["bench", "replicatorbench", root.to_str().unwrap(), "--json"]);
    assert_eq!(called.status, 0, "{}", called.stderr);
    let found = parsed(&called);
    let cells = found["cells"].as_array().unwrap();
    let of = |table: u64| cells.iter().filter(move |cell| cell["table"] == table);
    assert_eq!((of(2).count(), of(3).count(), of(5).count()), (28, 32, 20));
    // Every file of Table 3 is at hand; of the other two, eight studies of nineteen and seven logs.
    assert!(
        of(3).all(|cell| cell["same"] == true && cell["n"] == 19),
        "{found}"
    );
    let lacks = found["lacks"].to_string();
    assert!(
        lacks.contains("Table 2, outcomes of gpt-5: 11 of 19 studies (9, 10, 11"),
        "{lacks}"
    );
    assert!(lacks.contains("7 execution logs are here"), "{lacks}");
    let called = place.call(&["bench", "replicatorbench", "."]);
    assert_eq!(called.status, 2);
    assert!(
        called.stderr.contains("yields no cell of the paper's tables"),
        "{}",
        called.stderr
    );
}

#[test]
fn answers_of_other_harnesses_are_graded_and_summed_up() {
    let place = place(FILE);
    let tasks = place.path().join("sunspots/task.json");
    let tasks: Value = serde_json::from_str(&fs::read_to_string(tasks).unwrap()).unwrap();
    let right = &tasks[0]["results"][0];
    let mut wrong = right.clone();
    for answer in wrong.as_object_mut().unwrap().values_mut() {
        *answer = json!("none of these");
    }
    for (file, answers) in [("a_k1", right), ("a_k2", &wrong), ("b_k1", right)] {
        let line = json!({ "capsule-9000001": answers, "capsule-0000000": {} });
        fs::write(
            place.path().join(format!("{file}_RAW_SUBMISSIONS.jsonl")),
            line.to_string(),
        )
        .unwrap();
    }
    let files = ["a_k1", "a_k2", "b_k1"].map(|file| format!("{file}_RAW_SUBMISSIONS.jsonl"));
    let mut arguments = vec!["bench", "core"];
    arguments.extend(files.iter().map(String::as_str));
    let bare = place.call(&arguments);
    assert!(
        bare.status == 2 && bare.stderr.contains("--answers TASKS"),
        "{}",
        bare.stderr
    );
    arguments.extend(["--answers", "sunspots/task.json", "--grader", "v1.1", "--json"]);
    let called = place.call(&arguments);
    assert_eq!(called.status, 0, "{}", called.stderr);
    assert!(
        called
            .stderr
            .contains("1 answers are to tasks that the task file does not have"),
        "{}",
        called.stderr
    );
    let found = parsed(&called);
    let agents: Vec<_> = (found["agents"].as_array().unwrap().iter())
        .map(|agent| {
            (
                agent["agent"].clone(),
                agent["accuracy"]["hits"].clone(),
                agent["accuracy"]["of"].clone(),
            )
        })
        .collect();
    assert_eq!(
        agents,
        [(json!("a"), json!(1), json!(2)), (json!("b"), json!(1), json!(1))],
        "{found}"
    );
}
