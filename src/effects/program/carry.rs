//! Carries a stage on whose agent is a program.

use tokio_util::sync::CancellationToken;

use crate::catalog::agents::definition::AgentLimits;
use crate::domain::content::Content;
use crate::domain::failure::FailureCause;
use crate::domain::stage::Stage;
use crate::domain::waiting::Waiting;
use crate::effects::context::Effects;
use crate::effects::end_stage;
use crate::effects::halt::halt;
use crate::effects::session_gate::{Approved, approved, environment};
use crate::effects::time_left::{self, TimeLeft};
use crate::engine::dispatch::Step;
use crate::engine::error::EngineError;
use crate::engine::request::LostSession;
use crate::engine::session::Session;
use crate::model::chat::ModelError;
use crate::model::proxy::admission::RunToken;
use crate::run::event::{CallRef, Event, Halted, StageEnd, Work};
use crate::run::program::{ProgramEnded, ProgramEnding, ProgramStarted};

use super::call_serving::CallServing;
use super::calls::LastFailure;
use super::chosen::agent;
use super::conclude;
use super::open;
use super::prepared::{ProgramStart, place};
use super::release_files;
use super::session::{ProgramOrder, ProgramSession};
use super::supervise::Watched;

/// One step: the program from its start to its end, or the end of the stage.
///
/// # Errors
/// An agent or an environment that cannot be used, a sandbox that fails, or a journal that cannot be
/// written.
pub async fn advance(
    effects: &mut Effects,
    session: &mut Session,
    stage: Stage,
    cancel: &CancellationToken,
) -> Result<Step, EngineError> {
    let programs = session
        .state
        .stages
        .get(&stage)
        .map(|stage| stage.programs.as_slice());
    let last = programs.and_then(|programs| programs.last().cloned());
    match last.as_ref().map(|last| &last.ended) {
        Some(Some(ended)) if !ended.may_go_on() => {
            conclude::conclude(effects, session, stage, ended)?;
            Ok(Step::Done)
        }
        Some(None) if closes(effects) => {
            let detail = "the session of the program ended with the process that had started it, and it is not started \
                          anew (--lost-session close)";
            let (cause, detail) = (FailureCause::Infrastructure, detail.to_owned());
            end_stage::end(session, stage, StageEnd::Failed { cause, detail })?;
            Ok(Step::Done)
        }
        _ => start(effects, session, stage, cancel).await,
    }
}

/// Whether an attempt is over whose engine was killed.
fn closes(effects: &Effects) -> bool {
    effects.request.lost_session() == Some(LostSession::Close)
}

async fn start(
    effects: &mut Effects,
    session: &mut Session,
    stage: Stage,
    cancel: &CancellationToken,
) -> Result<Step, EngineError> {
    let at = CallRef {
        stage,
        turn: 0,
        call: 0,
    };
    let environment = environment(effects, session)?;
    match approved(effects, session, environment.as_ref(), at, cancel).await? {
        Approved::Yes => {}
        Approved::Parked => return Ok(Step::Parked),
        Approved::Refused(detail) => {
            let cause = FailureCause::Cancelled;
            end_stage::end(session, stage, StageEnd::Failed { cause, detail })?;
            return Ok(Step::Done);
        }
    }
    let time = match time_left::compute(effects.ports.account.budget(), session, stage) {
        Ok(time) => time,
        Err(spent) => return halt(effects, session, stage, ModelError::Spent(spent)),
    };
    let (request, loaded) = agent(effects)?;
    release_files::ensure_unchanged(request).await?;
    let token = RunToken::new(&rand::random::<[u8; 32]>());
    let mut serving = CallServing::start(effects, session, stage, &loaded.definition, token.clone())?;
    let prepared = ProgramStart {
        request,
        agent: &loaded,
        place: &place(effects, environment.as_ref())?,
        prompt: &prompt(session, stage)?,
        model: serving.model(),
        token: &token,
    }
    .prepared();
    let order = ProgramOrder {
        gateway: serving.gateway(),
        beside: request.files.clone(),
        variables: prepared.variables,
        files: prepared.files,
    };
    let Some(program) = open::open(effects, session, at, &order, cancel).await? else {
        return Ok(Step::Interrupted);
    };
    session.record(Event::ProgramStarted(Box::new(ProgramStarted {
        stage,
        agent: loaded.definition.agent.clone(),
        definition: loaded.definition.digest(),
        release: request.release.clone(),
        command: prepared.words,
    })))?;
    let terms = ProgramTerms {
        stage,
        command: prepared.command,
        limits: loaded.definition.limits,
        time,
    };
    carried(effects, session, terms, program, &mut serving, cancel).await
}

/// The terms of a program that is carried to its end.
struct ProgramTerms {
    stage: Stage,
    command: String,
    limits: AgentLimits,
    time: Option<TimeLeft>,
}

/// Carries a program to its end, and journals what came of it.
async fn carried(
    effects: &mut Effects,
    session: &mut Session,
    terms: ProgramTerms,
    mut program: Box<dyn ProgramSession>,
    serving: &mut CallServing,
    cancel: &CancellationToken,
) -> Result<Step, EngineError> {
    let stage = terms.stage;
    session.begin(Work::Execution);
    let begun = session.now();
    program.start(&terms.command).await?;
    let mut supervision = serving.supervision(terms.limits, terms.time);
    let watched = supervision.watch(session, program.as_mut(), cancel).await;
    // Nobody asks from here on, and whatever it left running is gone before its answer is read.
    serving.stop();
    let mut notes = program.close().await;
    let Watched {
        ending,
        output,
        failure,
    } = watched?;
    let mut supervision = serving.supervision(terms.limits, terms.time);
    let traffic = supervision.last_calls(session, ending.is_none()).await?;
    let Some(ending) = ending else {
        return Ok(Step::Interrupted);
    };
    if traffic.under_way > 0 {
        notes.push(format!(
            "Calls that were still under way long after the program had ended, and that are not in this journal: {}.",
            traffic.under_way
        ));
    }
    let ended = ProgramEnded {
        stage,
        ending,
        output: session.keep(output.as_bytes())?,
        answer: conclude::answer(effects, session)?,
        calls: traffic.counts,
        turned_away: traffic.turned_away,
        wall_ms: session.since(begun),
        notes,
    };
    session.record(Event::ProgramEnded(Box::new(ended.clone())))?;
    match ended.may_go_on() {
        true => stop(effects, session, stage, &ended.ending, failure),
        false => Ok(Step::Done),
    }
}

/// Stops the run where another start could come further.
fn stop(
    effects: &Effects,
    session: &mut Session,
    stage: Stage,
    ending: &ProgramEnding,
    failure: Option<LastFailure>,
) -> Result<Step, EngineError> {
    match failure {
        Some(LastFailure::Spent { reached, .. }) => halt(effects, session, stage, ModelError::Spent(reached)),
        Some(LastFailure::Diverged(why)) => Err(ModelError::Drift(why).into()),
        _ => {
            session.record(Event::Halted(Halted {
                stage,
                cause: FailureCause::Infrastructure,
                detail: format!("the program {}", ending.words()),
                waiting: Waiting::default(),
            }))?;
            end_stage::materialise(session)?;
            Ok(Step::Done)
        }
    }
}

/// The prompt of the journal.
fn prompt(session: &Session, stage: Stage) -> Result<String, EngineError> {
    let none = || EngineError::Unusable(format!("stage {stage} is advanced before it starts"));
    let user: Content = session.state.stages.get(&stage).ok_or_else(none)?.user.clone();
    Ok(session.text(&user)?)
}
