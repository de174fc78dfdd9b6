//! Carries a stage on whose agent is a program.

use tokio_util::sync::CancellationToken;

use crate::catalog::agents::events::AgentEvents;
use crate::catalog::agents::load::LoadedAgent;
use crate::catalog::agents::placeholder::Placeholder;
use crate::domain::failure::FailureCause;
use crate::domain::stage::Stage;
use crate::domain::waiting::Waiting;
use crate::effects::context::Effects;
use crate::effects::end_stage;
use crate::effects::halt::halt;
use crate::effects::session_gate::{Approved, approved};
use crate::effects::time_left;
use crate::engine::dispatch::Step;
use crate::engine::error::EngineError;
use crate::engine::request::LostSession;
use crate::engine::session::Session;
use crate::model::chat::ModelError;
use crate::model::proxy::admission::RunToken;
use crate::run::event::{CallRef, Event, Halted, StageEnd, Work};
use crate::run::program::{DataReach, ProgramEnded, ProgramEnding, ProgramStarted};

use super::beforehand::{self, BeforeProgram, LeftByCells};
use super::call_serving::CallServing;
use super::calls::LastFailure;
use super::chosen::agent;
use super::conclude;
use super::open;
use super::prepared::{ProgramStart, artifact, place, within};
use super::questions::ProgramGate;
use super::ran_commands::{self, EventReader};
use super::release_files;
use super::session::{ProgramOrder, ProgramSession};
use super::stage_end;
use super::stage_place::{self, environment};
use super::supervise::{ProgramBounds, Watched};

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
    let is_objected = last.as_ref().is_some_and(|last| last.objection.is_some());
    match last.as_ref().map(|last| &last.ended) {
        Some(Some(ended)) if !ended.may_go_on() && !is_objected => {
            if effects.ports.track.environment.is_none() {
                return stage_end::conclude(effects, session, stage, cancel).await;
            }
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
    let environment = environment(effects, session, stage)?;
    match approved(effects, session, environment.as_ref(), at, cancel).await? {
        Approved::Yes => {}
        Approved::Parked => return Ok(Step::Parked),
        Approved::Interrupted => return Ok(Step::Interrupted),
        Approved::Refused(detail) => {
            let cause = FailureCause::Cancelled;
            end_stage::end(session, stage, StageEnd::Failed { cause, detail })?;
            return Ok(Step::Done);
        }
    }
    let place = place(effects, environment.as_ref())?;
    let left = match beforehand::ready(effects, session, at, &place, cancel).await? {
        BeforeProgram::Ready(left) => left,
        BeforeProgram::Interrupted => return Ok(Step::Interrupted),
        BeforeProgram::Over(end) => {
            end_stage::end(session, stage, end)?;
            return Ok(Step::Done);
        }
    };
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
        place: &place,
        prompt: &prompt(session, stage, &loaded, &left)?,
        model: serving.model(),
        token: &token,
        artifact: artifact(session, stage)?,
        task: session
            .state
            .started
            .as_ref()
            .map_or("", |started| started.study.as_str()),
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
        files: request.files_digest,
        command: prepared.words,
        data: match effects.ports.track.environment {
            Some(_) => DataReach::Task,
            None => stage_place::reach(effects, stage),
        },
    })))?;
    let terms = ProgramTerms {
        stage,
        agent: loaded.definition.agent.clone(),
        environment: environment.name().to_owned(),
        command: match &left.folder {
            Some(folder) => within(&place.seen(folder), &prepared.command),
            None => prepared.command,
        },
        bounds: ProgramBounds {
            limits: loaded.definition.limits,
            time,
            work: beforehand::work_left(session, at),
        },
        events: loaded.definition.events.clone(),
        token,
        notes: left.notes,
    };
    carried(effects, session, terms, program, &mut serving, cancel).await
}

