//! Several runs' scores taken together.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::domain::finding::Interval;
use crate::domain::format;
use crate::grading::judge::grade::{FieldGrade, GradedBy};
use crate::scoring::aggregate::grading::GradedStage;
use crate::scoring::aggregate::summary::mean;
use crate::scoring::agreement::compared::{Compared, Resampling};
use crate::scoring::agreement::measures::Agreement;
use crate::scoring::agreement::table::{AgreementTable, Rating};
use crate::scoring::outcome::{OutcomeScore, score};
use crate::statistics::intervals;

use crate::grading::scorecard::card::{Against, Between, CODE, JudgeCard, Scorecard};

/// The mean of one figure over the runs of one model in one setting.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Average {
    pub model: String,
    /// The code mode, with the sandbox and the sampling where these differ.
    pub setting: String,
    /// The figure's name; of a judge's, the stage.
    pub label: String,
    /// `None`: decided by code.
    pub judge: Option<String>,
    /// Over studies, the runs of each averaged.
    pub mean: Option<f64>,
    /// 95 %, by t, over studies, cut at the ends of the scale; absent of fewer than two.
    pub interval: Option<Interval>,
    /// Runs that have the figure, of all.
    pub scored: u64,
    pub runs: u64,
    /// Studies that have the figure.
    pub studies: u64,
}

/// A figure's name, and the judge that gave it.
type Source = (String, Option<String>);

/// A figure with the best possible value, and its values by study.
type Figure<'a> = (Source, f64, BTreeMap<&'a str, Vec<f64>>);

/// The verdicts of one model in one setting.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ModelOutcome {
    pub model: String,
    pub setting: String,
    pub score: OutcomeScore,
    /// Runs without an end of the agent's own whose study has a label: neither right nor wrong.
    pub unfinished: u64,
    /// Notes that a reader of the score needs, in sentences.
    pub notes: Vec<String>,
}

/// Everything about several runs that one of them does not say.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Together {
    pub outcomes: Vec<ModelOutcome>,
    pub averages: Vec<Average>,
    /// Each two judges over all runs, by stage.
    pub alike: Vec<Alike>,
}

/// Two judges over the fields that both marked, whole studies resampled.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Alike {
    pub first: String,
    pub second: String,
    pub compared: Compared,
}

/// Resampling of whole studies; the seed is fixed so that a page is the same
/// each time.
const RESAMPLING: Resampling = Resampling {
    resamples: 1_000,
    seed: 20_260_211,
};

impl Together {
    /// The runs' scores taken together, each model in each setting for itself.
    pub fn from_cards(cards: &[Scorecard]) -> Self {
        let mut groups: Vec<((&str, String), Vec<&Scorecard>)> = Vec::new();
        for card in cards {
            let group = (card.model.as_str(), setting(card, cards));
            match groups.iter_mut().find(|(known, _)| *known == group) {
                Some((_, members)) => members.push(card),
                None => groups.push((group, vec![card])),
            }
        }
        groups.sort_by(|(one, _), (other, _)| one.cmp(other));
        let mut together = Self {
            alike: alike(cards),
            ..Self::default()
        };
        for ((model, setting), members) in &groups {
            together.outcomes.extend(outcome(model, setting, members));
            together.averages.extend(averages(model, setting, members));
        }
        together
    }
}

/// The setting within which a run is compared: the code mode, and whatever else differs
/// between the runs of its model.
fn setting(card: &Scorecard, cards: &[Scorecard]) -> String {
    let own = &card.circumstances;
    let mut alike = cards.iter().filter(|other| other.model == card.model);
    let mut parts = vec![card.setting.clone()];
    if !own.sandbox.is_empty() && alike.any(|other| other.circumstances.sandbox != own.sandbox) {
        parts.push(format!("sandbox {}", own.sandbox));
    }
    if !own.drawing.is_empty() {
        parts.push(own.drawing.clone());
    }
    parts.join(", ")
}

fn outcome(model: &str, setting: &str, cards: &[&Scorecard]) -> Option<ModelOutcome> {
    let labelled = || cards.iter().filter(|card| card.outcome.label.is_some());
    let has_ended = |card: &&&Scorecard| card.circumstances.unfinished.is_none();
    let verdicts = labelled().filter(has_ended).filter_map(|card| {
        let outcome = &card.outcome;
        Some((card.study.as_str(), outcome.label?, outcome.verdict))
    });
    let score = score(verdicts);
    let unfinished = labelled().count() as u64 - score.accuracy.of;
    let mut notes = Vec::new();
    notes.extend(score.repeats_caution());
    if unfinished > 0 {
        notes.push(format!(
            "{unfinished} more {} no end of the agent's own: neither right nor wrong.",
            format::plural(unfinished, "run has", "runs have"),
        ));
    }
    (score.accuracy.of + unfinished > 0).then(|| ModelOutcome {
        model: model.to_owned(),
        setting: setting.to_owned(),
        score,
        unfinished,
        notes,
    })
}

