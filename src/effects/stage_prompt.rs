//! The material that a stage's prompts quote.

use serde::de::IgnoredAny;
use serde_json::{Value, json};

use crate::catalog::stages::context::{EarlierAnswer, PromptContext, RemainingLimits};
use crate::catalog::stages::definition::StageDefinition;
use crate::documents::limits::ReadError;
use crate::domain::claim::Claim;
use crate::domain::stage::Stage;
use crate::domain::track::Track;
use crate::engine::error::EngineError;
use crate::engine::session::Session;
use crate::study::layout::PAPER as PAPER_FILE;
use crate::tools::contract::ToolOutcome;
use crate::tools::cut::{self, Keep, TextCap};
use crate::tools::registry::Registry;
use crate::tools::workspace::Workspace;

use super::context::Effects;
use super::end_stage;
use super::paper::{has_paper, read_paper};

/// What a prompt quotes of the paper, of the listing and of an earlier answer, at most.
const PAPER: TextCap = TextCap {
    lines: 20_000,
    characters: 240_000,
};
const LISTING: TextCap = TextCap {
    lines: 200,
    characters: 12_000,
};
const ARTIFACT: TextCap = TextCap {
    lines: 4_000,
    characters: 60_000,
};

/// The parts of a prompt that depend on who works by it.
pub struct Worker {
    /// The files that it sees, one a line.
    pub folder: String,
    /// The tools in text form, for the text protocol.
    pub tools: String,
    /// Whether tools are called in text instead of natively.
    pub text_protocol: bool,
    /// Turns at most.
    pub turns: u32,
}

/// Everything that the templates of a stage can name.
///
/// # Errors
/// A run that has not begun, or a paper or an earlier answer that cannot be read.
pub fn context(
    effects: &Effects,
    session: &Session,
    definition: &StageDefinition,
    worker: Worker,
) -> Result<PromptContext, EngineError> {
    let none = || EngineError::Unusable("a stage starts before the run".to_owned());
    let started = session.state.started.as_ref().ok_or_else(none)?;
    let stage = definition.stage;
    Ok(PromptContext {
        claim: Claim {
            statement: started.settings.wording.put(&started.claim.statement),
            ..started.claim.clone()
        },
        mode: started.settings.code_mode,
        access: started.settings.code_access,
        folder: worker.folder,
        paper: if definition.inputs.paper {
            Some(paper(effects, session, stage)?)
        } else {
            None
        },
        artifacts: earlier(session, started.settings.track(), definition)?,
        tools: worker.tools,
        text_protocol: worker.text_protocol,
        limits: RemainingLimits {
            turns: worker.turns,
            output_tokens: definition.output_tokens,
            notes: reachable(&effects.request.hosts),
        },
        level: (started.capsule.as_ref()).map_or("", |capsule| capsule.level.word()),
    })
}

/// A workspace as the agent's own tool shows it.
///
/// # Errors
/// A listing that changes something.
pub fn listing(tools: &Registry, workspace: &Workspace) -> Result<String, EngineError> {
    let outcome = tools.call("list_files", &json!({}), &["list_files"], workspace);
    let ToolOutcome::Observed(observation) = outcome else {
        return Err(EngineError::Unusable(
            "listing the workspace changed something".to_owned(),
        ));
    };
    Ok(cut::cut(
        &observation.text,
        LISTING,
        Keep::Beginning,
        "`list_files` shows the rest",
    ))
}

/// What an agent has to know of the hosts that the operator named.
fn reachable(hosts: &[String]) -> String {
    if hosts.is_empty() {
        return String::new();
    }
    format!(
        "Executed code can reach these hosts, and no other, over http and https, if they are approved: {}.",
        hosts.join(", ")
    )
}

/// The paper's text with page marks, or what keeps it from being read.
fn paper(effects: &Effects, session: &Session, stage: Stage) -> Result<String, EngineError> {
    if !has_paper(session) {
        return Err(EngineError::Unusable(format!(
            "the prompt of {stage} quotes the paper, and the task has no `{PAPER_FILE}`: lay one out with the task, or leave \
             `paper` out of {stage}/stage.toml"
        )));
    }
    Ok(match read_paper(effects, session)? {
        Ok(document) => {
            let text = document.with_notes();
            cut::cut(
                &text,
                PAPER,
                Keep::Beginning,
                "`read_file` shows the rest of `original_paper.pdf`",
            )
        }
        Err(error) => unreadable(&error),
    })
}

fn unreadable(error: &ReadError) -> String {
    format!(
        "[The paper's text could not be read: {error}. Say so in the answer; do not fill it in from memory.]"
    )
}

/// The answers of earlier stages, and the account of what was executed.
fn earlier(
    session: &Session,
    track: &Track,
    definition: &StageDefinition,
) -> Result<Vec<EarlierAnswer>, EngineError> {
    let mut answers = Vec::new();
    let stages = &session.state.stages;
    let before = || {
        stages
            .iter()
            .filter(|(one, _)| track.is_before(**one, definition.stage))
    };
    for (earlier, state) in before() {
        if definition.inputs.quotes(*earlier)
            && let Some(artifact) = state.artifact()
            && let Some(name) = track.artifact(*earlier)
        {
            let whole = format!("the whole is in `{name}`");
            let json = cut::cut(
                &unindented(session.text(artifact)?),
                ARTIFACT,
                Keep::Beginning,
                &whole,
            );
            answers.push(EarlierAnswer {
                name: name.to_owned(),
                json,
            });
        }
    }
    if definition.inputs.execution_result && before().any(|(_, state)| state.executes()) {
        let result = end_stage::raw_result(session)?;
        let text = serde_json::to_string_pretty(&without_warnings(result)).unwrap_or_default();
        let json = cut::cut(
            &unindented(text),
            ARTIFACT,
            Keep::BothEnds,
            "the whole is in `logs/`",
        );
        answers.push(EarlierAnswer {
            name: end_stage::EXECUTION_RESULT.to_owned(),
            json,
        });
    }
    Ok(answers)
}

/// JSON text without the space that its lines begin with: it is sent with every
/// turn, costs a token a line, and the brackets say as much.
pub fn unindented(json: String) -> String {
    // A string of JSON holds no line break; of any other text nothing is known.
    if serde_json::from_str::<IgnoredAny>(&json).is_err() {
        return json;
    }
    json.lines().map(str::trim_start).collect::<Vec<_>>().join("\n")
}

/// A result without the standard error of steps that succeeded: what programs
/// warn about differs between machines, and the whole is in `logs/`.
fn without_warnings(mut result: Value) -> Value {
    if let Some(steps) = result["steps"].as_array_mut() {
        for step in steps.iter_mut().filter(|step| step["ok"] == true) {
            if let Some(step) = step.as_object_mut() {
                step.shift_remove("stderr");
            }
        }
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_json_loses_its_indentation() {
        let value = json!({ "a": { "b": ["x\n  y", "  z"] }, "c": 0.10 });
        let text = unindented(serde_json::to_string_pretty(&value).unwrap());
        assert_eq!(
            text,
            "{\n\"a\": {\n\"b\": [\n\"x\\n  y\",\n\"  z\"\n]\n},\n\"c\": 0.1\n}"
        );
        assert_eq!(serde_json::from_str::<Value>(&text).unwrap(), value);
        let code = "if a:\n    b".to_owned();
        assert_eq!(unindented(code.clone()), code);
    }
}
