//! Omissions of a corrected summary, and its notes on them.

use reprise::scoring::aggregate::grading::Gradings;
use reprise::scoring::aggregate::summary::Summary;
use reprise::scoring::aggregate::{corrected, published};
use reprise::scoring::released::eval_summary;
use serde_json::{Value, json};

/// The seven aspects of an interpretation, each field with the highest mark.
fn interpretation() -> Value {
    let fields = [
        "interpretation_summary",
        "execute_status",
        "fidelity_assessment.method_alignment",
        "fidelity_assessment.deviations",
        "results_comparison.hypothesis_tested",
        "results_comparison.original_results",
        "results_comparison.replication_results",
        "results_comparison.overall_answer",
        "replication_report",
        "failure_handling",
        "notes",
    ];
    let marks = fields.map(|field| (field.to_owned(), json!({"score": 3})));
    Value::Object(marks.into_iter().collect())
}

fn score_interpretation(text: &str) -> Summary {
    corrected::summarise(&Gradings {
        interpret: Some(text.as_bytes()),
        ..Gradings::default()
    })
}

/// An execution's grading with one mark for every checkpoint but the first.
fn execution(first: &Value, rest: &Value) -> String {
    let mark = |score: &Value| json!({"score": score});
    let rest = mark(rest);
    json!({
        "evaluate_design": {
            "environment": {"1.1.1": mark(first), "1.1.2": rest},
            "dependecy": {"1.2": rest},
            "file_system": {"1.3.1": rest, "1.3.2": rest, "1.3.3": rest},
        },
        "execute": {
            "code_execution": {"2.1.1": rest, "2.2.2": rest},
            "execution_report": {"2.3.1": rest, "2.3.2": rest},
        },
    })
    .to_string()
}

#[test]
fn a_key_that_stands_twice_is_named_wherever_it_stands() {
    let whole = interpretation().to_string();
    let twice = whole.replacen("{\"score\":3}", "{\"score\":0,\"score\":3}", 1);
    let listed = whole.replacen("{\"score\":3}", "{\"score\":3,\"quotes\":[{\"a\":1,\"a\":2}]}", 1);
    let again = whole.replacen('{', "{\"notes\":{\"score\":0},", 1);
    for (text, key) in [(twice, "`score`"), (listed, "`a`"), (again, "`notes`")] {
        let found = score_interpretation(&text);
        let [problem] = found.problems.as_slice() else {
            panic!("{key}: {:?}", found.problems);
        };
        assert!(
            problem.contains(key) && problem.contains("the last one counts"),
            "{problem}"
        );
        assert_eq!(found.stage("interpret").unwrap().average, Some(1.0));
    }
}

#[test]
fn a_root_is_named_and_is_no_aspect() {
    let rooted: serde_json::Map<_, _> = (interpretation().as_object().unwrap().iter())
        .map(|(aspect, mark)| (format!("replication_study.{aspect}"), mark.clone()))
        .collect();
    let found = score_interpretation(&Value::Object(rooted).to_string());
    assert_eq!(found.stage("interpret").unwrap().aspects.len(), 7);
    assert!(
        found.changes[0].contains("11 keys stand below a root"),
        "{:?}",
        found.changes
    );
    let plain = score_interpretation(&interpretation().to_string());
    assert_eq!((plain.changes, plain.problems), (vec![], vec![]));
}

#[test]
fn a_grading_without_any_mark_is_refused_and_not_a_zero() {
    let text = interpretation().to_string().replace(":3", ":\"NA\"");
    let found = score_interpretation(&text);
    assert!(found.stages.is_empty(), "{:?}", found.stages);
    assert!(
        found.problems[0].contains("has no mark at all"),
        "{:?}",
        found.problems
    );
}

#[test]
fn blanks_around_a_mark_are_not_part_of_it() {
    let text = interpretation().to_string().replacen(":3", ":\" 0 \"", 1);
    let found = score_interpretation(&text.replacen(":3", ":\" NA \"", 1));
    assert_eq!(found.problems, Vec::<String>::new());
    let average = found.stage("interpret").unwrap().average.unwrap();
    assert!((average - 5.0 / 6.0).abs() < 1e-12, "{average}");
}

#[test]
fn a_checkpoint_that_is_not_applicable_counts_nowhere() {
    let text = execution(&json!("NA"), &json!(1));
    let gradings = Gradings {
        execute: Some(text.as_bytes()),
        ..Gradings::default()
    };
    for summary in [corrected::summarise(&gradings), published::summarise(&gradings)] {
        assert_eq!(summary.execute(), Some(1.0));
        let environment = &summary.stage("execute_design").unwrap().aspects[0];
        let counted = (environment.scored, environment.not_applicable);
        assert_eq!((environment.name.as_str(), counted), ("environment", (1, 1)));
    }
}

#[test]
fn a_score_beside_none_is_a_difference_and_none_beside_none_is_not() {
    let text = execution(&json!("NA"), &json!("NA"));
    let ours = corrected::summarise(&Gradings {
        execute: Some(text.as_bytes()),
        ..Gradings::default()
    });
    let mut stored = eval_summary::in_released_shape(&ours);
    assert_eq!(stored["execute_design"]["avg_score"], Value::Null);
    assert_eq!(eval_summary::differences(&ours, &stored), Vec::<String>::new());
    stored["execute_design"]["avg_score"] = json!(0.0);
    let [difference] = eval_summary::differences(&ours, &stored).try_into().unwrap();
    assert!(
        difference.contains("at 0.000, and the gradings give no score"),
        "{difference}"
    );
}

#[test]
fn what_cannot_be_a_mark_is_left_out_and_named() {
    let whole = interpretation();
    for (mark, words) in [
        (json!({"score": 3.1}), "outside 0 to 3"),
        (json!({"score": -0.1}), "outside 0 to 3"),
        (json!(3), "is not an object with a `score`"),
    ] {
        let mut marked = whole.clone();
        marked["notes"] = mark;
        let found = score_interpretation(&marked.to_string());
        let [problem] = found.problems.as_slice() else {
            panic!("{words}: {:?}", found.problems);
        };
        assert!(
            problem.contains("`notes`") && problem.contains(words),
            "{problem}"
        );
        assert_eq!(found.stage("interpret").unwrap().average, Some(1.0));
    }
    let odd = execution(&json!("high"), &json!(1));
    let gradings = Gradings {
        execute: Some(odd.as_bytes()),
        ..Gradings::default()
    };
    for summary in [corrected::summarise(&gradings), published::summarise(&gradings)] {
        assert_eq!(summary.execute(), Some(1.0));
        let named = summary
            .problems
            .iter()
            .any(|one| one.contains("`1.1.1` has the score `high`"));
        assert!(named, "{:?}", summary.problems);
    }
}
