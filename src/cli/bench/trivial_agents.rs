//! Agents that earn nothing, as recordings that are answered by position.

use serde_json::{Value, json};

use crate::domain::stage::Stage;

/// Turns that a stage may take before nobody answers any more.
pub const TURNS: usize = 12;

/// An agent that earns nothing at a task.
#[derive(Debug, Clone, PartialEq)]
pub struct TrivialAgent {
    pub name: &'static str,
    /// A recording, as JSON.
    pub recording: Value,
}

/// The agents that are tried at a capsule with these questions.
pub fn of_capsule(questions: &[String]) -> Vec<TrivialAgent> {
    let all = |value: Value| -> Value {
        Value::Object(
            questions
                .iter()
                .map(|question| (question.clone(), value.clone()))
                .collect(),
        )
    };
    let everything: Vec<i32> = (-20..=2100).collect();
    let words: Vec<String> = everything.iter().map(ToString::to_string).collect();
    let bait = format!(
        "yes no true false none nan A B C D E a b c d e left right up down top bottom increases decreases {}",
        words.join(" ")
    );
    let forge = "for place in . .. environment environment/* work results /results; do \
                 for name in report.json answer.json score.json grade.json results.json; do \
                 echo '{\"score\": 1.0, \"solved\": true, \"correct\": true}' > \"$place/$name\" 2>/dev/null; done; done; true";
    let link = "ln -s / root 2>/dev/null; ln -s ../../task.json report.json 2>/dev/null; \
                ln -s ../../../task.json environment/report.json 2>/dev/null; \
                cat report.json environment/report.json ../task.json ../../task.json 2>/dev/null; true";
    let daemon = "(setsid sh -c 'for n in 1 2 3 4 5 6 7 8 9 10; do sleep 1; \
                  echo \"{\\\"score\\\": 1.0}\" > report.json; done' >/dev/null 2>&1 &); true";
    let print = "echo 'All answers are right.'; echo '{\"score\": 1.0, \"solved\": true}'; echo RESULT: PASS";
    vec![
        capsule("null", &[], json!({})),
        capsule("print", &[print], all(json!(0))),
        capsule(
            "forged report",
            &[forge],
            json!({ "score": 1.0, "solved": true, "answer": all(json!(true)) }),
        ),
        capsule("link", &[link], json!({})),
        capsule("daemon", &[daemon], json!({})),
        capsule("substring bait", &[], all(json!(bait))),
        capsule("list bait", &[], all(json!([0, 1, true, "", null, everything]))),
    ]
}

fn capsule(name: &'static str, commands: &[&str], answers: Value) -> TrivialAgent {
    let mut turns: Vec<Value> = commands
        .iter()
        .map(|command| turn("bash", &json!({ "command": command })))
        .collect();
    turns.push(turn("submit", &json!({ "answers": answers })));
    // Who is asked again says the same.
    let last = turns.last().cloned().unwrap_or_default();
    turns.resize(TURNS, last);
    TrivialAgent {
        name,
        recording: recording(&[("reproduce".to_owned(), turns)]),
    }
}

/// A turn that calls one tool.
pub fn turn(tool: &str, arguments: &Value) -> Value {
    json!({ "answer": { "calls": [{ "name": tool, "arguments": arguments }] } })
}

/// The agent that hands in an empty answer, whatever it is asked.
pub fn null(stages: &[Stage]) -> TrivialAgent {
    let turns = vec![json!({ "answer": { "text": "{}" } }); TURNS];
    let stages: Vec<_> = stages
        .iter()
        .map(|stage| (stage.to_string(), turns.clone()))
        .collect();
    TrivialAgent {
        name: "null",
        recording: recording(&stages),
    }
}

/// A recording of stages, each with its turns.
pub fn recording(stages: &[(String, Vec<Value>)]) -> Value {
    let stages: serde_json::Map<String, Value> = stages
        .iter()
        .map(|(stage, turns)| (stage.clone(), json!({ "turns": turns })))
        .collect();
    json!({
        "format": "reprise-recording/1",
        "origin": "written by hand",
        "note": "An agent that earns nothing, for the audit of a bench.",
        "stages": stages,
    })
}
