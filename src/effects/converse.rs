//! Carries a stage's conversation one step on.

use tokio_util::sync::CancellationToken;

use crate::agent::brief::{Brief, TurnLimits};
use crate::agent::conversation::{Conversation, Move};
use crate::domain::conversation::ChatResponse;
use crate::domain::stage::Stage;
use crate::engine::dispatch::Step;
use crate::engine::error::EngineError;
use crate::engine::session::Session;
use crate::run::event::StageEnd;
use crate::run::stage_state::StageState;
use crate::tools::contract::Observation;

use super::performer::Effects;
use super::review::{self, Reviewed};
use super::{ask_model, call_tool, end_stage};

/// One step: one model call, one tool call, or the end of the stage.
pub async fn advance(
    effects: &mut Effects,
    session: &mut Session,
    stage: Stage,
    cancel: &CancellationToken,
) -> Result<Step, EngineError> {
    let mut conversation = match effects.conversation.take() {
        Some((under_way, conversation)) if under_way == stage => conversation,
        _ => hydrate(effects, session, stage)?,
    };
    let step = match conversation.next() {
        Move::Ask => ask_model::ask(effects, session, &mut conversation, cancel).await?,
        Move::Act(calls) => match calls.into_iter().next() {
            Some(call) => call_tool::call(effects, session, &mut conversation, call, cancel).await?,
            None => Step::Done,
        },
        Move::Finish { answer, deviations } => {
            match review::review(effects, session, &mut conversation, answer, cancel).await? {
                Reviewed::Stands(answer) => {
                    end_stage::finish(session, stage, &answer, deviations)?;
                    return Ok(Step::Done);
                }
                Reviewed::Objected => Step::Done,
                Reviewed::Step(step) => step,
            }
        }
        Move::Fail { cause, detail } => {
            end_stage::end(session, stage, StageEnd::Failed { cause, detail })?;
            return Ok(Step::Done);
        }
    };
    effects.conversation = Some((stage, conversation));
    Ok(step)
}

/// The conversation as far as the journal knows it.
fn hydrate(effects: &Effects, session: &Session, stage: Stage) -> Result<Conversation, EngineError> {
    let state = session
        .state
        .stages
        .get(&stage)
        .ok_or_else(|| EngineError::Unusable(format!("stage {stage} is advanced before it starts")))?;
    let definition = effects.ports.catalog.stage(stage);
    let tools = effects
        .ports
        .tools
        .specs(state.tools.iter().map(String::as_str))
        .map_err(|error| EngineError::Unusable(error.to_string()))?;
    let brief = Brief {
        stage,
        system: session.text(&state.system)?.into(),
        user: session.text(&state.user)?.into(),
        tools: tools.into(),
        native_calls: state.native_calls,
        limits: TurnLimits {
            turns: definition.turns,
            output_tokens: definition.output_tokens,
            repairs: definition.repairs,
        },
        shrink_at: state.shrink_at,
    };
    let mut conversation = Conversation::new(brief);
    replay(session, state, &mut conversation)?;
    Ok(conversation)
}

fn replay(session: &Session, state: &StageState, conversation: &mut Conversation) -> Result<(), EngineError> {
    for turn in &state.turns {
        conversation.answered(&ChatResponse {
            text: session.text(&turn.text)?,
            calls: turn.calls.clone(),
            finish: turn.finish,
            usage: turn.usage,
        });
        for (index, result) in &turn.results {
            let stable = result
                .stable
                .as_ref()
                .map(|stable| session.text(stable))
                .transpose()?;
            let observation = Observation {
                text: session.text(&result.observation)?,
                stable,
                ok: result.ok,
            };
            conversation.observed(*index, observation);
        }
        if let Some(remark) = turn.review.as_ref().and_then(|review| review.remark.as_ref()) {
            conversation.objected(&session.text(remark)?);
        }
    }
    Ok(())
}
