//! The model of a run whose agent is a program of somebody else's.

use std::sync::Arc;

use crate::artifacts::content;
use crate::catalog::agents::definition::AgentDefinition;
use crate::catalog::agents::load::{LoadedAgent, load};
use crate::effects::program::earlier_calls::ReplayedCalls;
use crate::effects::program::normalised::Normalisation;
use crate::effects::program::program_model::{CallSource, ProgramModel};
use crate::engine::error::EngineError;
use crate::engine::request::{AgentRequest, Approve, RunRequest};
use crate::engine::run_reader::RunReader;
use crate::engine::watch::Watch;
use crate::model::access::Access;
use crate::model::layers::retry::RetryPolicy;
use crate::model::layers::timer::RealTime;
use crate::model::name::ModelName;
use crate::model::providers;
use crate::model::proxy::upstream::{Upstream, UpstreamBounds};
use crate::model::served::connection;
use crate::policy::approver::Approver;
use crate::settings::Settings;

use super::clock::clock;
use super::process_shared::ProcessShared;
use super::run::approver;
use super::served::waiting;

/// The model as the program of a run asks it; `None` where our own loop is the agent.
///
/// # Errors
/// A model that no provider serves, or one that is not asked in the dialect of the agent.
pub fn of_request(
    settings: &Settings,
    shared: &ProcessShared,
    request: &RunRequest,
    watch: &Arc<dyn Watch>,
) -> Result<Option<ProgramModel>, EngineError> {
    let Some(agent) = &request.agent else {
        return Ok(None);
    };
    let definition = loaded(agent)?.definition;
    check_commands(&request.approve, &definition)?;
    let name = parsed(request)?;
    let ModelName::Served {
        provider,
        base,
        model,
        ..
    } = &name
    else {
        return Err(EngineError::Unusable(format!(
            "--agent {}: {} is no model that a program can ask. Name one that a provider serves with --model, such as \
             openai/gpt-5.",
            agent.name, request.model
        )));
    };
    let mut serving = Access::open(settings)?.serving(&name)?;
    serving.patience = request.patience;
    let retry = RetryPolicy::with(serving.wanted_patience());
    let connection = connection(&name, serving)?;
    let chat_limit = providers::output_limit(provider);
    let (on_wait, on_tick) = waiting(watch);
    let bounds = UpstreamBounds {
        stage: request.stages.from,
        gate: shared.gate(provider, base.as_ref()),
        retry,
        timer: Arc::new(RealTime::ticking(on_tick)),
        on_wait,
    };
    let upstream = Upstream::new(&connection, clock(settings), bounds)?;
    // The dialect that the agent has to be answered in.
    let dialect = agent.dialect.or(definition.dialect);
    if let Some(dialect) = dialect.filter(|dialect| !upstream.speaks(*dialect)) {
        return Err(EngineError::Unusable(format!(
            "--agent {}: {}",
            agent.name,
            upstream.refusal(dialect)
        )));
    }
    Ok(Some(ProgramModel {
        source: CallSource::Provider(Arc::new(upstream)),
        model: model.clone(),
        chat_limit,
    }))
}

/// The model of a replay: the calls of the run, and nobody else.
///
/// # Errors
/// Calls that cannot be read.
pub fn of_replay(run: &RunReader) -> Result<Option<ProgramModel>, EngineError> {
    let Some(agent) = &run.request.agent else {
        return Ok(None);
    };
    let normalisation = Normalisation::new(&loaded(agent)?.definition)?;
    let name = parsed(&run.request)?;
    let model = match &name {
        ModelName::Served { model, .. } => model.clone(),
        other => other.to_string(),
    };
    let text = |name: &_| content::load(name, &run.store);
    let mut calls = ReplayedCalls::default();
    for (stage, state) in run
        .state
        .stages
        .iter()
        .filter(|(_, state)| state.by_program || !state.programs.is_empty())
    {
        calls.add(*stage, state, &normalisation, &text)?;
    }
    Ok(Some(ProgramModel {
        source: CallSource::Replayed(Arc::new(calls)),
        model,
        chat_limit: "max_tokens",
    }))
}

fn parsed(request: &RunRequest) -> Result<ModelName, EngineError> {
    let name = request.model.parse();
    name.map_err(|error| EngineError::Unusable(format!("--model: {error}")))
}

/// Refuses rules about single commands beside an agent that cannot ask about them: they would hold nothing back.
/// Of a program that was typed nobody but its user knows.
///
/// # Errors
/// Such rules, or a policy file that cannot be read as one.
pub fn check_commands(approve: &Approve, definition: &AgentDefinition) -> Result<(), EngineError> {
    let holds_back = match approver(approve)? {
        Approver::Policy(policy) => policy.holds_commands_back(),
        Approver::Ask | Approver::Auto | Approver::Deny => false,
    };
    if !holds_back || definition.asks_for_commands || definition.takes_program() {
        return Ok(());
    }
    Err(EngineError::Unusable(format!(
        "--approve {}: the agent {} asks before none of its commands, so that no rule about them would be kept. Its \
         session is approved as a whole, by `--approve ask` or a rule with action = \"session\"; `reprise agents check` \
         tells which agents ask before each command.",
        approve.words(),
        definition.agent
    )))
}

fn loaded(agent: &AgentRequest) -> Result<LoadedAgent, EngineError> {
    let loaded = load(&agent.name, agent.agents_dir.as_deref());
    loaded.map_err(|error| EngineError::Unusable(error.to_string()))
}
