//! What a summary holds, in our shape and in the benchmark's.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

/// One aspect of a stage.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct AspectScore {
    pub name: String,
    /// Between 0 and 1; absent when nothing of it was scored.
    pub score: Option<f64>,
    /// Items with a number.
    pub scored: usize,
    /// Items that the judge called not applicable.
    pub not_applicable: usize,
}

/// One stage: the unweighted mean of its aspects.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct StageScore {
    /// `extract`, `design`, `execute_design`, `execute_execute` or `interpret`.
    pub stage: String,
    pub aspects: Vec<AspectScore>,
    /// Between 0 and 1; absent when no aspect was scored.
    pub average: Option<f64>,
}

/// The gradings of one run by one judge, summed up.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Summary {
    pub stages: Vec<StageScore>,
    /// What could not be used, a sentence each that names the file.
    pub problems: Vec<String>,
    /// What differs from the benchmark's arithmetic, a sentence each.
    pub changes: Vec<String>,
}

impl StageScore {
    /// A stage as the mean of those of its aspects that have a score.
    pub fn new(stage: impl Into<String>, aspects: Vec<AspectScore>) -> Self {
        let scores: Vec<f64> = aspects.iter().filter_map(|aspect| aspect.score).collect();
        Self {
            stage: stage.into(),
            average: mean(&scores),
            aspects,
        }
    }
}

impl Summary {
    /// A stage by name.
    pub fn stage(&self, name: &str) -> Option<&StageScore> {
        self.stages.iter().find(|stage| stage.stage == name)
    }

    /// The score of a stage by name, `execute` for [`Self::execute`].
    pub fn score(&self, name: &str) -> Option<f64> {
        match name {
            "execute" => self.execute(),
            name => self.stage(name)?.average,
        }
    }

    /// Mean of the two halves of the execution, as the paper's Table 2 has it.
    pub fn execute(&self) -> Option<f64> {
        let half = |name| self.stage(name).and_then(|stage| stage.average);
        Some(f64::midpoint(half("execute_design")?, half("execute_execute")?))
    }

    /// The shape of the benchmark's `eval_summary.json`.
    pub fn in_released_shape(&self) -> Value {
        let stages = self.stages.iter().map(|stage| {
            let aspects: Map<_, _> = (stage.aspects.iter())
                .map(|aspect| (aspect.name.clone(), json!(aspect.score)))
                .collect();
            let value = json!({"aspect_scores": aspects, "avg_score": stage.average});
            (stage.stage.clone(), value)
        });
        Value::Object(stages.collect())
    }

    /// How a stored `eval_summary.json` differs from this, a sentence each;
    /// figures are equal within 1e-12. An older form that shows the list aspects
    /// as one is compared by its averages.
    pub fn differences(&self, stored: &Value) -> Vec<String> {
        let mut found = Vec::new();
        let Some(stored) = stored.as_object() else {
            return vec!["The stored summary is not a JSON object.".to_owned()];
        };
        for stage in &self.stages {
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
        for extra in stored.keys().filter(|key| self.stage(key).is_none()) {
            found.push(format!(
                "The stored summary has `{extra}`, which the gradings do not give."
            ));
        }
        found
    }
}

/// The mean; `None` of nothing.
pub fn mean(values: &[f64]) -> Option<f64> {
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
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
        assert_eq!(ours.differences(&ours.in_released_shape()), Vec::<String>::new());
        let mut stored = ours.in_released_shape();
        stored["interpret"]["aspect_scores"]["failure_handling[1]"] = json!(0.750_000_001);
        assert_eq!(ours.differences(&stored).len(), 1);
        stored["design"] = json!({});
        assert!(ours.differences(&stored)[1].contains("`design`, which the gradings do not give"));
        assert_eq!(ours.differences(&json!([])).len(), 1);
    }

    #[test]
    fn the_older_form_is_compared_by_its_average() {
        let older = |average: f64| json!({"interpret": {"aspect_scores": {"failure_handling_avg": 0.5}, "avg_score": average}});
        assert_eq!(summary().differences(&older(0.5)), Vec::<String>::new());
        assert_eq!(summary().differences(&older(0.4)).len(), 1);
    }
}
