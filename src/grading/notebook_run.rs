//! The history of an attempt at a notebook task, as its run's journal has it.

use crate::artifacts::content;
use crate::artifacts::store::Store;
use crate::domain::content::Content;
use crate::engine::error::EngineError;
use crate::notebook::act::{CellRecord, NotebookAct};
use crate::notebook::history::step::{
    CellOutcome, HistorySource, NotebookHistory, NotebookStep, StepBy, StepContent,
};
use crate::run::event::KeptAct;
use crate::run::state::State;

/// The steps of an attempt: the cells that its task had executed, those of its agent, and what was
/// submitted; of several attempts those of the last. Observations are neither cleaned nor cut, but for the middle of what is longer than
/// 1 MiB. `None` of a run that is no attempt at a notebook task.
///
/// # Errors
/// What the store lacks or holds damaged.
pub fn history(state: &State, store: &dyn Store) -> Result<Option<NotebookHistory>, EngineError> {
    let Some(terms) = state
        .started
        .as_ref()
        .and_then(|started| started.notebook.as_ref())
    else {
        return Ok(None);
    };
    let mut steps = Vec::new();
    for stage in state.stages.values() {
        for acted in stage.own_beforehand() {
            let act = JournaledAct {
                act: &acted.act,
                observation: &acted.observation,
                ok: acted.ok,
                kept: acted.kept.as_ref(),
            };
            steps.push(act.step(StepBy::Task, store)?);
        }
        for result in stage.own_turns().iter().flat_map(|turn| turn.results.values()) {
            let Some(act) = &result.act else { continue };
            let act = JournaledAct {
                act,
                observation: &result.observation,
                ok: result.ok,
                kept: result.kept.as_ref(),
            };
            steps.push(act.step(StepBy::Agent, store)?);
        }
        if let Some(artifact) = stage.artifact() {
            steps.push(NotebookStep {
                by: StepBy::Agent,
                action: Some("submit".to_owned()),
                content: Some(StepContent::Json(text(artifact, store)?)),
                observation: String::new(),
                seconds: None,
                outcome: None,
                exit_code: None,
                file: None,
            });
        }
    }
    Ok(Some(NotebookHistory {
        source: HistorySource::Own,
        task: Some(terms.id.clone()),
        steps,
    }))
}

/// An act, as the journal holds it.
struct JournaledAct<'a> {
    act: &'a Content,
    observation: &'a Content,
    ok: bool,
    kept: Option<&'a KeptAct>,
}

impl JournaledAct<'_> {
    fn step(&self, by: StepBy, store: &dyn Store) -> Result<NotebookStep, EngineError> {
        let unreadable =
            |error| EngineError::Unusable(format!("an act in the journal cannot be read: {error}"));
        let act: NotebookAct = serde_json::from_str(&text(self.act, store)?).map_err(unreadable)?;
        let record: CellRecord = match self.kept {
            Some(kept) => serde_json::from_str(&text(&kept.record, store)?).map_err(unreadable)?,
            None => CellRecord {
                outcome: if self.ok {
                    CellOutcome::Done
                } else {
                    CellOutcome::Failed
                },
                exit_code: None,
                cells: 0,
                whole: text(self.observation, store)?,
                upto: 0,
                file: None,
                view: None,
            },
        };
        Ok(NotebookStep {
            by,
            action: Some(act.name().to_owned()),
            content: Some(StepContent::Text(act.content().to_owned())),
            observation: record.whole,
            seconds: self.kept.map(|kept| kept.wall_ms as f64 / 1000.0),
            outcome: Some(record.outcome),
            exit_code: record.exit_code,
            file: record.view.map(|view| view.file),
        })
    }
}

fn text(content: &Content, store: &dyn Store) -> Result<String, EngineError> {
    let bytes = content::load(content, store)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}
