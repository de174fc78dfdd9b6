//! Stages the workspace and starts the journal.

use std::fs;

use crate::domain::criterion::FixedCriterion;
use crate::domain::digest::Digest;
use crate::engine::error::EngineError;
use crate::engine::request::Approve;
use crate::engine::session::Session;
use crate::run::event::{Event, FileRecord, RunSettings, RunStarted};
use crate::study::open::Study;
use crate::study::stage::{self, StagedFile};

use super::context::Effects;

/// A workspace that a dead process left half-made is made anew: the first
/// event is written when it is whole.
pub fn begin(effects: &Effects, session: &mut Session) -> Result<(), EngineError> {
    let request = &effects.request;
    let study = Study::open(&request.study)?;
    if request.stages.contains(crate::domain::stage::Stage::Design)
        || request.stages.contains(crate::domain::stage::Stage::Execute)
    {
        study.ensure_usable_data()?;
    }
    let workspace = session.folder.workspace();
    if workspace.exists() {
        make_removable(&workspace);
        fs::remove_dir_all(&workspace).map_err(|error| EngineError::io(&workspace, error))?;
    }
    let staged = stage::stage(&study, &workspace, request.code_access)?;
    let record = |file: &StagedFile| FileRecord {
        path: file.path.clone(),
        digest: file.digest,
        size: file.size,
    };
    let title = study
        .about()
        .map_or_else(|| study.id().to_owned(), |about| about.title.clone());
    let approve = match &request.approve {
        Approve::Ask => "ask".to_owned(),
        Approve::Auto => "auto".to_owned(),
        Approve::Deny => "deny".to_owned(),
        Approve::Policy(policy) => format!("policy:{} ({})", policy.name, Digest::of(&policy.text).short()),
    };
    let data = staged
        .files
        .iter()
        .filter(|file| file.path.starts_with(crate::study::layout::DATA));
    let code = staged
        .files
        .iter()
        .filter(|file| staged.code.contains(&file.path));
    let mut claim = study.claim().clone();
    if request.format < 2 && claim.criterion == Some(FixedCriterion::usual()) {
        claim.criterion = None;
    }
    let started = RunStarted {
        format: request.format,
        run: request.run.clone(),
        engine: env!("CARGO_PKG_VERSION").to_owned(),
        study: study.id().to_owned(),
        title,
        origins: study.origins(),
        study_digest: study.study_digest()?,
        claim,
        settings: RunSettings {
            model: effects.ports.model.name().to_owned(),
            code_mode: request.code_mode,
            code_access: request.code_access,
            stages: request.stages,
            approve,
            limits: request.limits,
            sampling: request.sampling,
            catalog: effects.ports.catalog.digest(),
            probe: request.probe,
        },
        data: data.map(record).collect(),
        data_digest: staged.data,
        code: code.map(record).collect(),
        left_out: staged
            .left_out
            .iter()
            .map(|left| format!("{}: {}", left.path, left.reason))
            .collect(),
    };
    // Kept so that every later change of the study's code can be shown.
    for file in &started.code {
        let path = file.path.below(&workspace);
        let bytes = fs::read(&path).map_err(|error| EngineError::io(&path, error))?;
        session.store.put(&bytes)?;
    }
    session.record(Event::RunStarted(Box::new(started)))
}

/// Staged folders are read-only; a half-made one has to go all the same.
fn make_removable(folder: &std::path::Path) {
    use std::os::unix::fs::PermissionsExt as _;
    for entry in walkdir::WalkDir::new(folder)
        .follow_links(false)
        .into_iter()
        .flatten()
    {
        if entry.file_type().is_dir() {
            let _removal_will_tell = fs::set_permissions(entry.path(), fs::Permissions::from_mode(0o755));
        }
    }
}
