//! The files that a program left in its copy of the workspace, on their way into the run's.

use std::collections::BTreeMap;
use std::fs;
use std::io::ErrorKind;

use serde_json::Value;
use tokio_util::sync::CancellationToken;

use super::stage_copy::CopyOrder;
use crate::domain::digest::Digest;
use crate::domain::result_line;
use crate::domain::stage::Stage;
use crate::domain::workspace_path::WorkspacePath;
use crate::effects::analyse::outputs::KEPT_OUTPUT;
use crate::effects::analyse::workspace_files;
use crate::engine::error::EngineError;
use crate::engine::session::Session;
use crate::run::event::{Change, FileRecord, ProgramLeft, Snapshot};
use crate::tools::workspace::Workspace;

/// Bytes that are taken over of one start at most.
const MOST_BYTES: u64 = 256 << 20;
/// Files whose changes are kept as texts, and the most bytes of one.
const MOST_CHANGES: usize = 500;
const TEXT: u64 = 1 << 20;
/// Files that are named in a note.
const NAMED: usize = 10;

/// The files that a program left, with what is to be known of them, a sentence each.
pub struct LeftWork {
    pub left: ProgramLeft,
    pub notes: Vec<String>,
}

/// Keeps what a program left. Its answer, and results that only an execution of the engine's writes,
/// stay behind.
///
/// # Errors
/// A file that cannot be read, or a store that cannot be written; [`EngineError::Stopped`] where `cancel`
/// came first.
pub fn keep(
    session: &Session,
    stage: Stage,
    copy: &CopyOrder,
    answers: &[WorkspacePath],
    cancel: &CancellationToken,
) -> Result<LeftWork, EngineError> {
    let target = &copy.target;
    workspace_files::open_up(target, WorkspacePath::WORK);
    let mut notes = workspace_files::remove_odd(target, WorkspacePath::WORK)?;
    for note in &mut notes {
        note.push('.');
    }
    let mut changes = Vec::new();
    if let Some(plan) = &copy.plan {
        changes.extend(changed_plan(session, copy, plan, &mut notes)?);
    }
    for behind in answers
        .iter()
        .map(WorkspacePath::as_str)
        .chain([result_line::FILE])
    {
        let path = target.join(behind);
        match fs::remove_file(&path) {
            Err(error) if error.kind() != ErrorKind::NotFound => return Err(EngineError::io(&path, error)),
            _ => {}
        }
    }
    let before = workspace_files::list(&copy.workspace, WorkspacePath::WORK, cancel)?.files;
    let known: BTreeMap<&WorkspacePath, &FileRecord> = before.iter().map(|file| (&file.path, file)).collect();
    let mut files = Vec::new();
    let (mut bytes_kept, mut too_large) = (0, Vec::new());
    for file in workspace_files::list(target, WorkspacePath::WORK, cancel)?.files {
        let was = known.get(&file.path).copied();
        if was.is_some_and(|was| was.digest == file.digest) {
            files.push(file);
            continue;
        }
        if file.size > KEPT_OUTPUT || bytes_kept + file.size > MOST_BYTES {
            too_large.push(file.path.to_string());
            files.extend(was.cloned());
            continue;
        }
        let path = file.path.below(target);
        let bytes = fs::read(&path).map_err(|error| EngineError::io(&path, error))?;
        bytes_kept += file.size;
        session.store.put(&bytes)?;
        let is_text = file.size <= TEXT && std::str::from_utf8(&bytes).is_ok();
        if is_text && changes.len() < MOST_CHANGES {
            changes.push(Change {
                path: file.path.clone(),
                before: was.map(|was| was.digest),
                after: session.keep(&bytes)?,
            });
        }
        files.push(FileRecord {
            digest: Digest::compute(&bytes),
            ..file
        });
    }
    if !too_large.is_empty() {
        let first: Vec<&str> = too_large.iter().take(NAMED).map(String::as_str).collect();
        notes.push(format!(
            "Files that the program left and that are too large to be taken over: {} ({}).",
            too_large.len(),
            first.join(", ")
        ));
    }
    let work = Snapshot {
        files,
        folders: workspace_files::folders(target, WorkspacePath::WORK)?,
    };
    let work = serde_json::to_vec(&work)
        .map_err(|error| EngineError::Unusable(format!("the file list cannot be written: {error}")))?;
    Ok(LeftWork {
        left: ProgramLeft {
            stage,
            work: session.keep(&work)?,
            changes,
        },
        notes,
    })
}

/// The plan as the program left it, where it changed it; its copy is taken away.
fn changed_plan(
    session: &Session,
    copy: &CopyOrder,
    plan: &str,
    notes: &mut Vec<String>,
) -> Result<Option<Change>, EngineError> {
    let path = copy.plan_copy(plan);
    let found = match fs::symlink_metadata(&path) {
        Ok(found) if found.is_file() && found.len() <= TEXT => {
            fs::read(&path).map_err(|error| EngineError::io(&path, error))?
        }
        Ok(_) => {
            notes.push(format!(
                "The `{plan}` that the program left is not taken over: it is no plan's file."
            ));
            return Ok(None);
        }
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(EngineError::io(&path, error)),
    };
    fs::remove_file(&path).map_err(|error| EngineError::io(&path, error))?;
    let own = copy.workspace.join(plan);
    let before = fs::read(&own).map_err(|error| EngineError::io(&own, error))?;
    if before == found {
        return Ok(None);
    }
    if !serde_json::from_slice::<Value>(&found).is_ok_and(|plan| plan.is_object()) {
        notes.push(format!(
            "The `{plan}` that the program left is not taken over: it is no JSON object."
        ));
        return Ok(None);
    }
    let plan = plan
        .parse()
        .map_err(|error| EngineError::Unusable(format!("{error}")))?;
    session.store.put(&before)?;
    Ok(Some(Change {
        path: plan,
        before: Some(Digest::compute(&before)),
        after: session.keep(&found)?,
    }))
}

/// Takes over what a program left; what stands there already stays.
///
/// # Errors
/// A list or a file that the store lacks or holds damaged, or a workspace that cannot be written.
pub fn take_over(session: &Session, left: &ProgramLeft) -> Result<(), EngineError> {
    let root = session.folder.workspace();
    let work: Snapshot = serde_json::from_slice(&session.load(&left.work)?).map_err(|error| {
        EngineError::Unusable(format!(
            "the list of what the program left cannot be read: {error}"
        ))
    })?;
    let workspace = Workspace::open(&root).map_err(|error| EngineError::io(&root, error))?;
    let write = |path: &WorkspacePath, bytes: &[u8]| {
        let written = workspace.replace(path, bytes);
        written.map_err(|error| EngineError::io(&path.below(&root), error))
    };
    for file in workspace_files::restore(&root, WorkspacePath::WORK, &work)? {
        write(&file.path, &session.store.get(&file.digest)?)?;
    }
    let besides = left.changes.iter();
    for change in besides.filter(|change| !change.path.starts_with(WorkspacePath::WORK)) {
        write(&change.path, &session.load(&change.after)?)?;
    }
    Ok(())
}
