//! Verdicts against labels, by model and setting.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::grading::discovery::run_outcome::RunOutcome;
use crate::scoring::outcome::{OutcomeScore, score};

/// The verdicts of one model in one setting.
#[derive(Debug, Serialize)]
pub struct OutcomeGroup<'a> {
    pub model: &'a str,
    pub setting: &'a str,
    pub score: OutcomeScore,
    /// With the mixed answers that somebody has read by hand as they were read; `None`
    /// where there are none.
    pub by_hand: Option<OutcomeScore>,
    /// Runs without an end of the agent's own.
    pub unfinished: usize,
    pub verdicts: Vec<&'a RunOutcome>,
}

impl<'a> OutcomeGroup<'a> {
    fn new(model: &'a str, setting: &'a str, runs: Vec<&'a RunOutcome>) -> Self {
        let ended = runs.iter().filter(|one| one.unfinished.is_none());
        let verdicts = |by_hand: bool| {
            ended.clone().filter_map(move |one| {
                let read = one.read_by_hand.filter(|_| by_hand);
                Some((one.study.as_str(), one.label?, read.unwrap_or(one.verdict)))
            })
        };
        let are_read = runs.iter().any(|one| one.read_by_hand.is_some());
        Self {
            by_hand: are_read.then(|| score(verdicts(true))),
            model,
            setting,
            score: score(verdicts(false)),
            unfinished: runs.iter().filter(|one| one.unfinished.is_some()).count(),
            verdicts: runs,
        }
    }
}

/// The groups of the runs that have a label.
pub fn groups(all: &[RunOutcome]) -> Vec<OutcomeGroup<'_>> {
    let mut groups: BTreeMap<(&str, &str), Vec<&RunOutcome>> = BTreeMap::new();
    for one in all.iter().filter(|one| one.label.is_some()) {
        groups.entry((&one.model, &one.setting)).or_default().push(one);
    }
    groups
        .into_iter()
        .map(|((model, setting), runs)| OutcomeGroup::new(model, setting, runs))
        .collect()
}
