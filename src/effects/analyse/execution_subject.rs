//! The subject of an approval of an execution.

use std::collections::BTreeSet;

use crate::domain::digest::Digest;
use crate::domain::execution::Limits;
use crate::domain::workspace_path::WorkspacePath;
use crate::engine::error::EngineError;
use crate::engine::facts;
use crate::engine::session::Session;
use crate::policy::approval_digest::FORM;
use crate::policy::subject::{CodeFile, Command, Execute, Mounts};
use crate::run::event::{CallRef, FileRecord};
use crate::study::kind::Kind;
use crate::study::manifest::CodeTable;

use super::command::{command, work};
use super::present::PresentFiles;
use super::wanted::ExecutionRequest;
use super::{outputs, variants};
use crate::effects::helpers;
use crate::effects::probe::programs;

/// The canonical subject of running `plan` in an environment, for one call.
///
/// # Errors
/// Files of the workspace that cannot be read, or a plan that the store lacks.
pub fn build(
    session: &Session,
    at: CallRef,
    wanted: ExecutionRequest<'_>,
    limits: Limits,
    present: &PresentFiles,
) -> Result<Execute, EngineError> {
    let directory = work()?;
    let r_defaults = session.state.r_defaults();
    let outputs = own_outputs(session, at, &present.executable)?;
    let files: Vec<&FileRecord> = present
        .work
        .iter()
        .filter(|file| !outputs.contains(*file))
        .collect();
    let plan = plan_file(session, &wanted.declared.file)?;
    let execute = Execute {
        form: FORM,
        environment: under_lock(wanted),
        commands: wanted
            .declared
            .plan
            .0
            .iter()
            .map(|entry| Command {
                words: command(entry, r_defaults),
                directory: directory.clone(),
            })
            .collect(),
        files: files
            .iter()
            .map(|file| CodeFile {
                path: file.path.clone(),
                digest: file.digest,
                size: file.size,
                executable: present.executable.contains(&file.path),
            })
            .chain(helpers::code_files(session)?)
            .collect(),
        empty_folders: empty_folders(session, at, &files, &present.folders)?,
        plan: plan.map(Box::new),
        mounts: Mounts {
            data: data_digest(session, &present.data),
            writable: vec![directory],
            ado: wanted.ado.map(|shown| shown.digest),
        },
        variables: Default::default(),
        limits,
        network: !wanted.hosts.is_empty(),
        hosts: wanted.hosts.to_vec(),
        probes: programs::approved(session)?.map(Box::new),
        variants: variants::commands(&wanted.declared.variants, &work()?, r_defaults),
    };
    Ok(execute.canonical())
}

/// The digest of the environment, and of the lock that it is held to.
fn under_lock(wanted: ExecutionRequest<'_>) -> Digest {
    match &wanted.declared.lock {
        Some(lock) => Digest::compute_json(&(wanted.environment, lock.digest())),
        None => wanted.environment,
    }
}

/// The plan as it stands: the sandbox shows it to commands.
fn plan_file(session: &Session, name: &str) -> Result<Option<CodeFile>, EngineError> {
    let path: WorkspacePath = name
        .parse()
        .map_err(|error| EngineError::Unusable(format!("{error}")))?;
    let on_disk = path.below(&session.folder.workspace());
    match std::fs::read(&on_disk) {
        Ok(bytes) => Ok(Some(CodeFile {
            path,
            digest: Digest::compute(&bytes),
            size: bytes.len() as u64,
            executable: false,
        })),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(EngineError::io(&on_disk, error)),
    }
}

/// What this call's earlier entries wrote: part of the approved plan, unless it
/// is code, or an agent or anybody else has touched it since.
fn own_outputs(
    session: &Session,
    at: CallRef,
    executable: &BTreeSet<WorkspacePath>,
) -> Result<BTreeSet<FileRecord>, EngineError> {
    let mut own = BTreeSet::new();
    for finished in session
        .state
        .executions
        .iter()
        .filter(|execution| execution.started.at == at)
        .filter_map(|execution| execution.finished.as_ref())
    {
        own.extend(outputs::all(session, finished)?);
    }
    own.retain(|file| !runs_as_code(&file.path) && !executable.contains(&file.path));
    Ok(own)
}

/// What interpreters and linkers run or obey by themselves, beside scripts.
const LOADED: &[&str] = &[
    "pyc", "pyo", "pyd", "pth", "egg", "whl", "so", "dylib", "dll", "jar", "class", "rprofile", "renviron",
];

fn runs_as_code(path: &WorkspacePath) -> bool {
    let name = path.file_name().to_ascii_lowercase();
    // `.Rprofile` is all name, and `libx.so.1` ends in a number.
    let loaded = name.split('.').skip(1).any(|part| LOADED.contains(&part));
    loaded || Kind::from_path(path, &CodeTable::default()) == Kind::Code
}

/// Folders with no file of the approved plan below them, of those that were there before the
/// call's first command: what it makes itself is its own.
fn empty_folders(
    session: &Session,
    at: CallRef,
    files: &[&FileRecord],
    folders: &[WorkspacePath],
) -> Result<Vec<WorkspacePath>, EngineError> {
    let mut executions = session.state.executions.iter();
    let first = executions.find(|one| one.started.at == at && one.finished.is_some());
    let before = match first {
        Some(first) => Some(facts::before(first, session.store.as_ref())?.folders),
        None => None,
    };
    let before: Option<BTreeSet<WorkspacePath>> = before.map(|folders| folders.into_iter().collect());
    let mut filled: BTreeSet<&str> = BTreeSet::new();
    for file in files {
        let mut path = file.path.as_str();
        while let Some((folder, _)) = path.rsplit_once('/') {
            if !filled.insert(folder) {
                break;
            }
            path = folder;
        }
    }
    let empty = folders.iter().filter(|folder| !filled.contains(folder.as_str()));
    let there = empty.filter(|folder| before.as_ref().is_none_or(|before| before.contains(*folder)));
    Ok(there.cloned().collect())
}

/// The digest of the data as they are: that of the staging while nothing has
/// changed since.
fn data_digest(session: &Session, found: &[FileRecord]) -> Digest {
    match &session.state.started {
        Some(started) if same_files(&started.data, found) => started.data_digest,
        _ => Digest::compute_json(&found),
    }
}

fn same_files(one: &[FileRecord], other: &[FileRecord]) -> bool {
    let set = |files: &[FileRecord]| files.iter().cloned().collect::<BTreeSet<_>>();
    set(one) == set(other)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_runs_by_itself_is_code() {
        let runs = |path: &str| runs_as_code(&path.parse().unwrap());
        for code in [
            "work/helper.py",
            "work/__pycache__/helper.cpython-311.pyc",
            "work/helper.pyc",
            "work/fast.cpython-311-x86_64-linux-gnu.so",
            "work/libfast.so.1",
            "work/.Rprofile",
            "work/sub/.Renviron",
            "work/extra.pth",
        ] {
            assert!(runs(code), "{code}");
        }
        for data in [
            "work/result.csv",
            "work/model.rds",
            "work/so/table.txt",
            "work/pth",
            "work/figure.png",
        ] {
            assert!(!runs(data), "{data}");
        }
    }
}
