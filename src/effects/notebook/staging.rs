//! A notebook task, laid out in the workspace of a run.

use std::fs;
use std::path::Path;

use super::copy::{self, LeftOut};
use super::mirror::{self, Mirror};
use crate::domain::claim::Claim;
use crate::domain::digest::Digest;
use crate::domain::study_kind::Origins;
use crate::domain::workspace_path::WorkspacePath;
use crate::effects::environment::SessionTerms;
use crate::effects::lasting::workspace::{self, HOME, PYTHON_HOME};
use crate::effects::staging::{StagedTask, Staging};
use crate::engine::error::EngineError;
use crate::engine::request::{MirrorRequest, NotebookRequest, RunRequest};
use crate::notebook::pre_cell::PreCell;
use crate::notebook::task::NotebookTask;
use crate::notebook::task_file::NotebookTaskFile;
use crate::notebook::terms::{CopiedRepository, NotebookTerms};
use crate::run::event::FileRecord;
use crate::sandbox::contract::INSIDE;

/// The folder of a session's exchange, with the whole output of each cell.
pub const EXCHANGE: &str = "logs/kernel";

/// The same of the shell of a program of others, which stands beside the cells of the task.
pub const PROGRAM_EXCHANGE: &str = "logs/program";

/// Where mirrors stand that cells clone, below [`HOME`].
const MIRRORS: &str = ".mirrors";

/// Lays out notebook tasks.
pub struct NotebookStaging;

impl Staging for NotebookStaging {
    fn stage(&self, request: &RunRequest, workspace: &Path) -> Result<StagedTask, EngineError> {
        let wanted = request.notebook.as_ref().ok_or_else(|| {
            EngineError::Unusable(
                "a run of the track `notebook` names a task file and a task: use `reprise notebook run`"
                    .to_owned(),
            )
        })?;
        let task = task(request, wanted)?;
        workspace::make_folders(
            workspace,
            &[WorkspacePath::WORK, EXCHANGE, &format!("{HOME}/{PYTHON_HOME}")],
        )?;
        let copied = match (&wanted.mirror, &task.repository) {
            (Some(mirror), Some(address)) => Some(repository(mirror, address, &task, workspace)?),
            _ => None,
        };
        let copied = copied.unwrap_or_default();
        let text = text(&task, copied.repository.as_ref());
        let commit = copied
            .repository
            .as_ref()
            .and_then(|copied| copied.commit.clone());
        let data_digest = Digest::compute_json(&(&copied.files, commit));
        Ok(StagedTask {
            id: task.id.clone(),
            title: format!("{} ({})", task.id, task.set),
            origins: Origins::default(),
            digest: Digest::compute_json(&(&text, &task.pre_cells, data_digest)),
            claim: Claim {
                statement: text,
                hypotheses: String::new(),
                criterion: None,
                variants: Vec::new(),
            },
            data: copied.files,
            data_digest,
            code: Vec::new(),
            left_out: copied.left_out,
            study_copy: None,
            capsule: None,
            notebook: Some(NotebookTerms {
                tasks: wanted.tasks.clone(),
                id: task.id,
                set: task.set,
                category: task.category,
                repository: copied.repository,
                pre_cells: task.pre_cells,
                limits: wanted.limits,
                cleaning: wanted.cleaning,
                agent: wanted.agent.clone(),
            }),
        })
    }
}

fn task(request: &RunRequest, wanted: &NotebookRequest) -> Result<NotebookTask, EngineError> {
    let path = request.study.join(&wanted.tasks);
    let file = NotebookTaskFile::open(&path).map_err(|error| EngineError::Unusable(error.to_string()))?;
    let task = file.get(&wanted.id).cloned();
    task.ok_or_else(|| EngineError::Unusable(format!("{} holds no task {}", path.display(), wanted.id)))
}

/// A repository that was copied.
#[derive(Default)]
struct Copied {
    repository: Option<CopiedRepository>,
    files: Vec<FileRecord>,
    left_out: LeftOut,
}

fn repository(
    mirror: &MirrorRequest,
    address: &str,
    task: &NotebookTask,
    workspace: &Path,
) -> Result<Copied, EngineError> {
    let unusable = |error: mirror::MirrorFault| EngineError::Unusable(error.to_string());
    let folder = mirror::name(address).map_err(unusable)?;
    let is_cloned = mirror.commit.is_some() && task.pre_cells.iter().any(PreCell::clones);
    let target = match is_cloned {
        true => workspace.join(HOME).join(MIRRORS).join(format!("{folder}.git")),
        false => workspace.join(WorkspacePath::WORK).join(&folder),
    };
    if !mirror.folder.is_dir() {
        return Err(EngineError::Unusable(format!(
            "the mirror {} of {address} is gone: put it back, or begin another run with --repos",
            mirror.folder.display()
        )));
    }
    let mut left_out = match &mirror.commit {
        Some(commit) => {
            let found = Mirror {
                folder: mirror.folder.clone(),
                has_history: true,
            };
            match is_cloned {
                true => {
                    found.clone_bare(address, commit, &target).map_err(unusable)?;
                    let place = format!("{INSIDE}/{HOME}/{MIRRORS}/{folder}.git");
                    let settings = workspace.join(HOME).join(".gitconfig");
                    fs::write(&settings, mirror::stands_in(address, &place))
                        .map_err(|error| EngineError::io(&settings, error))?;
                }
                false => found.clone_at(address, commit, &target).map_err(unusable)?,
            }
            LeftOut::new()
        }
        None => copy::plain_files(&mirror.folder, &target)?,
    };
    let mut files = Vec::new();
    if !is_cloned {
        let found = copy::records(workspace, &target)?;
        files = found.files;
        left_out.extend(found.left_out);
    }
    Ok(Copied {
        repository: Some(CopiedRepository {
            address: address.to_owned(),
            folder,
            is_cloned,
            commit: mirror.commit.clone(),
            commit_of_task: task.commit.clone(),
        }),
        files,
        left_out,
    })
}

/// The task as its agent is given it: its query, and where its repository stands.
fn text(task: &NotebookTask, repository: Option<&CopiedRepository>) -> String {
    let query = task.query.trim();
    match repository {
        Some(repository) if repository.is_cloned => format!(
            "{query}\n\nA mirror stands in for {0}: `git clone {0}` takes it without a network.",
            repository.address
        ),
        Some(repository) => format!(
            "{query}\n\nThe repository {} stands in the folder `{}` already.",
            repository.address, repository.folder
        ),
        None => query.to_owned(),
    }
}

/// Puts the workspace back to where the run began, so that the same cells find the same files.
///
/// # Errors
/// A repository that is not the one that the run was begun with, or a workspace that cannot be
/// written.
pub fn lay_out_again(terms: &SessionTerms<'_>) -> Result<(), EngineError> {
    workspace::lay_out_again(terms, &NotebookStaging, &[EXCHANGE, PROGRAM_EXCHANGE], || {
        let notebook = terms.confinement.request.notebook.as_ref();
        let mirror = notebook.and_then(|notebook| notebook.mirror.as_ref());
        let folder = mirror.map_or_else(String::new, |mirror| mirror.folder.display().to_string());
        format!("{folder} is not what the run was begun with")
    })
}
