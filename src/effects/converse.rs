//! Carries a stage's conversation one step on.

use tokio_util::sync::CancellationToken;

use crate::agent::conversation::Move;
use crate::agent::dialogue::Dialogue;
use crate::catalog::stages::inputs::AnswerReview;
use crate::domain::content::Content;
use crate::domain::failure::FailureCause;
use crate::domain::stage::Stage;
use crate::engine::dispatch::Step;
use crate::engine::error::EngineError;
use crate::engine::session::Session;
use crate::model::layers::budget;
use crate::run::event::{Event, StageEnd};
use crate::run::stage_state::StageState;

use super::capsule::{answers_review, checked_answers};
use super::context::Effects;
use super::known::{Known, Passing, Text};
use super::lock_review;
use super::notebook::{beforehand, budget as notebook_budget};
use super::plan_review;
use super::reviewed::Reviewed;
use super::{act, ask_model, call_tool, end_stage, extraction, format1_answers, program, review, time_left};

/// One step: one model call, one tool call, or the end of the stage.
///
/// # Errors
/// What a call of the model, of a tool or a review of the answer fails with, or a journal that cannot be
/// written.
pub async fn advance(
    effects: &mut Effects,
    session: &mut Session,
    stage: Stage,
    cancel: &CancellationToken,
) -> Result<Step, EngineError> {
    if let Some(step) = beforehand::advance(effects, session, stage, cancel).await? {
        return Ok(step);
    }
    if effects.request.program_in(session.state.track(), stage).is_some() {
        return program::carry::advance(effects, session, stage, cancel).await;
    }
    let mut conversation = match effects.conversation.take() {
        Some((under_way, conversation)) if under_way == stage => conversation,
        _ => hydrate(effects, session, stage)?,
    };
    let next = conversation.next();
    if next == Move::Ask
        && let Some(spent) = notebook_budget::reached(&session.state, stage)
    {
        let failure = StageFailed {
            cause: spent.cause(),
            detail: spent.to_string(),
        };
        return over(effects, session, stage, conversation, failure);
    }
    let was_reflecting = conversation.is_reflecting();
    if was_reflecting && next == Move::Ask {
        // The next attempt begins where the task began, in a session of its own.
        effects.close_session(session).await?;
    }
    let step = match next {
        Move::Ask if effects.opens_early && effects.environment.is_none() => {
            effects.opens_early = false;
            act::open_early(effects, session, stage, cancel).await?;
            Step::Done
        }
        Move::Ask => ask_model::ask(effects, session, &mut conversation, cancel).await?,
        Move::Act(calls) => {
            let last = calls.len() == 1;
            match calls.into_iter().next() {
                Some(call) => {
                    let told = if last { left(effects, session, stage) } else { None };
                    let call = call_tool::DueCall { call, told };
                    call_tool::call(effects, session, &mut conversation, call, cancel).await?
                }
                None => Step::Done,
            }
        }
        Move::Finish {
            answer,
            mut deviations,
        } => {
            let reviewed = match effects.ports.catalog.review_of(stage) {
                Some(AnswerReview::Claim) => extraction::review(effects, session, &mut conversation, answer)?,
                Some(AnswerReview::Plan) => {
                    let reviewed = plan_review::review(effects, session, &mut conversation, answer)?;
                    lock_review::review(effects, session, &mut conversation, reviewed, cancel).await?
                }
                // A person found them elsewhere than in this run.
                Some(AnswerReview::Addresses) if effects.request.is_by_hand() => Reviewed::Stands {
                    answer,
                    notes: vec![
                        "The addresses are a person's, and were not held against the web.".to_owned(),
                    ],
                },
                Some(AnswerReview::Addresses) => {
                    review::review(effects, session, &mut conversation, answer, cancel).await?
                }
                Some(AnswerReview::Answers) => answers_review::review(session, &mut conversation, answer)?,
                Some(AnswerReview::CheckedAnswers) => {
                    checked_answers::review(session, &mut conversation, answer)?
                }
                Some(AnswerReview::None) | None => Reviewed::stands(answer),
            };
            match reviewed {
                Reviewed::Stands { answer, notes } => {
                    deviations.extend(notes);
                    let answer = format1_answers::answer(&effects.request, stage, answer);
                    end_stage::finish(session, stage, &answer, deviations)?;
                    return Ok(Step::Done);
                }
                Reviewed::Objected => Step::Done,
                Reviewed::Step(step) => step,
            }
        }
        Move::Fail { cause, detail } => {
            return over(
                effects,
                session,
                stage,
                conversation,
                StageFailed { cause, detail },
            );
        }
    };
    // Behind a plan the task's own acts come first, which the conversation is to be told.
    if !was_reflecting || conversation.is_reflecting() {
        effects.conversation = Some((stage, conversation));
    }
    Ok(step)
}

