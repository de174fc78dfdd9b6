//! The staging: a list of numbers, and what is asked of it.

use std::fs;
use std::path::Path;

use reprise::domain::claim::Claim;
use reprise::domain::digest::Digest;
use reprise::domain::study_kind::Origins;
use reprise::effects::staging::{StagedTask, Staging};
use reprise::engine::error::EngineError;
use reprise::engine::request::RunRequest;
use reprise::run::event::FileRecord;
use reprise::study::task_file::{TASK, TaskFile};

/// The name of the file with the numbers, in the task and below `data/` in the workspace.
const NUMBERS: &str = "millimetres.txt";

/// Tasks with a file of numbers.
pub struct Numbers;

impl Staging for Numbers {
    fn stage(&self, request: &RunRequest, workspace: &Path) -> Result<StagedTask, EngineError> {
        let none = || EngineError::Unusable(format!("{} holds no {TASK}", request.study.display()));
        let file = TaskFile::find(&request.study)?.ok_or_else(none)?;
        let numbers = request.study.join(NUMBERS);
        let bytes = fs::read(&numbers).map_err(|error| EngineError::io(&numbers, error))?;
        let io = |error| EngineError::io(workspace, error);
        for folder in ["data", "work", "logs"] {
            fs::create_dir_all(workspace.join(folder)).map_err(io)?;
        }
        let path = format!("data/{NUMBERS}");
        fs::write(workspace.join(&path), &bytes).map_err(io)?;
        let unusable = |error: &dyn std::fmt::Display| EngineError::Unusable(error.to_string());
        let record = FileRecord {
            path: path.parse().map_err(|error| unusable(&error))?,
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
            study_copy: None,
            capsule: None,
            notebook: None,
        })
    }
}
