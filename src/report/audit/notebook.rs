//! The texts of an attempt at a notebook task, cell by cell.

use super::history::{Act, ActBy, History, laid};
use super::obstacle::Obstacle;
use super::source::ActPlace;
use crate::domain::content::Content;
use crate::domain::excerpt;
use crate::domain::stage::Stage;
use crate::engine::error::EngineError;
use crate::engine::run_reader::RunReader;
use crate::notebook::act::{CellRecord, NotebookAct};
use crate::notebook::history::step::CellOutcome;
use crate::run::event::KeptAct;

/// Reads the attempt that was graded: the task's own cells are no text of the agent's, what they printed
/// is printed.
///
/// # Errors
/// A stored text of the run that cannot be read.
pub fn history(run: &RunReader) -> Result<History, EngineError> {
    let mut history = History {
        acts: Vec::new(),
        laid: laid(run),
        commands: 0,
        failed: 0,
        failures: Vec::new(),
        has_programs: run.state.stages.values().any(|stage| !stage.programs.is_empty()),
    };
    for (stage, state) in &run.state.stages {
        for acted in state.own_beforehand() {
            let act = JournaledAct {
                act: &acted.act,
                observation: &acted.observation,
                kept: acted.kept.as_ref(),
            };
            act.add(run, at(*stage, 0), false, &mut history)?;
        }
        for result in state.own_turns().iter().flat_map(|turn| turn.results.values()) {
            let Some(act) = &result.act else { continue };
            let act = JournaledAct {
                act,
                observation: &result.observation,
                kept: result.kept.as_ref(),
            };
            act.add(run, at(*stage, result.at.turn + 1), true, &mut history)?;
        }
    }
    Ok(history)
}

fn at(stage: Stage, turn: u32) -> ActPlace {
    ActPlace { stage, turn }
}

/// An act of the journal.
struct JournaledAct<'a> {
    act: &'a Content,
    observation: &'a Content,
    kept: Option<&'a KeptAct>,
}

impl JournaledAct<'_> {
    fn add(
        &self,
        run: &RunReader,
        at: ActPlace,
        is_agents: bool,
        history: &mut History,
    ) -> Result<(), EngineError> {
        let unreadable =
            |error| EngineError::Unusable(format!("an act in the journal cannot be read: {error}"));
        let act: NotebookAct = serde_json::from_str(&run.text(self.act)?).map_err(unreadable)?;
        let record: Option<CellRecord> = match self.kept {
            Some(kept) => Some(serde_json::from_str(&run.text(&kept.record)?).map_err(unreadable)?),
            None => None,
        };
        let is_cell = matches!(act, NotebookAct::Execute { .. });
        history.commands += usize::from(is_cell);
        if let Some(fault) = record.as_ref().and_then(|record| fault(&act, record)) {
            history.failed += usize::from(is_cell);
            let content = excerpt::start(act.content().trim(), 120);
            history.failures.push(Obstacle {
                at,
                what: if is_cell { "cell" } else { act.name() },
                cause: None,
                script: None,
                detail: match content.is_empty() {
                    true => fault,
                    false => format!("{fault}: {content}"),
                },
            });
        }
        let mut add = |by, text| history.acts.push(Act { at, by, text });
        if is_agents && !act.content().is_empty() {
            add(ActBy::Agent, act.content().to_owned());
        }
        // What an edit or a command on files shows is the file, and no result.
        if matches!(
            act,
            NotebookAct::Execute { .. } | NotebookAct::ContinueWait | NotebookAct::Interrupt
        ) {
            add(
                ActBy::Output,
                match record {
                    Some(record) => record.whole,
                    None => run.text(self.observation)?,
                },
            );
        }
        Ok(())
    }
}

/// What failed of an act, as a clause.
fn fault(act: &NotebookAct, record: &CellRecord) -> Option<String> {
    let is_cell = matches!(act, NotebookAct::Execute { .. } | NotebookAct::ContinueWait);
    match (record.outcome, record.exit_code) {
        (CellOutcome::Lost, _) => Some("the kernel ended under it".to_owned()),
        (CellOutcome::Failed, _) if is_cell => Some("it raised".to_owned()),
        (CellOutcome::Failed, _) => Some("it was refused".to_owned()),
        (CellOutcome::Done, Some(status)) if status != 0 => {
            Some(format!("its last command had the status {status}"))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_failed_is_told_by_its_outcome() {
        let cell = NotebookAct::Execute {
            cell: "!false".to_owned(),
            seconds: None,
        };
        let edit = NotebookAct::Edit { edit: "a".to_owned() };
        let record = |outcome, exit_code| CellRecord {
            outcome,
            exit_code,
            cells: 1,
            whole: String::new(),
            upto: 0,
            file: None,
            view: None,
        };
        let said = |act: &NotebookAct, outcome, status| fault(act, &record(outcome, status));
        assert_eq!(said(&cell, CellOutcome::Done, Some(0)), None);
        assert_eq!(said(&cell, CellOutcome::Running, None), None);
        assert!(
            said(&cell, CellOutcome::Done, Some(2))
                .unwrap()
                .contains("status 2")
        );
        assert_eq!(said(&cell, CellOutcome::Failed, None).unwrap(), "it raised");
        assert_eq!(said(&edit, CellOutcome::Failed, None).unwrap(), "it was refused");
        assert!(said(&cell, CellOutcome::Lost, None).unwrap().contains("kernel"));
    }
}
