//! One tool call.

use serde_json::Value;
use tokio_util::sync::CancellationToken;

use crate::agent::dialogue::Dialogue;
use crate::agent::pending_call::PendingCall;
use crate::domain::digest::Digest;
use crate::domain::failure::FailureCause;
use crate::domain::stage::Stage;
use crate::engine::dispatch::Step;
use crate::engine::error::EngineError;
use crate::engine::request::MendChoice;
use crate::engine::session::Session;
use crate::model::chat::ModelError;
use crate::policy::approver::Approver;
use crate::policy::decision::Decision;
use crate::policy::subject::{Network, Owner, Subject, Write};
use crate::run::event::{
    Asking, CallRef, Change, Event, KeptAct, PictureAnswer, Spent, StageEnd, ToolFinished,
};
use crate::tools::contract::{FileChange, Observation, Request, ToolOutcome};

use super::act::{self, Acted, DoneAct};
use super::analyse::{self, Analysed, mend_by_rule};
use super::context::Effects;
use super::end_stage;
use super::gate::{self, ApprovalRequest, GateDecision, NetworkQuestion};
use super::halt::halt;
use super::look::{VisionOutcome, look};
use super::network_calls::network_calls;

/// The outcome of a call.
enum CallOutcome {
    /// What the model is told, with what the journal keeps besides.
    Observed(Observation, Box<CallRecord>),
    Step(Step),
    Cancelled(String),
    /// The session of the environment is gone.
    Lost(String),
}

impl CallOutcome {
    /// An observation alone.
    fn told(observation: Observation) -> Self {
        Self::Observed(observation, Box::default())
    }

    /// A change of a file that may be made.
    fn changed(observation: Observation, change: FileChange) -> Self {
        let record = CallRecord {
            change: Some(change),
            ..CallRecord::default()
        };
        Self::Observed(observation, Box::new(record))
    }
}

/// The journal's record of a call beside the model's observation.
#[derive(Default)]
struct CallRecord {
    change: Option<FileChange>,
    looked: Option<PictureAnswer>,
    spent: Option<Spent>,
    act: Option<Value>,
    kept: Option<KeptAct>,
    left: bool,
}

/// A call that is due.
pub struct DueCall {
    pub call: PendingCall,
    /// What the model is told besides what came of the call.
    pub told: Option<String>,
}

/// Performs a call, journals what it came to, and tells the conversation.
///
/// # Errors
/// What the tool needs of the machine, the network or the operator and does not get, or a journal that
/// cannot be written.
pub async fn call(
    effects: &mut Effects,
    session: &mut Session,
    conversation: &mut Dialogue,
    due: DueCall,
    cancel: &CancellationToken,
) -> Result<Step, EngineError> {
    let DueCall { call, told } = due;
    let position = conversation.position();
    let at = CallRef {
        stage: position.stage,
        turn: position.turn.saturating_sub(1),
        call: call.index,
    };
    let (observation, record) = match perform(effects, session, at, &call, cancel).await? {
        CallOutcome::Observed(observation, record) => (observation, *record),
        CallOutcome::Step(step) => return Ok(step),
        CallOutcome::Cancelled(detail) => return failed(session, at.stage, FailureCause::Cancelled, detail),
        CallOutcome::Lost(detail) => return failed(session, at.stage, FailureCause::Infrastructure, detail),
    };
    let observation = with_what_is_left(observation, told);
    session.watch().observed(&call.tool, &observation);
    finish(effects, session, at, &call.tool, &observation, record)?;
    conversation.observed(call.index, observation);
    Ok(Step::Done)
}

/// Ends the stage, which no further call mends.
fn failed(
    session: &mut Session,
    stage: Stage,
    cause: FailureCause,
    detail: String,
) -> Result<Step, EngineError> {
    end_stage::end(session, stage, StageEnd::Failed { cause, detail })?;
    Ok(Step::Done)
}

