//! The agent of a run, as `--agent` names it.

use super::agent_request::{self, ensure_no_program};
use super::exit::Failure;
use crate::app::program::Program;
use crate::catalog::agents::load;
use crate::catalog::stages::agent_file::StageAgent;
use crate::catalog::stages::plain_agent::PLAIN;
use crate::catalog::unknown_agent::UnknownAgent;
use crate::domain::claim_only;
use crate::domain::excerpt;
use crate::domain::replication;
use crate::engine::choice::agent::{AgentChoice, AgentSampling};
use crate::engine::choice::run::RunChoice;
use crate::engine::request::{AgentRequest, Approve, RunRequest};
use crate::model::access::Access;
use crate::model::name::{HUMAN, ModelName, is_recording};
use crate::model::served::ensure_taken;

/// The agent of a run: neither of the two is our own loop.
#[derive(Debug, Default)]
pub struct ChosenAgent {
    /// The one that is part of this program.
    pub own: Option<StageAgent>,
    /// The one that is a program of others.
    pub program: Option<AgentRequest>,
}

/// The agent that is asked for, on a track; on that of replications if none is named.
///
/// # Errors
/// A name that no agent has, one that cannot be used as it is asked for, or options of programs beside
/// an agent that is none.
pub fn chosen(
    program: &Program,
    run: &RunChoice,
    track: Option<&str>,
    approve: &Approve,
) -> Result<ChosenAgent, Failure> {
    let choice = &run.agent;
    let Some(name) = choice.name.as_deref() else {
        return Ok(ChosenAgent::default());
    };
    let stages_dir = run.stages_dir.as_deref();
    // What makes that agent is its track.
    let is_track = name == claim_only::TRACK && track == Some(claim_only::TRACK);
    if name == PLAIN || is_track {
        ensure_no_program(choice)?;
        return Ok(ChosenAgent::default());
    }
    let track_name = track.unwrap_or(replication::TRACK);
    let agents = program.tracks.agents(track_name, stages_dir)?;
    if let Some(own) = agents.iter().find(|agent| agent.name == name) {
        ensure_no_program(choice)?;
        // Its prompts are read as well before anything begins.
        program.tracks.catalog_by(track, stages_dir, Some(name))?;
        return Ok(ChosenAgent {
            own: Some(own.clone()),
            program: None,
        });
    }
    let programs =
        load::names(choice.agents_dir.as_deref()).map_err(|error| Failure::usage(error.to_string()))?;
    if !programs.iter().any(|program| program == name) {
        let of_studies = (track_name == replication::TRACK).then(|| claim_only::TRACK.to_owned());
        let unknown = UnknownAgent {
            name: excerpt::shortened(name, 80),
            track: track_name.to_owned(),
            own: agents
                .into_iter()
                .map(|agent| agent.name)
                .chain(of_studies)
                .collect(),
            programs,
        };
        return Err(Failure::usage(format!("--agent {name}: {unknown}")));
    }
    Ok(ChosenAgent {
        own: None,
        program: agent_request::request(&program.settings, run, approve)?,
    })
}

/// Lays the limits of an agent of this program under those that were asked for; a recording or a person
/// costs nothing, and has none.
///
/// # Errors
/// A table of models that cannot be read.
pub fn lay_limits(program: &Program, agent: &StageAgent, request: &mut RunRequest) -> Result<(), Failure> {
    if agent.limits.is_empty() || is_recording(&request.model) || request.model == HUMAN {
        return Ok(());
    }
    let access = Access::open(&program.settings).map_err(|error| Failure::usage(error.to_string()))?;
    let is_priced = access.capabilities(&request.model).price.is_some();
    agent.limits.lay_under(&mut request.budget, is_priced);
    Ok(())
}

/// Lays the sampling of an agent of this program under the one that was asked for, where a model is asked.
///
/// # Errors
/// A model that does not take it, or a table of models that cannot be read.
pub fn lay_sampling(
    program: &Program,
    choice: &AgentChoice,
    agent: &StageAgent,
    request: &mut RunRequest,
) -> Result<(), Failure> {
    let name: Option<ModelName> = request.model.parse().ok();
    let Some(name @ ModelName::Served { .. }) = name else {
        return Ok(());
    };
    if agent.sampling.is_default() || choice.sampling == AgentSampling::Provider {
        return Ok(());
    }
    let sampling = agent.sampling.overlaid(request.sampling);
    let access = Access::open(&program.settings).map_err(|error| Failure::usage(error.to_string()))?;
    ensure_taken(&name, sampling, &access.capabilities(&request.model)).map_err(|error| {
        Failure::usage(format!(
            "--agent {0} has the model draw as its file says ({1}): {error} `--agent-sampling provider` leaves it to the \
             provider.",
            agent.name, agent.sampling
        ))
    })?;
    request.sampling = sampling;
    Ok(())
}

/// Refuses a recording of a session whose agent is a program of others.
///
/// # Errors
/// A recording that is asked for beside such an agent.
pub fn ensure_recordable(request: &RunRequest, record: Option<&str>) -> Result<(), Failure> {
    match (&request.agent, record) {
        (Some(agent), Some(record)) => Err(Failure::usage(format!(
            "--agent {} --record {record}: no recording holds the calls of a program; `reprise replay RUN` answers them \
             out of the run, so leave --record out",
            agent.name
        ))),
        _ => Ok(()),
    }
}
