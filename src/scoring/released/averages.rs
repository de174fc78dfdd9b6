//! Precision, recall and F1 of the web search over cases, run by run.
//!
//! Source: `data/results/web-search/evaluate.py` of the released benchmark. The position of
//! a repetition of a case is its run, and an undefined share is 0.

use std::collections::HashMap;

use crate::scoring::url_match::case::CaseId;
use crate::scoring::url_match::files::Prediction;
use crate::scoring::url_match::metrics::{Counts, ModelScore, Prf, RunScore};

/// One model: for each case, in order of first appearance, its predictions.
struct Repetitions<'a> {
    model: &'a str,
    cases: Vec<(&'a CaseId, Vec<&'a Prediction>)>,
}

/// Scores each run of each model by the counts of its cases, without those that have none.
pub(super) fn scored(
    predictions: &[Prediction],
    counts: impl Fn(&Prediction) -> Option<Counts>,
) -> Vec<ModelScore> {
    let run = |model: &Repetitions<'_>, position: usize| {
        let of_run = model.cases.iter().filter_map(|(_, runs)| runs.get(position));
        average(
            &of_run
                .filter_map(|prediction| counts(prediction))
                .collect::<Vec<_>>(),
        )
    };
    (by_model(predictions).iter())
        .map(|model| {
            let runs = model.cases.iter().map(|(_, runs)| runs.len()).max();
            ModelScore {
                model: model.model.to_owned(),
                runs: (0..runs.unwrap_or(0))
                    .map(|position| run(model, position))
                    .collect(),
            }
        })
        .collect()
}

fn by_model(predictions: &[Prediction]) -> Vec<Repetitions<'_>> {
    let mut models: Vec<Repetitions<'_>> = Vec::new();
    let mut of_model: HashMap<&str, usize> = HashMap::new();
    let mut of_case: HashMap<(usize, &CaseId), usize> = HashMap::new();
    for prediction in predictions {
        let at = *of_model.entry(&prediction.model).or_insert_with(|| {
            models.push(Repetitions {
                model: &prediction.model,
                cases: Vec::new(),
            });
            models.len() - 1
        });
        let cases = &mut models[at].cases;
        let case = *of_case.entry((at, &prediction.case)).or_insert_with(|| {
            cases.push((&prediction.case, Vec::new()));
            cases.len() - 1
        });
        cases[case].1.push(prediction);
    }
    models
}

fn prf(counts: Counts) -> Prf {
    let share = |part: usize, rest: usize| {
        if part + rest == 0 {
            0.0
        } else {
            part as f64 / (part + rest) as f64
        }
    };
    let (precision, recall) = (
        share(counts.right, counts.wrong),
        share(counts.found, counts.missed),
    );
    let f1 = if precision + recall > 0.0 {
        2.0 * precision * recall / (precision + recall)
    } else {
        0.0
    };
    Prf {
        precision,
        recall,
        f1,
    }
}

/// The averages over cases; all zero of none.
fn average(cases: &[Counts]) -> RunScore {
    if cases.is_empty() {
        return RunScore::default();
    }
    let mut total = Counts::default();
    for case in cases {
        total.right += case.right;
        total.wrong += case.wrong;
        total.found += case.found;
        total.missed += case.missed;
    }
    let mean = |of: &dyn Fn(&Counts) -> f64| cases.iter().map(of).sum::<f64>() / cases.len() as f64;
    RunScore {
        macro_average: Prf {
            precision: mean(&|case| prf(*case).precision),
            recall: mean(&|case| prf(*case).recall),
            f1: mean(&|case| prf(*case).f1),
        },
        micro_average: prf(total),
        hit_any: mean(&|case| f64::from(u8::from(case.found > 0))),
        hit_all: mean(&|case| f64::from(u8::from(case.missed == 0))),
        cases: cases.len(),
    }
}
