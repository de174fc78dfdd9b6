//! Renders a stage's prompts and starts its conversation.

use serde::de::IgnoredAny;
use serde_json::{Value, json};

use crate::agent::shrinking::LEAST_SAVING;
use crate::catalog::stages::context::{EarlierAnswer, PromptContext, RemainingLimits};
use crate::catalog::stages::definition::StageDefinition;
use crate::documents::limits::ReadError;
use crate::domain::claim::Claim;
use crate::domain::stage::Stage;
use crate::domain::track::Track;
use crate::engine::error::EngineError;
use crate::engine::session::Session;
use crate::run::event::Event;
use crate::study::layout::PAPER as PAPER_FILE;
use crate::tools::contract::ToolOutcome;
use crate::tools::cut::{self, Keep, TextCap};
use crate::tools::look_at_image;
use crate::tools::workspace::Workspace;

use super::capsule::laid_beneath;
use super::context::Effects;
use super::paper::{has_paper, read_paper};
use super::program::prepared;
use super::{converse, end_stage, helpers};

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

/// Starts a stage: everything that the prompts say is in the journal.
///
/// # Errors
/// A stage that the run's track or the definitions lack, a paper or folder that cannot be read, or a
/// journal that cannot be written.
pub fn start(effects: &mut Effects, session: &mut Session, stage: Stage) -> Result<(), EngineError> {
    let Some(started) = session.state.started.clone() else {
        return Err(EngineError::Unusable("a stage starts before the run".to_owned()));
    };
    if effects.request.agent.is_some() {
        return prepared::start_stage(effects, session, stage);
    }
    let track = started.settings.track();
    if effects.ports.catalog.has_helpers(stage) {
        helpers::stage(session)?;
    }
    let none = || EngineError::Unusable(format!("the track `{}` has no stage {stage}", track.track));
    let definition = effects.ports.catalog.stage(stage).ok_or_else(none)?.clone();
    let native_calls = effects.ports.model.calls_tools();
    let names = offered(&definition.tools, effects.ports.vision.is_some());
    let specs = effects
        .ports
        .tools
        .specs(names.iter().map(String::as_str))
        .map_err(|error| EngineError::Unusable(error.to_string()))?;
    let tools = if native_calls {
        String::new()
    } else {
        specs
            .iter()
            .map(|spec| {
                format!(
                    "{}: {}\n  arguments: {}",
                    spec.name, spec.description, spec.parameters
                )
            })
            .collect::<Vec<_>>()
            .join("\n")
    };
    let context = PromptContext {
        claim: Claim {
            statement: started.settings.wording.put(&started.claim.statement),
            ..started.claim.clone()
        },
        mode: started.settings.code_mode,
        access: started.settings.code_access,
        folder: listing(effects, session)?,
        paper: if definition.inputs.paper {
            Some(paper(effects, session, stage)?)
        } else {
            None
        },
        artifacts: earlier(session, track, &definition)?,
        tools,
        text_protocol: !native_calls,
        limits: RemainingLimits {
            turns: converse::iterations(session)
                .map_or(definition.turns, |turns| turns.min(definition.turns)),
            output_tokens: definition.output_tokens,
            notes: reachable(&effects.request.hosts),
        },
        level: (started.capsule.as_ref()).map_or("", |capsule| capsule.level.word()),
    };
    let mut rendered = definition.render(&context)?;
    if let Some(left) = converse::left(effects, session, stage) {
        rendered.user.push_str(&format!("\n{left}"));
    }
    session.record(Event::StageStarted {
        stage,
        system: session.keep(rendered.system.as_bytes())?,
        user: session.keep(rendered.user.as_bytes())?,
        tools: names,
        native_calls,
        shrink_at: definition.earlier_results.is_none().then_some(LEAST_SAVING),
    })
}

/// The tools of a stage: who may read files may look at pictures, too, where
/// somebody sees.
fn offered(tools: &[String], sees: bool) -> Vec<String> {
    let mut names = tools.to_vec();
    let has = |name: &str| tools.iter().any(|tool| tool == name);
    if sees && has("read_file") && !has(look_at_image::NAME) {
        names.push(look_at_image::NAME.to_owned());
    }
    names
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

/// The workspace as the agent's own tool shows it.
fn listing(effects: &mut Effects, session: &Session) -> Result<String, EngineError> {
    let tools = effects.ports.tools.clone();
    let capsule = effects.request.capsule.as_ref();
    let beneath = capsule.and_then(|capsule| capsule.beneath.as_ref());
    let list = |workspace: &Workspace| tools.call("list_files", &json!({}), &["list_files"], workspace);
    let outcome = match beneath.map(|folder| laid_beneath::workspace(folder)) {
        // The run's own holds what is changed, and nothing is yet.
        Some(root) => list(&Workspace::open(&root).map_err(|error| EngineError::io(&root, error))?),
        None => list(effects.workspace(session)?),
    };
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
