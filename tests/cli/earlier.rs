//! A run whose agent changed its code after it had seen a result.

use serde_json::{Value, json};

use super::support::Place;

const WHOLE: &str = "DATA=../replication_data/plots.csv";
/// Yields are mirrored, so that the slope has the other sign.
const MIRRORED: &str = "awk -F, -v OFS=, 'NR > 1 { $2 = 10 - $2 } { print }' ../replication_data/plots.csv > some.csv\n\
                        DATA=some.csv";

/// A study whose scripted agent first runs mirrored data and then `last`.
fn study(place: &Place, first: &str, last: &str) {
    let path = place.study().join("recordings/native.json");
    let mut recording: Value = serde_json::from_slice(&std::fs::read(&path).unwrap()).unwrap();
    let edit = |old: &str, new: &str| {
        json!({"calls": [{"name": "edit_file", "arguments": {
            "path": "work/helper.sh", "operation": "replace", "old_text": old, "new_text": new}}]})
    };
    let turns = &mut recording["stages"]["execute"]["turns"];
    turns[2]["answer"] = edit(WHOLE, first);
    turns[5]["answer"] = edit(first, last);
    std::fs::write(&path, recording.to_string()).unwrap();
}

fn run(place: &Place) -> Value {
    let mut arguments = vec![
        "run",
        "slope",
        "--code-mode=native",
        "--no-probe",
        "--approve",
        "auto",
    ];
    arguments.extend(["--sandbox", "local", "--model", "scripted:native", "--out", "out"]);
    arguments.push("--json");
    let called = place.call(&arguments);
    assert_eq!(called.status, 0, "{}{}", called.stdout, called.stderr);
    serde_json::from_str(&called.stdout).unwrap()
}

#[test]
fn another_outcome_that_was_seen_first_leaves_the_verdict_open() {
    let place = Place::new();
    let last = format!("{WHOLE} # all of them");
    study(&place, MIRRORED, &last);
    let ended = run(&place);
    let verdict = &ended["verdict"];
    assert_eq!(verdict["outcome"], "inconclusive", "{verdict}");
    assert_eq!(verdict["cause"], "changed_after_result", "{verdict}");
    let shown = place.call(&["show", "out"]).stdout;
    let line = shown.lines().find(|line| line.starts_with("verdict")).unwrap();
    assert!(
        line.contains("inconclusive (the code was changed after a result was seen)"),
        "{line}"
    );
    let doubt = shown.lines().find(|line| line.starts_with("doubt")).unwrap();
    for part in [
        "(decides)",
        "x1 gave",
        "-1.94",
        "1.94",
        "`work/helper.sh` was changed",
    ] {
        assert!(doubt.contains(part), "{doubt}");
    }

    let report = place
        .call(&["report", "out", "--format", "json", "--out", "-"])
        .stdout;
    let report: Value = serde_json::from_str(&report).unwrap();
    let rows = report["deviation_table"].as_array().unwrap();
    let row = rows
        .iter()
        .find(|row| row["what"].as_str().unwrap().contains("`work/helper.sh`"))
        .unwrap_or_else(|| panic!("{rows:?}"));
    assert_eq!(row["when"], "after a result was seen");
    assert_eq!(row["could_change"], "yes");
    assert!(row["code"].as_str().unwrap().contains("+DATA"), "{row}");
    let page = std::fs::read_to_string(place.path().join("out/report.html")).unwrap();
    assert!(page.contains("the code was changed after a result was seen"));
}

#[test]
fn a_mended_script_of_the_same_outcome_is_no_reason_to_doubt_it() {
    let place = Place::new();
    let first = "awk -F, 'NR < 5' ../replication_data/plots.csv > some.csv\nDATA=some.csv";
    study(&place, first, WHOLE);
    let verdict = &run(&place)["verdict"];
    let doubts = verdict["doubts"].as_array().cloned().unwrap_or_default();
    let seen: Vec<&Value> = doubts
        .iter()
        .filter(|doubt| doubt["cause"] == "changed_after_result")
        .collect();
    let [seen] = seen.as_slice() else {
        panic!("{verdict}");
    };
    assert_eq!(seen["decides"], false, "{seen}");
    assert_ne!(verdict["cause"], "changed_after_result", "{verdict}");
}
