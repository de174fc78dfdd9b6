//! The grader: a number is right or wrong.

use std::collections::BTreeMap;
use std::fs;

use reprise::artifacts::content;
use reprise::domain::grade::GradedPart;
use reprise::domain::stage::Stage;
use reprise::effects::grader::{EndedRun, Grader, Judgement};
use reprise::engine::error::EngineError;
use reprise::study::task_file::TASK;
use serde::Deserialize;
use serde_json::Value;

/// Holds one number of the stages' answers against the task's.
pub struct Exact {
    pub name: &'static str,
    /// The number's key, in the answers and below `gold` in the task.
    pub key: &'static str,
    pub stages: &'static [&'static str],
}

#[derive(Deserialize)]
struct Answers {
    /// No agent is shown it.
    gold: BTreeMap<String, f64>,
}

impl Grader for Exact {
    fn name(&self) -> &str {
        self.name
    }

    fn grade(&self, run: &EndedRun<'_>) -> Result<Judgement, EngineError> {
        let path = run.task.join(TASK);
        let text = fs::read_to_string(&path).map_err(|error| EngineError::io(&path, error))?;
        let gold = toml::from_str::<Answers>(&text).map_err(unusable)?.gold;
        let none = || EngineError::Unusable(format!("{}: `gold` has no `{}`", path.display(), self.key));
        let gold = *gold.get(self.key).ok_or_else(none)?;
        let parts = self.stages.iter().map(|stage| self.part(run, stage, gold));
        Ok(Judgement::Parts {
            parts: parts.collect::<Result<_, _>>()?,
            others: Vec::new(),
            also: Vec::new(),
        })
    }
}

impl Exact {
    /// Whether a stage's number is the right one; unscored where it gave none.
    fn part(&self, run: &EndedRun<'_>, stage: &str, gold: f64) -> Result<GradedPart, EngineError> {
        let answered = Stage::named(stage).and_then(|stage| run.state.stages.get(&stage)?.artifact());
        let number = match answered {
            Some(artifact) => serde_json::from_slice::<Value>(&content::load(artifact, run.store)?)
                .map_err(unusable)?[self.key]
                .as_f64(),
            None => None,
        };
        Ok(GradedPart {
            name: stage.to_owned(),
            score: number.map(|number| f64::from(u8::from(number == gold))),
            detail: match number {
                Some(number) if number == gold => format!("{number} is right"),
                Some(number) => format!("{number} is wrong"),
                None => format!("it gave no {}", self.key),
            },
        })
    }
}

fn unusable(error: impl std::fmt::Display) -> EngineError {
    EngineError::Unusable(error.to_string())
}
