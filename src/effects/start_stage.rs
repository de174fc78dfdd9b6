//! Renders a stage's prompts and starts its conversation.

use crate::agent::shrinking::{LEAST_CONVERSATION, LEAST_SAVING};
use crate::catalog::stages::inputs::AnswerReview;
use crate::domain::stage::Stage;
use crate::engine::error::EngineError;
use crate::engine::session::Session;
use crate::run::event::Event;
use crate::tools::look_at_image;
use crate::tools::workspace::Workspace;

use super::capsule::laid_beneath;
use super::context::Effects;
use super::program::prepared;
use super::stage_prompt::{self, Worker};
use super::{converse, helpers};

/// Starts a stage: everything that the prompts say is in the journal.
///
/// # Errors
/// A stage that the run's track or the definitions lack, a paper or folder that cannot be read, or a
/// journal that cannot be written.
pub fn start(effects: &mut Effects, session: &mut Session, stage: Stage) -> Result<(), EngineError> {
    let Some(started) = session.state.started.clone() else {
        return Err(EngineError::Unusable("a stage starts before the run".to_owned()));
    };
    let track = started.settings.track();
    if effects.ports.catalog.has_helpers(stage) {
        helpers::stage(session)?;
    }
    if effects.request.program_in(track, stage).is_some() {
        return prepared::start_stage(effects, session, stage);
    }
    let none = || EngineError::Unusable(format!("the track `{}` has no stage {stage}", track.track));
    let definition = effects.ports.catalog.stage(stage).ok_or_else(none)?.clone();
    let native_calls = effects.ports.model.calls_tools();
    let names = offered(&definition.tools, effects.ports.vision.is_some());
    let specs = effects
        .ports
        .tools
        .specs(names.iter().map(String::as_str))
        .map_err(|error| EngineError::Unusable(error.to_string()))?;
    let tools = if definition.dialogue.is_some() {
        // A published agent's prompt describes them itself, where they are offered.
        names.join(", ")
    } else if native_calls {
        String::new()
    } else {
        specs
            .iter()
            .map(|spec| {
                format!(
                    "{}: {}\n  arguments: {}",
                    spec.name, spec.description, spec.parameters
                )
            })
            .collect::<Vec<_>>()
            .join("\n")
    };
    let registry = effects.ports.tools.clone();
    let capsule = effects.request.capsule.as_ref();
    let beneath = capsule.and_then(|capsule| capsule.beneath.as_ref());
    let folder = match beneath.map(|folder| laid_beneath::workspace(folder)) {
        // The run's own holds what is changed, and nothing is yet.
        Some(root) => {
            let workspace = Workspace::open(&root).map_err(|error| EngineError::io(&root, error))?;
            stage_prompt::listing(&registry, &workspace)?
        }
        None => stage_prompt::listing(&registry, effects.workspace(session)?)?,
    };
    let worker = Worker {
        folder,
        tools,
        text_protocol: !native_calls && definition.dialogue.is_none(),
        turns: converse::iterations(session).map_or(definition.turns, |turns| turns.min(definition.turns)),
    };
    let context = stage_prompt::context(effects, session, &definition, worker)?;
    let mut rendered = definition.render(&context)?;
    if let Some(left) = converse::left(effects, session, stage) {
        rendered.user.push_str(&format!("\n{left}"));
    }
    // A plan is written from all scripts, codebooks and columns that were read for it.
    let plans = definition.review == Some(AnswerReview::Plan);
    let shrinks = definition.earlier_results.is_none() && !plans;
    session.record(Event::StageStarted {
        stage,
        system: session.keep(rendered.system.as_bytes())?,
        user: session.keep(rendered.user.as_bytes())?,
        tools: names,
        native_calls,
        by_program: false,
        shrink_at: shrinks.then_some(LEAST_SAVING),
        shrink_from: if shrinks { LEAST_CONVERSATION } else { 0 },
    })
}

/// The tools of a stage: who may read files may look at pictures, too, where
/// somebody sees.
fn offered(tools: &[String], sees: bool) -> Vec<String> {
    let mut names = tools.to_vec();
    let has = |name: &str| tools.iter().any(|tool| tool == name);
    if sees && has("read_file") && !has(look_at_image::NAME) {
        names.push(look_at_image::NAME.to_owned());
    }
    names
}
