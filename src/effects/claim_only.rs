//! The claim of a study by itself, laid out in the workspace of a run.

use std::fs;
use std::path::Path;

use crate::domain::claim::Claim;
use crate::domain::digest::Digest;
use crate::domain::study_kind::Origins;
use crate::domain::workspace_path::WorkspacePath;
use crate::engine::error::EngineError;
use crate::engine::request::RunRequest;
use crate::study::open::Study;

use super::staging::{StagedTask, Staging};

/// Lays out nothing but a claim's statement: no paper, no data, no code, and no hypotheses.
#[derive(Debug, Clone, Copy, Default)]
pub struct ClaimStaging;

impl Staging for ClaimStaging {
    fn stage(&self, request: &RunRequest, workspace: &Path) -> Result<StagedTask, EngineError> {
        let study = Study::open(&request.study)?;
        for folder in [WorkspacePath::WORK, "logs"] {
            let path = workspace.join(folder);
            fs::create_dir_all(&path).map_err(|error| EngineError::io(&path, error))?;
        }
        let statement = study.claim().statement.clone();
        let title = study.about().map(|about| about.title.clone());
        Ok(StagedTask {
            id: study.id().to_owned(),
            title: title.unwrap_or_else(|| study.id().to_owned()),
            origins: Origins::default(),
            digest: Digest::compute_json(&statement),
            claim: Claim {
                statement,
                hypotheses: String::new(),
                criterion: None,
                variants: Vec::new(),
            },
            data: Vec::new(),
            data_digest: Digest::compute(b""),
            code: Vec::new(),
            left_out: Vec::new(),
            study_copy: None,
            capsule: None,
            notebook: None,
        })
    }
}
