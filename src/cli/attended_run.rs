//! A run that a person attends: carried on with its progress shown, and with what it came to.

use std::sync::Arc;

use crate::app::driver::{self, Attendance};
use crate::app::process_shared::ProcessShared;
use crate::app::program::Program;
use crate::effects::context::Effects;
use crate::engine::dispatch::{self, EngineStop};
use crate::engine::error::EngineError;
use crate::engine::folder::RunFolder;
use crate::engine::request::RunRequest;
use crate::engine::session::Session;
use crate::engine::watch::Watch;
use crate::journal::signature::keys::SigningKey;
use crate::model::chat::ModelError;
use crate::model::name::HUMAN;

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
    let terminal = Terminal::new(printer, &program.settings, &request.model);
    let attend = |folder: RunFolder, request: RunRequest| {
        let (watch, terminal) = (&watch, terminal.clone());
        let signing = person.signing.clone();
        async move {
            let (cancel, watcher) = until_stopped();
            let attendance = Attendance {
                shared: &ProcessShared::default(),
                person: Arc::new(terminal),
                cancel,
                signing,
            };
            let carried = driver::carry(program, folder, request, watch, attendance).await;
            watcher.abort();
            carried
        }
    };
    let mut carried = attend(folder.clone(), request.clone()).await;
    if is_drift(&carried) && terminal.takes_over() {
        let by_hand = RunRequest {
            model: HUMAN.to_owned(),
            ..request
        };
        by_hand.update(&folder.request(), folder.path())?;
        carried = attend(folder.clone(), by_hand).await;
    }
    progress.finish();
    let (session, stop) = match carried {
        Err(error @ EngineError::Model(ModelError::Drift(_))) if folder.journal().exists() => {
            let mut failure = Failure::from(error);
            let name = folder.path().display();
            failure.message.push_str(&format!(
                "\n`reprise resume {name} --model human` goes on from there by hand."
            ));
            return Err(failure);
        }
        carried => carried?,
    };
    let status = outcome::status(&session, stop);
    outcome::tell(printer, &session, stop, person.json)?;
    Ok(status)
}

/// Whether a recording had no answer to what the run asked of it.
fn is_drift<T>(carried: &Result<T, EngineError>) -> bool {
    matches!(carried, Err(EngineError::Model(ModelError::Drift(_))))
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
