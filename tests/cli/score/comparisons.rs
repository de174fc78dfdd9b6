use serde_json::{Value, json};

use super::given::{extraction, finished, json_of, searched, write};
use crate::support::Place;

const GOLD: &str = r#"[{"id": 1, "gold_resources": [
    {"id": "panel", "kind": "data", "url": "https://doi.org/10.7910/DVN/VOQCHQ", "aliases": ["https://osf.io"]},
    {"id": "code", "kind": "code", "required": false, "url": "https://github.com/o/r"}]}]"#;

#[test]
fn a_search_is_scored_by_three_rules() {
    let place = Place::new();
    write(&place, "gold.json", GOLD);
    let answers = [
        json!({"id": 1, "search_model": "m", "result": {"urls": ["https://osf.io/abcde", "doi:10.7910/dvn/voqchq"]}}),
        json!({"id": 1, "search_model": "m", "result": {"urls": [{"url": "https://example.org"}]}}),
        json!({"id": 9, "search_model": "m"}),
    ];
    let lines: Vec<String> = answers.iter().map(Value::to_string).collect();
    write(
        &place,
        "answers.jsonl",
        &format!("{}\n{{\"id\": 2, \"result\": NaN}}\n", lines.join("\n")),
    );
    let mut told = String::new();
    for mode in ["compat", "strict", "levels"] {
        let called = searched(&place, &["--mode", mode]);
        assert_eq!(called.status, 0, "{}", called.stderr);
        told.push_str(&format!("--- {mode}\n{}{}", called.stdout, called.stderr));
    }
    insta::assert_snapshot!("score_search", place.plain(&told));
    let called = place.call(&[
        "score",
        "search",
        "--gold",
        "gold.json",
        "--predictions",
        "answers.jsonl",
        "--mode",
        "levels",
        "--json",
    ]);
    let value = json_of(&called);
    assert_eq!(value["answers"][0]["predictions"][1]["level"], "doi");
    assert_eq!(value["models"].as_array().unwrap().len(), 3);
}

#[test]
fn a_curated_alias_counts_and_a_wrong_one_is_named() {
    let place = Place::new();
    write(&place, "gold.json", GOLD);
    write(
        &place,
        "answers.jsonl",
        r#"{"id": 1, "result": {"urls": ["https://mirror.net/panel"]}}"#,
    );
    write(
        &place,
        "aliases.json",
        r#"[{"case": 1, "resource": "panel", "address": "mirror.net/panel"}, {"case": 1, "resource": "no", "address": "x"}]"#,
    );
    let called = place.call(&[
        "score",
        "search",
        "--gold",
        "gold.json",
        "--predictions",
        "answers.jsonl",
        "--mode",
        "strict",
        "--aliases",
        "aliases.json",
        "--json",
    ]);
    let value = json_of(&called);
    assert_eq!(value["models"][0]["runs"][0]["hit_any"], 1.0);
    assert!(value["problems"][0].as_str().unwrap().contains("`no` of case 1"));
}

#[test]
fn summaries_are_recomputed_and_stale_ones_named() {
    let place = Place::new();
    let folder = "results/python/1/m/evals/j";
    write(
        &place,
        &format!("{folder}/extract_llm_eval.json"),
        &extraction("3"),
    );
    write(
        &place,
        &format!("{folder}/interpret_llm_eval.json"),
        r#"{"notes": {"score": 3}, "notes": {"score": NaN}}"#,
    );
    write(
        &place,
        &format!("{folder}/eval_summary.json"),
        r#"{"extract": {"aspect_scores": {}, "avg_score": 0.5}}"#,
    );
    write(
        &place,
        "results/python/2/m/evals/j/extract_llm_eval.json",
        &extraction("\"1\""),
    );
    let compat = place.call(&["score", "summary", "results"]);
    assert_eq!(compat.status, 1, "a stale summary differs");
    let corrected = place.call(&["score", "summary", "results", "--mode", "corrected"]);
    let told = format!("{}--- corrected\n{}", compat.stdout, corrected.stdout);
    insta::assert_snapshot!("score_summary", place.plain(&told));
}