/// The figures of one group, each with its maximum and its values by study.
fn averages(model: &str, setting: &str, cards: &[&Scorecard]) -> Vec<Average> {
    let mut figures: Vec<Figure<'_>> = Vec::new();
    let mut add = |label: Source, max: f64, (study, value): (_, Option<f64>)| {
        let at = figures
            .iter()
            .position(|(known, ..)| *known == label)
            .unwrap_or_else(|| {
                figures.push((label, max, BTreeMap::new()));
                figures.len() - 1
            });
        if let Some(value) = value {
            figures[at].2.entry(study).or_default().push(value);
        }
    };
    for card in cards {
        let study = card.study.as_str();
        for headline in &card.headlines {
            add(
                (headline.label.clone(), None),
                headline.max,
                (study, headline.value),
            );
        }
        // What code decides has its headlines.
        for judge in card.judges.iter().filter(|judge| judge.judge != CODE) {
            for stage in &judge.stages {
                let value = stage.figures().and_then(|figures| figures.score);
                add((stage.label(), Some(judge.judge.clone())), 1.0, (study, value));
            }
        }
    }
    let average = |((label, judge), max, studies): Figure<'_>| {
        let values: Vec<f64> = studies.values().filter_map(|runs| mean(runs)).collect();
        Average {
            model: model.to_owned(),
            setting: setting.to_owned(),
            label,
            judge,
            mean: mean(&values),
            interval: intervals::mean(&values, 0.95).map(|one| Interval {
                lower: one.lower.max(0.0),
                upper: one.upper.min(max),
                ..one
            }),
            scored: studies.values().map(|runs| runs.len() as u64).sum(),
            runs: cards.len() as u64,
            studies: values.len() as u64,
        }
    };
    figures.into_iter().map(average).collect()
}

/// Each two judges of several runs.
fn alike(cards: &[Scorecard]) -> Vec<Alike> {
    let mut names: Vec<&str> = Vec::new();
    for judge in cards.iter().flat_map(|card| &card.judges) {
        if judge.judge != CODE && !names.contains(&judge.judge.as_str()) {
            names.push(&judge.judge);
        }
    }
    let mut found = Vec::new();
    for (at, first) in names.iter().enumerate() {
        for second in &names[at + 1..] {
            for stage in GradedStage::all() {
                found.extend(alike_on(cards, first, second, stage));
            }
        }
    }
    found
}

fn alike_on(cards: &[Scorecard], first: &str, second: &str, stage: GradedStage) -> Option<Alike> {
    let (mut ratings, mut highest) = (Vec::new(), 1);
    for card in cards {
        let of = |name: &str| card.judges.iter().find(|judge| judge.judge == name);
        if let (Some(one), Some(other)) = (of(first), of(second))
            && let Some((own, top)) = ratings_of(&card.study, one, other, stage)
        {
            ratings.extend(own);
            highest = highest.max(top);
        }
    }
    let (compared, _) =
        Compared::measure(stage.name(), &ratings, usize::from(highest) + 1, RESAMPLING).ok()?;
    (compared.agreement.table.n() > 0).then(|| Alike {
        first: first.to_owned(),
        second: second.to_owned(),
        compared,
    })
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
    let (ratings, highest) = ratings_of("", first, second, stage)?;
    let table = AgreementTable::from_ratings(&ratings, usize::from(highest) + 1).ok()?;
    (table.n() > 0).then(|| Between {
        first: first.judge.clone(),
        second: second.judge.clone(),
        stage,
        agreement: Agreement::from_table(table),
    })
}

/// The marks of two judges for the fields that the first one judged, and the highest
/// mark that there is.
fn ratings_of(
    paper: &str,
    first: &JudgeCard,
    second: &JudgeCard,
    stage: GradedStage,
) -> Option<(Vec<Rating>, u8)> {
    let of = |judge: &JudgeCard| -> Option<(String, Against)> {
        let card = judge.stages.iter().find(|card| card.stage == stage)?;
        Some((card.scale.clone(), card.against.first().cloned()?))
    };
    let ((scale, ours), (other_scale, theirs)) = (of(first)?, of(second)?);
    // Marks of two scales agree or differ by the scale, not by the judge.
    if scale != other_scale {
        return None;
    }
    let judged = |field: &&FieldGrade| field.by == GradedBy::Judge;
    let ratings = (ours.grading.fields.iter().filter(judged)).map(|field| Rating {
        paper: paper.to_owned(),
        judge: field.mark.whole(),
        human: (theirs.grading.fields.iter())
            .find(|other| other.path == field.path)
            .and_then(|other| other.mark.whole()),
    });
    let highest = ours.grading.highest.max(theirs.grading.highest);
    Some((ratings.collect(), highest))
}
