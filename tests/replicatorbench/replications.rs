//! Each replication beside the report of its human replicators.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use serde_json::Value;
use similar::{ChangeTag, TextDiff};

use crate::replicatorbench::figures::{Claim, Figure, Row, Source, compare};
use crate::replicatorbench::place::{call, studies, tree};
use crate::replicatorbench::ran::{Ran, json, ran, sandbox};
use crate::replicatorbench::tables::{ELEVEN_NATIVE, FOUR_NATIVE, FOUR_PYTHON, Replication, THIRTEEN_NATIVE};

#[test]
fn study_4_by_its_own_script() {
    replicate(&FOUR_NATIVE);
}

#[test]
fn study_4_in_python() {
    replicate(&FOUR_PYTHON);
}

#[test]
fn study_11_by_its_own_script() {
    replicate(&ELEVEN_NATIVE);
}

#[test]
fn study_13_by_its_own_script() {
    replicate(&THIRTEEN_NATIVE);
}

#[test]
fn study_4_and_its_translation_agree() {
    let (Some(studies), Some(sandbox)) = (studies(), sandbox()) else {
        return;
    };
    let [native, python] =
        [&FOUR_NATIVE, &FOUR_PYTHON].map(|replication| ran(replication, &studies.join("4"), &sandbox));
    let [native, python] = [&native, &python].map(|ran| ran.folder.to_str().unwrap());
    let called = call(&["compare", native, python, "--json"]);
    assert_eq!(called.status, 0, "{}{}", called.stdout, called.stderr);
    let comparison = &json(&called)["comparison"];
    assert_eq!(comparison["comparability"], "comparable");
    assert_eq!(comparison["same_verdict"], true);
    let pairs = comparison["pairs"].as_array().unwrap();
    assert_eq!(pairs.len(), 2);
    for pair in pairs {
        assert_eq!(pair["relative_difference"], 0.0, "{pair}");
        for what in [
            "same_sign",
            "same_n",
            "estimates_agree",
            "errors_agree",
            "p_values_agree",
        ] {
            assert_eq!(pair[what], true, "{what}: {pair}");
        }
    }
    assert!(comparison["unpaired"].as_array().unwrap().is_empty());
    assert_eq!(
        comparison["opened"]["both"][0]["path"],
        "replication_data/data_gerhold.csv"
    );
    println!("{}", call(&["compare", native, python]).stdout);
}

fn replicate(replication: &Replication) {
    let (Some(studies), Some(sandbox)) = (studies(), sandbox()) else {
        return;
    };
    let study = studies.join(replication.study());
    let before = tree(&study);
    let ran = ran(replication, &study, &sandbox);
    assert!(
        tree(&study) == before,
        "the study {} was written",
        study.display()
    );

    let rows = rows(replication, &study, &ran);
    println!(
        "\nstudy {} ({}, {sandbox}), {:.1} s",
        replication.study(),
        replication.mode,
        ran.wall.as_secs_f64()
    );
    println!("{:34} {:>14} {:>16}", "figure", "report", "ours");
    for row in &rows {
        println!("{row}");
    }
    let wrong: Vec<_> = rows
        .iter()
        .filter(|row| !row.holds)
        .map(|row| row.figure.what)
        .collect();
    assert!(wrong.is_empty(), "{}: {wrong:?}", replication.name);

    the_verdict_is_theirs(replication, &study, &ran);
    only_the_planned_data_was_opened(replication, &ran);
    every_number_was_printed(&ran);
    the_script_is_theirs(replication, &study, &ran);
    no_reference_is_in_the_run(&study, &ran);
    a_replay_is_the_same(&ran, &sandbox);
}

fn rows(replication: &Replication, study: &Path, ran: &Ran) -> Vec<Row> {
    let stdout = ran.stdout();
    let report = Source::pdf(&study.join("gt/human_report.pdf"));
    let code = study.join("input/replication_data").join(replication.script);
    let code = Source::text(&fs::read_to_string(code).unwrap());
    let against = |figures: &[Figure], source: &Source| -> Vec<Row> {
        figures
            .iter()
            .map(|figure| compare(*figure, source, &stdout))
            .collect()
    };
    let mut rows = against(replication.figures, &report);
    rows.extend(against(replication.comments, &code));
    rows
}

fn the_verdict_is_theirs(replication: &Replication, study: &Path, ran: &Arc<Ran>) {
    let report = Source::pdf(&study.join("gt/human_report.pdf"));
    let page = report.says(replication.verdict);
    println!(
        "verdict: met; the report, page {page:?}: \"{}\"",
        replication.verdict
    );
    assert!(page.is_some(), "the report does not say so");
    let verdict = &ran.result["verdict"];
    assert_eq!(verdict["outcome"], "met", "{verdict}");
    assert_eq!(verdict["agent"], "met");
    // What decided has to be what the report prints, not only what was told of it.
    let focal: Vec<_> = replication
        .figures
        .iter()
        .filter(|figure| figure.what.contains("focal"))
        .collect();
    assert!(
        focal.len() >= 2
            && focal
                .iter()
                .all(|figure| !matches!(figure.claim, Claim::Differs(_)))
    );
}

