use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::support::{Called, Place};

fn json_of(called: &Called) -> Value {
    assert_eq!(called.status, 0, "{}{}", called.stdout, called.stderr);
    serde_json::from_str(&called.stdout).unwrap()
}

fn write(place: &Place, name: &str, text: &str) {
    let path = place.path().join(name);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, text).unwrap();
}

/// A run of the fixture study from its beginning to its end, in `out`.
fn finished() -> Place {
    let place = Place::new();
    place.study();
    let called = place.call(&[
        "run",
        "slope",
        "--code-mode",
        "native",
        "--approve",
        "auto",
        "--sandbox",
        "local",
        "--out",
        "out",
    ]);
    assert_eq!(called.status, 0, "{}", called.stderr);
    place
}

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
        let called = place.call(&[
            "score",
            "search",
            "--gold",
            "gold.json",
            "--predictions",
            "answers.jsonl",
            "--mode",
            mode,
        ]);
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

fn grading(score: &str) -> String {
    let aspects = ["claim", "data", "method", "results", "metadata"];
    let items = aspects.map(|aspect| format!(r#""{aspect}.x": {{"score": {score}, "explanation": ""}}"#));
    format!("{{{}}}", items.join(", "))
}

#[test]
fn summaries_are_recomputed_and_stale_ones_named() {
    let place = Place::new();
    let folder = "results/python/1/m/evals/j";
    write(&place, &format!("{folder}/extract_llm_eval.json"), &grading("3"));
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
        &grading("\"1\""),
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
fn a_run_is_scored_by_code_alone() {
    let place = finished();
    let journal = std::fs::read(place.path().join("out/journal.jsonl")).unwrap();
    let called = place.call(&["score", "out"]);
    assert_eq!(called.status, 0, "{}", called.stderr);
    insta::assert_snapshot!("score_run", place.plain(&called.stdout));
    let read = |name: &str| std::fs::read_to_string(place.path().join("out").join(name)).unwrap();
    let grading: Value = serde_json::from_str(&read("evals/code/execute_llm_eval.json")).unwrap();
    assert_eq!(grading["evaluate_design"]["environment"]["1.1.1"]["score"], 1);
    let summary: Value = serde_json::from_str(&read("evals/code/eval_summary.json")).unwrap();
    assert!(summary.get("execute_design").is_some());
    let scores: Value = serde_json::from_str(&read("scores.json")).unwrap();
    assert_eq!(scores["outcome"]["right"], true);
    let page = read("scores.html");
    assert!(
        page.contains("Verdicts and labels") && !page.contains("src=\"http") && !page.contains("<script")
    );
    assert_eq!(
        std::fs::read(place.path().join("out/journal.jsonl")).unwrap(),
        journal,
        "scoring touched the run"
    );
}

/// A judge's recording that answers by position with the given marks.
fn judge(place: &Place, name: &str, stages: Value) {
    let recording = json!({
        "format": "reprise-recording/1",
        "origin": "written by hand",
        "note": ["Marks made up for a test of scoring. No model gave them."],
        "stages": stages,
    });
    write(place, name, &recording.to_string());
}

#[test]
fn a_judge_grades_and_is_not_asked_twice() {
    let place = finished();
    let answer = json!({"answer": {"json": {
        "claim.hypotheses": {"score": 2, "evidence": "q", "explanation": "close"},
        "claim.statement": {"score": 1, "evidence": "q", "explanation": "far"},
    }}});
    judge(&place, "judge.json", json!({"extract": {"turns": [answer]}}));
    let arguments = [
        "score",
        "out",
        "--judge",
        "scripted:./judge.json",
        "--repeats",
        "1",
        "--json",
    ];
    let value = json_of(&place.call(&arguments));
    let judged = &value["runs"][0]["judges"][0];
    let extract = &judged["stages"][0];
    assert_eq!(extract["stage"], "extract");
    let fields = extract["against"][0]["grading"]["fields"].as_array().unwrap();
    let mark = |path: &str| fields.iter().find(|field| field["path"] == path).unwrap()["mark"].clone();
    assert_eq!(
        (mark("claim.hypotheses"), mark("claim.statement")),
        (json!(2), json!(1))
    );
    assert!(extract["floor"].as_f64().unwrap() > 0.0);
    // The study has neither a preregistration nor a report: refused, and no zero.
    for at in [1, 3] {
        let stage = &judged["stages"][at];
        assert!(
            stage["unscored"]
                .as_str()
                .unwrap()
                .contains("the study has no human"),
            "{stage}"
        );
        assert!(stage["against"].as_array().unwrap().is_empty());
    }
    let folder = place.path().join("out").join(judged["folder"].as_str().unwrap());
    assert!(folder.join("extract_llm_eval.json").is_file() && !folder.join("design_llm_eval.json").exists());
    // What was answered is kept: the same scores come without the judge's answers.
    judge(&place, "judge.json", json!({"extract": {"turns": []}}));
    let again = json_of(&place.call(&arguments));
    assert_eq!(again["runs"][0]["judges"][0]["stages"], judged["stages"]);
    // And as a recording, which another machine can replay.
    std::fs::copy(folder.join("recording.json"), place.path().join("kept.json")).unwrap();
    let replayed = json_of(&place.call(&[
        "score",
        "out",
        "--judge",
        "recorded:./kept.json",
        "--repeats",
        "1",
        "--json",
    ]));
    assert_eq!(replayed["runs"][0]["judges"][0]["stages"][0], judged["stages"][0]);
}

#[test]
fn a_judge_that_is_silent_leaves_its_fields_unscored() {
    let place = finished();
    judge(&place, "judge.json", json!({"extract": {"turns": []}}));
    let called = place.call(&[
        "score",
        "out",
        "--judge",
        "recorded:./judge.json",
        "--repeats",
        "1",
        "--json",
    ]);
    let value = json_of(&called);
    let extract = &value["runs"][0]["judges"][0]["stages"][0];
    let fields = extract["against"][0]["grading"]["fields"].as_array().unwrap();
    let open: Vec<_> = fields.iter().filter(|field| field["by"] == "judge").collect();
    assert!(!open.is_empty() && open.iter().all(|field| field["mark"] == "unscored"));
    assert!(
        open[0]["given"][0]["explanation"]
            .as_str()
            .unwrap()
            .contains("did not answer")
    );
}

#[test]
fn mistakes_are_answered_in_one_line() {
    let place = Place::new();
    std::fs::create_dir(place.path().join("empty")).unwrap();
    write(&place, "bad.json", "{");
    let mut told = String::new();
    let mut tell = |arguments: &[&str]| told.push_str(&place.complaint(arguments));
    tell(&["score", "empty"]);
    tell(&["score", "search", "--gold", "none.json", "--predictions", "x"]);
    tell(&[
        "score",
        "search",
        "--gold",
        "bad.json",
        "--predictions",
        "bad.json",
    ]);
    tell(&["score", "summary", "empty"]);
    tell(&["score", "outcome", "bad.json"]);
    tell(&["score", "outcome", "empty"]);
    tell(&["score", "agreement", "bad.json", "bad.json"]);
    tell(&["score", "agreement", "empty"]);
    tell(&["score", "failures", "empty"]);
    insta::assert_snapshot!("score_mistakes", place.plain(&told));
}

/// The released benchmark's folder; `None`, with a message, where it is absent.
fn released() -> Option<PathBuf> {
    let root = std::env::var_os("REPRISE_SHARED").map_or_else(
        || Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared"),
        PathBuf::from,
    );
    let folder = root.join("data/replicatorbench");
    if !folder.is_dir() {
        println!("skipped: no shared data at {}", folder.display());
        return None;
    }
    Some(folder)
}

/// Table 3's macro F1 in percent, as printed, by prediction file.
const TABLE_3: [(&str, &str); 4] = [
    ("gpt-4o", "19.49"),
    ("gpt-5", "10.95"),
    ("gpt-5-mini", "10.56"),
    ("gpt-4o-search-preview", "8.82"),
];

#[test]
fn table_3_comes_out_of_every_released_file() {
    let Some(root) = released() else { return };
    let place = Place::new();
    let gold = root.join("web-search/gold_set.json");
    for (model, f1) in TABLE_3 {
        let file = root.join(format!("web-search/merged_{model}.jsonl"));
        let arguments = [
            "score",
            "search",
            "--gold",
            gold.to_str().unwrap(),
            "--predictions",
            file.to_str().unwrap(),
        ];
        let called = place.call(&arguments);
        assert_eq!((called.status, called.stderr.as_str()), (0, ""));
        let row: Vec<&str> = called.stdout.lines().nth(1).unwrap().split_whitespace().collect();
        assert_eq!((row[0], row[4]), (model, f1));
    }
}

#[test]
fn released_summaries_are_what_their_gradings_give() {
    let Some(root) = released() else { return };
    let place = Place::new();
    let results = root.join("results");
    let called = place.call(&["score", "summary", results.to_str().unwrap(), "--json"]);
    assert_eq!(called.status, 1, "two of them are stale");
    let value: Value = serde_json::from_str(&called.stdout).unwrap();
    let stale: Vec<&str> = value["gradings"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|one| !one["stale"].as_array().unwrap().is_empty())
        .map(|one| one["folder"].as_str().unwrap())
        .collect();
    assert_eq!(
        stale,
        ["python/2/gpt-5/evals/gpt-4o", "python/5/gpt-5/evals/gpt-4o"]
    );
}

#[test]
fn the_released_judges_and_the_lexical_one_are_compared() {
    let Some(root) = released() else { return };
    let place = Place::new();
    let (results, studies) = (root.join("results"), root.join("original"));
    let called = place.call(&[
        "score",
        "agreement",
        results.to_str().unwrap(),
        "--judges",
        "gpt-4o,gpt-5",
        "--studies",
        studies.to_str().unwrap(),
        "--resamples",
        "20",
        "--json",
    ]);
    let value = json_of(&called);
    let stage = |name: &str| {
        value["stages"]
            .as_array()
            .unwrap()
            .iter()
            .find(|one| one["stage"] == name)
            .unwrap()
            .clone()
    };
    // Pairs of the two judges on the same fields; the exact share was counted apart from this program.
    let interpret = &stage("interpret")["agreement"];
    assert_eq!(
        (&interpret["exact"]["hits"], &interpret["exact"]["of"]),
        (&json!(233), &json!(482))
    );
    for column in value["lexical"].as_array().unwrap() {
        assert!(column["spearman"].as_f64().unwrap() > 0.5, "{column}");
    }
}

#[test]
fn several_references_and_several_judges_stand_beside_one_another() {
    let place = finished();
    write(
        &place,
        "slope/gt/expected_post_registration_2.json",
        r#"{"original_study": {"claim": {"hypothesis": "More dose, more yield.", "statement": "b = 1.9"}}}"#,
    );
    // Two references graded, then each reference held against the other.
    let turn = |mark: u8| {
        let graded = json!({"score": mark, "explanation": "e"});
        json!({"answer": {"json": {"claim.hypotheses": graded, "claim.statement": graded}}})
    };
    for (name, marks) in [("a.json", [3, 1, 2, 2]), ("b.json", [2, 1, 2, 2])] {
        judge(&place, name, json!({"extract": {"turns": marks.map(turn)}}));
    }
    let called = place.call(&[
        "score",
        "out",
        "--judge",
        "scripted:./a.json",
        "--judge",
        "scripted:./b.json",
        "--repeats",
        "1",
        "--baselines",
        "--json",
    ]);
    let value = json_of(&called);
    let card = &value["runs"][0];
    let extract = &card["judges"][0]["stages"][0];
    assert_eq!(extract["against"].as_array().unwrap().len(), 2);
    assert_eq!(extract["best"][0], "expected_post_registration.json");
    let score = |at: usize| extract["against"][at]["figures"]["score"].as_f64().unwrap();
    assert!(score(0) > score(1));
    assert!((extract["mean"].as_f64().unwrap() - f64::midpoint(score(0), score(1))).abs() < 1e-12);
    // Of the claim's five fields the two stated ones earn 2 of 3; all else is stated by neither reference.
    let ceiling = extract["ceiling"].as_f64().unwrap();
    assert!(
        (ceiling - ((2.0 * 2.0 / 3.0 + 3.0) / 5.0 + 4.0) / 5.0).abs() < 1e-12,
        "{ceiling}"
    );
    let between = &card["between"][0];
    assert_eq!(
        (&between["stage"], &between["agreement"]["exact"]["of"]),
        (&json!("extract"), &json!(2))
    );
    assert_eq!(between["agreement"]["bias"], 1.0);
}
