//! What an approval of an execution is about.

use std::collections::BTreeSet;

use similar::TextDiff;

use crate::domain::digest::Digest;
use crate::domain::execution::Limits;
use crate::domain::plan::ExecutionPlan;
use crate::domain::workspace_path::WorkspacePath;
use crate::engine::error::EngineError;
use crate::engine::session::Session;
use crate::policy::subject::{CodeFile, Command, Execute, ExecutionLimits, Mounts, Subject};
use crate::run::event::{Asking, FileRecord};
use crate::study::kind::Kind;
use crate::study::manifest::CodeTable;

/// The folder that commands start in and the only one they may write.
pub fn work() -> Result<WorkspacePath, EngineError> {
    WorkspacePath::WORK
        .parse()
        .map_err(|error| EngineError::Unusable(format!("{error}")))
}

/// The command line of an entry, as seen from the work folder.
pub fn command(entry: &crate::domain::plan::EntryPoint) -> Vec<String> {
    let script = entry
        .path
        .as_str()
        .strip_prefix("work/")
        .map_or_else(|| format!("../{}", entry.path), ToOwned::to_owned);
    // A script whose name begins with a dash must not be read as an option.
    let script = if script.starts_with('-') {
        format!("./{script}")
    } else {
        script
    };
    entry.interpreter.command(&script, &entry.arguments)
}

/// The canonical subject of running `plan` in an environment.
pub fn build(
    session: &Session,
    plan: &ExecutionPlan,
    environment: Digest,
    limits: Limits,
    present: &[FileRecord],
) -> Result<Execute, EngineError> {
    let directory = work()?;
    let outputs = data_outputs(session);
    let data = session
        .state
        .started
        .as_ref()
        .map_or_else(|| Digest::of(""), |started| started.data_digest);
    let execute = Execute {
        environment,
        commands: plan
            .0
            .iter()
            .map(|entry| Command {
                words: command(entry),
                directory: directory.clone(),
            })
            .collect(),
        files: present
            .iter()
            .filter(|file| !outputs.contains(&file.path))
            .map(|file| CodeFile {
                path: file.path.clone(),
                digest: file.digest,
                size: file.size,
            })
            .collect(),
        mounts: Mounts {
            data,
            writable: vec![directory],
        },
        variables: Default::default(),
        limits: ExecutionLimits {
            seconds: limits.seconds,
            memory: limits.memory,
            processes: limits.processes,
            output: limits.output,
            file: limits.file,
        },
        network: false,
    };
    Ok(execute.canonical())
}

/// Files that approved executions wrote, that are not code, and that no agent
/// has touched since: results, not something that could run unseen.
fn data_outputs(session: &Session) -> BTreeSet<WorkspacePath> {
    let mut outputs: BTreeSet<WorkspacePath> = session
        .state
        .executions
        .iter()
        .filter_map(|execution| execution.finished.as_ref())
        .flat_map(|finished| finished.outputs.iter().map(|file| file.path.clone()))
        .filter(|path| Kind::of(path, &CodeTable::default()) != Kind::Code)
        .collect();
    for stage in session.state.stages.values() {
        for result in stage.turns.iter().flat_map(|turn| turn.results.values()) {
            if let Some(change) = &result.change {
                outputs.remove(&change.path);
            }
        }
    }
    outputs
}

/// What a person looks at before answering: commands, files with digests, and
/// what changed since the last approval.
pub fn details(session: &Session, execute: &Execute, reason: &str) -> Result<String, EngineError> {
    let mut text = String::new();
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
    text.push_str(&format!("environment {}\n", execute.environment.short()));
    for file in &execute.files {
        text.push_str(&format!(
            "file      {}  {} ({} bytes)\n",
            file.digest.short(),
            file.path,
            file.size
        ));
    }
    let Some(last) = last_approved(session)? else {
        text.push_str("Nothing was approved before.\n");
        return Ok(text);
    };
    text.push_str("Since the last approval:\n");
    for file in &execute.files {
        let before = last.files.iter().find(|before| before.path == file.path);
        if before.is_some_and(|before| before.digest == file.digest) {
            continue;
        }
        let new = std::fs::read(file.path.below(&session.folder.workspace())).unwrap_or_default();
        let old = before
            .and_then(|before| session.store.get(&before.digest).ok())
            .unwrap_or_default();
        let (old, new) = (
            String::from_utf8_lossy(&old).into_owned(),
            String::from_utf8_lossy(&new).into_owned(),
        );
        let diff = TextDiff::from_lines(&old, &new);
        text.push_str(
            &diff
                .unified_diff()
                .header(file.path.as_str(), file.path.as_str())
                .to_string(),
        );
    }
    for gone in last
        .files
        .iter()
        .filter(|before| execute.files.iter().all(|file| file.path != before.path))
    {
        text.push_str(&format!("gone: {}\n", gone.path));
    }
    if last.environment != execute.environment {
        text.push_str(&format!("environment: {} before\n", last.environment.short()));
    }
    Ok(text)
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
