//! The environment that a program of a stage is started in, and the workspace that it sees.

use std::path::PathBuf;
use std::sync::Arc;

use crate::domain::execution::{EnvironmentSpec, Tier};
use crate::domain::mode::CodeMode;
use crate::domain::plan::Interpreter;
use crate::domain::stage::Stage;
use crate::domain::workspace_path::WorkspacePath;
use crate::effects::analyse::declared::FoundPlan;
use crate::effects::analyse::rules::languages;
use crate::effects::analyse::run::read_declared;
use crate::effects::context::Effects;
use crate::effects::environment::Environment;
use crate::effects::session_gate;
use crate::effects::stage_sandbox::environment::StageSandbox;
use crate::effects::stage_sandbox::stage_copy::CopyOrder;
use crate::engine::error::EngineError;
use crate::engine::session::Session;
use crate::run::program::DataReach;
use crate::study::open::Study;

use super::chosen::agent;

/// The environment of a program: the track's own, or a sandbox for the stage where the track has commands
/// executed one by one.
///
/// # Errors
/// An agent or a plan that cannot be used.
pub fn environment(
    effects: &Effects,
    session: &Session,
    stage: Stage,
) -> Result<Arc<dyn Environment>, EngineError> {
    match stage_sandbox(effects, session, stage)? {
        Some(sandbox) => Ok(Arc::new(sandbox)),
        None => session_gate::environment(effects, session),
    }
}

/// The sandbox of a stage; `None` where the track has an environment.
///
/// # Errors
/// An agent or a plan that cannot be used.
pub fn stage_sandbox(
    effects: &Effects,
    session: &Session,
    stage: Stage,
) -> Result<Option<StageSandbox>, EngineError> {
    if effects.ports.track.environment.is_some() {
        return Ok(None);
    }
    let (_, loaded) = agent(effects)?;
    Ok(Some(StageSandbox {
        stage,
        copy: copy(effects, session, stage),
        packages: packages(effects, session, stage)?,
        seconds: loaded.definition.limits.wall_seconds,
        r_defaults: session.state.r_defaults(),
    }))
}

/// The workspace that the program of a stage sees.
///
/// # Errors
/// An agent or a plan that cannot be used.
pub fn workspace(effects: &Effects, session: &Session, stage: Stage) -> Result<PathBuf, EngineError> {
    Ok(match stage_sandbox(effects, session, stage)? {
        Some(sandbox) => sandbox.copy.target,
        None => session.folder.workspace(),
    })
}

/// The reach of a stage's program to the data.
pub fn reach(effects: &Effects, stage: Stage) -> DataReach {
    let is_told = (effects.request.agent.as_ref()).is_some_and(|agent| agent.data_before_plan);
    match (effects.ports.catalog.precedes_execution(stage), is_told) {
        (false, _) => DataReach::Task,
        (true, false) => DataReach::Withheld,
        (true, true) => DataReach::BeforePlan,
    }
}

fn copy(effects: &Effects, session: &Session, stage: Stage) -> CopyOrder {
    let study = Study::open(&effects.request.study);
    CopyOrder {
        workspace: session.folder.workspace(),
        target: session.folder.program(),
        reach: reach(effects, stage),
        plan: effects.ports.catalog.plan_of(stage).map(str::to_owned),
        shown_columns: study.map_or_else(|_| Vec::new(), |study| study.shown_columns().to_vec()),
        documents: effects.ports.documents.clone(),
    }
}

/// The packages of a stage's sandbox: those of its plan, else the languages of the code.
fn packages(effects: &Effects, session: &Session, stage: Stage) -> Result<EnvironmentSpec, EngineError> {
    let tier = effects
        .ports
        .sandbox
        .as_ref()
        .map_or(Tier::Landlock, |sandbox| sandbox.tier());
    if effects.ports.catalog.plan_of(stage).is_some()
        && let FoundPlan::Runnable(declared) = read_declared(effects, session, stage, tier)?
    {
        return Ok(declared.environment);
    }
    let code = session.state.started.iter().flat_map(|started| &started.code);
    let is_r = effects.request.code_mode == CodeMode::Native
        && languages(code.filter(|file| file.path.starts_with(WorkspacePath::WORK)))
            .contains(&Interpreter::R);
    Ok(EnvironmentSpec {
        python: Some(Vec::new()),
        r: is_r.then(Default::default),
        ..EnvironmentSpec::default()
    })
}
