//! Scores of a run in Inspect's form.

use serde_json::{Map, Value, json};

use crate::domain::verdict::Outcome;
use crate::report::export::exported_run::ExportedRun;

/// The scorer of replications: 1 where the preregistered rule decides, met or not.
pub const DECIDED: &str = "decided";
/// The scorer of replications that says how it decides, in words.
pub const VERDICT: &str = "verdict";

/// The scores of a run by their scorers; none of one that nothing can be said of, which is no zero.
pub fn scores(exported: &ExportedRun<'_>) -> Map<String, Value> {
    let state = &exported.run.state;
    let mut scores = Map::new();
    if let Some(verdict) = &state.verdict {
        let decides = matches!(verdict.outcome, Outcome::Met | Outcome::Unmet);
        for (scorer, value) in [
            (DECIDED, json!(u8::from(decides))),
            (VERDICT, json!(verdict.outcome.words())),
        ] {
            let score = json!({
                "value": value,
                "answer": verdict.outcome.words(),
                "explanation": verdict.reason,
                "metadata": { "criterion": verdict.criterion, "finding": verdict.finding },
                "history": [],
            });
            scores.insert(scorer.to_owned(), score);
        }
    }
    if let Some(grade) = &state.grade
        && let Some(mean) = grade.mean()
    {
        let score = json!({
            "value": mean,
            "answer": grade.line(),
            "explanation": grade.parts.iter().map(|part| format!("{}: {}", part.name, part.detail)).collect::<Vec<_>>().join("\n"),
            "metadata": { "parts": grade.parts, "others": grade.others, "also": grade.also },
            "history": [],
        });
        scores.insert(grade.grader.clone(), score);
    }
    scores
}

/// The scorers of some runs with their means, as `results.scores` has them.
pub fn results(samples: &[Map<String, Value>]) -> Vec<Value> {
    let mut scorers: Vec<&String> = samples.iter().flat_map(Map::keys).collect();
    scorers.sort();
    scorers.dedup();
    let result = |scorer: &&String| {
        let values: Vec<&Value> = samples
            .iter()
            .filter_map(|scores| Some(&scores.get(*scorer)?["value"]))
            .collect();
        let number = |value: &&Value| match value {
            Value::String(word) => f64::from(u8::from(word == Outcome::Met.words())),
            value => value.as_f64().unwrap_or_default(),
        };
        let numbers: Vec<f64> = values.iter().map(number).collect();
        let mean = numbers.iter().sum::<f64>() / numbers.len() as f64;
        let name = match scorer.as_str() {
            VERDICT => "met",
            _ => "mean",
        };
        json!({
            "name": scorer,
            "scorer": scorer,
            "scored_samples": numbers.len(),
            "unscored_samples": samples.len() - numbers.len(),
            "params": {},
            "metrics": { name: { "name": name, "value": mean, "params": {} } },
        })
    };
    scorers.iter().map(result).collect()
}
