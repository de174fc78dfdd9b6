//! The replication track: a study's claim, executed command by command, judged by the
//! preregistered rule.

use std::path::Path;

use crate::domain::criterion::FixedCriterion;
use crate::domain::replication;
use crate::domain::stage::Stage;
use crate::engine::error::EngineError;
use crate::engine::request::RunRequest;
use crate::run::event::FileRecord;
use crate::study::layout;
use crate::study::open::Study;
use crate::study::stage::{self, StagedFile};

use super::conclude;
use super::grader::{EndedRun, Grader, Judgement};
use super::staging::{StagedTask, Staging};

/// The staging of studies.
#[derive(Debug, Clone, Copy, Default)]
pub struct StudyStaging;

/// The grader of a claim.
#[derive(Debug, Clone, Copy, Default)]
pub struct PreregisteredRule;

impl Staging for StudyStaging {
    fn stage(&self, request: &RunRequest, workspace: &Path) -> Result<StagedTask, EngineError> {
        let study = Study::open(&request.study)?;
        let covers = |stage| replication::track().covers(request.stages, stage);
        if covers(Stage::DESIGN) || covers(Stage::EXECUTE) {
            study.ensure_usable_data()?;
        }
        let staged = stage::stage(&study, workspace, request.code_access)?;
        let record = |file: &StagedFile| FileRecord {
            path: file.path.clone(),
            digest: file.digest,
            size: file.size,
        };
        let files = || staged.files.iter();
        let data = files().filter(|file| file.path.starts_with(layout::DATA));
        let code = files().filter(|file| staged.code.contains(&file.path));
        let title = study.about().map(|about| about.title.clone());
        let mut claim = study.claim().clone();
        if request.format < 2 && claim.criterion == Some(FixedCriterion::usual().on(study.origins().data)) {
            claim.criterion = None;
        }
        Ok(StagedTask {
            id: study.id().to_owned(),
            title: title.unwrap_or_else(|| study.id().to_owned()),
            origins: study.origins(),
            digest: study.study_digest()?,
            claim,
            data: data.map(record).collect(),
            data_digest: staged.data,
            code: code.map(record).collect(),
            left_out: staged
                .left_out
                .iter()
                .map(|left| format!("{}: {}", left.path, left.reason))
                .collect(),
            study_copy: Some(study.copy()),
            capsule: None,
            notebook: None,
        })
    }
}

impl Grader for PreregisteredRule {
    fn name(&self) -> &str {
        replication::GRADER
    }

    fn grade(&self, run: &EndedRun<'_>) -> Result<Judgement, EngineError> {
        let probes = run.state.probes.summary.as_ref();
        let verdict = conclude::verdict(run.state, run.store, probes)?;
        Ok(Judgement::Verdict(Box::new(verdict)))
    }
}
