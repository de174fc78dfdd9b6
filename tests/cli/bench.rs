//! A bench: cells of tasks, agents, arms and repeats, what is passed over, and what is refused.

use std::fs;
use std::path::Path;

use serde_json::Value;

use super::support::{Called, Place, copy};

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

fn json(called: &Called) -> Value {
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
    let planned = json(&place.call(&["bench", "bench.toml", "--plan", "--json"]));
    let cells = planned["cells"].as_array().unwrap();
    assert_eq!(cells.len(), 8);
    assert!(
        cells.iter().all(|cell| cell["standing"] == "to begin"),
        "{planned}"
    );
    assert!(!place.path().join("bench").exists());

    let part = json(&place.call(&["bench", "bench.toml", "--only", "capsule-9000001", "--json"]));
    assert_eq!(part["cells"].as_array().unwrap().len(), 4, "{part}");
    let asked = starts(&place);
    let whole = place.call(&["bench", "bench.toml", "--json"]);
    assert_eq!(whole.status, 0, "{}", whole.stderr);
    let whole = json(&whole);
    assert_eq!(whole["cells"].as_array().unwrap().len(), 8, "{whole}");
    let after = starts(&place);
    assert!(asked < after);
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
    let planned = json(&place.call(&["bench", "bench.toml", "--plan", "--json"]));
    assert_eq!(planned["cells"][0]["standing"], "to begin", "{planned}");
    // A budget is no other cell.
    fs::write(&data, text).unwrap();
    fs::write(
        place.path().join("bench.toml"),
        file.replace("level", "max-turns = 90, level"),
    )
    .unwrap();
    let planned = json(&place.call(&["bench", "bench.toml", "--plan", "--json"]));
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
