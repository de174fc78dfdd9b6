//! An act in the task's environment: past the gate once a session, then done.

use serde_json::Value;
use tokio_util::sync::CancellationToken;

use crate::domain::content::Content;
use crate::domain::stage::Stage;
use crate::engine::error::EngineError;
use crate::engine::request::RunRequest;
use crate::engine::session::Session;
use crate::policy::limits::Reached;
use crate::policy::subject::{SessionSubject, Subject};
use crate::run::event::{Asking, BuildResult, CallRef, Event, RunStarted, ToolFinished, Work};
use crate::tools::contract::Observation;

use super::context::Effects;
use super::environment::{ActBefore, Environment, EnvironmentSession, OpenedSession, SessionTerms};
use super::gate::{self, ApprovalRequest, GateDecision};
use super::time_left;

/// The outcome of an act.
pub enum Acted {
    Done(Observation),
    /// Nobody is there to approve the session.
    Parked,
    Interrupted,
    /// The time of the stage or of the run is up.
    OutOfTime(Reached),
    /// The session was refused.
    Cancelled(String),
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
    let Some(environment) = effects.ports.track.environment.clone() else {
        return Err(EngineError::Unusable(format!(
            "the track `{}` has no environment to act in",
            session.state.track().track
        )));
    };
    let (request, started) = (effects.request.clone(), started(session)?);
    let terms = terms(effects, session, &request, &started)?;
    match approved(effects, session, environment.as_ref(), &terms, at, cancel).await? {
        Approved::Yes => {}
        Approved::Parked => return Ok(Acted::Parked),
        Approved::Refused(why) => return Ok(Acted::Cancelled(why)),
    }
    let time = match time_left::compute(effects.ports.account.budget(), session, at.stage) {
        Ok(time) => time,
        Err(spent) => return Ok(Acted::OutOfTime(spent)),
    };
    let cut = cancel.child_token();
    let mut under_way = effects.environment.take();
    let acting = acting(
        session,
        environment.as_ref(),
        &terms,
        at,
        action,
        &mut under_way,
        &cut,
    );
    let (acted, spent) = time_left::within(time, &cut, acting).await;
    match (acted?, spent) {
        (Some(observation), _) => {
            effects.environment = under_way;
            Ok(Acted::Done(observation))
        }
        // One that was cut short is in no known state: the next process opens its own.
        (None, Some(spent)) => {
            close(under_way).await;
            Ok(Acted::OutOfTime(spent))
        }
        (None, None) => {
            close(under_way).await;
            Ok(Acted::Interrupted)
        }
    }
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
    let (request, started) = (effects.request.clone(), started(session)?);
    let terms = terms(effects, session, &request, &started)?;
    let approved = approved(effects, session, environment.as_ref(), &terms, at, cancel).await?;
    if matches!(approved, Approved::Yes) {
        let opened = open(session, environment.as_ref(), &terms, at, cancel).await?;
        effects.environment = opened.map(|opened| opened.session);
    }
    Ok(())
}

fn started(session: &Session) -> Result<RunStarted, EngineError> {
    let none = || EngineError::Unusable("an act comes before the run".to_owned());
    session.state.started.clone().ok_or_else(none)
}

fn terms<'a>(
    effects: &Effects,
    session: &Session,
    request: &'a RunRequest,
    started: &'a RunStarted,
) -> Result<SessionTerms<'a>, EngineError> {
    Ok(SessionTerms {
        request,
        started,
        workspace: session.folder.workspace(),
        streams: session.folder.streams(),
        sandbox: effects.ports.sandbox.clone(),
        acts_before: acts_before(session)?,
    })
}

/// The decision on a session.
enum Approved {
    Yes,
    /// Nobody is there to decide.
    Parked,
    Refused(String),
}

async fn approved(
    effects: &Effects,
    session: &mut Session,
    environment: &dyn Environment,
    terms: &SessionTerms<'_>,
    at: CallRef,
    cancel: &CancellationToken,
) -> Result<Approved, EngineError> {
    let name = environment.name().to_owned();
    let confinement = environment.confinement(terms);
    let subject = Subject::Session(SessionSubject {
        environment: name.clone(),
        confinement: confinement.clone(),
        data: terms.started.data_digest,
    });
    let approval = ApprovalRequest {
        at,
        asking: Asking::Session,
        summary: format!("act in the environment `{name}`"),
        digest: subject.digest(),
        subject: &subject,
        details: confinement,
    };
    let decision = effects.ports.approver.decide(&subject);
    Ok(
        match gate::pass(&effects.ports, session, approval, decision, cancel).await? {
            GateDecision::Open => Approved::Yes,
            GateDecision::Parked => Approved::Parked,
            GateDecision::Refused { words, .. } => {
                let words = words.map_or(String::new(), |words| format!(": {words}"));
                Approved::Refused(format!("a session of `{name}` was refused{words}"))
            }
        },
    )
}

