//! Benches that are taken up by their files: audits of what was audited, files that were cut off.

use std::fs;

use serde_json::{Value, json};

use super::bench::{AUDITED, parsed, place};

/// A study whose outcome an agent guesses is audited as the study that it is.
#[test]
fn a_study_of_the_claim_alone_is_audited_once() {
    let place = place(
        "\
name = 'audited'
settings = { approve = 'auto', sandbox = 'local' }
[[studies]]
paths = ['slope']
settings = { code-mode = 'native', no-probe = true }
[[studies]]
paths = ['slope']
settings = { code-mode = 'native', no-probe = true, agent = 'claim-only', model = 'scripted:claim-only' }
",
    );
    let audit = place.call(&["bench", "audit", "bench.toml", "--json"]);
    assert_eq!(audit.status, 0, "{}{}", audit.stdout, audit.stderr);
    let audit = parsed(&audit);
    assert_eq!(
        (&audit["quarantined"], audit["tasks"].as_array().unwrap().len()),
        (&json!(0), 1),
        "{audit}"
    );
}

/// What was cut off is made anew, and what is known besides is kept.
#[test]
fn files_of_a_bench_that_were_cut_off_are_made_anew() {
    let place = place(AUDITED);
    let bench = |what: &str| {
        let called = place.call(&["bench", "bench.toml", "--json"]);
        assert_eq!(called.status, 0, "{what}: {}", called.stderr);
        parsed(&called)["cells"].as_array().unwrap().len()
    };
    assert_eq!(bench("first"), 2);
    let cells = place.path().join("bench/cells.jsonl");
    let whole = fs::read_to_string(&cells).unwrap();
    fs::write(&cells, &whole[..whole.len() - 100]).unwrap();
    assert_eq!(bench("a cut line"), 2);
    assert_eq!(fs::read_to_string(&cells).unwrap(), whole);
    fs::write(&cells, whole.replacen('{', "", 1)).unwrap();
    let called = place.call(&["bench", "bench.toml"]);
    assert!(
        called.status == 2 && called.stderr.contains("line 1"),
        "{}",
        called.stderr
    );
    fs::write(&cells, &whole).unwrap();
    let plan = place.path().join("bench/bench.json");
    let text = fs::read_to_string(&plan).unwrap();
    fs::write(&plan, &text[..text.len() / 2]).unwrap();
    let called = place.call(&["bench", "bench.toml"]);
    assert!(
        called.status == 2 && called.stderr.contains("remove it, and the same command"),
        "{}",
        called.stderr
    );
    fs::remove_file(&plan).unwrap();
    assert_eq!(bench("without a plan"), 2);
    assert_eq!(fs::read_to_string(&plan).unwrap(), text);
}

/// A run that has not changed is not folded again, and one that has is.
#[test]
fn what_runs_came_to_is_kept_from_one_look_to_the_next() {
    let place = place(AUDITED);
    assert_eq!(place.call(&["bench", "bench.toml"]).status, 0);
    let bench = place.path().join("bench");
    let collected = || {
        let called = place.call(&["bench", "collect", "bench.toml"]);
        assert_eq!(called.status, 0, "{}", called.stderr);
        fs::read_to_string(bench.join("cells.jsonl")).unwrap()
    };
    let cells = collected();
    let folded = bench.join("folded.json");
    let kept = fs::read_to_string(&folded).unwrap();
    assert_eq!(collected(), cells);
    assert_eq!(fs::read_to_string(&folded).unwrap(), kept);
    // What is kept is what is told.
    let mut other: Value = serde_json::from_str(&kept).unwrap();
    let runs = other["runs"].as_object_mut().unwrap();
    assert_eq!(runs.len(), 2);
    let (folder, first) = runs.iter_mut().next().unwrap();
    let journal = bench.join(folder).join("journal.jsonl");
    first[1]["result"]["details"]["stages"][0]["tokens"] = json!(7);
    fs::write(&folded, other.to_string()).unwrap();
    assert_ne!(collected(), cells);
    // A journal that was written anew, and a file that is cut off or another program's.
    let text = fs::read(&journal).unwrap();
    fs::write(&journal, text).unwrap();
    assert_eq!(collected(), cells);
    let again = fs::read_to_string(&folded).unwrap();
    assert_ne!(again, other.to_string());
    other["program"] = json!([0, 0, 0, 0, 0, 0]);
    for text in [&again[..again.len() / 2], &other.to_string()] {
        fs::write(&folded, text).unwrap();
        assert_eq!(collected(), cells);
    }
    fs::remove_file(&folded).unwrap();
    assert_eq!(collected(), cells);
}
