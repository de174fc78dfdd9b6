//! Files that `score` writes, and the summaries of `score summary`.

use serde_json::{Value, json};

use super::given::{extraction, finished, graded, json_of, judge, write};
use crate::support::Place;

const JUDGE: &str = "scripted:./judge.json";

/// A judge's answer for the two fields that the fixture leaves open.
fn answer(mark: u8) -> Value {
    let mark = json!({"score": mark, "explanation": "e"});
    json!({"answer": {"json": {"claim.hypotheses": mark, "claim.statement": mark}}})
}

/// The folder of the first judge of the first run.
fn folder_of(value: &Value) -> String {
    value["runs"][0]["judges"][0]["folder"]
        .as_str()
        .unwrap()
        .to_owned()
}

#[test]
fn a_grading_that_is_not_whole_is_not_written_and_no_summary_has_it() {
    let place = finished();
    judge(&place, "judge.json", json!({"extract": {"turns": [answer(2)]}}));
    let value = json_of(&graded(&place, &[JUDGE], &["--json"]));
    let folder = folder_of(&value);
    let own = place.path().join("out").join(&folder);
    let row = |mode: &str| {
        let called = place.call(&["score", "summary", "out", "--mode", mode]);
        // Nothing is stale either.
        assert_eq!(
            (called.status, called.stderr.as_str()),
            (0, ""),
            "{}",
            called.stdout
        );
        let row = called
            .stdout
            .lines()
            .find(|line| line.starts_with(&folder))
            .unwrap();
        (row.split_whitespace().nth(1).unwrap().to_owned(), called.stdout)
    };
    let file = own.join("extract_llm_eval.json");
    assert!(file.is_file());
    let (corrected, _) = row("corrected");
    let scored = &value["runs"][0]["judges"][0]["stages"][0]["against"][0]["figures"]["score"];
    assert_eq!(corrected, format!("{:.2}", 100.0 * scored.as_f64().unwrap()));
    // The same judge fails, and its earlier grading must not stand for this one.
    std::fs::remove_file(own.join("calls.jsonl")).unwrap();
    judge(&place, "judge.json", json!({"extract": {"turns": []}}));
    let called = graded(&place, &[JUDGE], &[]);
    assert!(
        called
            .stdout
            .contains("`extract_llm_eval.json` is not written, since 2 of "),
        "{}",
        called.stdout
    );
    assert!(!file.exists());
    for mode in ["compat", "corrected"] {
        let (score, told) = row(mode);
        assert_eq!(score, "–", "{mode}: {told}");
        assert!(
            told.contains("`extract_llm_eval.json` was not written (2 of "),
            "{mode}: {told}"
        );
    }
    let scores: Value =
        serde_json::from_slice(&std::fs::read(place.path().join("out/scores.json")).unwrap()).unwrap();
    let said = scores["judges"][0]["compat"]["problems"].to_string();
    assert!(said.contains("is not written, since 2 of "), "{said}");
}

