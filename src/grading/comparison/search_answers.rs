//! Proposed addresses against a gold set, answer by answer and model by model.

use crate::grading::discovery::search_files::SearchAnswerFiles;
use crate::scoring::released::url_match;
use crate::scoring::released::url_match::{Credit, Prefixes};
use crate::scoring::url_match::case::CaseId;
use crate::scoring::url_match::files::Prediction;
use crate::scoring::url_match::levels;
use crate::scoring::url_match::levels::{CaseMatches, PredictionMatch};
use crate::scoring::url_match::limit::Limit;
use crate::scoring::url_match::metrics::{Counts, ModelScore};
use crate::scoring::url_match::runs::by_model;

/// The name of the released rule.
pub const COMPAT: &str = "compat";

/// The rule by which addresses are matched.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SearchRule {
    /// ReplicatorBench's own.
    Compat,
    /// The resource itself.
    Strict,
    /// Every level at which a resource is met.
    Levels,
}

/// The scores of each model, by name of the rule.
pub fn scores(files: &SearchAnswerFiles, rule: SearchRule) -> Vec<(&'static str, Vec<ModelScore>)> {
    let all = (&files.gold, &files.predictions, &files.curated);
    match rule {
        SearchRule::Compat => vec![(COMPAT, url_match::score(all.0, all.1, Prefixes::EitherWay))],
        SearchRule::Strict => vec![(
            Limit::Strict.name(),
            levels::score(all.0, all.1, all.2, Limit::Strict),
        )],
        SearchRule::Levels => (Limit::ALL.into_iter())
            .map(|limit| (limit.name(), levels::score(all.0, all.1, all.2, limit)))
            .collect(),
    }
}

/// One answer of one run.
#[derive(Debug)]
pub struct SearchAnswer<'a> {
    pub model: &'a str,
    pub run: usize,
    pub prediction: &'a Prediction,
    /// By name of the rule.
    pub counts: Vec<(&'static str, Counts)>,
    pub found: AddressMatches,
}

/// The matches of an answer's addresses.
#[derive(Debug)]
pub enum AddressMatches {
    Credited(Vec<Credit>),
    /// Prediction by prediction and resource by resource.
    Leveled(CaseMatches, Vec<PredictionMatch>),
}

/// Every answer with what its addresses came to.
pub fn answers(files: &SearchAnswerFiles, rule: SearchRule) -> Vec<SearchAnswer<'_>> {
    let limits: &[Limit] = match rule {
        SearchRule::Compat => &[],
        SearchRule::Strict => &[Limit::Strict],
        SearchRule::Levels => &Limit::ALL,
    };
    let mut answers = Vec::new();
    for model in by_model(&files.predictions) {
        for (case, runs) in &model.cases {
            let Some(gold) = files.gold.iter().find(|gold| gold.id == **case) else {
                continue;
            };
            for (run, prediction) in runs.iter().copied().enumerate() {
                let urls = &prediction.urls;
                let (counts, found) = if rule == SearchRule::Compat {
                    let (counts, credits) = url_match::trace(gold, urls, Prefixes::EitherWay);
                    (vec![(COMPAT, counts)], AddressMatches::Credited(credits))
                } else {
                    let matches = levels::matches(gold, urls, &files.curated);
                    let counts = limits.iter().map(|limit| (limit.name(), matches.count(*limit)));
                    let predictions = levels::by_prediction(gold, urls, &files.curated);
                    (counts.collect(), AddressMatches::Leveled(matches, predictions))
                };
                answers.push(SearchAnswer {
                    model: model.model,
                    run,
                    prediction,
                    counts,
                    found,
                });
            }
        }
    }
    answers
}

/// By model and run, the cases of the gold set that the run has no prediction of.
pub fn missing(files: &SearchAnswerFiles) -> Vec<(&str, Vec<Vec<&CaseId>>)> {
    let models = by_model(&files.predictions);
    let of_run = |present: Vec<&CaseId>| -> Vec<&CaseId> {
        let all = files.gold.iter().map(|case| &case.id);
        all.filter(|case| !present.contains(case)).collect()
    };
    (models.iter())
        .map(|model| {
            let runs = (0..model.count()).map(|run| of_run(model.run(run).map(|one| &one.case).collect()));
            (model.model, runs.collect())
        })
        .collect()
}