fn with_what_is_left(mut observation: Observation, told: Option<String>) -> Observation {
    if let Some(told) = told {
        // Another run of the same session may have more or less left.
        observation.stable.get_or_insert(observation.text.clone());
        observation.text.push_str(&format!("\n\n{told}"));
    }
    observation
}

async fn perform(
    effects: &mut Effects,
    session: &mut Session,
    at: CallRef,
    call: &PendingCall,
    cancel: &CancellationToken,
) -> Result<CallOutcome, EngineError> {
    let observed = |observation| Ok(CallOutcome::told(observation));
    let arguments = match &call.arguments {
        Ok(arguments) => arguments,
        Err(reason) => {
            return observed(Observation::bad(format!(
                "The arguments of `{}` cannot be read as JSON: {reason}. Nothing was done.",
                call.tool
            )));
        }
    };
    let offered = session
        .state
        .stages
        .get(&at.stage)
        .map(|stage| stage.tools.clone())
        .unwrap_or_default();
    let offered: Vec<&str> = offered.iter().map(String::as_str).collect();
    let tools = effects.ports.tools.clone();
    let outcome = tools.call(&call.tool, arguments, &offered, effects.workspace(session)?);
    match outcome {
        ToolOutcome::Observed(observation) => observed(observation),
        ToolOutcome::Change(change, observation) => {
            write(effects, session, at, change, observation, cancel).await
        }
        ToolOutcome::Wanted(Request::RunAnalysis { reason }) => {
            Ok(match analyse::run(effects, session, at, &reason, cancel).await? {
                Analysed::Observed(observation) => {
                    return mended(effects, session, at, observation, cancel).await;
                }
                Analysed::Left(observation) => {
                    let record = CallRecord {
                        left: true,
                        ..CallRecord::default()
                    };
                    CallOutcome::Observed(observation, Box::new(record))
                }
                Analysed::Parked => CallOutcome::Step(Step::Parked),
                Analysed::Interrupted => CallOutcome::Step(Step::Interrupted),
                Analysed::OutOfTime(spent) => {
                    CallOutcome::Step(halt(effects, session, at.stage, ModelError::Spent(spent))?)
                }
                Analysed::Cancelled(detail) => CallOutcome::Cancelled(detail),
            })
        }
        ToolOutcome::Wanted(Request::Act { action }) => {
            Ok(match act::act(effects, session, at, &action, cancel).await? {
                Acted::Done(DoneAct {
                    observation,
                    action,
                    kept,
                }) => {
                    let record = CallRecord {
                        act: Some(action),
                        kept,
                        ..CallRecord::default()
                    };
                    CallOutcome::Observed(observation, Box::new(record))
                }
                Acted::Parked => CallOutcome::Step(Step::Parked),
                Acted::Interrupted => CallOutcome::Step(Step::Interrupted),
                Acted::OutOfTime(spent) => {
                    CallOutcome::Step(halt(effects, session, at.stage, ModelError::Spent(spent))?)
                }
                Acted::Cancelled(detail) => CallOutcome::Cancelled(detail),
                Acted::Refused(told) => CallOutcome::told(told),
                Acted::Lost(detail) => CallOutcome::Lost(detail),
            })
        }
        ToolOutcome::Wanted(Request::AskPerson { question }) => {
            ask_person(effects, session, at, question, cancel).await
        }
        ToolOutcome::Wanted(Request::LookAtImage(asked)) => {
            Ok(match look(effects, session, at, &asked, cancel).await? {
                VisionOutcome::Seen(observation, looked) => {
                    let record = CallRecord {
                        looked,
                        ..CallRecord::default()
                    };
                    CallOutcome::Observed(observation, Box::new(record))
                }
                VisionOutcome::Step(step) => CallOutcome::Step(step),
            })
        }
        ToolOutcome::Wanted(request) => network(effects, session, at, &call.tool, request, cancel).await,
    }
}

