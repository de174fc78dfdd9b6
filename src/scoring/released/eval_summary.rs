//! The benchmark's `eval_summary.json`, written and compared.
//!
//! Source: the summaries that `validator/aggregate_eval_scores.py` wrote beside the
//! released gradings.

use serde_json::{Map, Value, json};

use crate::scoring::aggregate::summary::Summary;

/// The shape of the benchmark's `eval_summary.json`.
pub fn in_released_shape(summary: &Summary) -> Value {
    let stages = summary.stages.iter().map(|stage| {
        let aspects: Map<_, _> = (stage.aspects.iter())
            .map(|aspect| (aspect.name.clone(), json!(aspect.score)))
            .collect();
        let value = json!({"aspect_scores": aspects, "avg_score": stage.average});
        (stage.stage.clone(), value)
    });
    Value::Object(stages.collect())
}

/// How a stored `eval_summary.json` differs from a summary, a sentence each;
/// figures are equal within 1e-12. An older form that shows the list aspects
/// as one is compared by its averages.
pub fn differences(summary: &Summary, stored: &Value) -> Vec<String> {
    let mut found = Vec::new();
    let Some(stored) = stored.as_object() else {
        return vec!["The stored summary is not a JSON object.".to_owned()];
    };
    for stage in &summary.stages {
        let Some(theirs) = stored.get(&stage.stage) else {
            found.push(format!(
                "The stored summary has no `{}`, which the gradings put at {}.",
                stage.stage,
                shown(stage.average)
            ));
            continue;
        };
        let average = theirs.get("avg_score").and_then(Value::as_f64);
        if !equal(stage.average, average) {
            found.push(format!(
                "The stored summary has `{}` at {}, and the gradings give {}.",
                stage.stage,
                shown(average),
                shown(stage.average)
            ));
        }
        let aspects = theirs.get("aspect_scores").and_then(Value::as_object);
        let is_older = aspects.is_some_and(|aspects| aspects.contains_key("failure_handling_avg"));
        for aspect in stage.aspects.iter().filter(|_| !is_older) {
            let theirs = aspects
                .and_then(|aspects| aspects.get(&aspect.name))
                .and_then(Value::as_f64);
            if !equal(aspect.score, theirs) {
                found.push(format!(
                    "The stored summary has `{}` of `{}` at {}, and the gradings give {}.",
                    aspect.name,
                    stage.stage,
                    shown(theirs),
                    shown(aspect.score)
                ));
            }
        }
    }
    for extra in stored
        .keys()
        .filter(|key| !summary.stages.iter().any(|stage| stage.stage == **key))
    {
        found.push(format!(
            "The stored summary has `{extra}`, which the gradings do not give."
        ));
    }
    found
}

fn equal(a: Option<f64>, b: Option<f64>) -> bool {
    match (a, b) {
        (Some(a), Some(b)) => (a - b).abs() <= 1e-12,
        (None, None) => true,
        _ => false,
    }
}

fn shown(score: Option<f64>) -> String {
    score.map_or_else(|| "no score".to_owned(), |score| format!("{score:.3}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scoring::aggregate::summary::{AspectScore, StageScore};

    fn summary() -> Summary {
        let aspect = |name: &str, score| AspectScore {
            name: name.to_owned(),
            score: Some(score),
            scored: 1,
            not_applicable: 0,
        };
        Summary {
            stages: vec![StageScore::new(
                "interpret",
                vec![
                    aspect("failure_handling[0]", 0.25),
                    aspect("failure_handling[1]", 0.75),
                ],
            )],
            ..Summary::default()
        }
    }

    #[test]
    fn a_difference_in_the_ninth_digit_is_one() {
        let ours = summary();
        assert_eq!(
            differences(&ours, &in_released_shape(&ours)),
            Vec::<String>::new()
        );
        let mut stored = in_released_shape(&ours);
        stored["interpret"]["aspect_scores"]["failure_handling[1]"] = json!(0.750_000_001);
        assert_eq!(differences(&ours, &stored).len(), 1);
        stored["design"] = json!({});
        assert!(differences(&ours, &stored)[1].contains("`design`, which the gradings do not give"));
        assert_eq!(differences(&ours, &json!([])).len(), 1);
    }

    #[test]
    fn the_older_form_is_compared_by_its_average() {
        let older = |average: f64| json!({"interpret": {"aspect_scores": {"failure_handling_avg": 0.5}, "avg_score": average}});
        assert_eq!(differences(&summary(), &older(0.5)), Vec::<String>::new());
        assert_eq!(differences(&summary(), &older(0.4)).len(), 1);
    }
}
