//! An act in the task's environment: past the gate once a session, then done.

use std::time::{Duration, Instant};

use serde_json::Value;
use tokio_util::sync::CancellationToken;

use crate::domain::content::Content;
use crate::domain::stage::Stage;
use crate::engine::error::EngineError;
use crate::engine::request::LostSession;
use crate::engine::session::Session;
use crate::policy::limits::Reached;
use crate::run::event::{BuildResult, CallRef, Event, KeptAct, RunStarted, ToolFinished, Work};
use crate::tools::contract::Observation;

use super::command_gate::{self, CommandDecision};
use super::context::Effects;
use super::environment::{ActBefore, Environment, EnvironmentSession, LeftAct, OpenedSession, SessionTerms};
use super::made_environment::MadeEnvironment;
use super::session_gate::{Approved, approved, confinement, environment};
use super::time_left;

/// The outcome of an act.
pub enum Acted {
    /// What came of it, and the act as it was done.
    Done(DoneAct),
    /// Nobody is there to approve the session.
    Parked,
    Interrupted,
    /// The time of the stage or of the run is up.
    OutOfTime(Reached),
    /// The session was refused.
    Cancelled(String),
    /// The command was refused, and nothing was run.
    Refused(Observation),
    /// The session of a process that is gone is gone as well, and is not to be done again.
    Lost(String),
}

/// An act that was done: the words to its agent, and the record of it.
pub struct DoneAct {
    pub observation: Observation,
    /// The act, which is shorter than it was asked for where it was left.
    pub action: Value,
    pub kept: Option<KeptAct>,
}

/// Does what a tool asked of the environment.
///
/// # Errors
/// A track without an environment, a session that does not open or does not act, or a journal that cannot
/// be written.
pub async fn act(
    effects: &mut Effects,
    session: &mut Session,
    at: CallRef,
    action: &Value,
    cancel: &CancellationToken,
) -> Result<Acted, EngineError> {
    let environment = environment(effects, session)?;
    match approved(effects, session, environment.as_ref(), at, cancel).await? {
        Approved::Yes => {}
        Approved::Parked => return Ok(Acted::Parked),
        Approved::Refused(why) => return Ok(Acted::Cancelled(why)),
        Approved::Interrupted => return Ok(Acted::Interrupted),
    }
    match command_gate::decided(effects, session, environment.as_ref(), at, action, cancel).await? {
        CommandDecision::Open => {}
        CommandDecision::Parked => return Ok(Acted::Parked),
        CommandDecision::Refused(told) => return Ok(Acted::Refused(Observation::bad(told))),
    }
    let time = match time_left::compute(effects.ports.account.budget(), session, at.stage) {
        Ok(time) => time,
        Err(spent) => return Ok(Acted::OutOfTime(spent)),
    };
    if let Some(why) = lost(effects, session, environment.as_ref()).await? {
        return Ok(Acted::Lost(why));
    }
    let cut = cancel.child_token();
    let mut under_way = effects.environment.take();
    let acting = acting(effects, session, at, action, &mut under_way, &cut);
    let (acted, spent) = time_left::within(time, &cut, acting).await;
    // One that was cut short is in no known state: it is closed as the run stops, and the next
    // process opens its own.
    effects.environment = under_way;
    Ok(match (acted?, spent) {
        (Some(done), _) => Acted::Done(done),
        (None, Some(spent)) => Acted::OutOfTime(spent),
        (None, None) => Acted::Interrupted,
    })
}

/// Opens the session of a stage before its agent has asked for anything, where it is approved
/// by then; else it is opened by the first act.
///
/// # Errors
/// A session that does not open, or a journal that cannot be written.
pub async fn open_early(
    effects: &mut Effects,
    session: &mut Session,
    stage: Stage,
    cancel: &CancellationToken,
) -> Result<(), EngineError> {
    let Some(environment) = effects.ports.track.environment.clone() else {
        return Ok(());
    };
    let at = CallRef {
        stage,
        turn: 0,
        call: 0,
    };
    let approved = approved(effects, session, environment.as_ref(), at, cancel).await?;
    // A session that others' acts were done in is opened by the next one, which does them again.
    let is_first = acts(session).next().is_none();
    if is_first && matches!(approved, Approved::Yes) {
        let opened = open(effects, session, environment.as_ref(), at, &[], cancel).await?;
        effects.environment = opened.map(|opened| opened.session);
    }
    Ok(())
}

