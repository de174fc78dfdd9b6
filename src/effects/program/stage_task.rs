//! The task of a program that carries one stage of a track.

use tokio_util::sync::CancellationToken;

use crate::catalog::agents::placeholder::{Placeholder, PlaceholderValues, filled};
use crate::domain::stage::Stage;
use crate::effects::context::Effects;
use crate::effects::stage_prompt::{self, Worker};
use crate::effects::stage_sandbox::environment::StageSandbox;
use crate::engine::error::EngineError;
use crate::engine::session::Session;
use crate::run::program::DataReach;
use crate::tools::workspace::Workspace;

use super::chosen::agent;

/// The task of a stage, as a prompt is filled with it.
pub struct StageTask {
    pub values: PlaceholderValues,
    /// Whether the engine executes the stage's plan behind the program.
    pub executes: bool,
}

/// The task of a stage, over the copy of the workspace that its program will see.
///
/// # Errors
/// A stage that the definitions lack, or a workspace, a paper or an earlier answer that cannot be read.
pub fn task(
    effects: &Effects,
    session: &Session,
    stage: Stage,
    sandbox: &StageSandbox,
) -> Result<StageTask, EngineError> {
    let none = || EngineError::Unusable(format!("the track has no stage {stage}"));
    let definition = effects.ports.catalog.stage(stage).ok_or_else(none)?;
    let copy = &sandbox.copy;
    copy.lay_out(&CancellationToken::new())?;
    let workspace = Workspace::open(&copy.target).map_err(|error| EngineError::io(&copy.target, error))?;
    let worker = Worker {
        folder: stage_prompt::listing(&effects.ports.tools, &workspace)?,
        tools: String::new(),
        text_protocol: false,
        turns: definition.turns,
    };
    let context = stage_prompt::context(effects, session, definition, worker)?;
    let (_, loaded) = agent(effects)?;
    let texts = &loaded.stage_texts;
    let data = match copy.reach {
        DataReach::Withheld => texts.withheld.clone(),
        DataReach::Task | DataReach::BeforePlan => texts.shown.clone(),
    };
    let execution = copy.plan.as_ref().map_or_else(String::new, |plan| {
        filled(
            &texts.execution,
            &PlaceholderValues::from([(Placeholder::Plan, plan.clone())]),
        )
    });
    Ok(StageTask {
        values: PlaceholderValues::from([
            (Placeholder::Task, definition.render(&context)?.user),
            (Placeholder::Data, data),
            (Placeholder::Execution, execution),
        ]),
        executes: definition.executes(),
    })
}
