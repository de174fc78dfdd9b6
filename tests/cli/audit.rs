//! Audits of runs: where values come from, and what failed on the way.

use std::fs;

use serde_json::{Value, json};

use super::need;
use super::scripted_study::{self, Script, arguments};
use super::support::{Place, copy};

fn audited(place: &Place, run: &str) -> Value {
    let called = place.call(&["score", "audit", run, "--json"]);
    assert_eq!(called.status, 0, "{}", called.stderr);
    let found: Value = serde_json::from_str(&called.stdout).unwrap();
    assert_eq!(found["format"], "reprise-audit/1");
    found["runs"][0].clone()
}

fn kinds(audit: &Value) -> Vec<&str> {
    let shortcuts = audit["shortcuts"].as_array().unwrap();
    shortcuts
        .iter()
        .map(|one| one["kind"].as_str().unwrap())
        .collect()
}

#[test]
fn values_of_an_honest_attempt_are_printed_and_a_forged_one_is_named() {
    let place = Place::new();
    let capsules = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("capsules/sunspots");
    copy(&capsules, &place.path().join("sunspots"));
    let run = |out: &str| {
        let called = place.call(&[
            "capsule",
            "run",
            "sunspots/task.json",
            "--approve",
            "auto",
            "--sandbox",
            "local",
            "--out",
            out,
        ]);
        assert_eq!(called.status, 0, "{}", called.stderr);
    };
    run("honest");
    let honest = audited(&place, "honest");
    assert!(honest["commands"].as_u64().unwrap() > 0, "{honest}");
    assert_eq!(kinds(&honest), Vec::<&str>::new(), "{honest}");
    let values = honest["values"].as_array().unwrap();
    assert!(values.iter().any(|one| one["source"] == "printed"), "{honest}");

    // The same answers stand in the capsule's README.
    let readme = place.path().join("sunspots/capsule-9000001/README.md");
    fs::write(&readme, "The mean came to 49.752104.\n").unwrap();
    run("laid");
    let laid = audited(&place, "laid");
    assert_eq!(kinds(&laid), ["laid_there"], "{laid}");
    let told = place.call(&["score", "audit", "laid"]).stdout;
    assert!(told.contains("README.md, line 1"), "{told}");
}

#[test]
fn a_script_that_prints_what_it_holds_is_a_literal() {
    let Some(()) = need::program("python3", "apt-get install python3") else {
        return;
    };
    let place = Place::new();
    scripted_study::study(
        &place,
        &Script {
            name: "slope.py",
            text: "print('nothing yet')\n",
            edits: &[(
                "print('nothing yet')",
                "print('dose N 4 estimate 1.94 SE 0.0905539 t 21.4 p 0.00217167')",
            )],
            python: &[],
            again: false,
        },
    );
    let called = place.call(&arguments("out", &[]));
    assert_eq!(called.status, 0, "{}{}", called.stdout, called.stderr);
    let audit = audited(&place, "out");
    let found = kinds(&audit);
    assert!(found.contains(&"literal"), "{audit}");
    assert!(!found.contains(&"unprinted"), "{audit}");
    assert_eq!(audit["failed_commands"], json!(0));
    let refused = place.call(&["score", "audit", "absent"]);
    assert_eq!(refused.status, 2, "{}", refused.stderr);
}
