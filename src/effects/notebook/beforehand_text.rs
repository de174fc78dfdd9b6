//! The cells that were executed before an agent's turn, as the agent is told them.

use crate::agent::beforehand::{StepBeforehand, ToldBeforehand};
use crate::artifacts::store::StoreError;
use crate::catalog::stages::template::fence;
use crate::domain::content::Content;
use crate::engine::error::EngineError;
use crate::notebook::act::NotebookAct;
use crate::notebook::told::{EARLIER, last};
use crate::run::event::ActedBeforehand;
use crate::sandbox::contract::INSIDE;

/// The message on what was done, where anything was. What was seen last is shown as the newest
/// observation is until the agent has acted.
///
/// # Errors
/// A text that the store lacks, or an act that cannot be read.
pub fn told(
    acts: &[ActedBeforehand],
    text: &dyn Fn(&Content) -> Result<String, StoreError>,
) -> Result<Option<ToldBeforehand>, EngineError> {
    let steps = steps(acts, text)?;
    if steps.is_empty() {
        return Ok(None);
    }
    let newest = steps.len() - 1;
    let message = |whole| {
        message(IN_THE_KERNEL, &steps, |index| {
            (whole != Some(index)).then_some(EARLIER)
        })
    };
    Ok(Some(ToldBeforehand {
        first: message(Some(newest)),
        later: message(None),
        steps: steps.into_iter().map(StepText::step).collect(),
    }))
}

/// The message to a program of others that starts in `folder`, as it sees it.
///
/// # Errors
/// A text that the store lacks, or an act that cannot be read.
pub fn to_program(
    acts: &[ActedBeforehand],
    folder: &str,
    text: &dyn Fn(&Content) -> Result<String, StoreError>,
) -> Result<String, EngineError> {
    let steps = steps(acts, text)?;
    let newest = steps.len().saturating_sub(1);
    let heading = format!(
        "These cells were executed before your turn in a kernel of Python, with what was seen of each. You start in \
         `{folder}`, where they left it, and find the files that they wrote below `{INSIDE}`. The kernel has ended: its \
         variables and imports, what still ran in it, and files elsewhere are gone."
    );
    Ok(message(&heading, &steps, |index| {
        Some(if index == newest {
            NEWEST_TO_PROGRAM
        } else {
            EARLIER
        })
    }))
}

/// The heading before what was done in the kernel that the agent acts in.
const IN_THE_KERNEL: &str = "These cells were executed in the kernel before your turn, with what was seen of each. Its state \
    and its folder are as they left them.";

/// The last characters that a program is shown of what was seen last: its prompt may be one word of a command.
const NEWEST_TO_PROGRAM: usize = 5_000;

fn steps(
    acts: &[ActedBeforehand],
    text: &dyn Fn(&Content) -> Result<String, StoreError>,
) -> Result<Vec<StepText>, EngineError> {
    let unreadable = |error| EngineError::Unusable(format!("an act in the journal cannot be read: {error}"));
    let read = |acted: &ActedBeforehand| {
        Ok(StepText {
            act: serde_json::from_str(&text(&acted.act)?).map_err(unreadable)?,
            seen: text(&acted.observation)?,
        })
    };
    acts.iter().map(read).collect()
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

/// The steps in words; of each at most the last characters that `most` says are shown of what was seen.
fn message(heading: &str, steps: &[StepText], most: impl Fn(usize) -> Option<usize>) -> String {
    let mut text = String::new();
    for (index, step) in steps.iter().enumerate() {
        let what = match &step.act {
            NotebookAct::Execute { cell, .. } => format!("executed:\n{}", cell.trim_end()),
            NotebookAct::Edit { edit } => format!("an edit:\n{}", edit.trim_end()),
            NotebookAct::Files { command } => format!("a command:\n{}", command.trim_end()),
            NotebookAct::ContinueWait => "waited on for the cell before".to_owned(),
            NotebookAct::Interrupt => "the cell before was interrupted".to_owned(),
        };
        let seen = match most(index) {
            None => step.seen.clone(),
            Some(most) => last(&step.seen, most, "the whole is below `logs/kernel/`"),
        };
        text.push_str(&format!(
            "[{}] {what}\n[seen of {}]\n{}\n",
            index + 1,
            index + 1,
            seen.trim_end()
        ));
    }
    format!("{heading}\n{}", fence("executed beforehand", &text))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::domain::stage::Stage;

    fn acted(index: u32, act: &NotebookAct, seen: &str) -> ActedBeforehand {
        ActedBeforehand {
            stage: Stage::EXTRACT,
            index,
            act: Content::inline(json!(act).to_string()),
            observation: Content::inline(seen),
            ok: true,
            kept: None,
        }
    }

    #[test]
    fn a_program_is_told_the_last_of_what_was_seen_and_what_is_gone() {
        let cell = |cell: &str| NotebookAct::Execute {
            cell: cell.to_owned(),
            seconds: None,
        };
        let (first, second) = ("a".repeat(EARLIER + 1), "b".repeat(NEWEST_TO_PROGRAM));
        let acts = [
            acted(0, &cell("!pip install x"), &first),
            acted(1, &cell("%cd x"), &second),
        ];
        let text = |content: &Content| match content {
            Content::Inline { text } => Ok(text.clone()),
            Content::Stored { .. } => panic!("short texts stand inline"),
        };
        let told = to_program(&acts, "/workspace/work/x", &text).unwrap();
        for part in [
            "You start in `/workspace/work/x`",
            "variables and imports",
            "!pip install x",
            "%cd x",
            "the whole is below `logs/kernel/`",
        ] {
            assert!(told.contains(part), "{part}: {told}");
        }
        assert!(told.contains(&second) && !told.contains(&first), "{told}");
    }
}
