//! Known faults of old code, as the agent and the person who looks on are told of them.

use crate::domain::ids::ExecutionId;
use crate::domain::rescue::RescueFindings;
use crate::engine::atomic_file;
use crate::engine::error::EngineError;
use crate::engine::session::Session;
use crate::run::execution_state::ExecutionState;
use crate::tools::cut::{self, Keep, TextCap};

/// Lines of a difference that an agent sees at most.
const DIFF: TextCap = TextCap {
    lines: 120,
    characters: 8_000,
};

/// One line for the person who looks on.
pub fn line(id: ExecutionId, found: &RescueFindings) -> Option<String> {
    let first = found.faults.first()?;
    let more = match found.faults.len() {
        1 => String::new(),
        faults => format!(" (and {} more)", faults - 1),
    };
    Some(format!(
        "x{id} failed for a known reason: {}{more}. Mend: {}. This mend {}.",
        first.cause, first.mend, first.risk
    ))
}

/// Tells the agent of the faults, and of the mends that change no result. The mended script is put
/// beside the logs.
///
/// # Errors
/// A difference or a script that the store lacks, or a file that cannot be written.
pub fn told(
    session: &Session,
    execution: &ExecutionState,
    found: &RescueFindings,
) -> Result<String, EngineError> {
    let mut text = format!(
        "Known faults of old code in this output (table of messages, version {}):\n",
        found.table
    );
    for fault in &found.faults {
        let cell = fault.cell.map_or(String::new(), |cell| format!("cell {cell}, "));
        let line = fault
            .line
            .map_or(String::new(), |line| format!("{cell}line {line}: "));
        text.push_str(&format!(
            "- {line}{} ({}, {}). Mend: {}. This mend {}.\n",
            fault.cause, fault.id, fault.since, fault.mend, fault.risk
        ));
    }
    let Some(proposed) = &found.proposed else {
        return Ok(text);
    };
    let started = &execution.started;
    let name = format!("{}.mended.{}", started.id, started.path.file_name());
    let folder = session.folder.workspace().join("logs");
    std::fs::create_dir_all(&folder).map_err(|error| EngineError::io(&folder, error))?;
    let mended = session.store.get(&proposed.mended)?;
    atomic_file::replace(&folder.join(&name), &mended, &session.folder.partial())?;
    let names: Vec<&str> = proposed.mends.iter().map(|mend| mend.id.as_str()).collect();
    text.push_str(&format!(
        "Mends of `{}` that change no result ({}), as a difference; the whole is in `logs/{name}`. Make them with \
         `edit_file`, if you agree, and run again:\n",
        started.path,
        names.join(", ")
    ));
    let whole = format!("the whole is in `logs/{name}`");
    text.push_str(&cut::cut(
        &session.text(&proposed.diff)?,
        DIFF,
        Keep::BothEnds,
        &whole,
    ));
    Ok(text)
}