/// The failure of an attempt.
struct StageFailed {
    cause: FailureCause,
    detail: String,
}

/// Ends an attempt that submitted nothing, and the stage with it where no other is made.
fn over(
    effects: &mut Effects,
    session: &mut Session,
    stage: Stage,
    mut conversation: Dialogue,
    failure: StageFailed,
) -> Result<Step, EngineError> {
    let StageFailed { cause, detail } = failure;
    let may_go_on = matches!(
        cause,
        FailureCause::Limit | FailureCause::Timeout | FailureCause::InvalidAnswer
    );
    if !may_go_on || !conversation.has_further_attempt() {
        end_stage::end(session, stage, StageEnd::Failed { cause, detail })?;
        return Ok(Step::Done);
    }
    session.record(Event::AttemptOver {
        stage,
        why: detail.clone(),
    })?;
    conversation.attempt_over(&detail);
    effects.conversation = Some((stage, conversation));
    Ok(Step::Done)
}

/// What the model is told of the budget, where there is one.
pub(super) fn left(effects: &Effects, session: &Session, stage: Stage) -> Option<String> {
    let account = &effects.ports.account;
    let time = time_left::compute(account.budget(), session, stage)
        .ok()
        .flatten();
    account.told(stage, time.map(|time| time.milliseconds / 1000))
}

fn known<'a>(effects: &'a Effects, session: &'a Session, text: &'a Text<'a>) -> Known<'a> {
    Known {
        catalog: &effects.ports.catalog,
        tools: &effects.ports.tools,
        notebook: session
            .state
            .started
            .as_ref()
            .and_then(|started| started.notebook.as_ref()),
        claim: session.state.started.as_ref().map(|started| &started.claim),
        text,
    }
}

/// The turns that an attempt at a notebook task has.
pub(super) fn iterations(session: &Session) -> Option<u32> {
    let terms = session.state.started.as_ref()?.notebook.as_ref()?;
    Some(terms.limits.iterations)
}

/// The conversation as far as the journal knows it.
fn hydrate(effects: &Effects, session: &Session, stage: Stage) -> Result<Dialogue, EngineError> {
    let state = session
        .state
        .stages
        .get(&stage)
        .ok_or_else(|| EngineError::Unusable(format!("stage {stage} is advanced before it starts")))?;
    let text = |content: &Content| session.text(content);
    known(effects, session, &text).conversation(stage, state, &mut |_, _| Ok(()))
}

/// Learns again what the provider counted for the prompts of an earlier process.
pub(super) fn recount(effects: &Effects, session: &Session, stage: Stage) -> Result<(), EngineError> {
    let (ports, account) = (&effects.ports, &effects.ports.account);
    let is_conversation = |state: &&StageState| account.is_capped() && state.programs.is_empty();
    let Some(state) = session.state.stages.get(&stage).filter(is_conversation) else {
        return Ok(());
    };
    let mut recount = |conversation: &Dialogue, passing: Passing<'_>| {
        if let Passing::Answer(_, response) = passing {
            let request = conversation.request();
            if budget::is_text(&request) && response.usage.input > response.usage.estimated {
                let bytes = budget::bytes(&request);
                account.counted(ports.model.name(), stage, bytes, response.usage);
            }
        }
        Ok(())
    };
    let text = |content: &Content| session.text(content);
    known(effects, session, &text).conversation(stage, state, &mut recount)?;
    Ok(())
}
