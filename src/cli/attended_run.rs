//! A run that a person attends: carried on with its progress shown, and with what it came to.

use std::sync::Arc;

use crate::app::driver::{self, Attendance};
use crate::app::process_shared::ProcessShared;
use crate::app::program::Program;
use crate::effects::context::Effects;
use crate::engine::dispatch::{self, EngineStop};
use crate::engine::folder::RunFolder;
use crate::engine::request::RunRequest;
use crate::engine::session::Session;
use crate::engine::watch::Watch;
use crate::journal::signature::keys::SigningKey;

use super::exit::{Failure, Status};
use super::outcome;
use super::output::Printer;
use super::progress::Progress;
use super::signals::until_stopped;
use super::terminal::Terminal;

/// The attendance of a person: what is printed, and what decisions are signed with.
#[derive(Debug)]
pub struct AttendedBy {
    /// Print nothing while it goes.
    pub quiet: bool,
    /// Print the result as JSON.
    pub json: bool,
    /// What the person's decisions are signed with.
    pub signing: Option<SigningKey>,
}

/// Carries a run on from wherever its journal is, and says what it came to.
///
/// # Errors
/// A run that cannot be carried on.
pub async fn carry(
    program: &Program,
    printer: Printer,
    folder: RunFolder,
    request: RunRequest,
    person: AttendedBy,
) -> Result<Status, Failure> {
    let progress = Arc::new(Progress::new(printer, person.quiet));
    let watch: Arc<dyn Watch> = progress.clone();
    let (cancel, watcher) = until_stopped();
    let attendance = Attendance {
        shared: &ProcessShared::default(),
        person: Arc::new(Terminal::new(printer, &program.settings)),
        cancel,
        signing: person.signing,
    };
    let carried = driver::carry(program, folder, request, &watch, attendance).await;
    watcher.abort();
    progress.finish();
    let (session, stop) = carried?;
    let status = outcome::status(&session, stop);
    outcome::tell(printer, &session, stop, person.json)?;
    Ok(status)
}

/// Drives until the end or Ctrl-C.
///
/// # Errors
/// A journal, a store, a model or a sandbox that fails.
pub async fn drive(session: &mut Session, effects: &mut Effects) -> Result<EngineStop, Failure> {
    let (cancel, watcher) = until_stopped();
    let stop = dispatch::drive(session, effects, &cancel).await;
    watcher.abort();
    Ok(stop?)
}