/// What an execution came to, with the mends of its script that a rule makes.
async fn mended(
    effects: &Effects,
    session: &mut Session,
    at: CallRef,
    mut observation: Observation,
    cancel: &CancellationToken,
) -> Result<CallOutcome, EngineError> {
    let due = match effects.request.mend {
        MendChoice::Propose => None,
        MendChoice::ByRule => mend_by_rule::due(session, at)?,
    };
    let Some(change) = due else {
        return Ok(CallOutcome::told(observation));
    };
    let note = Observation::good(format!(
        "They were made in `{}` by the engine, as this run's settings allow: call `run_analysis` again.\n",
        change.path
    ));
    Ok(match write(effects, session, at, change, note, cancel).await? {
        CallOutcome::Observed(note, record) => {
            for text in std::iter::once(&mut observation.text).chain(&mut observation.stable) {
                text.push_str(&note.text);
            }
            CallOutcome::Observed(observation, record)
        }
        parked => parked,
    })
}

/// A file change: past the gate first.
async fn write(
    effects: &Effects,
    session: &mut Session,
    at: CallRef,
    change: FileChange,
    observation: Observation,
    cancel: &CancellationToken,
) -> Result<CallOutcome, EngineError> {
    let started = session.state.started.as_ref();
    let from_study = started.is_some_and(|started| started.code.iter().any(|file| file.path == change.path));
    let write = Write {
        stage: at.stage,
        path: change.path.clone(),
        owner: if from_study { Owner::Study } else { Owner::Agent },
        plan: effects
            .ports
            .catalog
            .plan_of(at.stage)
            .and_then(|plan| plan.parse().ok()),
        before: change.before,
        after: Some(Digest::compute(&change.after)),
    };
    let subject = Subject::Write(write);
    let decision = effects.ports.approver.decide(&subject);
    // Nobody is asked about the agent's own files; the change itself is journaled.
    if decision == Decision::Allow && !from_study {
        return Ok(CallOutcome::changed(observation, change));
    }
    let approval = ApprovalRequest {
        at,
        asking: Asking::Write,
        summary: format!("change {}", change.path),
        digest: subject.digest(),
        subject: &subject,
        details: change.diff.clone(),
    };
    Ok(
        match gate::pass(&effects.ports, session, approval, decision, cancel).await? {
            GateDecision::Open => CallOutcome::changed(observation, change),
            GateDecision::Refused { words, .. } => {
                let words = words.map_or(String::new(), |words| format!(": {words}"));
                CallOutcome::told(Observation::bad(format!(
                    "The change of {} was refused{words}. Nothing was written.",
                    change.path
                )))
            }
            GateDecision::Parked => CallOutcome::Step(Step::Parked),
        },
    )
}

async fn ask_person(
    effects: &Effects,
    session: &mut Session,
    at: CallRef,
    question: String,
    cancel: &CancellationToken,
) -> Result<CallOutcome, EngineError> {
    if !matches!(effects.ports.approver, Approver::Ask | Approver::Policy(_)) {
        return Ok(CallOutcome::told(Observation::good(
            "Nobody attends this run. Decide yourself, choose what a careful replicator would, \
             and write the assumption down where the answer has a place for notes.",
        )));
    }
    let approval = ApprovalRequest {
        at,
        asking: Asking::Person,
        summary: question.clone(),
        digest: Digest::compute_json(&(at, &question)),
        subject: &question,
        details: String::new(),
    };
    let passed = gate::pass(&effects.ports, session, approval, Decision::Ask, cancel).await?;
    let digest = Digest::compute_json(&(at, &question));
    let words = session
        .state
        .gate
        .decision(digest)
        .and_then(|decided| decided.words.clone());
    Ok(match passed {
        GateDecision::Parked => CallOutcome::Step(Step::Parked),
        GateDecision::Open | GateDecision::Refused { .. } => CallOutcome::told(Observation::good(
            words.unwrap_or_else(|| "The person gave no answer: decide yourself.".to_owned()),
        )),
    })
}

