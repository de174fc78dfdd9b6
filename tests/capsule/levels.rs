//! Each capsule at each level: the files that are there, the code that runs, the grade.

use serde_json::Value;

use crate::attempt::Attempt;
use crate::capsule::{Capsule, Level};
use crate::place::{Place, Where};
use crate::{grades, python, r};

/// The texts of an answer, which stand in what was printed.
fn leaves(answer: &Value) -> Vec<String> {
    match answer {
        Value::Array(values) => values.iter().flat_map(leaves).collect(),
        Value::String(text) => vec![text.clone()],
        other => vec![other.to_string()],
    }
}

/// Attempts a capsule at some levels.
pub fn attempted(capsule: &Capsule, sandbox: Where, levels: &[Level]) {
    let Some(place) = Place::with(capsule, sandbox) else {
        return;
    };
    for &level in levels {
        let attempt = Attempt::made(&place, level, sandbox, level.name());
        held(capsule, level, &attempt);
    }
    grades::wrong_where_the_last_digit_differs(capsule, &place, levels[0]);
}

/// Holds an attempt with the right answers to what it should be.
pub fn held(capsule: &Capsule, level: Level, attempt: &Attempt) {
    let context = format!("{} at {}", capsule.id, level.name());
    assert_eq!(attempt.listed(), capsule.expected(level), "{context}");
    let mut printed = attempt.observations();
    printed.pop();
    let printed = printed.concat();
    for question in &capsule.questions {
        for leaf in leaves(&question.answer) {
            assert!(
                printed.contains(&leaf),
                "{context}: {leaf} was not printed: {printed}"
            );
        }
    }
    attempt.assert_right(capsule.questions.len());
}

#[test]
fn animals_in_containers() {
    attempted(&python::zoo(), Where::Docker, &Level::ALL);
}

#[test]
fn wine_in_containers() {
    attempted(&python::wine(), Where::Docker, &Level::ALL);
}

#[test]
fn meat_in_containers() {
    attempted(&python::meat(), Where::Docker, &Level::ALL);
}

#[test]
fn trust_in_containers() {
    attempted(&r::trust(), Where::Docker, &Level::ALL);
}

#[test]
fn prevention_in_containers() {
    attempted(&r::prevention(), Where::Docker, &Level::ALL);
}

#[test]
fn python_without_containers() {
    for capsule in [python::zoo(), python::wine(), python::meat()] {
        attempted(&capsule, Where::Local, &[Level::Hard]);
    }
}
