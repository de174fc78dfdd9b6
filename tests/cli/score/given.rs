//! Fixtures of the tests of scoring.

use std::path::Path;

use reprise::scoring::fields::document::{RESULT_FIELDS, RegistrationFields};
use serde_json::{Value, json};

use crate::support::{Called, Place, RUN};

pub fn json_of(called: &Called) -> Value {
    assert_eq!(called.status, 0, "{}{}", called.stdout, called.stderr);
    serde_json::from_str(&called.stdout).unwrap()
}

pub fn write(place: &Place, name: &str, text: &str) {
    let path = place.path().join(name);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, text).unwrap();
}

/// A run of the fixture study from its beginning to its end, in `out`.
pub fn finished() -> Place {
    let place = Place::new();
    place.study();
    let called = place.call(&[&RUN[..], &["--sandbox", "local"]].concat());
    assert_eq!(called.status, 0, "{}", called.stderr);
    place
}

/// Keeps the lines of a journal in front of the first that holds a word.
pub fn cut_before(run: &Path, word: &str) {
    let journal = run.join("journal.jsonl");
    let text = std::fs::read_to_string(&journal).unwrap();
    let at = text.lines().position(|line| line.contains(word)).unwrap();
    let kept: Vec<&str> = text.lines().take(at).collect();
    std::fs::write(&journal, kept.join("\n") + "\n").unwrap();
}

/// An extraction's grading with one field an aspect.
pub fn grading(score: &str) -> String {
    let aspects = ["claim", "data", "method", "results", "metadata"];
    let items = aspects.map(|aspect| format!(r#""{aspect}.x": {{"score": {score}, "explanation": ""}}"#));
    format!("{{{}}}", items.join(", "))
}

/// An extraction's grading with every field of the schema and one numerical result.
pub fn extraction(score: &str) -> String {
    let plain = RegistrationFields::read(&Value::Null)
        .plain
        .into_iter()
        .map(|(path, _)| path);
    let listed = RESULT_FIELDS.map(|field| format!("results.numerical_results[0].{field}"));
    let items = plain
        .chain(listed)
        .map(|path| format!(r#""{path}": {{"score": {score}, "explanation": ""}}"#));
    format!("{{{}}}", items.collect::<Vec<_>>().join(", "))
}

/// A judge's recording that answers by position with the given marks.
pub fn judge(place: &Place, name: &str, stages: Value) {
    let recording = json!({
        "format": "reprise-recording/1",
        "origin": "written by hand",
        "note": ["Marks made up for a test of scoring. No model gave them."],
        "stages": stages,
    });
    write(place, name, &recording.to_string());
}

/// `score out` by judges who grade once.
pub fn graded(place: &Place, judges: &[&str], more: &[&str]) -> Called {
    let judges = judges.iter().flat_map(|judge| ["--judge", judge]);
    let arguments: Vec<&str> = ["score", "out"]
        .into_iter()
        .chain(judges)
        .chain(["--repeats", "1"])
        .chain(more.iter().copied())
        .collect();
    place.call(&arguments)
}

/// `score search` of `answers.jsonl` against `gold.json`.
pub fn searched(place: &Place, more: &[&str]) -> Called {
    let common = [
        "score",
        "search",
        "--gold",
        "gold.json",
        "--predictions",
        "answers.jsonl",
    ];
    place.call(&[&common[..], more].concat())
}
