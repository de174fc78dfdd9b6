//! A capsule, laid out in the workspace of a run.

use std::fs;
use std::path::Path;

use crate::capsule::layout::error::LayoutError;
use crate::capsule::layout::laid_out::LaidOut;
use crate::capsule::layout::lay_out::lay_out;
use crate::capsule::layout::level::Layout;
use crate::capsule::layout::reproducing::needs_gpu;
use crate::capsule::task_file::TaskFile;
use crate::capsule::terms::CapsuleTerms;
use crate::domain::claim::Claim;
use crate::domain::digest::Digest;
use crate::domain::study_kind::Origins;
use crate::domain::workspace_path::WorkspacePath;
use crate::effects::environment::SessionTerms;
use crate::effects::lasting::workspace::{self, HOME, PYTHON_HOME};
use crate::effects::staging::{StagedTask, Staging};
use crate::engine::error::EngineError;
use crate::engine::request::{CapsuleRequest, RunRequest};
use crate::run::event::FileRecord;

use super::laid_beneath::PlacedFiles;
use super::task_text::TaskText;

/// The folder of the capsule, below `work/`.
pub const ENVIRONMENT: &str = "environment";
/// The folder of a session's exchange.
pub const EXCHANGE: &str = "logs/shell";
/// Where packages of R are installed, below [`HOME`].
pub const R_HOME: &str = "r";

/// Lays out capsules.
pub struct CapsuleStaging;

impl Staging for CapsuleStaging {
    fn stage(&self, request: &RunRequest, workspace: &Path) -> Result<StagedTask, EngineError> {
        let wanted = request.capsule.as_ref().ok_or_else(|| {
            EngineError::Unusable(
                "a run of the track `capsule` names a task file and a task: use `reprise capsule run`"
                    .to_owned(),
            )
        })?;
        let unusable = |error: &dyn std::fmt::Display| EngineError::Unusable(error.to_string());
        let path = request.study.join(&wanted.tasks);
        let file = TaskFile::open(&path).map_err(|error| unusable(&error))?;
        let task = file.get(&wanted.id).ok_or_else(|| {
            EngineError::Unusable(format!("{} holds no task {}", path.display(), wanted.id))
        })?;
        let questions = task.gold.questions().ok_or_else(|| {
            EngineError::Unusable(format!(
                "{}: the `results` of {} are no list of runs with answers",
                path.display(),
                wanted.id
            ))
        })?;
        let folder = folder(wanted);
        workspace::make_folders(
            workspace,
            &[
                WorkspacePath::WORK,
                EXCHANGE,
                &format!("{HOME}/{PYTHON_HOME}"),
                &format!("{HOME}/{R_HOME}"),
            ],
        )?;
        let text = TaskText {
            prompt: &task.prompt,
            questions: &questions,
            level: wanted.level,
            layout: wanted.layout,
            folder: &folder,
        }
        .text();
        let PlacedFiles { data, left_out } = match &wanted.beneath {
            Some(beneath) => PlacedFiles::read(beneath)?,
            None => copied(wanted, &workspace.join(WorkspacePath::WORK), &text)?,
        };
        let data_digest = Digest::compute_json(&data);
        Ok(StagedTask {
            id: wanted.id.to_string(),
            title: format!("{} ({})", task.title, wanted.level.word()),
            origins: Origins::default(),
            digest: Digest::compute_json(&(&text, data_digest)),
            claim: Claim {
                statement: text,
                hypotheses: String::new(),
                criterion: None,
                variants: Vec::new(),
            },
            data,
            data_digest,
            code: Vec::new(),
            left_out,
            study_copy: None,
            capsule: Some(CapsuleTerms {
                tasks: wanted.tasks.clone(),
                id: wanted.id.clone(),
                level: wanted.level,
                layout: wanted.layout,
                agent: wanted.agent.clone(),
                field: task.field.clone(),
                language: task.language.clone(),
                needs_gpu: needs_gpu(wanted.layout, &reproducing(&wanted.source), task.needs_gpu),
                questions,
            }),
            notebook: None,
        })
    }
}

/// Copies the files of a capsule below the folder that a session starts in.
fn copied(wanted: &CapsuleRequest, work: &Path, text: &str) -> Result<PlacedFiles, EngineError> {
    let folder = folder(wanted);
    let target = work.join(&folder);
    fs::create_dir_all(&target).map_err(|error| EngineError::io(&target, error))?;
    let laid_out =
        lay_out(&wanted.source, &target, wanted.layout, wanted.level).map_err(|error| match error {
            LayoutError::Io { path, source, .. } => EngineError::io(&path, source),
            error => EngineError::Unusable(error.to_string()),
        })?;
    if wanted.layout == Layout::Original {
        let path = work.join(ENVIRONMENT).join("task.txt");
        fs::write(&path, format!("{text}\n")).map_err(|error| EngineError::io(&path, error))?;
    }
    Ok(PlacedFiles {
        data: records(&laid_out, &folder)?,
        left_out: left_out(&laid_out),
    })
}

/// Puts the workspace back to where the run began, so that the same commands find the same
/// files.
///
/// # Errors
/// A capsule that is not the one that the run was begun with, or a workspace that cannot be
/// written.
pub fn lay_out_again(terms: &SessionTerms<'_>) -> Result<(), EngineError> {
    workspace::lay_out_again(terms, &CapsuleStaging, &[EXCHANGE], || {
        let capsule = terms.confinement.request.capsule.as_ref();
        let source = capsule.map_or(String::new(), |capsule| capsule.source.display().to_string());
        format!("{source} is not the capsule that the run was begun with")
    })
}

/// The folder of a capsule, below `work/`: the original has a level with its name.
pub fn folder(wanted: &CapsuleRequest) -> String {
    match wanted.layout {
        Layout::Original => format!("{ENVIRONMENT}/{}", wanted.id),
        _ => ENVIRONMENT.to_owned(),
    }
}

fn records(laid_out: &LaidOut, folder: &str) -> Result<Vec<FileRecord>, EngineError> {
    let record = |file: &crate::capsule::layout::laid_out::LaidOutFile| {
        let path = format!("{}/{folder}/{}", WorkspacePath::WORK, file.path);
        Ok(FileRecord {
            path: path
                .parse()
                .map_err(|error| EngineError::Unusable(format!("{error}")))?,
            digest: file.digest,
            size: file.size,
        })
    };
    laid_out.kept.iter().map(record).collect()
}

fn left_out(laid_out: &LaidOut) -> Vec<String> {
    let removed = laid_out.removed.iter();
    let removed = removed.map(|file| format!("{}: {}", file.path, file.reason.words()));
    let copies = laid_out.copies.iter();
    let copies = copies.map(|copy| format!("{}: a copy of {}, which is taken away", copy.path, copy.of));
    removed
        .chain(copies)
        .chain(laid_out.left_out.iter().cloned())
        .collect()
}

/// The text of REPRODUCING.md; empty where there is none that can be read.
pub fn reproducing(source: &Path) -> String {
    fs::read_to_string(source.join("REPRODUCING.md")).unwrap_or_default()
}
