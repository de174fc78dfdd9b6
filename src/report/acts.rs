//! Acts in the environment of a task, with their outcomes.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::domain::content::Content;
use crate::domain::excerpt;
use crate::domain::stage::Stage;
use crate::run::event::{ActedBeforehand, ToolFinished};
use crate::run::program::ProgramEnding;
use crate::run::program_state::ProgramState;
use crate::run::stage_state::StageState;

use super::text::{Loader, STREAM, Text};

/// The longest end of an act that stands in its row, in bytes.
const END: usize = 200;

/// One act in a task's environment, and what came of it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ActView {
    pub stage: Stage,
    /// Counted from 0.
    pub turn: u32,
    /// A command as it was typed; another act as JSON.
    pub act: Text,
    /// False where the environment did not take it.
    pub ok: bool,
    /// The last line of what came of it, such as an exit status.
    pub end: String,
    pub observation: Text,
}

impl ActView {
    /// The acts of a stage, in their order.
    pub fn of_stage(stage: Stage, state: &StageState, loader: &Loader<'_>) -> Vec<Self> {
        let beforehand = state
            .beforehand
            .iter()
            .map(|acted| Self::beforehand(acted, loader));
        let results = state.turns.iter().flat_map(|turn| turn.results.values());
        let acts = beforehand.chain(results.filter_map(|result| Self::new(stage, result, loader)));
        let programs = state.programs.iter();
        acts.chain(programs.filter_map(|program| Self::of_program(stage, program, loader)))
            .collect()
    }

    /// A program that was the agent, as one act.
    fn of_program(stage: Stage, program: &ProgramState, loader: &Loader<'_>) -> Option<Self> {
        let ended = program.ended.as_ref()?;
        let what = format!("The output of the program of {stage}");
        Some(Self {
            stage,
            turn: 0,
            act: Text::new(&program.started.command.join(" "), STREAM),
            ok: ended.ending == ProgramEnding::Exited(0),
            end: ended.ending.words(),
            observation: loader.text(&ended.output, STREAM, &what),
        })
    }

    fn new(stage: Stage, result: &ToolFinished, loader: &Loader<'_>) -> Option<Self> {
        let turn = result.at.turn;
        let place = format!("turn {turn} of {stage}");
        let act = result.act.as_ref()?;
        Some(Self {
            turn,
            ok: result.ok,
            ..Self::read(stage, act, &result.observation, &place, loader)
        })
    }

    /// An act that the task asked for before the first turn.
    fn beforehand(acted: &ActedBeforehand, loader: &Loader<'_>) -> Self {
        let place = format!("act {} before the first turn of {}", acted.index + 1, acted.stage);
        Self {
            ok: acted.ok,
            ..Self::read(acted.stage, &acted.act, &acted.observation, &place, loader)
        }
    }

    /// An act and what came of it, of turn 0.
    fn read(stage: Stage, act: &Content, seen: &Content, place: &str, loader: &Loader<'_>) -> Self {
        let read = |content, what: &str| loader.text(content, STREAM, &format!("{what} in {place}"));
        let mut act = read(act, "An act");
        if let Some(command) = command(&act.text) {
            act = Text::new(&command, STREAM);
        }
        let observation = read(seen, "An observation");
        let end = excerpt::last_line(&observation.text);
        Self {
            stage,
            turn: 0,
            act,
            ok: true,
            end: excerpt::last_bytes(end.unwrap_or_default(), END).to_owned(),
            observation,
        }
    }
}

/// The command of an act, its cell or its edit, or its control of the one before.
fn command(act: &str) -> Option<String> {
    let act: Value = serde_json::from_str(act).ok()?;
    let keys = ["command", "control", "cell", "edit", "do"];
    let typed = keys.iter().find_map(|key| act.get(*key));
    Some(typed?.as_str()?.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_act_is_shown_as_it_was_typed() {
        assert_eq!(
            command(r#"{"command":"ls -l","seconds":5}"#).as_deref(),
            Some("ls -l")
        );
        assert_eq!(
            command(r#"{"control":"wait","seconds":5}"#).as_deref(),
            Some("wait")
        );
        for (act, shown) in [
            (r#"{"do":"execute","cell":"1 + 1"}"#, "1 + 1"),
            (r#"{"do":"edit","edit":"a.py"}"#, "a.py"),
            (r#"{"do":"interrupt"}"#, "interrupt"),
        ] {
            assert_eq!(command(act).as_deref(), Some(shown));
        }
        for other in [r#"{"add":[1,2]}"#, "{\"command\":", r#"{"command":3}"#] {
            assert_eq!(command(other), None);
        }
    }
}
