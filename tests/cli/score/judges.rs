use serde_json::json;

use super::given::{finished, json_of, judge, write};

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

#[test]
fn a_call_beyond_the_budget_is_not_made() {
    let place = finished();
    let answer = json!({"answer": {"json": {"claim.statement": {"score": 1, "explanation": "far"}}}});
    judge(&place, "judge.json", json!({"extract": {"turns": [answer]}}));
    let with = |extra: &[&str]| {
        let common = [
            "score",
            "out",
            "--judge",
            "scripted:./judge.json",
            "--repeats",
            "1",
        ];
        place.call(&[&common[..], extra].concat())
    };
    let value = json_of(&with(&["--judge-tokens", "100", "--json"]));
    let card = &value["runs"][0]["judges"][0];
    let fields = card["stages"][0]["against"][0]["grading"]["fields"]
        .as_array()
        .unwrap();
    let open: Vec<_> = fields.iter().filter(|field| field["by"] == "judge").collect();
    assert!(open.iter().all(|field| field["mark"] == "unscored"), "{open:?}");
    let why = open[0]["given"][0]["explanation"].as_str().unwrap();
    assert!(why.contains("of its budget of 100"), "{why}");
    assert_eq!(card["cost"]["calls"], 0);
    let calls = place
        .path()
        .join("out")
        .join(card["folder"].as_str().unwrap())
        .join("calls.jsonl");
    assert_eq!(std::fs::read_to_string(calls).unwrap(), "");
    let told = with(&["--judge-tokens", "100"]).stdout;
    let lines: Vec<_> = told.lines().filter(|line| line.contains("budget")).collect();
    assert_eq!(lines.len(), 2, "one line a stage: {told}");
    let odd = with(&["--judge-dollars=-1"]);
    assert_eq!(odd.status, 2);
    assert!(
        odd.stderr.contains("--judge-dollars is -1: give an amount"),
        "{}",
        odd.stderr
    );
}
