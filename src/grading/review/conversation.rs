//! The conversation of a run in blocks, part by part: one part a stage.

use super::program_results::ProgramResults;
use crate::domain::content::Content;
use crate::domain::failure::FailureCause;
use crate::domain::stage::Stage;
use crate::engine::error::EngineError;
use crate::engine::run_reader::RunReader;
use crate::run::event::StageEnd;
use crate::run::stage_state::{StageState, TurnState};

/// The name of tools that a program of others ran by itself.
const OF_PROGRAM: &str = "a tool of the program";

/// The conversation of a run.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Conversation {
    /// In the order in which the stages began.
    pub parts: Vec<ConversationPart>,
}

/// The conversation of a stage.
#[derive(Debug, Clone, PartialEq)]
pub struct ConversationPart {
    pub stage: Stage,
    pub blocks: Vec<Block>,
}

/// A block: one thing that was said, called or given back.
#[derive(Debug, Clone, PartialEq)]
pub struct Block {
    pub kind: BlockKind,
    /// The tool of a call or of a result; empty of others.
    pub tool: String,
    pub text: String,
}

/// The kind of a block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BlockKind {
    /// The agent was given its task.
    Task,
    /// The agent said something.
    Said,
    /// The agent called a tool.
    Called,
    /// The call gave this back.
    Gave,
    /// The call failed and gave this back.
    Failed,
    /// The program told the agent something.
    Told,
    /// The part ended.
    Ended,
}

impl BlockKind {
    /// The kind in words, with the tool where there is one.
    pub fn words(self, tool: &str) -> String {
        match self {
            Self::Task => "the task as the agent was given it".to_owned(),
            Self::Said => "agent".to_owned(),
            Self::Called => format!("agent calls {tool}"),
            Self::Gave => format!("{tool} gives"),
            Self::Failed => format!("{tool} fails"),
            Self::Told => "the program tells the agent".to_owned(),
            Self::Ended => "end of this part".to_owned(),
        }
    }
}

impl Conversation {
    /// Reads the conversation of a run. No grade and no reference is part of it.
    ///
    /// # Errors
    /// A stored text of the run that cannot be read.
    pub fn read(run: &RunReader) -> Result<Self, EngineError> {
        let parts = run.state.stages.iter().map(|(stage, state)| {
            Ok(ConversationPart {
                stage: *stage,
                blocks: blocks(run, state)?,
            })
        });
        Ok(Self {
            parts: parts.collect::<Result<_, EngineError>>()?,
        })
    }

    /// Whether there is nothing to be reviewed.
    pub fn is_empty(&self) -> bool {
        let said = |block: &Block| matches!(block.kind, BlockKind::Said | BlockKind::Called);
        !self.parts.iter().flat_map(|part| &part.blocks).any(said)
    }
}

fn blocks(run: &RunReader, state: &StageState) -> Result<Vec<Block>, EngineError> {
    let mut part = PartBlocks {
        run,
        blocks: Vec::new(),
    };
    part.stored(BlockKind::Task, "", &state.user)?;
    for act in &state.beforehand {
        part.stored(BlockKind::Told, "", &act.act)?;
    }
    let mut program = ProgramResults::default();
    for turn in &state.turns {
        if let Some(call) = &turn.program {
            for result in program.new_in(call, run)? {
                part.push(BlockKind::Gave, OF_PROGRAM, result);
            }
        }
        part.turn(turn)?;
    }
    for program in state.programs.iter().filter_map(|program| program.ended.as_ref()) {
        part.stored(BlockKind::Gave, "the agent's program", &program.output)?;
    }
    match &state.end {
        // The answer stands in the call or in the message that handed it in.
        Some(StageEnd::Finished { .. }) => {
            part.push(BlockKind::Ended, "", "An answer was handed in.".to_owned())
        }
        Some(StageEnd::Failed { cause, detail }) => part.push(BlockKind::Ended, "", ended(*cause, detail)),
        None => part.push(BlockKind::Ended, "", "It was left open.".to_owned()),
    }
    Ok(part.blocks)
}

fn ended(cause: FailureCause, detail: &str) -> String {
    format!("It ended without an answer ({cause}): {detail}")
}

/// The blocks of a part as they are gathered.
struct PartBlocks<'a> {
    run: &'a RunReader,
    blocks: Vec<Block>,
}

impl PartBlocks<'_> {
    fn push(&mut self, kind: BlockKind, tool: &str, text: String) {
        if !text.trim().is_empty() {
            self.blocks.push(Block {
                kind,
                tool: tool.to_owned(),
                text,
            });
        }
    }

    fn stored(&mut self, kind: BlockKind, tool: &str, text: &Content) -> Result<(), EngineError> {
        let text = self.run.text(text)?;
        self.push(kind, tool, text);
        Ok(())
    }

    fn turn(&mut self, turn: &TurnState) -> Result<(), EngineError> {
        self.stored(BlockKind::Said, "", &turn.text)?;
        for (index, call) in (0..).zip(&turn.calls) {
            self.push(BlockKind::Called, &call.name, arguments(&call.arguments));
            if let Some(result) = turn.results.get(&index) {
                let kind = match result.ok {
                    true => BlockKind::Gave,
                    false => BlockKind::Failed,
                };
                self.stored(kind, &call.name, &result.observation)?;
            }
        }
        let review = turn.review.as_ref();
        if let Some(remark) = review.and_then(|review| review.remark.as_ref()) {
            self.stored(BlockKind::Told, "", remark)?;
        }
        Ok(())
    }
}

/// The arguments of a call: a single text as it is, others as JSON.
fn arguments(text: &str) -> String {
    let Ok(serde_json::Value::Object(members)) = serde_json::from_str(text) else {
        return text.to_owned();
    };
    let told = members.iter().map(|(name, value)| match value {
        serde_json::Value::String(text) if text.contains('\n') => format!("{name}:\n{text}"),
        serde_json::Value::String(text) => format!("{name}: {text}"),
        other => format!("{name}: {other}"),
    });
    told.collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_are_told_as_the_agent_meant_them() {
        assert_eq!(arguments(r#"{"command":"ls"}"#), "command: ls");
        assert_eq!(
            arguments(r#"{"path":"a.py","text":"x = 1\nprint(x)","n":3}"#),
            "path: a.py\ntext:\nx = 1\nprint(x)\nn: 3"
        );
        assert_eq!(arguments("[1"), "[1");
    }
}