async fn network(
    effects: &Effects,
    session: &mut Session,
    at: CallRef,
    tool: &str,
    request: Request,
    cancel: &CancellationToken,
) -> Result<CallOutcome, EngineError> {
    let port = effects.ports.network.clone();
    if port.is_live() {
        let network = match &request {
            Request::FetchPage { url } => match Network::from_link(tool, url) {
                Ok(network) => Network {
                    operators: port.opens(&network.target),
                    ..network
                },
                Err(error) => return Ok(CallOutcome::told(Observation::bad(error.to_string()))),
            },
            _ => Network {
                tool: tool.to_owned(),
                target: port.search_host().unwrap_or_default().to_owned(),
                operators: true,
            },
        };
        let target = network.target.clone();
        let question = NetworkQuestion {
            network,
            summary: format!("{tool}: reach {target}"),
            details: String::new(),
        };
        match gate::reach(effects, session, at, question, cancel).await? {
            GateDecision::Open => {}
            GateDecision::Parked => return Ok(CallOutcome::Step(Step::Parked)),
            GateDecision::Refused { words, .. } => {
                let words = words.map_or(String::new(), |words| format!(": {words}"));
                let text = format!("Reaching {target} was refused{words}.");
                return Ok(CallOutcome::told(Observation::bad(text)));
            }
        }
    }
    let index = network_calls(effects, session, at);
    // What a hosted search takes is known once it is answered; an account that is
    // empty asks for none.
    let account = match (&request, port.search_model()) {
        (Request::WebSearch { .. }, Some(model)) => effects.ports.accounts.get(model),
        _ => None,
    };
    let aside = match account.map(|account| account.reserve(at.stage, 0, 0)).transpose() {
        Ok(aside) => aside,
        Err(spent) => {
            return halt(effects, session, at.stage, ModelError::Spent(spent)).map(CallOutcome::Step);
        }
    };
    let answered = tokio::select! {
        () = cancel.cancelled() => None,
        observation = port.answer(at, index, &request) => Some(observation),
    };
    let spent = port.take_spent().map(|spent| Spent {
        fee: account.and_then(|account| account.fee(spent.searches)),
        ..spent
    });
    if let (Some(account), Some(aside)) = (account, aside) {
        let (usage, fee) = (
            spent.as_ref().map(|spent| spent.usage),
            spent.as_ref().and_then(|spent| spent.fee),
        );
        account.settle_charged(aside, usage, fee);
    }
    match answered {
        Some(observation) => {
            let record = CallRecord {
                spent,
                ..CallRecord::default()
            };
            Ok(CallOutcome::Observed(observation?, Box::new(record)))
        }
        None => Ok(CallOutcome::Step(Step::Interrupted)),
    }
}

/// Journals a finished call, then writes its change: the event is the
/// write-ahead record of the file.
fn finish(
    effects: &mut Effects,
    session: &mut Session,
    at: CallRef,
    tool: &str,
    observation: &Observation,
    record: CallRecord,
) -> Result<(), EngineError> {
    let change = record.change;
    let kept = match &change {
        Some(change) => Some(Change {
            path: change.path.clone(),
            before: change.before,
            after: session.keep(&change.after)?,
        }),
        None => None,
    };
    let stable = observation
        .stable
        .as_ref()
        .map(|stable| session.keep(stable.as_bytes()))
        .transpose()?;
    let act = record
        .act
        .map(|act| session.keep(act.to_string().as_bytes()))
        .transpose()?;
    session.record(Event::ToolFinished(Box::new(ToolFinished {
        at,
        tool: tool.to_owned(),
        observation: session.keep(observation.text.as_bytes())?,
        stable,
        ok: observation.ok,
        change: kept,
        looked: record.looked,
        spent: record.spent,
        act,
        kept: record.kept,
        left: record.left,
    })))?;
    if let Some(change) = change {
        let path = change.path.below(&session.folder.workspace());
        effects
            .workspace(session)?
            .replace(&change.path, &change.after)
            .map_err(|error| EngineError::io(&path, error))?;
    }
    Ok(())
}
