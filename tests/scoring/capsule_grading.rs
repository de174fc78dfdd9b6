//! The graders of capsules against the vectors and the intervals that were made with the
//! published code.

use std::fs;

use proptest::prelude::*;
use reprise::capsule::task_file::{TaskFile, TaskFileForm};
use reprise::scoring::capsule::question::{AnswerKind, questions};
use reprise::scoring::capsule::strict;
use reprise::scoring::released::capsule::grade::grade;
use reprise::scoring::released::capsule::interval::{PredictionInterval, most_places};
use reprise::scoring::released::capsule::tallies::{Aliases, GraderName};
use reprise::scoring::released::capsule::value::PythonValue;
use serde_json::{Value, json};

use crate::need::shared;

/// A column of the vectors, and the grader that made it.
const COLUMNS: [(GraderName, &str); 5] = [
    (GraderName::Original, "original"),
    (GraderName::Hal, "hal"),
    (GraderName::V11, "hal_v11"),
    (GraderName::V11Regrade, "hal_v11_regrade"),
    (GraderName::Inspect, "inspect_evals"),
];

fn read(text: &str) -> PythonValue {
    PythonValue::parse(text).unwrap()
}

#[test]
fn each_grader_gives_what_the_published_code_gave() {
    let Some(path) = shared("data/core/grader_quirk_vectors.json") else {
        return;
    };
    let cases: Vec<Value> = serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap();
    assert_eq!(cases.len(), 84);
    let mut agree = 0;
    for case in &cases {
        let gold = read(case["gold_json"].as_str().unwrap());
        let report = PythonValue::parse(case["report_json"].as_str().unwrap()).unwrap_or(PythonValue::None);
        for (grader, column) in COLUMNS {
            let found = match grade(grader, "capsule-0000000", &gold, &report, &Aliases::default()) {
                Ok(tallies) => json!([
                    tallies.correct_written_answers,
                    tallies.correct_vision_answers,
                    tallies.total_written_questions,
                    tallies.total_vision_questions
                ]),
                Err(raised) => {
                    let raised = raised.to_string();
                    let name = raised.strip_prefix("inspect ").unwrap_or(&raised);
                    name.split(": ").next().unwrap().to_owned().into()
                }
            };
            assert_eq!(found, case[column], "{column}: {}", case["name"]);
            agree += 1;
        }
    }
    println!("{agree} of {} grades agree", cases.len() * COLUMNS.len());
}

#[test]
fn intervals_are_those_of_the_published_code() {
    let Some(path) = shared("data/core/train_pi_vectors.json") else {
        return;
    };
    let cases: Vec<Value> = serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap();
    assert_eq!(cases.len(), 80);
    let mut largest: f64 = 0.0;
    for case in &cases {
        let PythonValue::List(runs) = read(&case["gold"].to_string()) else {
            panic!("no runs: {case}");
        };
        let numbers: Vec<f64> = runs.iter().map(|run| run.as_float().unwrap()).collect();
        assert_eq!(json!(most_places(&runs)), case["decimals"], "{case}");
        let interval = PredictionInterval::new(&numbers);
        let widened = interval.widened(&runs);
        for (found, expected) in [
            (interval.lower, &case["orig"][0]),
            (interval.upper, &case["orig"][1]),
            (widened.lower, &case["v11"][0]),
            (widened.upper, &case["v11"][1]),
        ] {
            let expected = expected.as_f64().unwrap();
            largest = largest.max((found - expected).abs() / expected.abs().max(1.0));
        }
    }
    assert!(largest <= 1e-12, "{largest}");
}

/// Counts of section 1 of the format's description.
#[test]
fn the_training_tasks_are_read_with_their_questions() {
    let Some(path) = shared("data/core/core_train.json") else {
        return;
    };
    let file = TaskFile::open(&path).unwrap();
    assert_eq!((file.form, file.tasks.len()), (TaskFileForm::Original, 45));
    let all: Vec<_> = file
        .tasks
        .iter()
        .flat_map(|task| questions(&read(task.gold.json())).unwrap())
        .collect();
    assert_eq!(all.len(), 102);
    assert!(
        all.iter()
            .all(|question| question.runs == 3 && question.faults.is_empty())
    );
    let count = |kind: AnswerKind, figure: bool| {
        let of = |question: &&_| {
            let question: &reprise::scoring::capsule::question::Question = question;
            question.kind == kind && question.is_about_figure == figure
        };
        all.iter().filter(of).count()
    };
    assert_eq!(
        count(AnswerKind::Number, false) + count(AnswerKind::Number, true),
        80
    );
    assert_eq!(
        (count(AnswerKind::Text, false), count(AnswerKind::Text, true)),
        (0, 22)
    );
    let numbers = all.iter().filter(|question| question.kind == AnswerKind::Number);
    assert_eq!(numbers.filter(|question| question.varies).count(), 8);
}

