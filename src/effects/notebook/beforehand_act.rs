//! Acts that a task asks for before its agent's turn.

use serde_json::{Value, json};

use crate::notebook::act::NotebookAct;
use crate::notebook::history::step::CellOutcome;
use crate::notebook::pre_cell::{PreCell, PreCellKind};

/// The mark of such an act, beside what it is.
const MARK: &str = "beforehand";

/// The act of a cell, marked as one before the agent's turn.
pub fn marked(act: &NotebookAct) -> Value {
    let mut action = json!(act);
    action[MARK] = json!(true);
    action
}

/// Whether an act is one before the agent's turn.
pub fn is_beforehand(action: &Value) -> bool {
    action[MARK] == true
}

/// An act that was done: what it was, and how it stood when its step was over.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DoneBeforehand {
    pub act: NotebookAct,
    pub outcome: CellOutcome,
}

/// The next act; `None` where all are done. A cell that still runs when its wait is over is waited
/// for once more, as in the published runs; then the next one interrupts it.
pub fn next(cells: &[PreCell], done: &[DoneBeforehand]) -> Option<NotebookAct> {
    let last = done.last();
    let is_running = last.is_some_and(|last| last.outcome == CellOutcome::Running);
    let was_cell = |one: &&DoneBeforehand| one.act != NotebookAct::ContinueWait;
    if is_running && last.as_ref().is_some_and(was_cell) {
        return Some(NotebookAct::ContinueWait);
    }
    let cell = cells.get(done.iter().filter(was_cell).count())?;
    Some(match cell.kind {
        PreCellKind::Execute => NotebookAct::Execute {
            cell: cell.content.clone(),
            seconds: None,
        },
        PreCellKind::Edit => NotebookAct::Edit {
            edit: cell.content.clone(),
        },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cell_that_runs_on_is_waited_for_once() {
        let cell = |kind, content: &str| PreCell {
            kind,
            content: content.to_owned(),
        };
        let cells = [
            cell(PreCellKind::Execute, "!sleep 9"),
            cell(PreCellKind::Edit, "a.py"),
        ];
        let mut done = Vec::new();
        let mut acts = Vec::new();
        while let Some(act) = next(&cells, &done) {
            acts.push(act.name());
            let outcome = match act {
                NotebookAct::Edit { .. } => CellOutcome::Done,
                _ => CellOutcome::Running,
            };
            done.push(DoneBeforehand { act, outcome });
        }
        assert_eq!(acts, ["execute", "continue_wait", "edit"]);
        let action = marked(&NotebookAct::Interrupt);
        assert!(is_beforehand(&action) && !is_beforehand(&json!(NotebookAct::Interrupt)));
        assert_eq!(
            serde_json::from_value::<NotebookAct>(action).unwrap(),
            NotebookAct::Interrupt
        );
    }
}
