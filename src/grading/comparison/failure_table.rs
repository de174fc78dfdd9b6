//! Failures by model, as Table 5 of the paper has them.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::grading::comparison::failure_counts::FailureCount;
use crate::scoring::failures::Breakdown;

/// The failures of some sources together.
#[derive(Debug, Clone, Default, Serialize)]
pub struct FailureSum {
    /// Logs and runs.
    pub sources: usize,
    #[serde(flatten)]
    pub breakdown: Breakdown,
    /// Tool results that were read; `None` where only errors are seen.
    pub calls: Option<usize>,
}

/// One model's failures.
#[derive(Debug, Serialize)]
pub struct ModelFailures<'a> {
    pub model: &'a str,
    pub all: FailureSum,
    /// The same by setting; empty where the place of no source says one.
    pub settings: BTreeMap<&'a str, FailureSum>,
}

impl FailureSum {
    /// The sum over some sources.
    pub fn of<'a>(sources: impl IntoIterator<Item = &'a FailureCount>) -> Self {
        let sources: Vec<&FailureCount> = sources.into_iter().collect();
        let causes = sources.iter().flat_map(|one| one.breakdown.causes());
        Self {
            sources: sources.len(),
            breakdown: Breakdown::count(causes),
            calls: sources.iter().map(|one| one.calls.as_ref().map(Vec::len)).sum(),
        }
    }
}

/// The rows of the table, by model; no source is lost.
pub fn by_model(counted: &[FailureCount]) -> Vec<ModelFailures<'_>> {
    let mut models: BTreeMap<&str, Vec<&FailureCount>> = BTreeMap::new();
    for one in counted {
        models.entry(&one.model).or_default().push(one);
    }
    models
        .into_iter()
        .map(|(model, sources)| {
            let mut settings: BTreeMap<&str, Vec<&FailureCount>> = BTreeMap::new();
            for one in &sources {
                settings.entry(&one.setting).or_default().push(one);
            }
            if settings.keys().all(|setting| setting.is_empty()) {
                settings.clear();
            }
            let settings = settings.into_iter();
            ModelFailures {
                model,
                all: FailureSum::of(sources.iter().copied()),
                settings: settings.map(|(name, of)| (name, FailureSum::of(of))).collect(),
            }
        })
        .collect()
}