#[test]
fn verdicts_stand_beside_the_baseline() {
    let place = Place::new();
    write(
        &place,
        "labels.json",
        r#"{"1": "met", "2": "met", "3": "unmet", "4": "met"}"#,
    );
    let answers = json!([
        {"study": 1, "model": "m", "answer": "Yes. b = 0.4"},
        {"study": "2", "model": "m", "answer": "Inconclusive. No data."},
        {"study": "3", "model": "m", "answer": "No — p = .8"},
        {"study": "4", "model": "m", "answer": "No", "execute_status": "Failure"},
        {"study": "5", "model": "m", "answer": "Yes"},
    ]);
    write(&place, "answers.json", &answers.to_string());
    let called = place.call(&["score", "outcome", "answers.json", "--labels", "labels.json"]);
    assert_eq!(called.status, 0, "{}", called.stderr);
    insta::assert_snapshot!(
        "score_outcome",
        place.plain(&format!("{}{}", called.stdout, called.stderr))
    );
}

#[test]
fn two_raters_are_compared_by_paper() {
    let place = Place::new();
    let rows = |shift: usize| {
        let rows = (0..24).map(|at| {
            format!(
                "p{},f{at},{}",
                at % 4,
                (at + shift * usize::from(at % 5 == 0)) % 4
            )
        });
        format!(
            "paper,field,score\n{}\np0,extra,many\n",
            rows.collect::<Vec<_>>().join("\n")
        )
    };
    write(&place, "human.csv", &rows(0));
    write(&place, "judge.csv", &rows(1));
    let called = place.call(&[
        "score",
        "agreement",
        "judge.csv",
        "human.csv",
        "--resamples",
        "200",
    ]);
    assert_eq!(called.status, 0, "{}", called.stderr);
    insta::assert_snapshot!(
        "score_agreement",
        place.plain(&format!("{}{}", called.stdout, called.stderr))
    );
}

#[test]
fn failures_are_counted_from_causes_and_from_logs() {
    let place = finished();
    let at = "2026-02-03 21:13:24,820 - replication - INFO - ";
    let log = format!(
        "{at}\n--- Turn 1 ---\n{at}***Observation (orchestrator_execute_entry):\n\
         {{\"ok\": false, \"steps\": [{{\"ok\": false, \"stderr\": \"KeyError: 'x'\"}}]}}\n"
    );
    write(&place, "log/execute_easy__python.log", &log);
    let called = place.call(&["score", "failures", "out", "log", "--mode", "corrected"]);
    assert_eq!(called.status, 0, "{}", called.stderr);
    insta::assert_snapshot!("score_failures", place.plain(&called.stdout));
}

#[test]
fn a_run_that_was_never_interpreted_is_wrong_and_named() {
    let place = Place::new();
    write(
        &place,
        "labels.json",
        r#"{"1": "met", "2": "met", "3": "unmet", "4": "met"}"#,
    );
    let answer = r#"{"interpretation_summary": "s", "results_comparison": {"overall_answer": "Yes."}}"#;
    write(&place, "python/1/m/input/interpret_results.json", answer);
    write(&place, "python/1/m/metadata.json", "{}");
    write(&place, "python/1/m/artifacts/execution_result.json", "{}");
    // Executed and graded, and no interpretation; and one that is no JSON.
    write(&place, "python/2/m/input/execution_results.json", "{}");
    write(&place, "python/2/m/evals/j/extract_llm_eval.json", "{}");
    write(&place, "python/3/m/interpret_results.json", "{\"results");
    write(&place, "python/4/m/evals/j/extract_llm_eval.json", "{}");
    let called = place.call(&["score", "outcome", "python", "--labels", "labels.json", "--json"]);
    let value = json_of(&called);
    let [model] = value["models"].as_array().unwrap().as_slice() else {
        panic!("not one model: {value}");
    };
    let score = &model["score"];
    assert_eq!(
        (&score["accuracy"]["hits"], &score["accuracy"]["of"]),
        (&json!(1), &json!(4))
    );
    assert_eq!(score["labelled_met"]["undecided"], 2);
    assert_eq!(score["labelled_unmet"]["undecided"], 1);
    assert_eq!(score["decided_accuracy"]["of"], 1);
    for words in [
        "python/2/m has no interpret_results.json",
        "python/4/m has no interpret_results.json",
        "python/3/m/interpret_results.json cannot be read: it is not JSON",
    ] {
        let problems = value["problems"].as_array().unwrap().iter();
        let told = problems
            .filter(|one| one.as_str().unwrap().contains(words))
            .count();
        assert_eq!(told, 1, "{words}: {}", value["problems"]);
    }
    assert_eq!(value["problems"].as_array().unwrap().len(), 3);
}