async fn close(session: Option<Box<dyn EnvironmentSession>>) {
    if let Some(session) = session {
        let _of_a_session_that_is_done_again = session.close().await;
    }
}

/// Opens a session where there is none, and acts in it; `None` where that was cut short.
async fn acting(
    session: &mut Session,
    environment: &dyn Environment,
    terms: &SessionTerms<'_>,
    at: CallRef,
    action: &Value,
    under_way: &mut Option<Box<dyn EnvironmentSession>>,
    cut: &CancellationToken,
) -> Result<Option<Observation>, EngineError> {
    let mut different = Vec::new();
    if under_way.is_none() {
        let Some(opened) = open(session, environment, terms, at, cut).await? else {
            return Ok(None);
        };
        let anew = under_way.insert(opened.session);
        if !opened.is_taken_up {
            match again(done(session)?, anew.as_mut(), cut).await? {
                Some(others) => different = others,
                None => return Ok(None),
            }
        }
    }
    let Some(open) = under_way else { return Ok(None) };
    session.begin(Work::Execution);
    let acted = tokio::select! {
        () = cut.cancelled() => None,
        observation = open.act(action, cut) => Some(observation),
    };
    let Some(observation) = acted else { return Ok(None) };
    Ok(Some(with_differences(observation?, &different)))
}

/// Opens a session, and journals what was made for it.
async fn open(
    session: &mut Session,
    environment: &dyn Environment,
    terms: &SessionTerms<'_>,
    at: CallRef,
    cut: &CancellationToken,
) -> Result<Option<OpenedSession>, EngineError> {
    session.begin(Work::Build);
    let started = session.now();
    let watch = session.watch();
    watch.under_way(&format!(
        "{}: opening a session of `{}`",
        at.stage,
        environment.name()
    ));
    let progress = move |line: &str| watch.line(line);
    let opened = tokio::select! {
        () = cut.cancelled() => return Ok(None),
        opened = environment.open(terms, cut, &progress) => opened?,
    };
    if let Some(made) = opened.made.clone()
        && session.state.build_of(at).is_none()
    {
        let wall_ms = session.since(started);
        session.record(Event::Built {
            at,
            digest: made.digest,
            tier: made.tier,
            result: BuildResult::Ready(made.environment),
            wall_ms,
        })?;
    }
    Ok(Some(opened))
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

/// An act of the journal.
struct Done {
    action: Value,
    /// What it came to.
    seen: String,
    /// Its tool and its turn, for people.
    place: String,
}

fn read_act(session: &Session, act: &Content) -> Result<Value, EngineError> {
    serde_json::from_str(&session.text(act)?)
        .map_err(|error| EngineError::Unusable(format!("an act in the journal cannot be read: {error}")))
}

fn acts_before(session: &Session) -> Result<Vec<ActBefore>, EngineError> {
    let read = |(result, act): (&ToolFinished, &Content)| {
        Ok(ActBefore {
            action: read_act(session, act)?,
            ok: result.ok,
        })
    };
    acts(session).map(read).collect()
}

/// The acts of the journal, in their order.
fn done(session: &Session) -> Result<Vec<Done>, EngineError> {
    let mut done = Vec::new();
    for (result, act) in acts(session) {
        let action = read_act(session, act)?;
        let at = result.at;
        done.push(Done {
            action,
            seen: session.text(result.stable.as_ref().unwrap_or(&result.observation))?,
            place: format!("`{}` of turn {} of {}", result.tool, at.turn + 1, at.stage),
        });
    }
    Ok(done)
}

/// The calls of the journal that were acts, in their order.
fn acts(session: &Session) -> impl Iterator<Item = (&ToolFinished, &Content)> {
    let turns = session.state.stages.values().flat_map(|stage| &stage.turns);
    let results = turns.flat_map(|turn| turn.results.values());
    results.filter_map(|result| Some((result, result.act.as_ref()?)))
}

/// Brings a session to where the journal left the last one, and says which acts came to
/// something else; `None` where it was asked to stop on the way.
async fn again(
    acts: Vec<Done>,
    open: &mut dyn EnvironmentSession,
    cancel: &CancellationToken,
) -> Result<Option<Vec<String>>, EngineError> {
    let mut different = Vec::new();
    for done in acts {
        if cancel.is_cancelled() {
            return Ok(None);
        }
        let seen = open.act(&done.action, cancel).await?;
        if done.seen != seen.stable.unwrap_or(seen.text) {
            different.push(done.place);
        }
    }
    Ok(Some(different))
}
