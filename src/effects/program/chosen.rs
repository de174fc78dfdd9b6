//! The agent that a run asks for.

use crate::catalog::agents::load::{LoadedAgent, load};
use crate::domain::stage::Stage;
use crate::effects::context::Effects;
use crate::engine::error::EngineError;
use crate::engine::request::AgentRequest;
use crate::engine::session::Session;
use crate::sandbox::contract::BESIDE;

/// The agent that a run asks for.
///
/// # Errors
/// A run of our own loop, or an agent that cannot be used.
pub fn agent(effects: &Effects) -> Result<(&AgentRequest, LoadedAgent), EngineError> {
    let none = || EngineError::Unusable("this run has no program for an agent".to_owned());
    let request = effects.request.agent.as_ref().ok_or_else(none)?;
    let loaded = load(&request.name, request.agents_dir.as_deref());
    let loaded = loaded.map_err(|error| EngineError::Unusable(error.to_string()))?;
    Ok((request, loaded))
}

/// What is to be approved of a program besides what confines it; `None` where our own loop carries the
/// stage.
///
/// # Errors
/// An agent that cannot be used.
pub fn in_session(effects: &Effects, session: &Session, stage: Stage) -> Result<Option<String>, EngineError> {
    if effects.request.program_in(session.state.track(), stage).is_none() {
        return Ok(None);
    }
    let (request, loaded) = agent(effects)?;
    let definition = &loaded.definition;
    let mut words = format!(
        " In it runs the agent `{}` ({}), a program of others whose calls of the model go through this engine, and \
         which holds no key",
        definition.agent,
        definition.digest().short()
    );
    if !request.program.is_empty() {
        words.push_str(&format!(": `{}`", request.program.join(" ")));
    }
    words.push('.');
    if definition.asks_for_commands {
        words.push_str(
            " Beyond that, where the policy asks about commands, it asks before each one of its shell, and none is run that \
             is refused; what it runs without asking is seen from outside and not stopped.",
        );
    }
    if !request.arguments.is_empty() {
        let pairs: Vec<String> = request
            .arguments
            .iter()
            .map(|(name, value)| format!("{name}={value}"))
            .collect();
        words.push_str(&format!(" It is told {}.", pairs.join(", ")));
    }
    if let Some(files) = &request.files {
        words.push_str(&format!(
            " It sees the folder {} of this machine at {BESIDE}, and does not write it.",
            files.display()
        ));
    }
    if let Some(digest) = &request.files_digest {
        words.push_str(&format!(" The digest of its files is {}.", digest.short()));
    }
    if let Some(release) = &request.release {
        words.push_str(&format!(
            " That is the package {}, with the files {}.",
            release.package,
            release.tree.short()
        ));
    }
    Ok(Some(words))
}
