//! Refusals of `score`: material that no judge is given, and places where nothing is written.

use std::os::unix::fs::symlink;

use serde_json::json;

use super::given::{finished, graded, judge};
use crate::support::tree;

#[test]
fn a_link_out_of_the_run_is_written_through_by_nobody() {
    let place = finished();
    let answer = json!({"answer": {"json": {"claim.statement": {"score": 1, "explanation": "far"}}}});
    judge(&place, "judge.json", json!({"extract": {"turns": [answer]}}));
    let outside = place.path().join("outside");
    std::fs::create_dir(&outside).unwrap();
    let evals = place.path().join("out/evals");
    let refused = |what: &str| {
        for called in [
            graded(&place, &["scripted:./judge.json"], &[]),
            place.call(&["score", "out"]),
        ] {
            assert_ne!(called.status, 0, "{what}: {}", called.stdout);
            assert!(
                called.stderr.contains("is a symbolic link to") && called.stderr.contains("outside"),
                "{what}: {}",
                called.stderr
            );
        }
        assert!(tree(&outside).is_empty(), "{what}: {:?}", tree(&outside));
    };
    symlink(&outside, &evals).unwrap();
    refused("evals");
    std::fs::remove_file(&evals).unwrap();
    symlink(outside.join("nowhere"), &evals).unwrap();
    refused("evals, to nowhere");
    std::fs::remove_file(&evals).unwrap();
    std::fs::create_dir(&evals).unwrap();
    for name in ["scripted-.-judge.json", "code"] {
        symlink(&outside, evals.join(name)).unwrap();
    }
    refused("a judge's folder");
    for name in ["scripted-.-judge.json", "code"] {
        std::fs::remove_file(evals.join(name)).unwrap();
        std::fs::create_dir(evals.join(name)).unwrap();
        symlink(outside.join("calls"), evals.join(name).join("calls.jsonl")).unwrap();
    }
    refused("a judge's file");
    // A link that stays in the run is the run's own business.
    std::fs::remove_dir_all(&evals).unwrap();
    std::fs::create_dir(place.path().join("out/graded")).unwrap();
    symlink("graded", &evals).unwrap();
    let called = graded(&place, &["scripted:./judge.json"], &[]);
    assert_eq!(called.status, 0, "{}", called.stderr);
}

#[test]
fn a_folder_of_rubrics_that_is_not_whole_is_refused() {
    let place = finished();
    std::fs::create_dir(place.path().join("mine")).unwrap();
    let told = place.call(&["score", "out", "--rubrics-dir", "mine"]);
    assert_eq!(told.status, 2, "{}", told.stderr);
    assert!(
        told.stderr.contains(
            "`mine` is no whole set of rubrics: it lacks system.md, protocol.md, extract/rubric.toml"
        ),
        "{}",
        told.stderr
    );
    let told = place.call(&["score", "out", "--rubrics-dir", "none"]);
    assert!(
        told.stderr.contains("`--rubrics-dir`") && !told.stderr.contains("stages"),
        "{}",
        told.stderr
    );
}
