//! Malformed input of `score`: one clear line for each faulty file, and the rest is scored.

use std::io::Write as _;
use std::process::{Command, Stdio};

use reprise::domain::digest::Digest;
use serde_json::{Value, json};

use super::given::{extraction, finished, grading, searched, write};
use crate::support::Place;

const GOOD: &str = "results/python/1/m/evals/j";
const BAD: &str = "results/python/2/m/evals/j";

/// The lines about one bad extraction that lies beside a good one, by the
/// corrected arithmetic; the good one keeps its score.
fn told_of(place: &Place, bad: &str) -> Vec<String> {
    write(place, &format!("{GOOD}/extract_llm_eval.json"), &extraction("3"));
    write(place, &format!("{BAD}/extract_llm_eval.json"), bad);
    told(place)
}

fn told(place: &Place) -> Vec<String> {
    let called = place.call(&["score", "summary", "results", "--mode", "corrected"]);
    assert_eq!(
        (called.status, called.stderr.as_str()),
        (0, ""),
        "{}",
        called.stdout
    );
    let good = called.stdout.lines().find(|line| line.starts_with("python/1/m"));
    assert!(
        good.is_some_and(|line| line.contains("100.00")),
        "{}",
        called.stdout
    );
    (called.stdout.lines())
        .filter(|line| line.starts_with("python/2/m/evals/j:") && line.contains("extract"))
        .map(str::to_owned)
        .collect()
}

/// The only line, which holds all the words.
fn one_line(lines: &[String], words: &[&str]) {
    let [line] = lines else {
        panic!("not one line: {lines:?}");
    };
    for word in words {
        assert!(line.contains(word), "`{word}` is not in: {line}");
    }
}

#[test]
fn malformed_json() {
    let told = told_of(&Place::new(), "{\"claim.x\": {\"score\": 3");
    one_line(
        &told,
        &["`extract_llm_eval.json` is not JSON", "line 1", "not scored"],
    );
}

#[test]
fn a_repeated_key() {
    let again = extraction("3").replacen('{', "{\"claim.statement\": {\"score\": 0}, ", 1);
    let told = told_of(&Place::new(), &again);
    one_line(
        &told,
        &["claim.statement", "twice in one object", "the last one counts"],
    );
}

#[test]
fn a_score_that_is_no_number() {
    let bad = extraction("3").replacen("\"score\": 3", "\"score\": NaN", 1);
    let told = told_of(&Place::new(), &bad);
    one_line(&told, &["`claim.hypotheses` has the score `NaN`", "left out"]);
}

#[test]
fn a_score_out_of_range() {
    let bad = extraction("3").replacen("\"score\": 3", "\"score\": 7", 1);
    let told = told_of(&Place::new(), &bad);
    one_line(
        &told,
        &["`claim.hypotheses` has the score 7, outside 0 to 3", "left out"],
    );
}

#[test]
fn a_score_that_is_no_mark_of_the_scale() {
    for (score, corrected, compat) in [
        (
            "true",
            "has the score `true`, which is no number, and is left out",
            "has the score `true`, which is no number; the released arithmetic counts it",
        ),
        (
            "2.5",
            "has the score 2.5, which is no whole number from 0 to 3, and is left out",
            "has the score 2.5, which is no whole number from 0 to 3; the released arithmetic counts it",
        ),
    ] {
        let place = Place::new();
        let bad = extraction("3").replacen("\"score\": 3", &format!("\"score\": {score}"), 1);
        one_line(&told_of(&place, &bad), &["`claim.hypotheses`", corrected]);
        let called = place.call(&["score", "summary", "results"]);
        let odd = called
            .stdout
            .lines()
            .filter(|line| line.contains("`claim.hypotheses`"));
        one_line(&odd.map(str::to_owned).collect::<Vec<_>>(), &[compat]);
        assert!(
            called
                .stdout
                .lines()
                .any(|line| line.starts_with("python/2/m") && !line.contains("100.00"))
        );
    }
}

#[test]
fn an_unknown_field() {
    let bad = extraction("3").replacen('{', "{\"opinion.of_judge\": {\"score\": 0}, ", 1);
    let told = told_of(&Place::new(), &bad);
    one_line(&told, &["schema does not have", "opinion", "left out"]);
}

#[test]
fn a_missing_stage() {
    let place = Place::new();
    write(&place, &format!("{GOOD}/extract_llm_eval.json"), &extraction("3"));
    write(
        &place,
        &format!("{BAD}/interpret_llm_eval.json"),
        r#"{"notes": {"score": 3}}"#,
    );
    one_line(
        &told(&place),
        &["`extract_llm_eval.json` is missing", "not scored"],
    );
}

