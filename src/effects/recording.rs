//! A run's session as a recording, made from its journal.

use serde_json::Value;

use crate::agent::dialogue::Dialogue;

use crate::agent::pending_call::PendingCall;
use crate::catalog::stages::inputs::AnswerReview;
use crate::catalog::stages::load::Catalog;
use crate::domain::mode::Setting;
use crate::engine::error::EngineError;
use crate::engine::run_reader::RunReader;
use crate::model::recording::format::{NetworkAnswer, Recording};
use crate::model::recording::recorder::Tape;
use crate::run::stage_state::TurnState;
use crate::tools::registry::Registry;

use super::known::{Known, Passing};

/// The recording of a run, as far as it has come.
///
/// # Errors
/// A run whose requests this version of the program would put differently: its
/// recording would answer nothing.
pub fn from_run(run: &RunReader, catalog: &Catalog, tools: &Registry) -> Result<Recording, EngineError> {
    let Some(started) = &run.state.started else {
        return Err(EngineError::Unusable(format!(
            "{} has not begun: there is nothing to record",
            run.folder.path().display()
        )));
    };
    if run.state.stages.values().any(|stage| !stage.programs.is_empty()) {
        return Err(EngineError::Unusable(format!(
            "the agent of {0} is a program, whose calls no recording holds: `reprise replay {0}` answers them out of the run",
            run.folder.path().display()
        )));
    }
    let known = Known {
        catalog,
        tools,
        notebook: started.notebook.as_ref(),
        claim: Some(&started.claim),
        text: &|content| run.text(content),
    };
    let mut tape = Tape::default();
    for (stage, state) in &run.state.stages {
        let mut network = 0;
        let asks_network = catalog.review_of(*stage) == Some(AnswerReview::Addresses);
        let mut note = |conversation: &Dialogue, passing: Passing<'_>| match passing {
            Passing::Answer(turn, response) => {
                if conversation.request_digest() != turn.request {
                    return Err(EngineError::Unusable(format!(
                        "turn {} of the stage {stage} was asked otherwise than this version of reprise would ask it: record the run with the version that made it ({})",
                        conversation.position().turn + 1,
                        started.engine
                    )));
                }
                tape.note(&conversation.request(), response);
                if let Some(review) = turn.review.as_ref().filter(|_| asks_network) {
                    let answer = NetworkAnswer {
                        tool: "check_addresses".to_owned(),
                        result: Value::String(run.text(&review.checks)?),
                        at: Some((conversation.position().turn, 0)),
                        ..NetworkAnswer::default()
                    };
                    tape.note_network(*stage, network, answer);
                    network += 1;
                }
                Ok(())
            }
            Passing::Calls(turn, calls) => {
                // The conversation stands behind the turn whose calls these are.
                let number = conversation.position().turn.saturating_sub(1);
                for call in calls {
                    if let Some(answer) = network_answer(run, number, call, turn)? {
                        tape.note_network(*stage, network, answer);
                        network += 1;
                    }
                }
                Ok(())
            }
        };
        known.conversation(*stage, state, &mut note)?;
    }
    let mut recording = tape.recording(&started.settings.model)?;
    recording.study.clone_from(&started.study);
    recording.setting = Setting::new(started.settings.code_mode, started.settings.code_access).to_string();
    recording.text_protocol = run.state.stages.values().any(|stage| !stage.native_calls);
    Ok(recording)
}

/// What the model was told of a call to the network or of a picture, where the call could be
/// read: what was turned down on the way there is an answer, too.
fn network_answer(
    run: &RunReader,
    number: u32,
    call: PendingCall,
    turn: &TurnState,
) -> Result<Option<NetworkAnswer>, EngineError> {
    let asked = matches!(call.tool.as_str(), "web_search" | "fetch_page" | "look_at_image");
    let (Some(result), Ok(arguments)) = (turn.results.get(&call.index), call.arguments) else {
        return Ok(None);
    };
    if !asked {
        return Ok(None);
    }
    let told = result.stable.as_ref().unwrap_or(&result.observation);
    Ok(Some(NetworkAnswer {
        tool: call.tool,
        arguments,
        result: Value::String(run.text(told)?),
        at: Some((number, call.index)),
        failed: !result.ok,
    }))
}