#[test]
fn no_mean_is_over_two_judges_of_a_run() {
    let place = finished();
    for (name, mark) in [("a.json", 0), ("b.json", 3)] {
        judge(&place, name, json!({"extract": {"turns": [answer(mark)]}}));
    }
    assert_eq!(place.call(&["score", "out"]).status, 0);
    json_of(&graded(
        &place,
        &["scripted:./a.json", "scripted:./b.json"],
        &["--json"],
    ));
    let value = json_of(&place.call(&["score", "summary", "out", "--json"]));
    let groups: Vec<(&str, &Value)> = (value["groups"].as_array().unwrap().iter())
        .map(|group| (group["group"].as_str().unwrap(), &group["stages"]["extract"]["n"]))
        .collect();
    let model = "native recorded:native";
    let named = |judge: &str| format!("{model}, judged by {judge}");
    assert_eq!(
        groups,
        [
            (named("code").as_str(), &json!(0)),
            (named("scripted:./a.json").as_str(), &json!(1)),
            (named("scripted:./b.json").as_str(), &json!(1)),
        ]
    );
    // Code decides checkpoints and writes no other file, so none is called for.
    let code = (value["gradings"].as_array().unwrap().iter()).find(|one| one["folder"] == "evals/code");
    let problems = code.unwrap()["summary"]["problems"].as_array().unwrap();
    let [problem] = problems.as_slice() else {
        panic!("{problems:?}");
    };
    assert!(
        problem
            .as_str()
            .unwrap()
            .contains("`execute_llm_eval.json` was not written"),
        "{problem}"
    );
    // Elsewhere the judge's folder is all that is known.
    for folder in ["given/one/evals/x", "given/two/evals/x", "given/two/evals/y"] {
        write(
            &place,
            &format!("{folder}/extract_llm_eval.json"),
            &extraction("3"),
        );
    }
    let value = json_of(&place.call(&["score", "summary", "given", "--json"]));
    let groups = value["groups"].as_array().unwrap();
    let sizes: Vec<_> = groups
        .iter()
        .map(|group| (&group["group"], &group["gradings"]))
        .collect();
    assert_eq!(
        sizes,
        [
            (&json!("judged by x"), &json!(2)),
            (&json!("judged by y"), &json!(1)),
        ]
    );
}

/// An extraction's grading without the fields that contain a text.
fn without(field: &str) -> String {
    let mut whole: serde_json::Map<String, Value> = serde_json::from_str(&extraction("0")).unwrap();
    whole.retain(|path, _| !path.contains(field));
    Value::Object(whole).to_string()
}

#[test]
fn a_corrected_mean_stands_beside_the_released_one_over_the_same_gradings() {
    let place = Place::new();
    let file = |study: u8| format!("r/python/{study}/m/evals/j/extract_llm_eval.json");
    write(&place, &file(1), &extraction("3"));
    write(&place, &file(2), &without("claim.statement_location"));
    write(&place, &file(3), &without("numerical_results[0].unit"));
    let aspects = ["claim", "data", "method", "results", "metadata"];
    let five = aspects.map(|aspect| format!(r#""{aspect}.x": {{"score": 3}}"#));
    write(&place, &file(4), &format!("{{{}}}", five.join(", ")));
    let summary =
        |more: &[&str]| place.call(&[&["score", "summary", "r", "--mode", "corrected"], more].concat());
    let value = json_of(&summary(&["--json"]));
    let extract = &value["groups"][0]["stages"]["extract"];
    assert_eq!(
        extract,
        &json!({
            "mean": 1.0,
            "n": 1,
            "compat_over_the_same": {"mean": 1.0, "n": 1},
            "compat_over_all": {"mean": 0.5, "n": 4},
        })
    );
    let told = summary(&[]).stdout;
    for words in [
        "python/2/m/evals/j: `extract_llm_eval.json` lacks 1 field, `claim.statement_location`, so it is incomplete",
        "python/3/m/evals/j: `extract_llm_eval.json` lacks 1 field, `results.numerical_results[0].unit`, so it is",
        "python/4/m/evals/j: `extract_llm_eval.json` has no item of `claim`, `data`, `method`, `results`, `metadata`",
        "python/4/m/evals/j: `extract_llm_eval.json`: the schema does not have the field `claim.x`",
        "python m, judged by j: extract 3 of 4 gradings are refused.",
        "compare it with the released mean over the same gradings",
    ] {
        assert!(told.contains(words), "{words}\n{told}");
    }
    let cells = |label: &str| {
        let row = told.lines().find(|line| line.contains(label)).unwrap();
        row.contains(" 100.00 (1)") || row.contains(" 50.00 (4)")
    };
    assert!(
        cells("arithmetic, the same gradings") && cells("arithmetic, all gradings"),
        "{told}"
    );
    // The released arithmetic takes them as they are, and says what the schema does not have.
    let compat = place.call(&["score", "summary", "r"]).stdout;
    assert!(
        compat.contains("the schema does not have `claim.x` and 4 more; the released arithmetic counts"),
        "{compat}"
    );
}