#[test]
fn an_aspect_that_is_missing() {
    let bad = r#"{"claim.statement": {"score": 3}}"#;
    let told = told_of(&Place::new(), bad);
    one_line(&told, &["no item of `data`", "incomplete or of another schema"]);
}

#[test]
fn gradings_of_another_run() {
    let place = finished();
    let request: Value =
        serde_json::from_slice(&std::fs::read(place.path().join("out/run.json")).unwrap()).unwrap();
    let graded = extraction("3");
    let origin = |run: &Value| {
        let files = json!({"extract_llm_eval.json": Digest::compute(&graded)});
        json!({"format": "reprise-gradings/1", "run": run, "study": "slope", "judge": "j", "files": files})
            .to_string()
    };
    let summary = |graded: &str, origin: &str, mode: &str| {
        write(&place, "out/evals/j/extract_llm_eval.json", graded);
        write(&place, "out/evals/j/origin.json", origin);
        let called = place.call(&["score", "summary", "out", "--mode", mode]);
        assert_eq!(called.status, 0, "{}", called.stderr);
        let row = called.stdout.lines().nth(1).unwrap().contains("100.00");
        let about = |line: &&str| line.starts_with("evals/j: `extract") || line.contains("origin.json");
        (
            row,
            called.stdout.lines().filter(about).collect::<Vec<_>>().join("\n"),
        )
    };
    let own = origin(&request["run"]);
    assert_eq!(summary(&graded, &own, "corrected"), (true, String::new()));
    // A folder that was copied from another run is told by the run's name.
    let (scored, told) = summary(&graded, &origin(&json!("slope-other")), "corrected");
    assert!(
        !scored && told.contains("is of another run") && told.contains("slope-other of study slope"),
        "{told}"
    );
    assert_eq!(told.lines().count(), 1, "{told}");
    // A grading that was changed since is told by its digest.
    let (scored, told) = summary(&extraction("2"), &own, "corrected");
    assert!(!scored && told.contains("holds another digest"), "{told}");
    // The released arithmetic has no such check: it counts them, and says so.
    let (scored, told) = summary(&graded, &origin(&json!("slope-other")), "compat");
    assert!(scored && told.contains("is of another run"), "{told}");
    let (scored, told) = summary(&graded, "{", "corrected");
    assert!(scored && told.contains("`origin.json` cannot be read"), "{told}");
}

#[test]
fn a_mark_off_the_scale_costs_its_item() {
    let place = Place::new();
    write(&place, "a/extract_llm_eval.json", &grading("2"));
    write(
        &place,
        "b/extract_llm_eval.json",
        &grading("2").replacen("\"score\": 2", "\"score\": 9", 1),
    );
    let called = place.call(&["score", "agreement", "a", "b", "--resamples", "10"]);
    assert_eq!(called.status, 0, "{}", called.stderr);
    assert!(called.stdout.contains("extract: 4 items"), "{}", called.stdout);
    assert!(
        called.stderr.contains("extract: 1 items have a mark above 3"),
        "{}",
        called.stderr
    );
}

/// A file that is there, and whose reading fails for root as well.
fn unreadable(place: &Place, name: &str) {
    std::os::unix::fs::symlink("/proc/self/mem", place.path().join(name)).unwrap();
}

#[test]
fn a_file_that_cannot_be_read_costs_its_stage() {
    let place = Place::new();
    write(&place, &format!("{GOOD}/extract_llm_eval.json"), &grading("3"));
    unreadable(&place, &format!("{GOOD}/design_llm_eval.json"));
    unreadable(&place, &format!("{GOOD}/eval_summary.json"));
    let called = place.call(&["score", "summary", "results"]);
    assert_eq!(called.status, 1, "{}", called.stderr);
    for words in [
        "`design_llm_eval.json` cannot be read (",
        "`eval_summary.json` cannot be read (",
        "`execute_llm_eval.json` is missing, so execute is not scored.",
        "100.00",
    ] {
        assert!(called.stdout.contains(words), "{words}\n{}", called.stdout);
    }
}

#[test]
fn a_couple_that_cannot_be_read_costs_none_of_the_others() {
    let place = Place::new();
    for file in [
        "a/1/extract_llm_eval.json",
        "a/2/extract_llm_eval.json",
        "b/1/extract_llm_eval.json",
    ] {
        write(&place, file, &grading("2"));
    }
    std::fs::create_dir_all(place.path().join("b/2")).unwrap();
    unreadable(&place, "b/2/extract_llm_eval.json");
    let called = place.call(&["score", "agreement", "a", "b", "--resamples", "10"]);
    assert_eq!(called.status, 0, "{}", called.stderr);
    assert!(
        called.stdout.contains("extract: 5 items of 1 paper,"),
        "{}",
        called.stdout
    );
    assert_eq!(
        called
            .stderr
            .matches("b/2/extract_llm_eval.json cannot be read")
            .count(),
        1
    );
    // Alone it is all there is.
    std::fs::remove_dir_all(place.path().join("a/1")).unwrap();
    std::fs::remove_dir_all(place.path().join("b/1")).unwrap();
    let called = place.call(&["score", "agreement", "a", "b", "--resamples", "10"]);
    assert_eq!(called.status, 2, "{}", called.stderr);
}

