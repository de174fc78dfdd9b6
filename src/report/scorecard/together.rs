//! Several runs' scores taken together.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::analysis::intervals;
use crate::domain::finding::Interval;
use crate::scoring::aggregate::grading::GradedStage;
use crate::scoring::aggregate::summary::mean;
use crate::scoring::agreement::measures::Agreement;
use crate::scoring::agreement::table::{Rating, Table};
use crate::scoring::judge::grade::{By, FieldGrade};
use crate::scoring::outcome::{OutcomeScore, score};

use super::card::{Against, Between, JudgeCard, Scorecard};

/// The mean of one figure over runs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Average {
    pub label: String,
    pub mean: Option<f64>,
    /// 95 %, by t, over runs; absent of fewer than two.
    pub interval: Option<Interval>,
    /// Runs that have the figure, of all.
    pub scored: u64,
    pub runs: u64,
}

/// The verdicts of one model.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ModelOutcome {
    pub model: String,
    pub score: OutcomeScore,
}

/// Everything about several runs that one of them does not say.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Together {
    pub outcomes: Vec<ModelOutcome>,
    pub averages: Vec<Average>,
}

impl Together {
    /// The runs' scores taken together.
    pub fn of(cards: &[Scorecard]) -> Self {
        let mut models: BTreeMap<&str, Vec<&Scorecard>> = BTreeMap::new();
        for card in cards {
            models.entry(&card.model).or_default().push(card);
        }
        let outcomes = models.iter().filter_map(|(model, cards)| {
            let labelled: Vec<_> = cards
                .iter()
                .filter_map(|card| Some((card.outcome.label?, card.outcome.verdict)))
                .collect();
            (!labelled.is_empty()).then(|| ModelOutcome {
                model: (*model).to_owned(),
                score: score(labelled),
            })
        });
        let mut figures: Vec<(String, Vec<f64>)> = Vec::new();
        let mut add = |label: String, value: Option<f64>| {
            let at = figures
                .iter()
                .position(|(known, _)| *known == label)
                .unwrap_or_else(|| {
                    figures.push((label, Vec::new()));
                    figures.len() - 1
                });
            figures[at].1.extend(value);
        };
        for card in cards {
            for headline in &card.headlines {
                add(headline.label.clone(), headline.value);
            }
            for judge in &card.judges {
                for stage in &judge.stages {
                    let value = stage.figures().and_then(|figures| figures.score);
                    add(format!("{}, judged by {}", stage.stage, judge.judge), value);
                }
            }
        }
        let averages = figures.into_iter().map(|(label, values)| Average {
            label,
            mean: mean(&values),
            interval: intervals::mean(&values, 0.95),
            scored: values.len() as u64,
            runs: cards.len() as u64,
        });
        Self {
            outcomes: outcomes.collect(),
            averages: averages.collect(),
        }
    }
}

/// How far each two judges of a run agree, over the fields that both judged.
pub fn between(judges: &[JudgeCard]) -> Vec<Between> {
    let mut found = Vec::new();
    for (at, first) in judges.iter().enumerate() {
        for second in &judges[at + 1..] {
            for stage in GradedStage::all() {
                found.extend(compare(first, second, stage));
            }
        }
    }
    found
}

fn compare(first: &JudgeCard, second: &JudgeCard, stage: GradedStage) -> Option<Between> {
    let of = |judge: &JudgeCard| -> Option<Against> {
        let card = judge.stages.iter().find(|card| card.stage == stage)?;
        card.against.first().cloned()
    };
    let (ours, theirs) = (of(first)?, of(second)?);
    let judged = |field: &&FieldGrade| field.by == By::Judge;
    let ratings: Vec<Rating> = (ours.grading.fields.iter().filter(judged))
        .map(|field| Rating {
            paper: String::new(),
            judge: field.mark.score(),
            human: (theirs.grading.fields.iter())
                .find(|other| other.path == field.path)
                .and_then(|other| other.mark.score()),
        })
        .collect();
    let categories = usize::from(ours.grading.highest.max(theirs.grading.highest)) + 1;
    let table = Table::of(&ratings, categories).ok()?;
    (table.n() > 0).then(|| Between {
        first: first.judge.clone(),
        second: second.judge.clone(),
        stage,
        agreement: Agreement::of(table),
    })
}
