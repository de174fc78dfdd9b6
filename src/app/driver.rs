//! The driver of a run: from wherever its journal is as far as it goes, with its recording
//! and its report.

use std::sync::Arc;

use tokio_util::sync::CancellationToken;

use crate::effects::ports::Person;
use crate::engine::dispatch::{self, EngineStop};
use crate::engine::error::EngineError;
use crate::engine::folder::RunFolder;
use crate::engine::request::RunRequest;
use crate::engine::run_reader::RunReader;
use crate::engine::session::Session;
use crate::engine::watch::Watch;
use crate::journal::signature::keys::SigningKey;
use crate::sandbox::admission::AdmittedSandbox;
use crate::sandbox::contract::Sandbox;

use super::process_shared::ProcessShared;
use super::program::Program;
use super::toolset::Toolset;
use super::{by_hand, models, report_files, run, session_recording};

/// The attendance of a run, beside its request: what it shares, who answers, and who may stop it.
pub struct Attendance<'a> {
    pub shared: &'a ProcessShared,
    pub person: Arc<dyn Person>,
    /// Ends it, to be resumed.
    pub cancel: CancellationToken,
    /// What decisions by the person and the end are signed with.
    pub signing: Option<SigningKey>,
}

/// Carries a run on, with its recording and its report.
///
/// # Errors
/// A run that cannot be carried on, or whose recording cannot be written.
pub async fn carry(
    program: &Program,
    folder: RunFolder,
    request: RunRequest,
    watch: &Arc<dyn Watch>,
    attendance: Attendance<'_>,
) -> Result<(Session, EngineStop), EngineError> {
    let to = request.record.clone();
    let result = drive_to_stop(program, folder.clone(), request, watch, attendance).await;
    if let Some(to) = to {
        // Whatever stopped it, what there is of the session is kept.
        let run = RunReader::read(folder);
        let recorded = run.and_then(|run| session_recording::write(program, &run, &to));
        if result.is_ok() {
            recorded?;
        }
    }
    let (session, stop) = result?;
    if session.state.is_finished() || stop == EngineStop::Halted {
        report_files::write(&session.folder)?;
    }
    Ok((session, stop))
}

async fn drive_to_stop(
    program: &Program,
    folder: RunFolder,
    request: RunRequest,
    watch: &Arc<dyn Watch>,
    attendance: Attendance<'_>,
) -> Result<(Session, EngineStop), EngineError> {
    let mut session = run::session(&program.settings, folder, watch.clone(), attendance.signing)?;
    if session.state.is_finished() {
        if !session.state.can_extend(request.stages) {
            return Ok((session, EngineStop::Finished));
        }
        session.extend(request.stages, request.registration.clone())?;
    }
    let mut models = models::models_of(&program.settings, attendance.shared, &request, watch)?;
    let toolset = Toolset::for_request(program, &request)?;
    let settings = &program.settings;
    if request.is_by_hand() {
        let person = by_hand::person(
            settings,
            &request,
            &session.folder,
            &toolset.catalog,
            &attendance.person,
        );
        models.model = Arc::new(person);
    }
    let mut effects = run::effects_with(settings, request, models, attendance.person, &toolset).await?;
    let admitted = |inner| -> Arc<dyn Sandbox> {
        Arc::new(AdmittedSandbox {
            inner,
            admission: attendance.shared.admission.clone(),
        })
    };
    effects.ports.sandbox = effects.ports.sandbox.take().map(admitted);
    let stop = dispatch::drive(&mut session, &mut effects, &attendance.cancel).await?;
    Ok((session, stop))
}