#[test]
fn odd_labels_and_odd_answers() {
    let place = Place::new();
    write(
        &place,
        "labels.json",
        r#"{"1": "unmet", "1": "met", "2": "mostly", "3": "mixed", "4": null}"#,
    );
    let answers = json!([
        {"study": "1", "model": "m", "answer": "Yes."},
        {"model": "m", "answer": "Yes."},
        {"study": "3", "model": "m", "answer": "Partial: half of it."},
    ]);
    write(&place, "answers.json", &answers.to_string());
    let called = place.call(&["score", "outcome", "answers.json", "--labels", "labels.json"]);
    assert_eq!(called.status, 0, "{}", called.stderr);
    assert!(
        called.stdout.contains("accuracy 100.00 (1/1"),
        "{}",
        called.stdout
    );
    for words in [
        "study 1 is labelled more than once",
        "study 2 has the label `mostly`, which is none of `met`, `unmet`, `mixed`",
        "study 3 is labelled `mixed`",
        "study 4 has a label that is no text",
        "record 2 is left out: missing field `study`",
        "1 verdict is left out (study 3)",
    ] {
        let lines = called.stderr.lines().filter(|line| line.contains(words)).count();
        assert_eq!(lines, 1, "{words}: {}", called.stderr);
    }
}

#[test]
fn an_item_of_a_table_that_comes_again_and_a_mark_that_no_scale_has() {
    let place = Place::new();
    write(
        &place,
        "a.csv",
        "paper,field,score\np,f1,3\np,f1,0\np,f2,1\np,f3,2\np,f4,7\nq,f1,2\nq,f2,0\n",
    );
    write(
        &place,
        "b.csv",
        "paper,field,score\np,f1,3\np,f2,1\np,f2,1\np,f3,1\np,f4,2\nq,f1,3\nq,f2,0\n",
    );
    let compare = |extra: &[&str]| {
        let common = ["score", "agreement", "a.csv", "b.csv", "--resamples", "10"];
        let called = place.call(&[&common[..], extra].concat());
        assert_eq!(called.status, 0, "{}", called.stderr);
        called
    };
    let called = compare(&[]);
    for words in [
        "a.csv: `f1` of paper `p` stands more than once with different marks and is left out.",
        "b.csv: `f2` of paper `p` stands twice with the same mark and counts once.",
        "all: 1 items have a mark above 3 and are left out; `--highest` sets another end of the scale.",
    ] {
        assert!(called.stderr.contains(words), "{words}: {}", called.stderr);
    }
    assert_eq!(called.stderr.lines().count(), 3, "{}", called.stderr);
    assert!(
        called.stdout.contains("all: 4 items of 2 papers"),
        "{}",
        called.stdout
    );
    assert!(
        compare(&["--highest", "9"])
            .stdout
            .contains("all: 5 items of 2 papers")
    );
}