/// Whoever reports the gold of a run is right, by every grader; one who leaves it out is not.
#[test]
fn gold_is_right_and_nothing_is_wrong() {
    let Some(path) = shared("data/core/core_train.json") else {
        return;
    };
    for task in TaskFile::open(&path).unwrap().tasks {
        let gold = read(task.gold.json());
        let PythonValue::List(runs) = &gold else {
            panic!("no runs");
        };
        for (grader, _) in COLUMNS {
            let right = grade(grader, task.id.as_str(), &gold, &runs[0], &Aliases::default()).unwrap();
            // inspect rounds answers to the places behind a bound's point, of which 4.4e-16 has 15.
            let is_rounded_away = grader == GraderName::Inspect && task.id.as_str() == "capsule-5975162";
            assert_eq!(right.solves(grader), !is_rounded_away, "{grader} {}", task.id);
            let nothing = read("{}");
            let wrong = grade(grader, task.id.as_str(), &gold, &nothing, &Aliases::default()).unwrap();
            assert!(!wrong.solves(grader), "{grader} {}", task.id);
        }
        let graded = strict::grade(&gold, &runs[0]).unwrap();
        assert!(graded.iter().all(|answer| answer.right), "{}", task.id);
    }
}

#[test]
fn aliases_take_the_place_of_the_gold() {
    let aliases: Aliases = toml::from_str(
        "[texts.capsule-0000001]\nq = [\"blue\", \"azure\"]\n[lists.capsule-0000001]\nl = [\"a\", \"b\"]\n",
    )
    .unwrap();
    let gold = read(r#"[{"q": "red", "l": ["x"]}, {"q": "red", "l": ["x"]}]"#);
    let correct = |grader, report: &str| {
        let tallies = grade(grader, "capsule-0000001", &gold, &read(report), &aliases).unwrap();
        tallies.correct_written_answers
    };
    assert_eq!(
        correct(GraderName::V11, r#"{"q": "Azure", "l": ["B", "a", "b"]}"#),
        2
    );
    assert_eq!(correct(GraderName::V11, r#"{"q": "red", "l": ["x"]}"#), 0);
    assert_eq!(correct(GraderName::Original, r#"{"q": "red", "l": ["x"]}"#), 2);
}

proptest! {
    /// Whatever JSON an agent hands in, no grader breaks and none counts more than there is.
    #[test]
    fn any_report_is_graded(report in any_json(), gold in any_gold()) {
        let report = read(&report.to_string());
        let gold = read(&gold.to_string());
        for (grader, _) in COLUMNS {
            if let Ok(tallies) = grade(grader, "capsule-0000001", &gold, &report, &Aliases::default()) {
                prop_assert!(tallies.correct_written_answers <= tallies.total_written_questions);
                prop_assert!(tallies.correct_vision_answers <= tallies.total_vision_questions);
            }
        }
        prop_assert!(strict::grade(&gold, &report).is_some());
    }

    /// A text that serde_json reads is read with the same numbers and texts.
    #[test]
    fn json_is_read_as_by_another_parser(value in any_json()) {
        let ours = read(&value.to_string());
        let again = read(&serde_json::to_string_pretty(&value).unwrap());
        prop_assert!(ours.equals(&again));
    }
}

fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        (-1e9..1e9f64).prop_map(Value::from),
        "[a-z0-9%. ]{0,6}".prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 24, 4, |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            proptest::collection::vec(("[qf][ig]{0,2}", inner), 0..4)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

/// Runs with the same questions.
fn any_gold() -> impl Strategy<Value = Value> {
    let run = proptest::collection::vec(("[qf][ig]{0,2}", any_json()), 1..4)
        .prop_map(|members| Value::Object(members.into_iter().collect()));
    run.prop_map(|run| Value::Array(vec![run.clone(), run.clone(), run]))
}
