//! Several runs of the same cases.

use std::collections::HashMap;

use crate::scoring::url_match::case::CaseId;
use crate::scoring::url_match::files::Prediction;
use crate::scoring::url_match::metrics::{Counts, ModelScore, RunScore};

/// One model's predictions: for each case, in order of first appearance, its runs.
#[derive(Debug, Clone, PartialEq)]
pub struct ModelRuns<'a> {
    pub model: &'a str,
    pub cases: Vec<(&'a CaseId, Vec<&'a Prediction>)>,
}

impl<'a> ModelRuns<'a> {
    /// How many times the most often repeated case was run.
    pub fn count(&self) -> usize {
        self.cases.iter().map(|(_, runs)| runs.len()).max().unwrap_or(0)
    }

    /// The predictions of the run at a position, one a case.
    pub fn run(&self, position: usize) -> impl Iterator<Item = &'a Prediction> + '_ {
        self.cases
            .iter()
            .filter_map(move |(_, runs)| runs.get(position).copied())
    }
}

/// Groups predictions by model and case; the position of a repetition is its run.
pub fn by_model(predictions: &[Prediction]) -> Vec<ModelRuns<'_>> {
    let mut models: Vec<ModelRuns<'_>> = Vec::new();
    let mut places: HashMap<(&str, &CaseId), (usize, usize)> = HashMap::new();
    let mut of_model: HashMap<&str, usize> = HashMap::new();
    for prediction in predictions {
        let model = *of_model.entry(&prediction.model).or_insert_with(|| {
            models.push(ModelRuns {
                model: &prediction.model,
                cases: Vec::new(),
            });
            models.len() - 1
        });
        let (model, case) = *places
            .entry((&prediction.model, &prediction.case))
            .or_insert_with(|| {
                models[model].cases.push((&prediction.case, Vec::new()));
                (model, models[model].cases.len() - 1)
            });
        models[model].cases[case].1.push(prediction);
    }
    models
}

/// Scores each run of each model by the counts of its cases.
pub fn scored(
    predictions: &[Prediction],
    counts: impl Fn(&ModelRuns<'_>, usize) -> Vec<Counts>,
) -> Vec<ModelScore> {
    by_model(predictions)
        .iter()
        .map(|model| ModelScore {
            model: model.model.to_owned(),
            runs: (0..model.count())
                .map(|run| RunScore::average(&counts(model, run)))
                .collect(),
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use crate::scoring::url_match::runs::*;

    #[test]
    fn repetitions_are_runs() {
        let one = |case: i64, model: &str| Prediction {
            case: case.into(),
            model: model.to_owned(),
            urls: Vec::new(),
        };
        let predictions = [one(2, "a"), one(1, "a"), one(2, "b"), one(2, "a")];
        let models = by_model(&predictions);
        assert_eq!(models.len(), 2);
        assert_eq!(models[0].count(), 2);
        let cases = |run| {
            models[0]
                .run(run)
                .map(|one| one.case.to_string())
                .collect::<Vec<_>>()
        };
        assert_eq!(
            (cases(0), cases(1)),
            (vec!["2".to_owned(), "1".to_owned()], vec!["2".to_owned()])
        );
    }
}