/// The terms of a program that is carried to its end.
struct ProgramTerms {
    stage: Stage,
    /// The name of the agent.
    agent: String,
    /// The name of the environment that it acts in.
    environment: String,
    command: String,
    bounds: ProgramBounds,
    events: Option<AgentEvents>,
    /// What stands in no journal.
    token: RunToken,
    /// What is to be known of what came before it, a sentence each.
    notes: Vec<String>,
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
    let begun = session.steady();
    program.start(&terms.command).await?;
    let mut events = EventReader::new(terms.events);
    let mut supervision = serving.supervision(terms.bounds);
    let gate = ProgramGate {
        effects,
        stage,
        agent: &terms.agent,
        environment: &terms.environment,
    };
    let watched = supervision
        .watch(session, program.as_mut(), &mut events, &gate, cancel)
        .await;
    // Nobody asks from here on, and whatever it left running is gone before its answer is read.
    serving.stop();
    let closed = program.close().await;
    let (mut notes, sight) = (terms.notes, closed.sight);
    notes.extend(closed.notes);
    let sight = sight.without(terms.token.expose(), Placeholder::Token.text());
    let Watched {
        ending,
        output,
        failure,
        waited,
    } = watched?;
    let mut supervision = serving.supervision(terms.bounds);
    let traffic = supervision.last_calls(session, ending.is_none()).await?;
    if traffic.under_way > 0 {
        effects.ports.waits.lost(serving.lost_under_way());
    }
    let Some(ending) = ending else {
        return Ok(Step::Interrupted);
    };
    if traffic.under_way > 0 {
        notes.push(format!(
            "Calls that were still under way long after the program had ended, and that are not in this journal: {}.",
            traffic.under_way
        ));
    }
    let state = session.state.stages.get(&stage);
    // Calls that an earlier start had paid for told this one the same.
    let before = state.map_or(0, |state| state.rounds().calls_before_current(state.turns.len()));
    let ran = ran_commands::ran(session, state, before, events.reported(), sight)?;
    let answer = conclude::answer(effects, session, stage)?;
    match stage_end::left(effects, session, stage, cancel) {
        Ok(Some(left)) => {
            notes.extend(left.notes);
            session.record(Event::ProgramLeft(Box::new(left.left)))?;
        }
        Ok(None) => {}
        Err(EngineError::Stopped(_)) => return Ok(Step::Interrupted),
        Err(error) => return Err(error),
    }
    let ended = ProgramEnded {
        stage,
        ending,
        output: session.keep(output.as_bytes())?,
        answer,
        calls: traffic.counts,
        ran: Some(Box::new(ran)),
        turned_away: traffic.turned_away,
        wall_ms: session
            .since(begun)
            .saturating_sub(u64::try_from(waited.as_millis()).unwrap_or(u64::MAX)),
        notes,
    };
    session.record(Event::ProgramEnded(Box::new(ended.clone())))?;
    match ended.may_go_on() {
        true if ended.ending == ProgramEnding::Undecided => Ok(Step::Parked),
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

/// The prompt of the journal, with what was done beforehand, and with what is told of the start before where
/// that did not do.
fn prompt(
    session: &Session,
    stage: Stage,
    loaded: &LoadedAgent,
    left: &LeftByCells,
) -> Result<String, EngineError> {
    let none = || EngineError::Unusable(format!("stage {stage} is advanced before it starts"));
    let state = session.state.stages.get(&stage).ok_or_else(none)?;
    let mut prompt = session.text(&state.user)?;
    if !left.told.is_empty() {
        prompt.push_str(&format!("\n{}\n", left.told));
    }
    let mut latest = state.programs.iter().rev();
    if let Some(objection) = latest.find_map(|program| program.objection.as_ref()) {
        let remark = session.text(&objection.remark)?;
        prompt.push_str(&format!(
            "\n{}\n{}\n",
            loaded.stage_texts.again.trim_end(),
            remark.trim_end()
        ));
    }
    Ok(prompt)
}
