//! Known faults of old code in a failed execution, and the mends of its script that change no result.

use tokio_util::sync::CancellationToken;

use crate::domain::rescue::{Basis, KnownFault, ProposedMends, RescueFindings, Risk};
use crate::domain::workspace_path::WorkspacePath;
use crate::engine::error::EngineError;
use crate::engine::session::Session;
use crate::environment::language::Language;
use crate::environment::rescue::document::{self, DocumentCode};
use crate::environment::rescue::find::{self, Evidence};
use crate::environment::rescue::propose::{self, Terms};
use crate::environment::rescue::script::Script;
use crate::environment::rescue::table::Table;
use crate::environment::rescue::version::Version;
use crate::sandbox::contract::{Execution, Sandbox};
use crate::tools::diff;
use crate::tools::workspace::Workspace;

use super::{r_exports, workspace_files};

/// The largest script that is looked at, in bytes.
const SCRIPT: u64 = 2 << 20;
/// Faults that are kept of one execution.
const FAULTS: usize = 12;

/// A command that failed.
pub struct FailedCommand<'a> {
    pub execution: &'a Execution,
    /// Its script.
    pub path: &'a WorkspacePath,
    pub stdout: &'a [u8],
    pub stderr: &'a [u8],
}

/// Holds what was printed, and the script, against the table; `None` where it knows nothing of it.
///
/// # Errors
/// A table that cannot be read, a folder that cannot be made, or a store that cannot be written.
pub async fn findings(
    session: &mut Session,
    sandbox: &dyn Sandbox,
    failed: FailedCommand<'_>,
    cancel: &CancellationToken,
) -> Result<Option<RescueFindings>, EngineError> {
    let table = Table::embedded().map_err(|error| EngineError::Unusable(error.to_string()))?;
    let printed = format!(
        "{}\n{}",
        String::from_utf8_lossy(failed.stdout),
        String::from_utf8_lossy(failed.stderr)
    );
    let read = Workspace::open(&failed.execution.workspace)
        .map_err(|error| EngineError::io(&failed.execution.workspace, error))?
        .read(failed.path, SCRIPT);
    // Without its script, the message alone is held against the table.
    let read = read.ok();
    let bytes = read.as_ref().map_or(&[][..], |read| &read.bytes);
    let whole = String::from_utf8_lossy(bytes);
    let name = failed.path.as_str();
    // A document is run for the language that it has most of, which stands first.
    let Some(code) = document::read(name, &whole)
        .unwrap_or_default()
        .into_iter()
        .next()
    else {
        return Ok(None);
    };
    let (language, text) = (code.language, code.text.as_str());
    let interpreter = interpreter(failed.execution, language);
    let mut evidence = Evidence {
        language,
        interpreter: interpreter.as_ref(),
        printed: &printed,
        script: Some(Script { path: name, text }),
        installed: &[],
    };
    let lacking = find::lacking_functions(table, evidence);
    let installed = match lacking.is_empty() {
        true => None,
        false => {
            let folder = session.folder.clone();
            r_exports::ask(&folder, sandbox, failed.execution, &lacking, cancel).await?
        }
    };
    evidence.installed = installed.as_deref().unwrap_or_default();
    let mut faults = find::find(table, evidence);
    // What was printed says why it failed; what a script holds besides has stopped nothing.
    faults.retain(|fault| fault.basis == Basis::Message);
    faults.truncate(FAULTS);
    if faults.is_empty() {
        return Ok(None);
    }
    // What was seen in part, or is no text, cannot be put back.
    let seen = read.as_ref().filter(|read| read.is_whole());
    let proposed = match seen.and_then(|read| std::str::from_utf8(&read.bytes).ok()) {
        Some(whole) => {
            let file = Mendable {
                whole,
                code: &code,
                name,
            };
            proposed(session, table, file, &faults)?
        }
        None => None,
    };
    for fault in &mut faults {
        sanitize(fault);
        code.place(fault);
    }
    Ok(Some(RescueFindings {
        table: table.version,
        faults,
        installed,
        proposed,
    }))
}

/// A file that could be mended.
#[derive(Clone, Copy)]
struct Mendable<'a> {
    name: &'a str,
    whole: &'a str,
    code: &'a DocumentCode,
}

/// The file with the mends made that change no result.
fn proposed(
    session: &Session,
    table: &Table,
    file: Mendable<'_>,
    faults: &[KnownFault],
) -> Result<Option<ProposedMends>, EngineError> {
    let files = files_as_seen(session)?;
    let terms = Terms {
        language: file.code.language,
        most: Risk::None,
        files: &files,
    };
    let script = Script {
        path: file.name,
        text: &file.code.text,
    };
    let proposal = propose::propose(table, script, faults, terms);
    let mended = file.code.put_back(file.whole, &proposal.text);
    let Some(mended) = mended.filter(|_| !proposal.mends.is_empty()) else {
        return Ok(None);
    };
    let diff = diff::unified(file.name, file.whole, &mended);
    Ok(Some(ProposedMends {
        mends: proposal.mends,
        diff: session.keep(diff.as_bytes())?,
        mended: session.store.put(mended.as_bytes())?,
    }))
}

/// The files of the workspace, as a command in `work/` names them.
fn files_as_seen(session: &Session) -> Result<Vec<String>, EngineError> {
    let workspace = session.folder.workspace();
    let mut files: Vec<String> = workspace_files::paths(&workspace, WorkspacePath::WORK)?
        .iter()
        .filter_map(|path| path.as_str().strip_prefix("work/").map(str::to_owned))
        .collect();
    for folder in workspace_files::data_folders(session) {
        let found = workspace_files::paths(&workspace, &folder)?;
        files.extend(found.iter().map(|path| format!("../{path}")));
    }
    Ok(files)
}

/// The release of the interpreter, where its environment tells it.
fn interpreter(execution: &Execution, language: Language) -> Option<Version> {
    let name = match language {
        Language::Python => "python",
        Language::R => "R",
        Language::Stata | Language::Spss => return None,
    };
    execution.environment.versions.get(name)?.parse().ok()
}

/// What comes out of a script or of its output goes into lines of the agent's and of a terminal.
fn sanitize(fault: &mut KnownFault) {
    for text in [&mut fault.shown, &mut fault.cause, &mut fault.mend] {
        text.retain(|letter| !letter.is_control());
    }
}
