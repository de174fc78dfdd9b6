//! The subject of an approval of an execution.

use std::collections::{BTreeMap, BTreeSet};

use similar::TextDiff;

use crate::domain::digest::Digest;
use crate::domain::execution::{EnvironmentSpec, Limits};
use crate::domain::workspace_path::WorkspacePath;
use crate::engine::error::EngineError;
use crate::engine::facts;
use crate::engine::session::Session;
use crate::policy::approval_digest::FORM;
use crate::policy::subject::{CodeFile, Command, Execute, Mounts, Subject};
use crate::run::event::{Asking, CallRef, FileRecord};
use crate::study::kind::Kind;
use crate::study::manifest::CodeTable;

use super::command::{command, work};
use super::present::PresentFiles;
use super::wanted::ExecutionRequest;
use super::{outputs, variants, workspace_files};
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
    let outputs = own_outputs(session, at, &present.executable)?;
    let files: Vec<&FileRecord> = present
        .work
        .iter()
        .filter(|file| !outputs.contains(*file))
        .collect();
    let plan = plan_file(session, &wanted.declared.file)?;
    let execute = Execute {
        form: FORM,
        environment: wanted.environment,
        commands: wanted
            .declared
            .plan
            .0
            .iter()
            .map(|entry| Command {
                words: command(entry),
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
        },
        variables: Default::default(),
        limits,
        network: !wanted.hosts.is_empty(),
        hosts: wanted.hosts.to_vec(),
        probes: programs::approved(session)?.map(Box::new),
        variants: variants::commands(&wanted.declared.variants, &work()?),
    };
    Ok(execute.canonical())
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

/// The largest file whose text is compared, the longest difference of one file
/// and the longest text of a question, in bytes.
const COMPARED: u64 = 1 << 20;
const ONE: usize = 64 << 10;
const DETAILS: usize = 256 << 10;
/// Files that are listed by name, and characters of the agent's reason.
const LISTED: usize = 500;
const REASON: usize = 300;
/// Files that are gone, and empty folders, that are named.
const GONE: usize = 100;

/// What a person looks at before answering: commands, packages, files with
/// digests, and what changed since the last approval, or else since the study.
///
/// # Errors
/// An earlier approval that the store lacks or holds damaged.
pub fn details(
    session: &Session,
    execute: &Execute,
    environment: &EnvironmentSpec,
    reason: &str,
) -> Result<String, EngineError> {
    let mut text = String::new();
    // One short line: a longer reason could look like the lines below it.
    let reason: String = reason
        .split_whitespace()
        .collect::<Vec<_>>()
        .join(" ")
        .chars()
        .filter(|letter| !letter.is_control())
        .take(REASON)
        .collect();
    if !reason.is_empty() {
        text.push_str(&format!("The agent says: {reason}\n"));
    }
    for command in &execute.commands {
        text.push_str(&format!(
            "command   {}   (in {})\n",
            command.words.join(" "),
            command.directory
        ));
    }
    text.push_str(&variants::details(&execute.variants));
    let packages = serde_json::to_string(environment).unwrap_or_default();
    text.push_str(&format!("packages  {packages}\n"));
    let limits = &execute.limits;
    text.push_str(&format!(
        "limits    {} s, {} MiB, {} processes; {}\n",
        limits.seconds,
        limits.memory >> 20,
        limits.processes,
        if execute.hosts.is_empty() {
            "no network".to_owned()
        } else {
            format!("network only to {}", execute.hosts.join(", "))
        }
    ));
    if session
        .state
        .started
        .as_ref()
        .is_some_and(|started| started.data_digest != execute.mounts.data)
    {
        let folders = workspace_files::data_folders(session).join("/ and ");
        text.push_str(&format!(
            "The data in {folders}/ are NOT those that were staged.\n"
        ));
    }
    if let Some(probes) = &execute.probes {
        text.push_str(&programs::details(probes));
    }
    for file in execute.files.iter().chain(execute.plan.as_deref()).take(LISTED) {
        text.push_str(&format!(
            "file      {}  {} ({} bytes{})\n",
            file.digest.short(),
            file.path,
            file.size,
            if file.executable { ", executable" } else { "" }
        ));
    }
    let unlisted = execute.files.len().saturating_sub(LISTED);
    if unlisted > 0 {
        text.push_str(&format!("{unlisted} more files are not listed here.\n"));
    }
    for folder in execute.empty_folders.iter().take(GONE) {
        text.push_str(&format!("folder    {folder} (empty)\n"));
    }
    let last = last_approved(session)?;
    let before: BTreeMap<WorkspacePath, Digest> = match &last {
        Some(last) => last
            .files
            .iter()
            .chain(last.plan.as_deref())
            .map(|file| (file.path.clone(), file.digest))
            .collect(),
        None => session
            .state
            .started
            .iter()
            .flat_map(|started| started.code.iter().map(|file| (file.path.clone(), file.digest)))
            .collect(),
    };
    text.push_str(if last.is_some() {
        "Since the last approval:\n"
    } else {
        "Nothing was approved before. Against the study's own code:\n"
    });
    let mut hidden = Vec::new();
    for file in shown_first(execute) {
        let known = before.get(&file.path).copied();
        if known == Some(file.digest) {
            continue;
        }
        if text.len() > DETAILS {
            hidden.push(file.path.as_str());
            continue;
        }
        if file.size > COMPARED {
            text.push_str(&format!("{} is too large to be shown\n", file.path));
            continue;
        }
        let new = std::fs::read(file.path.below(&session.folder.workspace())).unwrap_or_default();
        let old = known
            .and_then(|digest| session.store.get(&digest).ok())
            .unwrap_or_default();
        let (old, new) = (
            String::from_utf8_lossy(&old).into_owned(),
            String::from_utf8_lossy(&new).into_owned(),
        );
        let diff = TextDiff::configure()
            .timeout(std::time::Duration::from_secs(2))
            .diff_lines(&old, &new);
        let name = file.path.as_str();
        let diff = diff.unified_diff().header(name, name).to_string();
        let end = diff.floor_char_boundary(ONE.min(diff.len()));
        text.push_str(&diff[..end]);
        if end < diff.len() {
            text.push_str(&format!(
                "\nThe rest of the difference in {name} ({} bytes) is not shown: read the file in the run's workspace.\n",
                diff.len() - end
            ));
        }
    }
    if !hidden.is_empty() {
        text.push_str(&format!(
            "{} changed files are not shown, for want of room: {}. Read them in the run's workspace.\n",
            hidden.len(),
            hidden.iter().take(20).copied().collect::<Vec<_>>().join(", ")
        ));
    }
    let now: BTreeSet<&WorkspacePath> = shown_first(execute).map(|file| &file.path).collect();
    let gone: Vec<&WorkspacePath> = before.keys().filter(|path| !now.contains(path)).collect();
    for path in gone.iter().take(GONE) {
        text.push_str(&format!("gone: {path}\n"));
    }
    if gone.len() > GONE {
        text.push_str(&format!("gone: {} more files\n", gone.len() - GONE));
    }
    if last.is_some_and(|last| last.environment != execute.environment) {
        text.push_str("The environment is another one.\n");
    }
    Ok(text)
}

/// The files of an execution, those that its commands name before all others.
fn shown_first(execute: &Execute) -> impl Iterator<Item = &CodeFile> {
    let further = execute.variants.iter().flat_map(|variant| &variant.commands);
    let commands: Vec<&Command> = execute.commands.iter().chain(further).collect();
    let named = move |file: &&CodeFile| {
        commands.iter().any(|command| {
            command
                .words
                .iter()
                .any(|word| word.ends_with(file.path.file_name()))
        })
    };
    execute
        .files
        .iter()
        .filter(named.clone())
        .chain(execute.files.iter().filter(move |file| !named(file)))
        .chain(execute.plan.as_deref())
}

/// The execution that was approved last.
fn last_approved(session: &Session) -> Result<Option<Execute>, EngineError> {
    let approved = session.state.gate.all().rev().find(|(asked, decided)| {
        asked.asking == Asking::Execute && decided.is_some_and(|decided| decided.allowed)
    });
    let Some((asked, _)) = approved else {
        return Ok(None);
    };
    let bytes = session.load(&asked.subject)?;
    Ok(match serde_json::from_slice(&bytes) {
        Ok(Subject::Execute(execute)) => Some(execute),
        _ => None,
    })
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
