//! Runs whose scripts are older than their interpreters.

use std::fs;

use serde_json::json;

use super::need;
use super::scripted_study::{self, Script, events};
use super::support::{Called, Place};

const PYTHON: &str = "import csv
rows = list(csv.reader(open('/home/anna/slope/plots.csv')))[1:]
print('dose N', len(rows), 'estimate 1.94 SE 0.0905539 t 21.4 p 0.00217167')
";
const R: &str = "x <- read.csv('../replication_data/plots.csv')
cat(toTitleCase('the slope'), nrow(x), fuddle(x), '\\n')
";

fn study(place: &Place, script: &str, text: &str, edits: &[(&str, &str)]) {
    let script = Script {
        name: script,
        text,
        edits,
        python: &[],
        again: false,
    };
    scripted_study::study(place, &script);
}

fn run(place: &Place) -> Called {
    scripted_study::run(place, "out", &[])
}

fn report(place: &Place) -> String {
    let called = place.call(&["report", "out", "--format", "md"]);
    assert_eq!(called.status, 0, "{}", called.stderr);
    fs::read_to_string(place.path().join("out/report.md")).unwrap()
}

/// The script with its path repaired.
fn repaired() -> String {
    PYTHON.replace("/home/anna/slope", "../replication_data")
}

#[test]
fn a_known_fault_is_told_to_the_agent_and_the_person_and_the_mend_is_listed() {
    let Some(()) = need::program("python3", "apt-get install python3") else {
        return;
    };
    let place = Place::new();
    study(
        &place,
        "slope.py",
        PYTHON,
        &[("/home/anna/slope", "../replication_data")],
    );
    let called = run(&place);
    assert_eq!(called.status, 0, "{}{}", called.stdout, called.stderr);
    assert!(
        called
            .stderr
            .contains("failed for a known reason: the script names a file by its place on another machine"),
        "{}",
        called.stderr
    );
    let ends = events(&place, "out", "execution_finished");
    let rescue = &ends[0]["rescue"];
    assert!(rescue["table"].as_u64().unwrap() > 0);
    assert_eq!(rescue["faults"][0]["id"], "path-home");
    assert_eq!(rescue["faults"].as_array().unwrap().len(), 1, "{rescue}");
    assert!(ends[1].get("rescue").is_none());

    let calls = events(&place, "out", "tool_finished");
    let ran = calls.iter().find(|call| call["tool"] == "run_analysis").unwrap();
    let told = scripted_study::content(&place, "out", &ran["observation"]);
    for part in [
        "Known faults of old code",
        "line 2: the script names a file",
        "This mend does not change results",
        "+rows = list(csv.reader(open('../replication_data/plots.csv')))[1:]",
        "logs/x1.mended.slope.py",
    ] {
        assert!(told.contains(part), "no {part} in {told}");
    }
    let compared = scripted_study::content(&place, "out", &ran["stable"]);
    assert!(!compared.contains("Known faults"), "{compared}");
    let mended = fs::read_to_string(place.path().join("out/workspace/logs/x1.mended.slope.py")).unwrap();
    assert_eq!(mended, repaired());

    let report = report(&place);
    let said = "was repaired, by version";
    assert!(report.contains(said), "{report}");
    assert!(report.contains("made before a later execution"), "{report}");
    let page = fs::read_to_string(place.path().join("out/report.html")).unwrap();
    assert!(page.contains("Known faults of old code") && page.contains("path-home"));

    let replayed = place.call(&["replay", "out", "--out", "again", "--sandbox", "local"]);
    assert_eq!(replayed.status, 0, "{}{}", replayed.stdout, replayed.stderr);
}

/// A script that is looked at in part is told of, and never mended: a mend would end where the look ended.
#[test]
fn a_script_that_is_too_large_is_not_mended() {
    let Some(()) = need::program("python3", "apt-get install python3") else {
        return;
    };
    let place = Place::new();
    let long = format!("{PYTHON}# {}\n", "x".repeat(2 << 20));
    study(&place, "slope.py", &long, &[]);
    scripted_study::run(&place, "out", &["--mend", "by-rule"]);
    let ended = &events(&place, "out", "execution_finished")[0];
    assert_eq!(ended["rescue"]["faults"][0]["id"], "path-home");
    assert!(ended["rescue"].get("proposed").is_none(), "{ended}");
    let left = fs::read_to_string(place.path().join("out/workspace/work/slope.py")).unwrap();
    assert!(left == long, "it has {} bytes of {}", left.len(), long.len());
}

#[test]
fn a_mend_of_another_kind_is_not_taken_for_the_proposed_one() {
    let Some(()) = need::program("python3", "apt-get install python3") else {
        return;
    };
    let place = Place::new();
    let line = "rows = list(csv.reader(open('/home/anna/slope/plots.csv')))[1:]\n";
    let edit = [(line, "rows = [1] * 12\n")];
    study(&place, "slope.py", PYTHON, &edit);
    assert_eq!(run(&place).status, 0);
    let report = report(&place);
    assert!(report.contains("not made as proposed"), "{report}");
    assert!(!report.contains("was repaired, by version"));
}

