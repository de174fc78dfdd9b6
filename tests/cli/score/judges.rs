use serde_json::json;

use super::given::{finished, graded, json_of, judge, write};

#[test]
fn a_judge_grades_and_is_not_asked_twice() {
    let place = finished();
    let answer = json!({"answer": {"json": {
        "claim.hypotheses": {"score": 2, "evidence": "q", "explanation": "close"},
        "claim.statement": {"score": 1, "evidence": "q", "explanation": "far"},
    }}});
    judge(&place, "judge.json", json!({"extract": {"turns": [answer]}}));
    let grade = || json_of(&graded(&place, &["scripted:./judge.json"], &["--json"]));
    let value = grade();
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
    let again = grade();
    assert_eq!(again["runs"][0]["judges"][0]["stages"], judged["stages"]);
    // And as a recording, which another machine can replay.
    std::fs::copy(folder.join("recording.json"), place.path().join("kept.json")).unwrap();
    let replayed = json_of(&graded(&place, &["recorded:./kept.json"], &["--json"]));
    assert_eq!(replayed["runs"][0]["judges"][0]["stages"][0], judged["stages"][0]);
}

#[test]
fn a_judge_that_is_silent_leaves_its_fields_unscored() {
    let place = finished();
    judge(&place, "judge.json", json!({"extract": {"turns": []}}));
    let called = graded(&place, &["recorded:./judge.json"], &["--json"]);
    assert_eq!(called.status, 7, "{}", called.stderr);
    let value: serde_json::Value = serde_json::from_str(&called.stdout).unwrap();
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
    let called = graded(&place, &["scripted:./a.json", "scripted:./b.json"], &["--json"]);
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
    let with = |extra: &[&str]| graded(&place, &["scripted:./judge.json"], extra);
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

/// The judges of a call's only run, by name, with their extraction's first mark of the statement.
fn judges_of(value: &serde_json::Value) -> Vec<(String, serde_json::Value)> {
    let judges = value["runs"][0]["judges"].as_array().unwrap().iter();
    let mark = |judge: &serde_json::Value| {
        let fields = judge.pointer("/stages/0/against/0/grading/fields");
        let fields = fields
            .and_then(serde_json::Value::as_array)
            .cloned()
            .unwrap_or_default();
        let statement = fields
            .into_iter()
            .find(|field| field["path"] == "claim.statement");
        statement.map_or(json!(null), |field| field["mark"].clone())
    };
    judges
        .map(|judge| (judge["judge"].as_str().unwrap().to_owned(), mark(judge)))
        .collect()
}

#[test]
fn earlier_judges_stay_until_they_are_dropped() {
    let place = finished();
    let turn = |statement: u8| {
        let mark = |score: u8| json!({"score": score, "explanation": "e"});
        json!({"answer": {"json": {"claim.hypotheses": mark(2), "claim.statement": mark(statement)}}})
    };
    for (name, mark) in [("a.json", 1), ("b.json", 3)] {
        judge(&place, name, json!({"extract": {"turns": [turn(mark)]}}));
    }
    let score = |extra: &[&str]| {
        let called = place.call(&[&["score", "out", "--repeats", "1", "--json"], extra].concat());
        (json_of(&called), called.stderr)
    };
    let (a, b) = ("scripted:./a.json", "scripted:./b.json");
    let both = vec![(a.to_owned(), json!(1)), (b.to_owned(), json!(3))];
    let (code, _) = score(&[]);
    assert_eq!(code["runs"][0]["judges"][0]["judge"], "code");
    let (first, _) = score(&["--judge", a]);
    assert_eq!(judges_of(&first), both[..1]);
    let (second, told) = score(&["--judge", b, "--judge", b]);
    assert_eq!(judges_of(&second), both);
    // Agreement is over all that are kept, and so are the warnings and the page.
    let between = &second["runs"][0]["between"][0];
    assert_eq!(
        (&between["first"], &between["agreement"]["bias"]),
        (&json!(a), &json!(-1.0))
    );
    assert_eq!(told.matches("come from a recording").count(), 2, "{told}");
    let page = || std::fs::read_to_string(place.path().join("out/scores.html")).unwrap();
    assert!(page().contains("Judged by") && page().contains("a.json") && page().contains("b.json"));
    assert_eq!(judges_of(&score(&[]).0), both, "scoring by code alone");
    // A run that is taken up again writes its own scores beside them.
    let resumed = place.call(&["resume", "out"]);
    assert_eq!(resumed.status, 0, "{}", resumed.stderr);
    assert_eq!(judges_of(&score(&[]).0), both, "after resume");
    // A judge that grades again keeps its place.
    judge(&place, "a.json", json!({"extract": {"turns": [turn(0)]}}));
    let calls = place
        .path()
        .join("out")
        .join(first["runs"][0]["judges"][0]["folder"].as_str().unwrap());
    std::fs::remove_file(calls.join("calls.jsonl")).unwrap();
    let (again, _) = score(&["--judge", a]);
    assert_eq!(judges_of(&again), [(a.to_owned(), json!(0)), both[1].clone()]);
    // Only an explicit word takes one away; its files stay.
    let (dropped, _) = score(&["--drop-judge", a]);
    assert_eq!(judges_of(&dropped), both[1..]);
    assert!(dropped["runs"][0]["between"].as_array().unwrap().is_empty());
    assert!(calls.join("extract_llm_eval.json").is_file() && !page().contains("a.json"));
    let (none, told) = score(&["--drop-judge", "openai/none"]);
    assert_eq!(judges_of(&none), both[1..]);
    assert!(
        told.contains("No run has marks of openai/none") && told.contains(b),
        "{told}"
    );
    let odd = place.call(&["score", "out", "--judge", a, "--drop-judge", a]);
    assert_eq!(odd.status, 2, "{}", odd.stderr);
}

#[test]
fn a_file_of_scores_that_cannot_be_used_is_named() {
    let place = finished();
    let answer = json!({"answer": {"json": {"claim.statement": {"score": 1, "explanation": "far"}}}});
    judge(&place, "a.json", json!({"extract": {"turns": [answer]}}));
    let scores = place.path().join("out/scores.json");
    let with = |change: &dyn Fn(&mut serde_json::Value)| {
        let scored = place.call(&["score", "out", "--repeats", "1", "--judge", "scripted:./a.json"]);
        assert_eq!(scored.status, 0, "{}", scored.stderr);
        let mut value: serde_json::Value = serde_json::from_slice(&std::fs::read(&scores).unwrap()).unwrap();
        change(&mut value);
        std::fs::write(&scores, value.to_string()).unwrap();
        let called = place.call(&["score", "out"]);
        std::fs::remove_file(&scores).unwrap_or_default();
        called
    };
    for (change, words) in [
        (
            Box::new(|value: &mut serde_json::Value| value["run"] = json!("slope-other"))
                as Box<dyn Fn(&mut _)>,
            "is of another run, slope-other",
        ),
        (Box::new(|value| *value = json!([])), "is not a file of scores"),
        (Box::new(|value| value["judges"] = json!(3)), "has another shape"),
    ] {
        let called = with(&*change);
        assert_eq!(called.status, 0, "{}", called.stderr);
        assert!(called.stderr.contains(words), "{words}: {}", called.stderr);
        assert!(called.stdout.contains("checkpoints by code"), "{}", called.stdout);
    }
    let called = with(&|value| {
        value["judges"][0]["graded"] = json!(reprise::domain::digest::Digest::compute("before"))
    });
    assert!(
        called.stderr.contains("of an earlier state of this run"),
        "{}",
        called.stderr
    );
    // A newer format is not written over.
    let newer = with(&|value| value["format"] = json!("reprise-scores/9"));
    assert_eq!(newer.status, 2, "{}", newer.stderr);
    assert!(
        newer.stderr.contains("format reprise-scores/9"),
        "{}",
        newer.stderr
    );
}

#[test]
fn an_answer_that_cannot_be_used_costs_one_line_a_stage() {
    let place = finished();
    let seven = json!({"score": 7, "explanation": "e"});
    let answer = json!({"answer": {"json": {"claim.hypotheses": seven, "claim.statement": seven}}});
    judge(
        &place,
        "judge.json",
        json!({"extract": {"turns": vec![answer; 9]}}),
    );
    let called = place.call(&["score", "out", "--judge", "scripted:./judge.json"]);
    let lines: Vec<&str> = called
        .stdout
        .lines()
        .filter(|line| line.contains("could not be used"))
        .collect();
    let [line] = lines.as_slice() else {
        panic!("not one line: {lines:?}");
    };
    assert!(line.contains("and 1 more: each has the score 7"), "{line}");
    assert!(line.chars().count() < 300, "{line}");
}

#[test]
fn floors_come_without_asking_for_them() {
    let place = finished();
    let report = "The replication found the same positive slope of yield on dose. ".repeat(20);
    write(&place, "slope/gt/human_report.md", &report);
    // Nothing is answered yet: the fields that want a mark are those of the schema.
    judge(&place, "judge.json", json!({}));
    let ask = |more: &[&str]| graded(&place, &["scripted:./judge.json"], &[&["--json"], more].concat());
    let grade = |more: &[&str]| json_of(&ask(more));
    let value = serde_json::from_str(&ask(&[]).stdout).unwrap();
    let interpret = |value: &serde_json::Value| value["runs"][0]["judges"][0]["stages"][3].clone();
    let fields = interpret(&value)["against"][0]["grading"]["fields"].clone();
    let fields: Vec<String> = (fields.as_array().unwrap().iter())
        .map(|field| field["path"].as_str().unwrap().to_owned())
        .collect();
    let note = interpret(&value)["notes"][0].clone();
    assert!(
        note.as_str()
            .unwrap()
            .starts_with("The floor of interpret could not be measured: The judge did not answer"),
        "{note}"
    );
    let graded = |score: u8| {
        let marks = fields
            .iter()
            .map(|field| (field.clone(), json!({"score": score, "explanation": "e"})));
        json!({"answer": {"json": serde_json::Map::from_iter(marks)}})
    };
    judge(
        &place,
        "judge.json",
        json!({"interpret": {"turns": [graded(3), graded(1)]}}),
    );
    let value = grade(&[]);
    let stage = interpret(&value);
    assert_eq!(stage["against"][0]["figures"]["score"], 1.0);
    assert!(
        (stage["floor"].as_f64().unwrap() - 1.0 / 3.0).abs() < 1e-12,
        "{}",
        stage["floor"]
    );
    assert!(
        stage["notes"].as_array().unwrap().is_empty(),
        "{}",
        stage["notes"]
    );
    let value = grade(&["--no-baselines"]);
    let stage = interpret(&value);
    assert!(stage["floor"].is_null());
    assert_eq!(
        stage["notes"],
        json!(["The floor of interpret was not asked for: score without `--no-baselines` to have it."])
    );
    // Of an execution that leaves nothing code alone can tell.
    let execute = &value["runs"][0]["judges"][0]["stages"][2];
    assert_eq!(
        (&execute["stage"], &execute["floor"]),
        (&json!("execute"), &json!(0.0))
    );
}

#[test]
fn a_budget_is_for_the_runs_own_marks_first() {
    let place = finished();
    write(
        &place,
        "slope/gt/expected_post_registration_2.json",
        r#"{"original_study": {"claim": {"hypothesis": "More dose, more yield.", "statement": "b = 1.9"}}}"#,
    );
    let mark = json!({"score": 2, "explanation": "e"});
    let usage = json!({"input": 19_000, "output": 1_000});
    let turn =
        json!({"answer": {"json": {"claim.hypotheses": mark, "claim.statement": mark}, "usage": usage}});
    judge(&place, "judge.json", json!({"extract": {"turns": vec![turn; 4]}}));
    let with = |tokens: &str| {
        let called = graded(
            &place,
            &["scripted:./judge.json"],
            &["--judge-tokens", tokens, "--json"],
        );
        json_of(&called)["runs"][0]["judges"][0]["stages"][0].clone()
    };
    // Two gradings fit, and no third call: the marks are there and the ceiling is not.
    let stage = with("50000");
    assert!(
        stage["against"]
            .as_array()
            .unwrap()
            .iter()
            .all(|one| one["figures"]["score"].is_f64()),
        "{stage}"
    );
    assert!(stage["ceiling"].is_null());
    let note = stage["notes"][0].as_str().unwrap();
    assert!(
        note.contains("could not be measured") && note.contains("of its budget"),
        "{note}"
    );
    assert!(with("999000")["ceiling"].is_f64());
}
