//! A judge's gradings of one run, summed up.

use serde::{Deserialize, Serialize};

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
    /// Files and items that could not be used, a sentence each.
    pub problems: Vec<String>,
    /// Differences from the benchmark's arithmetic, a sentence each.
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
}

/// The mean; `None` of nothing.
pub fn mean(values: &[f64]) -> Option<f64> {
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
}
