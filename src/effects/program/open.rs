//! Opens the session of a program.

use tokio_util::sync::CancellationToken;

use crate::effects::act::{journal_made, started, terms};
use crate::effects::context::Effects;
use crate::effects::session_gate::environment;
use crate::engine::error::EngineError;
use crate::engine::session::Session;
use crate::run::event::{CallRef, Work};

use super::session::{ProgramOrder, ProgramSession};

/// Opens a session for a program, and journals what was made for it; `None` where that was cut short.
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
    let environment = environment(effects, session)?;
    let run_started = started(session)?;
    let terms = terms(effects, session, &run_started, &[]);
    session.begin(Work::Build);
    let begun = session.now();
    let watch = session.watch();
    watch.under_way(&format!(
        "{}: opening a session of `{}`",
        at.stage,
        environment.name()
    ));
    let progress = move |line: &str| watch.line(line);
    let opened = tokio::select! {
        () = cut.cancelled() => return Ok(None),
        opened = environment.open_program(&terms, order, cut, &progress) => opened?,
    };
    journal_made(session, at, opened.made, begun)?;
    Ok(Some(opened.session))
}
