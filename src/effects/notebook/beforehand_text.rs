//! The cells that were executed before an agent's turn, as the agent is told them.

use crate::agent::beforehand::{StepBeforehand, ToldBeforehand};
use crate::artifacts::store::StoreError;
use crate::catalog::stages::template::fence;
use crate::domain::content::Content;
use crate::engine::error::EngineError;
use crate::notebook::act::NotebookAct;
use crate::notebook::told::{EARLIER, last};
use crate::run::event::ActedBeforehand;

/// The message on what was done, where anything was. What was seen last is shown as the newest
/// observation is until the agent has acted.
///
/// # Errors
/// A text that the store lacks, or an act that cannot be read.
pub fn told(
    acts: &[ActedBeforehand],
    text: &dyn Fn(&Content) -> Result<String, StoreError>,
) -> Result<Option<ToldBeforehand>, EngineError> {
    let unreadable = |error| EngineError::Unusable(format!("an act in the journal cannot be read: {error}"));
    let mut steps = Vec::new();
    for acted in acts {
        let act: NotebookAct = serde_json::from_str(&text(&acted.act)?).map_err(unreadable)?;
        steps.push(StepText {
            act,
            seen: text(&acted.observation)?,
        });
    }
    if steps.is_empty() {
        return Ok(None);
    }
    let newest = steps.len() - 1;
    Ok(Some(ToldBeforehand {
        first: message(&steps, Some(newest)),
        later: message(&steps, None),
        steps: steps.into_iter().map(StepText::step).collect(),
    }))
}

/// A step in words.
struct StepText {
    act: NotebookAct,
    seen: String,
}

impl StepText {
    /// The act as a step, with the published thoughts.
    fn step(self) -> StepBeforehand {
        let thought = match self.act {
            NotebookAct::ContinueWait => "[continued after timeout]",
            _ => "[pre-executed by user]",
        };
        StepBeforehand {
            thought: thought.to_owned(),
            action: self.act.name().to_owned(),
            content: self.act.content().trim_end().to_owned(),
            seen: self.seen,
        }
    }
}

fn message(steps: &[StepText], whole: Option<usize>) -> String {
    let mut text = String::new();
    for (index, step) in steps.iter().enumerate() {
        let what = match &step.act {
            NotebookAct::Execute { cell, .. } => format!("executed:\n{}", cell.trim_end()),
            NotebookAct::Edit { edit } => format!("an edit:\n{}", edit.trim_end()),
            NotebookAct::Files { command } => format!("a command:\n{}", command.trim_end()),
            NotebookAct::ContinueWait => "waited on for the cell before".to_owned(),
            NotebookAct::Interrupt => "the cell before was interrupted".to_owned(),
        };
        let seen = match whole == Some(index) {
            true => step.seen.clone(),
            false => last(&step.seen, EARLIER, "the whole is below `logs/kernel/`"),
        };
        text.push_str(&format!(
            "[{}] {what}\n[seen of {}]\n{}\n",
            index + 1,
            index + 1,
            seen.trim_end()
        ));
    }
    format!(
        "These cells were executed in the kernel before your turn, with what was seen of each. Its state and its folder \
         are as they left them.\n{}",
        fence("executed beforehand", &text)
    )
}
