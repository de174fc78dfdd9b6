//! Grades of answers that differ from the right ones in the last printed digit.

use serde_json::{Map, Value, json};

use crate::attempt::Attempt;
use crate::capsule::{Capsule, Level};
use crate::place::{Place, Where};
use crate::python;

/// An answer with another last digit or letter.
fn changed(answer: &Value) -> Value {
    match answer {
        Value::Array(values) => {
            let mut values = values.clone();
            let last = values.pop().unwrap();
            values.push(changed(&last));
            Value::Array(values)
        }
        Value::String(text) => {
            let mut text = text.clone();
            let last = text.pop().unwrap();
            text.push(if last == 'x' { 'y' } else { 'x' });
            Value::String(text)
        }
        number => {
            let mut text = number.to_string();
            let last = text.pop().unwrap();
            text.push(if last == '9' {
                '8'
            } else {
                char::from(last as u8 + 1)
            });
            serde_json::from_str(&text).unwrap()
        }
    }
}

/// Grades one report for each set of answers; the grades of each grader, in order.
fn graded(capsule: &Capsule, place: &Place, sets: &[Map<String, Value>]) -> Vec<Value> {
    let mut call = vec!["capsule".to_owned(), "grade".to_owned()];
    for (at, answers) in sets.iter().enumerate() {
        let name = format!("changed/{at}/{}/report.json", capsule.id);
        place.write(&name, &Value::Object(answers.clone()).to_string());
        call.push(name);
    }
    call.extend(
        [
            "--tasks",
            "task.json",
            "--grader",
            "strict",
            "--grader",
            "original",
            "--json",
        ]
        .map(str::to_owned),
    );
    let call: Vec<&str> = call.iter().map(String::as_str).collect();
    let output = place.command(&call).output().unwrap();
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let mut value: Value = serde_json::from_slice(&output.stdout).unwrap();
    let grades = value["grades"].take();
    grades.as_array().unwrap().clone()
}

/// How many answers a grade counts as right.
fn right(grades: &[Value], report: usize, grader: &str) -> u64 {
    let part = format!("changed/{report}/");
    let of =
        |grade: &&Value| grade["grader"] == grader && grade["report"].as_str().unwrap().starts_with(&part);
    let grade = grades.iter().find(of).unwrap();
    grade["correct_written_answers"].as_u64().unwrap() + grade["correct_vision_answers"].as_u64().unwrap()
}

/// The answers that a run handed in are right; each one of them with another last digit is wrong,
/// but where the gold varies: there it is wrong behind the interval.
pub fn wrong_where_the_last_digit_differs(capsule: &Capsule, place: &Place, level: Level) {
    let report = place.path().join(level.name()).join("artifacts/report.json");
    let handed: Map<String, Value> = serde_json::from_slice(&std::fs::read(report).unwrap()).unwrap();
    assert_eq!(handed, capsule.answers());
    let mut sets = vec![handed.clone()];
    let mut wrong = vec![0];
    for question in &capsule.questions {
        let mut with = |answer: Value, is_wrong: bool| {
            let mut set = handed.clone();
            set.insert(question.text.to_owned(), answer);
            sets.push(set);
            wrong.push(u64::from(is_wrong));
        };
        with(changed(&question.answer), !question.varies());
        if question.varies() {
            with(json!(question.answer.as_f64().unwrap() + 1.0), true);
        }
    }
    let grades = graded(capsule, place, &sets);
    let all = capsule.questions.len() as u64;
    for (at, wrong) in wrong.iter().enumerate() {
        for grader in ["strict", "original"] {
            let counted = right(&grades, at, grader);
            assert_eq!(counted, all - wrong, "{}, {grader}: {:?}", capsule.id, sets[at]);
        }
    }
}

#[test]
fn an_attempt_with_one_wrong_digit_is_right_in_all_but_one() {
    let capsule = python::zoo();
    let Some(place) = Place::with(&capsule, Where::Local) else {
        return;
    };
    let mut answers = capsule.answers();
    let question = capsule.questions[1].text;
    answers.insert(question.to_owned(), changed(&capsule.questions[1].answer));
    place.record("digit", &capsule.recording(Level::Hard, &answers));
    let grade = Attempt::made(&place, Level::Hard, Where::Local, "digit").grade();
    for part in grade["parts"].as_array().unwrap() {
        let score = if part["name"] == question { 0.0 } else { 1.0 };
        assert_eq!(part["score"], score, "{grade}");
    }
    let of = |grader: &str| {
        let others = grade["others"].as_array().unwrap().iter();
        others.clone().find(|one| one["grader"] == grader).unwrap()["right"].clone()
    };
    assert_eq!(of("original"), 4);
    assert_eq!(of("hal"), 4);
    // Published as they are: a slack of a hundred-thousandth of the bound, and half a unit more.
    assert_eq!(of("v1.1"), 5);
}
