//! Each replication graded from end to end by a judging that was written by hand.

use std::path::Path;

use serde_json::Value;

use crate::replicatorbench::place::{call, studies, tree};
use crate::replicatorbench::ran::{json, ran, sandbox};
use crate::replicatorbench::tables::{ELEVEN_NATIVE, FOUR_NATIVE, Replication, THIRTEEN_NATIVE};

#[test]
fn study_4_is_graded() {
    graded(&FOUR_NATIVE, 2);
}

#[test]
fn study_11_is_graded() {
    graded(&ELEVEN_NATIVE, 3);
}

#[test]
fn study_13_is_graded() {
    graded(&THIRTEEN_NATIVE, 3);
}

fn graded(replication: &Replication, references: usize) {
    let (Some(studies), Some(sandbox)) = (studies(), sandbox()) else {
        return;
    };
    let study = studies.join(replication.study());
    let ran = ran(replication, &study, &sandbox);
    let before = tree(&study);
    let journal = std::fs::read(ran.folder.join("journal.jsonl")).unwrap();
    let judging = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!(
        "tests/replicatorbench/judgings/{}.json",
        replication.name
    ));
    let judge = format!("scripted:{}", judging.display());
    let folder = ran.folder.to_str().unwrap();
    let called = call(&["score", folder, "--judge", &judge, "--repeats", "1", "--json"]);
    let scores = json(&called);
    assert_eq!(
        scores["problems"].as_array().unwrap().len(),
        0,
        "{}",
        scores["problems"]
    );
    let card = &scores["runs"][0]["judges"][0];
    println!("study {}, by hand:", replication.study());
    for stage in card["stages"].as_array().unwrap() {
        let against = stage["against"].as_array().unwrap();
        let expected = if stage["stage"] == "extract" {
            references
        } else {
            1
        };
        assert_eq!(against.len(), expected, "{stage}");
        for one in against {
            let figures = &one["figures"];
            println!(
                "  {} against {}: {}",
                stage["stage"], one["reference"], figures["score"]
            );
            assert_eq!(
                figures["coverage"]["hits"], figures["coverage"]["of"],
                "{figures}"
            );
            let score = figures["score"].as_f64().unwrap();
            assert!((0.0..=1.0).contains(&score));
        }
    }
    let floor = card["stages"][0]["floor"].as_f64().unwrap();
    assert!(floor > 0.0 && floor < card["stages"][0]["mean"].as_f64().unwrap());
    the_released_files_sum_up(folder, card);
    assert!(tree(&study) == before, "the study was written");
    assert!(std::fs::read(ran.folder.join("journal.jsonl")).unwrap() == journal);
}

/// The files in the released shapes, by the released arithmetic.
fn the_released_files_sum_up(folder: &str, card: &Value) {
    let called = call(&["score", "summary", folder, "--json"]);
    let gradings = json(&called);
    let own = card["folder"].as_str().unwrap();
    let gradings = gradings["gradings"].as_array().unwrap();
    let one = gradings.iter().find(|one| one["folder"] == own).unwrap();
    assert_eq!(one["stale"], Value::Array(Vec::new()));
    let stages = one["summary"]["stages"].as_array().unwrap();
    assert_eq!(stages.len(), 5, "{stages:?}");
    assert_eq!(one["summary"]["problems"], Value::Array(Vec::new()));
}