#[test]
fn the_sandboxs_r_is_asked_which_package_has_a_function() {
    let Some(()) = need::program("Rscript", "apt-get install r-base-core") else {
        return;
    };
    let place = Place::new();
    let edit = [("toTitleCase(", "tools::toTitleCase(")];
    study(&place, "slope.R", R, &edit);
    let called = run(&place);
    let ends = events(&place, "out", "execution_finished");
    let first = &ends[0]["rescue"];
    assert_eq!(
        first["installed"],
        json!([{ "name": "toTitleCase", "packages": ["tools"] }]),
        "{first} {}",
        called.stderr
    );
    let cause = first["faults"][0]["cause"].as_str().unwrap();
    assert!(
        cause.contains("`tools`, which is installed here and not attached"),
        "{cause}"
    );
    // No package has that one, so nothing is made up.
    assert!(ends[1].get("rescue").is_none(), "{}", ends[1]);
    assert!(!place.path().join("out/streams").exists());
}

#[test]
fn a_study_of_r_3_is_run_under_its_defaults() {
    let Some(()) = need::program("Rscript", "apt-get install r-base-core") else {
        return;
    };
    let place = Place::new();
    let script = "x <- data.frame(a = c('u', 'v'))
cat('levels', levels(x$a), 'slots', commandArgs(TRUE), '\\n')
set.seed(1)
cat('drawn', sample(10, 3), '\\n')
";
    study(&place, "slope.R", script, &[]);
    let manifest = place.path().join("slope/study.toml");
    let plain = fs::read_to_string(&manifest).unwrap();
    let printed = |out: &str| {
        scripted_study::run(&place, out, &[]);
        let ended = events(&place, out, "execution_finished")[0].clone();
        let text = scripted_study::content(&place, out, &ended["stdout"]);
        text.split_whitespace().collect::<Vec<_>>().join(" ")
    };
    let today = printed("today");
    assert!(today.contains("levels slots drawn 9 4 7"), "{today}");
    fs::write(&manifest, format!("{plain}[environment]\nr_defaults = \"3\"\n")).unwrap();
    let old = printed("old");
    assert!(old.contains("levels u v slots drawn 3 4 5"), "{old}");
    let command = &events(&place, "old", "execution_started")[0]["command"];
    assert_eq!(command[1], "--no-environ", "{command}");
    let called = place.call(&["report", "old", "--format", "md"]);
    assert_eq!(called.status, 0, "{}", called.stderr);
    let report = fs::read_to_string(place.path().join("old/report.md")).unwrap();
    assert!(report.contains("It does not reach calls such as"), "{report}");
}

#[test]
fn a_mend_that_changes_no_result_is_made_by_rule_where_the_settings_say_so() {
    let Some(()) = need::program("python3", "apt-get install python3") else {
        return;
    };
    let place = Place::new();
    let script = Script {
        name: "slope.py",
        text: PYTHON,
        edits: &[],
        python: &[],
        again: true,
    };
    scripted_study::study(&place, &script);
    let called = scripted_study::run(&place, "out", &["--mend", "by-rule"]);
    assert_eq!(called.status, 0, "{}{}", called.stdout, called.stderr);
    let calls = events(&place, "out", "tool_finished");
    let ran = calls.iter().find(|call| call["tool"] == "run_analysis").unwrap();
    assert_eq!(ran["change"]["path"], "work/slope.py");
    let told = scripted_study::content(&place, "out", &ran["observation"]);
    assert!(
        told.contains("They were made in `work/slope.py` by the engine"),
        "{told}"
    );
    // It is the study's own file: the change is asked about as any other.
    let asked = events(&place, "out", "asked");
    assert!(
        asked
            .iter()
            .any(|asked| asked["summary"] == "change work/slope.py")
    );
    let ends = events(&place, "out", "execution_finished");
    assert_eq!(ends[1]["ending"]["exited"], 0);
    let text = fs::read_to_string(place.path().join("out/workspace/work/slope.py")).unwrap();
    assert_eq!(text, repaired());
    assert!(report(&place).contains("was repaired, by version"));
    let replayed = place.call(&["replay", "out", "--out", "again"]);
    assert_eq!(replayed.status, 0, "{}{}", replayed.stdout, replayed.stderr);

    let place = Place::new();
    scripted_study::study(&place, &script);
    scripted_study::run(&place, "out", &[]);
    let ends = events(&place, "out", "execution_finished");
    assert_eq!(
        ends[1]["ending"]["exited"], 1,
        "without the setting nothing is made"
    );
}
