//! Judges of which nothing comes, and pages that cannot be written.

use serde_json::{Value, json};

use super::given::{cut_before, finished, graded, judge, write};

fn value_of(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}

#[test]
fn a_judge_that_answers_nothing_costs_one_line_and_the_exit_code() {
    let place = finished();
    judge(&place, "mute.json", json!({"extract": {"turns": []}}));
    let mark = json!({"score": 2, "explanation": "e"});
    let turn = json!({"answer": {"json": {"claim.hypotheses": mark, "claim.statement": mark}}});
    judge(&place, "good.json", json!({"extract": {"turns": [turn]}}));
    let (mute, good) = ("scripted:./mute.json", "scripted:./good.json");
    let called = graded(&place, &[mute, good], &[]);
    assert_eq!(called.status, 7, "{}", called.stderr);
    let lines: Vec<&str> = called.stderr.lines().filter(|line| line.contains(mute)).collect();
    let [line] = lines.as_slice() else {
        panic!("not one line: {lines:?}");
    };
    assert!(
        line.contains("answered none of its calls")
            && line.contains(&format!("`--drop-judge {mute}` leaves it out")),
        "{line}"
    );
    assert!(line.chars().count() < 420, "{line}");
    let about_mute: Vec<&str> = (called.stdout.lines())
        .skip_while(|line| !line.contains(mute))
        .take_while(|line| !line.contains(&format!("judge {good}")))
        .collect();
    assert!(
        about_mute.len() > 4 && about_mute.iter().all(|line| !line.contains("did not answer")),
        "{about_mute:?}"
    );
    // The rest is scored, shown and written.
    let scores = value_of(&std::fs::read_to_string(place.path().join("out/scores.json")).unwrap());
    let judges = scores["judges"].as_array().unwrap();
    let marks = |at: usize| judges[at]["stages"][0]["against"][0]["figures"]["score"].clone();
    assert!(marks(0).is_null() && marks(1).is_f64());
    assert_eq!(judges[0]["cost"]["calls"], 0);
    assert!(judges[0]["cost"]["failed"].as_u64().unwrap() > 0);
    let page = std::fs::read_to_string(place.path().join("out/scores.html")).unwrap();
    assert!(page.contains("answered none of its calls") && page.contains("--drop-judge"));
    // What code decided is no grading of the judge's.
    let folder = place
        .path()
        .join("out")
        .join(judges[0]["folder"].as_str().unwrap());
    assert!(!folder.join("execute_llm_eval.json").exists() && !folder.join("extract_llm_eval.json").exists());
    // It is told each time that it shows, and fails no scoring that did not ask it.
    let again = graded(&place, &[good], &[]);
    assert_eq!(again.status, 0, "{}", again.stderr);
    assert!(
        again.stderr.contains("answered none of its calls"),
        "{}",
        again.stderr
    );
    let dropped = graded(&place, &[good], &["--drop-judge", "scripted:mute.json"]);
    assert!(!dropped.stderr.contains("answered none"), "{}", dropped.stderr);
}

#[test]
fn what_code_decided_is_told_from_what_a_judge_says() {
    let place = finished();
    let mark = json!({"score": 2, "explanation": "e"});
    let turn = json!({"answer": {"json": {"claim.hypotheses": mark, "claim.statement": mark}}});
    judge(&place, "good.json", json!({"extract": {"turns": [turn]}}));
    let execute = || {
        let value = value_of(&graded(&place, &["scripted:./good.json"], &["--json"]).stdout);
        value["runs"][0]["judges"][0]["stages"][2]["against"][0]["reference"].clone()
    };
    assert_eq!(execute(), "the run's journal and files");
    // Of an execution that has not ended nothing is left to a judge.
    cut_before(&place.path().join("out"), "\"execution_finished\"");
    assert_eq!(execute(), "the run's journal and files, by code alone");
}

#[test]
fn a_page_that_cannot_be_written_takes_no_figure_away() {
    let place = finished();
    for (more, words) in [
        (&[][..], "verdict: criterion met"),
        (&["--json"], "\"page\": null"),
    ] {
        let called = place.call(&[&["score", "out", "--html", "none/such/x.html"], more].concat());
        assert_eq!(called.status, 7, "{}", called.stderr);
        assert!(called.stdout.contains(words), "{}", called.stdout);
        assert!(
            called.stderr.contains("The page is not written:") && called.stderr.contains("none/such"),
            "{}",
            called.stderr
        );
    }
}

#[test]
fn one_recording_is_one_judge_however_it_is_spelled() {
    let place = finished();
    let mark = json!({"score": 2, "explanation": "e"});
    let turn = json!({"answer": {"json": {"claim.hypotheses": mark, "claim.statement": mark}}});
    judge(&place, "marks/a.json", json!({"extract": {"turns": [turn]}}));
    let names = |value: &Value| {
        let judges = value["runs"][0]["judges"].as_array().unwrap().iter();
        judges
            .map(|judge| judge["judge"].as_str().unwrap().to_owned())
            .collect::<Vec<_>>()
    };
    let (plain, dotted) = ("scripted:marks/a.json", "scripted:./marks/a.json");
    let called = graded(&place, &[plain, dotted], &["--json"]);
    let value = value_of(&called.stdout);
    assert_eq!(names(&value), [plain]);
    assert!(value["runs"][0]["between"].as_array().unwrap().is_empty());
    assert!(
        called
            .stderr
            .contains(&format!("{dotted} is the same recording as {plain}")),
        "{}",
        called.stderr
    );
    // The same on another day.
    let value = value_of(&graded(&place, &[dotted], &["--json"]).stdout);
    assert_eq!(names(&value), [plain]);
    let value = value_of(&graded(&place, &[], &["--drop-judge", dotted, "--json"]).stdout);
    assert_eq!(names(&value), ["code"]);
    // Files of one name in two folders are two judges, and told apart.
    write(
        &place,
        "other/a.json",
        &std::fs::read_to_string(place.path().join("marks/a.json")).unwrap(),
    );
    let value = value_of(&graded(&place, &[plain, "scripted:other/a.json"], &["--json"]).stdout);
    assert_eq!(names(&value), [plain, "scripted:other/a.json"]);
    let page = std::fs::read_to_string(place.path().join("out/scores.html")).unwrap();
    let page = page.replace("&#x2f;", "/");
    assert!(
        page.contains(">marks/a.json<") && page.contains(">other/a.json<"),
        "the page has two judges of one name"
    );
}
