//! Phrases of a log that name a failure, and phrases that only look like it.

use reprise::domain::failure::FailureCause;
use reprise::scoring::released::failures::{Signal, classify, read_log};
use serde_json::{Value, json};

#[test]
fn two_phrases_of_one_class_have_to_come_together() {
    use FailureCause::{Implementation, InputData, Setup};
    for (text, cause) in [
        ("cp: cannot stat 'x'", Setup),
        ("cp: omitting a folder", Implementation),
        ("ls: cannot stat 'x'", Implementation),
        ("Cannot interpret '1' as a dtype", InputData),
        ("Cannot interpret '1'", Implementation),
        ("an unknown dtype", Implementation),
    ] {
        assert_eq!(classify(text), cause, "{text}");
    }
}

#[test]
fn the_first_told_part_of_an_observation_is_its_error() {
    let text_of = |observed: Value| {
        let found = read_log(&format!(
            "--- Turn 1 ---\n***Agent input: Observation: {observed}\n"
        ));
        let [error] = found.try_into().unwrap();
        assert_eq!((error.turn, error.signal), (1, Signal::Observation));
        error.text
    };
    for silent in [
        json!(null),
        json!(false),
        json!(0),
        json!(""),
        json!([]),
        json!({}),
    ] {
        let text = text_of(json!({"ok": false, "error": silent, "message": "KeyError"}));
        assert_eq!(text, "KeyError", "{silent}");
    }
    assert_eq!(
        text_of(json!({"ok": false, "error": ["a"], "message": "b"})),
        "['a']"
    );
    assert_eq!(text_of(json!({"ok": false})), "{\"ok\": false}");
    let long = text_of(json!({"ok": false, "error": "x".repeat(900)}));
    assert_eq!(long.len(), 500);
}

#[test]
fn a_build_fails_where_its_log_says_so() {
    let of = |text: &str| -> Vec<(Signal, String)> {
        let found = read_log(&format!("--- Turn 1 ---\n{text}\n"));
        found.into_iter().map(|one| (one.signal, one.text)).collect()
    };
    let pip = of("{\"build_log\": \"ERROR: pip dependency mismatch\"}");
    assert_eq!(pip, [(Signal::Build, "Pip Dependency Mismatch".to_owned())]);
    let docker = of("{\"build_log\": \"error: executor failed running\"}");
    assert_eq!(docker, [(Signal::Build, "Docker Executor Failed".to_owned())]);
    assert_eq!(of("{\"build_log\": \"executor failed running\"}"), []);
    assert_eq!(of("{\"log\": \"error: executor failed running\"}"), []);
}