#[test]
fn a_gold_set_without_resources_scores_nothing() {
    let place = Place::new();
    write(
        &place,
        "answers.jsonl",
        r#"{"id": 1, "result": {"urls": ["https://osf.io/abcde"]}}"#,
    );
    let score = |gold: &str| {
        write(&place, "gold.json", gold);
        searched(&place, &[])
    };
    let case = |id: u8, key: &str| {
        format!(r#"{{"id": {id}, "{key}": [{{"id": "a", "url": "https://osf.io/abcde"}}]}}"#)
    };
    for (gold, words) in [
        (format!("[{}]", case(1, "resources")), "no list `gold_resources`"),
        ("[]".to_owned(), "no case that can be scored"),
        (
            format!("[{}]", case(7, "gold_resources")),
            "no prediction is of a case of gold.json",
        ),
    ] {
        let called = score(&gold);
        assert_eq!((called.status, called.stdout.as_str()), (2, ""), "{gold}");
        assert!(called.stderr.contains(words), "{words}: {}", called.stderr);
    }
    let called = score(&format!(
        "[{}, {}]",
        case(1, "gold_resources"),
        case(2, "resources")
    ));
    assert_eq!(called.status, 0, "{}", called.stderr);
    assert!(
        called.stderr.contains("Case 2 of the gold set has no list"),
        "{}",
        called.stderr
    );
    assert!(called.stdout.contains("100.00"), "{}", called.stdout);
}

#[test]
fn parts_of_a_run_that_are_gone_cost_their_own_scores() {
    let place = finished();
    std::fs::rename(place.path().join("out/workspace"), place.path().join("aside")).unwrap();
    let called = place.call(&["score", "out"]);
    assert_eq!(called.status, 0, "{}", called.stderr);
    assert!(
        called.stdout.contains("execute is unscored:")
            && called.stdout.contains("workspace cannot be looked into"),
        "{}",
        called.stdout
    );
    assert!(
        called.stdout.contains("Post-registration, overlap"),
        "{}",
        called.stdout
    );
    // Failures are in the journal alone; no log was read for them.
    let called = place.call(&["score", "failures", "out"]);
    assert_eq!(called.status, 0, "{}", called.stderr);
    assert!(!called.stdout.contains("Logs are counted"), "{}", called.stdout);
}

#[test]
fn predictions_without_addresses_are_named() {
    let place = Place::new();
    write(
        &place,
        "gold.json",
        r#"[{"id": 1, "gold_resources": [{"id": "a", "url": "https://osf.io/abcde"}]}]"#,
    );
    write(
        &place,
        "answers.jsonl",
        "{\"id\": 1, \"result\": {\"urls\": \"https://osf.io/abcde\"}}\n\
         {\"id\": 1, \"result\": {\"urls\": [{\"link\": \"https://osf.io\"}, \"https://osf.io/abcde\"]}}\n",
    );
    let called = searched(&place, &[]);
    assert_eq!(called.status, 0, "{}", called.stderr);
    for words in [
        "answers.jsonl: Prediction 1, of case 1, has no list `result.urls`",
        "Prediction 2, of case 1, has 1 entries in `result.urls` without a `url`",
    ] {
        assert!(called.stderr.contains(words), "{words}: {}", called.stderr);
    }
}

#[test]
fn odd_gold_sets_and_odd_predictions_cost_a_line_each() {
    let place = Place::new();
    write(
        &place,
        "gold.json",
        r#"[{"id": 1, "gold_resources": [{"id": "a", "url": "https://a.org/x", "filname": "x", "required": "yes"},
            {"id": "a", "url": "https://b.org"}, {"id": "c", "aliases": "https://c.org"}]}]"#,
    );
    write(
        &place,
        "answers.jsonl",
        r#"{"id": 1, "result": {"urls": ["https://b.org"], "urls": [{"url": "https://a.org/x", "nmae": "x"}]}}"#,
    );
    let called = searched(&place, &["--mode", "strict"]);
    assert_eq!(called.status, 0, "{}", called.stderr);
    for words in [
        "`filname` of a resource",
        "`required` is \"yes\"",
        "2 resources of the id `a` with different addresses",
        "`aliases` is \"https://c.org\" and not a list",
        "no web address and no DOI of `c`",
        "answers.jsonl: Prediction 1 gives `urls` more than once",
        "answers.jsonl: The field `nmae` of an entry of `result.urls`",
    ] {
        let told = called.stderr.lines().filter(|line| line.contains(words)).count();
        assert_eq!(told, 1, "{words}: {}", called.stderr);
    }
    assert_eq!(called.stderr.lines().count(), 7, "{}", called.stderr);
    assert!(called.stdout.contains("100.00"), "{}", called.stdout);
}

#[test]
fn a_named_pipe_is_refused_and_the_shells_own_is_read() {
    let place = Place::new();
    let pipe = place.path().join("gold.json");
    let made = Command::new("mkfifo").arg(&pipe).status().unwrap();
    assert!(made.success());
    write(
        &place,
        "answers.jsonl",
        r#"{"id": 1, "result": {"urls": ["https://a.org/x"]}}"#,
    );
    let called = searched(&place, &[]);
    assert_eq!(called.status, 2, "{}", called.stdout);
    assert!(called.stderr.contains("is a named pipe"), "{}", called.stderr);
    let given = [
        "score",
        "search",
        "--gold",
        "/dev/stdin",
        "--predictions",
        "answers.jsonl",
    ];
    let mut command = place.command(&given);
    command.stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut called = command.spawn().unwrap();
    let gold = r#"[{"id": 1, "gold_resources": [{"id": "a", "url": "https://a.org/x"}]}]"#;
    called.stdin.take().unwrap().write_all(gold.as_bytes()).unwrap();
    let output = called.wait_with_output().unwrap();
    assert!(String::from_utf8_lossy(&output.stdout).contains("100.00"));
}
