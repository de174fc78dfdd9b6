//! Opens the session of a program.

use tokio_util::sync::CancellationToken;

use crate::effects::act::{acts_before, begin_opening, journal_made, started, terms};
use crate::effects::context::Effects;
use crate::engine::error::EngineError;
use crate::engine::session::Session;
use crate::run::event::CallRef;

use super::session::{ProgramOrder, ProgramSession};
use super::stage_place::environment;

/// Opens a session for a program, over a workspace as the run began with it or as the acts of its stage left
/// it, and journals what was made for it; `None` where that was cut short.
///
/// # Errors
/// A session that does not open, or a journal that cannot be written.
pub async fn open(
    effects: &Effects,
    session: &mut Session,
    at: CallRef,
    order: &ProgramOrder,
    cut: &CancellationToken,
) -> Result<Option<Box<dyn ProgramSession>>, EngineError> {
    let environment = environment(effects, session, at.stage)?;
    let run_started = started(session)?;
    let has_acts =
        (session.state.stages.get(&at.stage)).is_some_and(|stage| !stage.own_beforehand().is_empty());
    let acts = if has_acts {
        acts_before(session)?
    } else {
        Vec::new()
    };
    let terms = terms(effects, session, &run_started, &acts);
    let begun = begin_opening(session, at, environment.as_ref());
    let watch = session.watch();
    let progress = move |line: &str| watch.line(line);
    let opened = tokio::select! {
        () = cut.cancelled() => return Ok(None),
        opened = environment.open_program(&terms, order, cut, &progress) => opened?,
    };
    journal_made(session, at, opened.made, begun)?;
    Ok(Some(opened.session))
}
