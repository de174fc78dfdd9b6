//! The details of a question about an execution: what a person looks at before answering.

use std::collections::{BTreeMap, BTreeSet};

use similar::TextDiff;

use crate::domain::digest::Digest;
use crate::domain::excerpt;
use crate::domain::workspace_path::WorkspacePath;
use crate::engine::error::EngineError;
use crate::engine::session::Session;
use crate::environment::language::Language;
use crate::environment::lock::LockedPackage;
use crate::policy::subject::{CodeFile, Command, Execute, Subject};
use crate::run::event::Asking;
use crate::sandbox::contract::ADO;

use super::wanted::ExecutionRequest;
use super::{doubtful_names, variants, workspace_files};
use crate::effects::lasting::words;
use crate::effects::probe::programs;

/// The largest file whose text is compared, the longest difference of one file
/// and the longest text of a question, in bytes.
const COMPARED: u64 = 1 << 20;
const ONE: usize = 64 << 10;
const DETAILS: usize = 256 << 10;
/// Files that are listed by name, and characters of the agent's reason.
const LISTED: usize = 500;
const REASON: usize = 300;
/// Files of the data that are listed by name.
const LISTED_DATA: usize = 50;
/// Files that are gone, and empty folders, that are named.
const GONE: usize = 100;

/// The agent's reason, commands, packages, data, files with digests, and what changed since
/// the last approval, or else since the study.
///
/// # Errors
/// An earlier approval that the store lacks or holds damaged.
pub fn details(
    session: &Session,
    execute: &Execute,
    wanted: ExecutionRequest<'_>,
    reason: &str,
) -> Result<String, EngineError> {
    let declared = wanted.declared;
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
    if let Some(lock) = &declared.lock {
        text.push_str(&format!(
            "lock      {}  as of {}, {} packages; versions below are its own\n",
            lock.digest().short(),
            lock.as_of.day,
            lock.packages.len()
        ));
        for own in &lock.own {
            let name = own.name.replace(char::is_control, " ");
            text.push_str(&format!(
                "own       {} {name}: this folder's own, asked of no index\n",
                own.language
            ));
        }
    }
    for line in declared.environment.lines() {
        // An agent wrote the names: none can pass for a line of ours.
        text.push_str(&format!("packages  {}\n", line.replace('\n', " ")));
    }
    text.push_str(&doubtful_names::warnings(&declared.environment));
    text.push_str(&ado_packages(wanted));
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
    let day = words::day(&execute.hosts, declared.lock.as_ref().map(|lock| &lock.as_of));
    if !day.is_empty() {
        text.push_str(&format!("day      {day}\n"));
    }
    data(&mut text, session, execute);
    if let Some(probes) = &execute.probes {
        text.push_str(&programs::details(probes));
    }
    files(&mut text, execute);
    let last = last_approved(session)?;
    let before = known_before(session, last.as_ref());
    text.push_str(if last.is_some() {
        "Since the last approval:\n"
    } else {
        "Nothing was approved before. Against the study's own code:\n"
    });
    // The plan is a stage's answer, and long: what is worth a look is what was changed of it.
    let compared = shown_first(execute).filter(|file| last.is_some() || !is_plan(execute, file));
    changes(&mut text, session, compared, &before)?;
    gone(&mut text, execute, &before);
    if last.is_some_and(|last| last.environment != execute.environment) {
        text.push_str("The environment is another one.\n");
    }
    Ok(text)
}

/// The packages of Stata that are shown beside the workspace, a line each.
fn ado_packages(wanted: ExecutionRequest<'_>) -> String {
    let lock = wanted.declared.lock.iter().filter(|_| wanted.ado.is_some());
    let packages = lock.flat_map(|lock| lock.packages_of(Language::Stata));
    let line = |package: &LockedPackage| {
        let (name, version) = (&package.name, &package.version);
        format!("ado       {name} {version}, of the lock").replace('\n', " ")
            + &format!("; read-only at {ADO}\n")
    };
    packages.map(line).collect()
}

/// The data that the commands may read.
fn data(text: &mut String, session: &Session, execute: &Execute) {
    let Some(started) = &session.state.started else {
        return;
    };
    for file in started.data.iter().take(LISTED_DATA) {
        text.push_str(&format!(
            "data      {}  {} ({} bytes, read only)\n",
            file.digest.short(),
            file.path,
            file.size
        ));
    }
    let unlisted = started.data.len().saturating_sub(LISTED_DATA);
    if unlisted > 0 {
        text.push_str(&format!("{unlisted} more files of data are not listed here.\n"));
    }
    if started.data_digest != execute.mounts.data {
        let folders = workspace_files::data_folders(session).join("/ and ");
        text.push_str(&format!(
            "The data in {folders}/ are NOT those that were staged.\n"
        ));
    }
}

/// The code that the commands can reach.
fn files(text: &mut String, execute: &Execute) {
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
}

fn is_plan(execute: &Execute, file: &CodeFile) -> bool {
    execute.plan.as_deref().is_some_and(|plan| plan.path == file.path)
}

/// The files that were approved last, or else the study's own code.
fn known_before(session: &Session, last: Option<&Execute>) -> BTreeMap<WorkspacePath, Digest> {
    match last {
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
    }
}

/// The differences of files from what is known of them.
fn changes<'a>(
    text: &mut String,
    session: &Session,
    files: impl Iterator<Item = &'a CodeFile>,
    before: &BTreeMap<WorkspacePath, Digest>,
) -> Result<(), EngineError> {
    let mut hidden = Vec::new();
    for file in files {
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
        let path = file.path.below(&session.folder.workspace());
        let new = std::fs::read(&path).map_err(|error| EngineError::io(&path, error))?;
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
        let shown = excerpt::first_bytes(&diff, ONE);
        text.push_str(shown);
        if shown.len() < diff.len() {
            text.push_str(&format!(
                "\nThe rest of the difference in {name} ({} bytes) is not shown: read the file in the run's workspace.\n",
                diff.len() - shown.len()
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
    Ok(())
}

/// The files that were known and are gone.
fn gone(text: &mut String, execute: &Execute, before: &BTreeMap<WorkspacePath, Digest>) {
    let now: BTreeSet<&WorkspacePath> = shown_first(execute).map(|file| &file.path).collect();
    let gone: Vec<&WorkspacePath> = before.keys().filter(|path| !now.contains(path)).collect();
    for path in gone.iter().take(GONE) {
        text.push_str(&format!("gone: {path}\n"));
    }
    if gone.len() > GONE {
        text.push_str(&format!("gone: {} more files\n", gone.len() - GONE));
    }
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
        Ok(Subject::Execute(execute)) => Some(*execute),
        _ => None,
    })
}