fn only_the_planned_data_was_opened(replication: &Replication, ran: &Ran) {
    let executions = ran.executions();
    assert_eq!(executions.len(), replication.executions);
    let (last, earlier) = executions.split_last().unwrap();
    assert!(earlier.iter().all(|execution| execution["ok"] == false));
    assert_eq!(last["ok"], true);
    let opened: Vec<&str> = last["opened"]["files"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(Value::as_str)
        .filter(|file| file.starts_with("replication_data/"))
        .collect();
    println!("opened: {opened:?}");
    assert_eq!(opened, replication.opened);
    assert_eq!(last["opened"]["complete"], true);
}

/// A number that the recording tells and no execution printed is found here.
fn every_number_was_printed(ran: &Ran) {
    let traces = ran.report["findings"]["traces"].as_array().unwrap();
    let lost: Vec<_> = traces
        .iter()
        .filter(|trace| trace["found_at"].is_null())
        .collect();
    assert!(traces.len() > 4 && lost.is_empty(), "{lost:?}");
}

/// The script differs from the shipped one in the named lines, and in lines that were added.
fn the_script_is_theirs(replication: &Replication, study: &Path, ran: &Ran) {
    let shipped = fs::read(study.join("input/replication_data").join(replication.script)).unwrap();
    let shipped = String::from_utf8(shipped).unwrap().replace("\r\n", "\n");
    let run = ran
        .text(&format!("workspace/work/{}", replication.script))
        .replace("\r\n", "\n");
    let difference = TextDiff::from_lines(&shipped, &run);
    let of = |tag| -> Vec<String> {
        difference
            .iter_all_changes()
            .filter(|change| change.tag() == tag)
            .map(|change| change.value().trim_end().to_owned())
            .collect()
    };
    let (mut gone, added) = (of(ChangeTag::Delete), of(ChangeTag::Insert));
    // A last line without an end counts as changed when something follows it.
    gone.retain(|line| !added.contains(line));
    println!(
        "{}: {} lines replaced, {} put in",
        replication.script,
        gone.len(),
        added.len()
    );
    assert_eq!(gone, replication.replaced);
    if replication.mode == "python" {
        assert!(added.is_empty(), "a translation leaves the script alone");
    }
}

/// No reference file, and no sentence of one, is anywhere in the run but in its report and its grading.
fn no_reference_is_in_the_run(study: &Path, ran: &Ran) {
    let references = tree(&study.join("gt"));
    assert!(references.len() >= 3);
    let canaries: Vec<String> = references
        .iter()
        .filter_map(|(name, bytes)| canary(name, bytes))
        .collect();
    assert!(!canaries.is_empty());
    for (name, bytes) in tree(&ran.folder) {
        assert!(
            !references.iter().any(|(_, reference)| *reference == bytes),
            "{}",
            name.display()
        );
        // Grading, which comes after the run, quotes what it grades by.
        let is_report = name.to_str().is_some_and(|name| {
            ["report.", "scores.", "evals/"]
                .iter()
                .any(|start| name.starts_with(start))
        });
        let text = String::from_utf8_lossy(&bytes);
        for canary in canaries.iter().filter(|_| !is_report) {
            assert!(
                !text.contains(canary.as_str()),
                "{} holds: {canary}",
                name.display()
            );
        }
    }
}

/// The longest text of a reference that only its annotator can have written.
fn canary(name: &Path, bytes: &[u8]) -> Option<String> {
    fn longest(value: &Value, best: &mut String) {
        match value {
            Value::String(text) if text.len() > best.len() => best.clone_from(text),
            Value::Array(values) => values.iter().for_each(|value| longest(value, best)),
            Value::Object(members) => members.values().for_each(|value| longest(value, best)),
            _ => {}
        }
    }
    let value: Value = serde_json::from_slice(bytes).ok()?;
    let mut best = String::new();
    longest(&value["original_study"]["method"], &mut best);
    let quoted = Value::from(best).to_string();
    println!("canary of {}: {} characters", name.display(), quoted.len());
    Some(quoted.trim_matches('"').to_owned())
}

fn a_replay_is_the_same(ran: &Ran, sandbox: &str) {
    let called = call(&["replay", ran.folder.to_str().unwrap(), "--sandbox", sandbox]);
    assert_eq!(called.status, 0, "{}{}", called.stdout, called.stderr);
    println!("replay: {}", called.stdout.trim());
}
