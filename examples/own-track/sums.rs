//! The track: its tasks and its grader.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use reprise::artifacts::content;
use reprise::artifacts::store::Store;
use reprise::domain::claim::Claim;
use reprise::domain::digest::Digest;
use reprise::domain::grade::{Grade, GradedPart};
use reprise::domain::stage::Stage;
use reprise::domain::study_kind::Origins;
use reprise::effects::environment::Environment;
use reprise::effects::track_parts::{EndedRun, StagedTask, TrackParts};
use reprise::engine::error::EngineError;
use reprise::engine::request::RunRequest;
use reprise::run::event::{Event, FileRecord};
use reprise::run::state::State;
use reprise::study::task_file::{TASK, TaskFile};
use serde::Deserialize;
use serde_json::Value;

use crate::abacus::Abacus;

/// The name of the file with the numbers, in the task and below `data/` in the workspace.
const NUMBERS: &str = "millimetres.txt";

/// The track `sums`.
pub struct Sums;

#[derive(Deserialize)]
struct Answers {
    gold: Gold,
}

/// What the grader holds answers against; no agent is shown it.
#[derive(Deserialize)]
struct Gold {
    sum: f64,
}

impl TrackParts for Sums {
    fn name(&self) -> &str {
        "sums"
    }

    fn stage(&self, request: &RunRequest, workspace: &Path) -> Result<StagedTask, EngineError> {
        let none = || EngineError::Unusable(format!("{} holds no {TASK}", request.study.display()));
        let file = TaskFile::find(&request.study)?.ok_or_else(none)?;
        let bytes = read(&request.study.join(NUMBERS))?;
        let io = |error| EngineError::io(workspace, error);
        for folder in ["data", "work", "logs"] {
            fs::create_dir_all(workspace.join(folder)).map_err(io)?;
        }
        let path = format!("data/{NUMBERS}");
        fs::write(workspace.join(&path), &bytes).map_err(io)?;
        let record = FileRecord {
            path: path.parse().map_err(unusable)?,
            digest: Digest::compute(&bytes),
            size: bytes.len() as u64,
        };
        Ok(StagedTask {
            title: file.title.unwrap_or_else(|| file.id.clone()),
            id: file.id,
            origins: Origins::default(),
            digest: Digest::compute_json(&(&file.question, record.digest)),
            claim: Claim {
                statement: file.question,
                hypotheses: String::new(),
                criterion: None,
                variants: Vec::new(),
            },
            data_digest: record.digest,
            data: vec![record],
            code: Vec::new(),
            left_out: Vec::new(),
        })
    }

    fn environment(&self) -> Option<Arc<dyn Environment>> {
        Some(Arc::new(Abacus))
    }

    fn grade(&self, run: &EndedRun<'_>) -> Result<Event, EngineError> {
        let text = String::from_utf8(read(&run.task.join(TASK))?).map_err(unusable)?;
        let gold = toml::from_str::<Answers>(&text).map_err(unusable)?.gold;
        let parts = ["count", "answer"].map(|stage| part(run.state, run.store, stage, &gold));
        Ok(Event::RunGraded {
            grade: Box::new(Grade {
                grader: "exact-sum".to_owned(),
                parts: parts.into_iter().collect::<Result<_, _>>()?,
            }),
        })
    }
}

/// Whether a stage's sum is the right one; unscored where it gave none.
fn part(state: &State, store: &dyn Store, stage: &str, gold: &Gold) -> Result<GradedPart, EngineError> {
    let answered = Stage::named(stage).and_then(|stage| state.stages.get(&stage)?.artifact());
    let sum = match answered {
        Some(artifact) => serde_json::from_slice::<Value>(&content::load(artifact, store)?)
            .map_err(unusable)?["sum"]
            .as_f64(),
        None => None,
    };
    Ok(GradedPart {
        name: stage.to_owned(),
        score: sum.map(|sum| f64::from(u8::from(sum == gold.sum))),
        detail: match sum {
            Some(sum) if sum == gold.sum => format!("{sum} is right"),
            Some(sum) => format!("{sum} is wrong"),
            None => "it gave no sum".to_owned(),
        },
    })
}

fn read(path: &Path) -> Result<Vec<u8>, EngineError> {
    fs::read(path).map_err(|error| EngineError::io(path, error))
}

fn unusable(error: impl std::fmt::Display) -> EngineError {
    EngineError::Unusable(error.to_string())
}