/// Opens a session where there is none, and acts in it; `None` where that was cut short.
async fn acting(
    effects: &Effects,
    session: &mut Session,
    at: CallRef,
    action: &Value,
    under_way: &mut Option<Box<dyn EnvironmentSession>>,
    cut: &CancellationToken,
) -> Result<Option<DoneAct>, EngineError> {
    let Some(different) = opened(effects, session, at, under_way, cut).await? else {
        return Ok(None);
    };
    let Some(open) = under_way else { return Ok(None) };
    session.begin(Work::Execution);
    let begun = session.steady();
    let hurried = effects.hurry.token().filter(|_| open.can_be_left(action));
    let since = Instant::now();
    let acted = tokio::select! {
        () = cut.cancelled() => return Ok(None),
        observation = open.act(action, cut) => Some(observation?),
        () = cancelled(hurried) => None,
    };
    let left = match acted {
        Some(observation) => LeftAct {
            observation,
            action: action.clone(),
        },
        None => open.leave(action, since.elapsed()).await?,
    };
    let wall_ms = session.since(begun);
    let kept = match open.take_record() {
        Some(record) => Some(KeptAct {
            record: session.keep(record.to_string().as_bytes())?,
            wall_ms,
        }),
        None => None,
    };
    Ok(Some(DoneAct {
        observation: with_differences(left.observation, &different),
        action: left.action,
        kept,
    }))
}

/// Opens a session where there is none, brought to where the journal left the last one, and says which
/// acts came to something else; `None` where that was cut short.
async fn opened(
    effects: &Effects,
    session: &mut Session,
    at: CallRef,
    under_way: &mut Option<Box<dyn EnvironmentSession>>,
    cut: &CancellationToken,
) -> Result<Option<Vec<String>>, EngineError> {
    let (None, Some(environment)) = (&under_way, &effects.ports.track.environment) else {
        return Ok(Some(Vec::new()));
    };
    let before = acts_before(session)?;
    let opened = open(effects, session, environment.as_ref(), at, &before, cut).await?;
    let Some(opened) = opened else { return Ok(None) };
    let anew = under_way.insert(opened.session);
    match opened.is_taken_up {
        true => Ok(Some(Vec::new())),
        false => again(before, anew.as_mut(), cut).await,
    }
}

/// The same, of the session of the run.
///
/// # Errors
/// A session that does not open or does not act, or a journal that cannot be read or written.
pub(super) async fn open_again(
    effects: &mut Effects,
    session: &mut Session,
    at: CallRef,
    cancel: &CancellationToken,
) -> Result<Option<Vec<String>>, EngineError> {
    let mut under_way = effects.environment.take();
    let different = opened(effects, session, at, &mut under_way, cancel).await;
    effects.environment = under_way;
    different
}

/// Returns once a token is cancelled; never where there is none.
async fn cancelled(token: Option<CancellationToken>) {
    match token {
        Some(token) => token.cancelled().await,
        None => std::future::pending().await,
    }
}

/// Why a session is not opened: it was lost, and the attempt is to be closed then.
///
/// # Errors
/// A machine that does not answer.
pub(super) async fn lost(
    effects: &Effects,
    session: &mut Session,
    environment: &dyn Environment,
) -> Result<Option<String>, EngineError> {
    let closes = effects.request.lost_session() == Some(LostSession::Close);
    if !closes || effects.environment.is_some() || acts(session).next().is_none() {
        return Ok(None);
    }
    let run_started = started(session)?;
    if environment
        .lives_on(&terms(effects, session, &run_started, &[]))
        .await?
    {
        return Ok(None);
    }
    if let Some(sandbox) = &effects.ports.sandbox {
        // One that stopped is still there.
        sandbox.sweep(&session.folder.owner(&effects.request.run)).await?;
    }
    Ok(Some(format!(
        "the session of `{}` ended with the process that acted in it, and is not done again (--lost-session close)",
        environment.name()
    )))
}

/// The run's first event.
///
/// # Errors
/// A run that has not begun.
pub(super) fn started(session: &Session) -> Result<RunStarted, EngineError> {
    let none = || EngineError::Unusable("an act comes before the run".to_owned());
    session.state.started.clone().ok_or_else(none)
}

/// The run that a session is opened for.
pub(super) fn terms<'a>(
    effects: &'a Effects,
    session: &Session,
    started: &'a RunStarted,
    acts_before: &'a [ActBefore],
) -> SessionTerms<'a> {
    SessionTerms {
        confinement: confinement(effects),
        started,
        owner: session.folder.owner(&effects.request.run),
        workspace: session.folder.workspace(),
        streams: session.folder.streams(),
        acts_before,
        made_before: None,
    }
}

/// The environment that was made last.
fn made_before(session: &Session) -> Option<MadeEnvironment> {
    session
        .state
        .builds
        .iter()
        .rev()
        .find_map(|build| match &build.result {
            BuildResult::Ready(environment) => Some(MadeEnvironment {
                digest: build.digest,
                tier: build.tier,
                environment: environment.clone(),
                notes: build.notes.clone(),
            }),
            BuildResult::Failed(_) => None,
        })
}

