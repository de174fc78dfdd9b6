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
    let called = searched(&place, &["--mode", "levels", "--json"]);
    let value = json_of(&called);
    assert_eq!(value["answers"][0]["predictions"][1]["level"], "doi");
    assert_eq!(value["answers"][0]["counts"]["strict"]["found"], 1);
    assert_eq!(value["models"][0]["missing_cases"]["counted_as"], "nothing_found");
    assert_eq!(value["models"].as_array().unwrap().len(), 3);
    let value = json_of(&searched(&place, &["--json"]));
    let counts = |answer: usize| {
        let counts = &value["answers"][answer]["counts"]["compat"];
        ["found", "wrong", "missed"].map(|name| counts[name].as_u64().unwrap())
    };
    assert_eq!((counts(0), counts(1)), ([1, 1, 0], [0, 1, 1]));
    assert_eq!(value["answers"][0]["predictions"][0]["resource"], "panel");
    assert_eq!(value["answers"][0]["predictions"][1]["resource"], Value::Null);
    assert_eq!(value["models"][0]["missing_cases"]["counted_as"], "left_out");
}

/// Two cases, one of them called as a study, and an answer to each alone.
fn two_cases(place: &Place) {
    write(
        place,
        "gold.json",
        r#"[{"id": 1, "gold_resources": [{"id": "a", "url": "https://a.org/x"}]},
            {"id": "slope", "gold_resources": [{"id": "b", "url": "https://b.org/y"}]}]"#,
    );
}

#[test]
fn a_missing_case_is_treated_as_the_output_says() {
    let place = Place::new();
    two_cases(&place);
    write(
        &place,
        "answers.jsonl",
        r#"{"id": 1, "search_model": "m", "result": {"urls": ["https://a.org/x"]}}"#,
    );
    for (mode, f1, words) in [
        (
            "compat",
            "100.00",
            "is left out of its averages, as by the released rule; m run 1 lacks 1 of 2",
        ),
        (
            "strict",
            "50.00",
            "counts as one with nothing found; m run 1 lacks 1 of 2",
        ),
    ] {
        let called = searched(&place, &["--mode", mode]);
        assert_eq!(called.status, 0, "{}", called.stderr);
        assert!(called.stdout.contains(words), "{}", called.stdout);
        let row: Vec<&str> = called.stdout.lines().nth(1).unwrap().split_whitespace().collect();
        assert_eq!(row[4], f1, "{}", called.stdout);
        let value = json_of(&searched(&place, &["--mode", mode, "--json"]));
        assert_eq!(value["models"][0]["missing_cases"]["by_run"], json!([["slope"]]));
    }
}

#[test]
fn a_runs_own_results_are_a_prediction_of_its_study() {
    let place = finished();
    two_cases(&place);
    let results = json!({"urls": [{"url": "https://b.org/y", "name": "b", "why": "data"}], "missing": []});
    write(&place, "out/artifacts/search_results.json", &results.to_string());
    write(&place, "alone.json", &results.to_string());
    let scored = |predictions: &[&str]| {
        let common = [
            "score",
            "search",
            "--gold",
            "gold.json",
            "--mode",
            "strict",
            "--json",
            "--predictions",
        ];
        place.call(&[&common[..], predictions].concat())
    };
    for given in ["out", "out/artifacts/search_results.json"] {
        let value = json_of(&scored(&[given]));
        assert_eq!(value["answers"][0]["case"], "slope");
        assert_eq!(value["answers"][0]["counts"]["strict"]["found"], 1);
    }
    let alone = scored(&["alone.json"]);
    assert_eq!(alone.status, 2, "{}", alone.stdout);
    assert!(
        alone.stderr.contains("does not say of which study"),
        "{}",
        alone.stderr
    );
    // Beside a file that can be scored it is a line.
    let value = json_of(&scored(&["alone.json", "out"]));
    assert_eq!(value["problems"].as_array().unwrap().len(), 1);
}

#[test]
fn a_folder_of_predictions_is_its_files() {
    let place = Place::new();
    two_cases(&place);
    for model in ["m", "n"] {
        let record = json!({"id": 1, "search_model": model, "result": {"urls": ["https://a.org/x"]}});
        write(&place, &format!("all/merged_{model}.jsonl"), &record.to_string());
    }
    write(&place, "all/notes.txt", "no predictions");
    write(&place, "none/notes.txt", "no predictions");
    let scored = |given: &str| {
        place.call(&[
            "score",
            "search",
            "--gold",
            "gold.json",
            "--json",
            "--predictions",
            given,
        ])
    };
    let value = json_of(&scored("all"));
    let models: Vec<_> = value["models"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| &one["model"])
        .collect();
    assert_eq!(models, ["m", "n"]);
    let called = scored("none");
    assert_eq!(called.status, 2);
    assert!(
        called.stderr.contains("none holds no `.jsonl` file"),
        "{}",
        called.stderr
    );
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
    let called = searched(
        &place,
        &["--mode", "strict", "--aliases", "aliases.json", "--json"],
    );
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
fn what_is_no_log_is_a_line_and_what_comes_twice_counts_once() {
    let place = Place::new();
    let log =
        "--- Turn 1 ---\r\nError: timeout\r\n***Agent input: Observation: {\"ok\": false, \"v\": NaN}\r\n";
    write(&place, "log/execute_easy.log", log);
    write(&place, "plain.log", "hello\n");
    let called = place.call(&[
        "score",
        "failures",
        "log/execute_easy.log",
        "log",
        "plain.log",
        "--json",
    ]);
    let value = json_of(&called);
    assert_eq!(value["total"]["by_cause"], json!({"input_data": 1, "timeout": 1}));
    let problems: Vec<&str> = value["problems"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(Value::as_str)
        .collect();
    assert_eq!(problems.len(), 2, "{problems:?}");
    assert!(problems[0].contains("counts once") && problems[1].contains("plain.log is no agent's log"));
    let called = place.call(&["score", "failures", "plain.log"]);
    assert_eq!((called.status, called.stdout.as_str()), (2, ""));
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