/// Opens a session, and journals what was made for it.
async fn open(
    effects: &Effects,
    session: &mut Session,
    environment: &dyn Environment,
    at: CallRef,
    acts_before: &[ActBefore],
    cut: &CancellationToken,
) -> Result<Option<OpenedSession>, EngineError> {
    let run_started = started(session)?;
    let made_before = made_before(session);
    let terms = SessionTerms {
        made_before: made_before.as_ref(),
        ..terms(effects, session, &run_started, acts_before)
    };
    let begun = begin_opening(session, at, environment);
    let watch = session.watch();
    let progress = move |line: &str| watch.line(line);
    let opened = tokio::select! {
        () = cut.cancelled() => return Ok(None),
        opened = environment.open(&terms, cut, &progress) => opened?,
    };
    // What stands in the journal is not journaled again.
    let is_known = opened.is_taken_up && made_before.is_some();
    if let Some(made) = opened.made.clone().filter(|_| !is_known) {
        journal_made(session, at, made, begun)?;
    }
    Ok(Some(opened))
}

/// Begins the clock of a session's opening, and says what is under way.
pub(super) fn begin_opening(session: &mut Session, at: CallRef, environment: &dyn Environment) -> Duration {
    session.begin(Work::Build);
    session.watch().under_way(&format!(
        "{}: opening a session of `{}`",
        at.stage,
        environment.name()
    ));
    session.steady()
}

/// Journals what was made for a session, once.
///
/// # Errors
/// A journal that cannot be written.
pub(super) fn journal_made(
    session: &mut Session,
    at: CallRef,
    made: MadeEnvironment,
    begun: Duration,
) -> Result<(), EngineError> {
    if session.state.build_of(at).is_some() {
        return Ok(());
    }
    let wall_ms = session.since(begun);
    session.record(Event::Built {
        at,
        digest: made.digest,
        tier: made.tier,
        result: BuildResult::Ready(made.environment),
        wall_ms,
        notes: made.notes,
    })
}

/// The agent is told what is not as it was before the process ended.
fn with_differences(mut observation: Observation, different: &[String]) -> Observation {
    if !different.is_empty() {
        // Another run of the same acts may be in one piece.
        observation.stable.get_or_insert(observation.text.clone());
        observation.text.push_str(&format!(
            "\n\n[The session was opened anew and its acts were done again. These came to something else: {}.]",
            different.join("; ")
        ));
    }
    observation
}

/// The acts of the journal, with what they came to.
///
/// # Errors
/// An act that cannot be read.
pub(super) fn acts_before(session: &Session) -> Result<Vec<ActBefore>, EngineError> {
    let unreadable = |error| EngineError::Unusable(format!("an act in the journal cannot be read: {error}"));
    let read = |act: JournaledAct<'_>| {
        let kept = match act.kept {
            Some(kept) => Some(serde_json::from_str(&session.text(&kept.record)?).map_err(unreadable)?),
            None => None,
        };
        Ok(ActBefore {
            action: serde_json::from_str(&session.text(act.act)?).map_err(unreadable)?,
            ok: act.ok,
            seen: session.text(act.seen)?,
            kept,
            place: act.place,
        })
    };
    acts(session).map(read).collect()
}

/// An act as the journal holds it.
struct JournaledAct<'a> {
    act: &'a Content,
    seen: &'a Content,
    ok: bool,
    kept: Option<&'a KeptAct>,
    place: String,
}

/// The acts of the journal in their order: of each stage those before its first turn, then its calls;
/// of several attempts those of the one under way, which began where the task began.
fn acts(session: &Session) -> impl Iterator<Item = JournaledAct<'_>> {
    session.state.stages.values().flat_map(|stage| {
        let beforehand = stage.own_beforehand().iter().map(|acted| JournaledAct {
            act: &acted.act,
            seen: &acted.observation,
            ok: acted.ok,
            kept: acted.kept.as_ref(),
            place: format!("act {} before the first turn of {}", acted.index + 1, acted.stage),
        });
        let results = stage.own_turns().iter().flat_map(|turn| turn.results.values());
        beforehand.chain(results.filter_map(journaled))
    })
}

/// The act of a call; `None` of a call that was none.
fn journaled(result: &ToolFinished) -> Option<JournaledAct<'_>> {
    let at = result.at;
    Some(JournaledAct {
        act: result.act.as_ref()?,
        seen: result.stable.as_ref().unwrap_or(&result.observation),
        ok: result.ok,
        kept: result.kept.as_ref(),
        place: format!("`{}` of turn {} of {}", result.tool, at.turn + 1, at.stage),
    })
}

/// Brings a session to where the journal left the last one, and says which acts came to
/// something else; `None` where it was asked to stop on the way.
async fn again(
    acts: Vec<ActBefore>,
    open: &mut dyn EnvironmentSession,
    cancel: &CancellationToken,
) -> Result<Option<Vec<String>>, EngineError> {
    let mut different = Vec::new();
    for before in acts {
        if cancel.is_cancelled() {
            return Ok(None);
        }
        let seen = open.act(&before.action, cancel).await?;
        if before.seen != seen.stable.unwrap_or(seen.text) {
            different.push(before.place);
        }
    }
    Ok(Some(different))
}
