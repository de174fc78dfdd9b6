//! A run, put together.

use std::path::PathBuf;
use std::sync::Arc;

use crate::effects::analyse::ado;
use crate::effects::context::Effects;
use crate::effects::ports::{Person, Ports};
use crate::effects::recorded_vision::RecordedVision;
use crate::effects::vision::{ChatVision, VisionModel};
use crate::engine::error::EngineError;
use crate::engine::folder::RunFolder;
use crate::engine::request::{Approve, RunRequest};
use crate::engine::session::{JournalLayer, JournalWriting, Session};
use crate::engine::watch::Watch;
use crate::journal::dying::DyingJournal;
use crate::journal::signature::keys::SigningKey;
use crate::journal::signature::signer::Signer;
use crate::model::access::Access;
use crate::policy::approver::Approver;
use crate::policy::file::PolicyFile;
use crate::settings::Settings;

use super::clock::clock;
use super::live_indexes::LiveIndexes;
use super::program::Program;
use super::run_models::RunModels;
use super::sandboxes::sandbox_for;
use crate::app::toolset::Toolset;

/// Who looks at pictures: an earlier run, the model that was named for it, or the
/// run's own where it is known to see.
fn vision(
    settings: &Settings,
    request: &RunRequest,
    models: &RunModels,
) -> Result<Option<Arc<dyn VisionModel>>, EngineError> {
    if let Some(sees) = models.network.sees() {
        let recorded = RecordedVision {
            network: models.network.clone(),
            model: models.model.name().to_owned(),
        };
        return Ok(sees.then(|| -> Arc<dyn VisionModel> { Arc::new(recorded) }));
    }
    let looks = match &models.seeing {
        Some(named) => Some(named),
        None => {
            let sees = Access::open(settings)?.capabilities(&request.model).vision == Some(true);
            sees.then_some(&models.model)
        }
    };
    Ok(looks.map(|model| -> Arc<dyn VisionModel> { Arc::new(ChatVision::new(model.clone())) }))
}

/// Who approves, as a policy.
///
/// # Errors
/// A policy file that cannot be read as one.
pub fn approver(approve: &Approve) -> Result<Approver, EngineError> {
    Ok(match approve {
        Approve::Ask => Approver::Ask,
        Approve::Auto => Approver::Auto,
        Approve::Deny => Approver::Deny,
        Approve::Policy(policy) => Approver::Policy(
            PolicyFile::parse(&policy.name, &policy.text)
                .map_err(|error| EngineError::Unusable(error.to_string()))?,
        ),
    })
}

/// The effects of a run.
///
/// # Errors
/// Definitions, a sandbox or a track that cannot be used.
pub async fn effects(
    program: &Program,
    request: RunRequest,
    models: RunModels,
    person: Arc<dyn Person>,
) -> Result<Effects, EngineError> {
    let toolset = Toolset::for_request(program, &request)?;
    effects_with(&program.settings, request, models, person, &toolset).await
}

/// The effects of a run that shares its definitions and tools with others.
///
/// # Errors
/// A sandbox or a second model that cannot be used, or a policy that cannot be read.
pub async fn effects_with(
    settings: &Settings,
    request: RunRequest,
    models: RunModels,
    person: Arc<dyn Person>,
    toolset: &Toolset,
) -> Result<Effects, EngineError> {
    let sandbox = sandbox_for(settings, &request, &toolset.catalog, &toolset.parts).await?;
    let vision = vision(settings, &request, &models)?;
    let ports = Ports {
        track: toolset.parts.clone(),
        vision,
        model: models.model,
        program: models.program,
        account: models.account,
        accounts: models.accounts,
        waits: models.waits,
        network: models.network,
        indexes: models.indexes.unwrap_or_else(|| LiveIndexes::shared(settings)),
        sandbox,
        person,
        catalog: toolset.catalog.clone(),
        documents: toolset.documents.clone(),
        tools: toolset.tools.clone(),
        approver: approver(&request.approve)?,
        images: settings.images(),
        ado: settings.secret(ado::SETTING).map(PathBuf::from),
    };
    Ok(Effects::new(request, ports))
}

/// Takes a run's folder for this process. Decisions by persons and the end are signed
/// where there is a key.
///
/// # Errors
/// A run that another process holds, or a journal that is damaged or of a newer format.
pub fn session(
    settings: &Settings,
    folder: RunFolder,
    watch: Arc<dyn Watch>,
    key: Option<SigningKey>,
) -> Result<Session, EngineError> {
    let layer: Option<JournalLayer> = settings
        .die_after_event
        .map(|after| -> JournalLayer { Box::new(move |inner| Box::new(DyingJournal::new(inner, after))) });
    let signer = match key {
        Some(key) => {
            let request = RunRequest::load(&folder.request())?;
            Some(Signer {
                key,
                run: request.run,
                run_format: request.format,
            })
        }
        None => None,
    };
    let is_signed = signer.is_some();
    let was_signed = folder.signatures().exists();
    let writing = JournalWriting { layer, signer };
    let session = Session::open(folder, clock(settings), watch, writing)?;
    if was_signed && !is_signed && !session.state.is_finished() {
        session.line("Decisions of this run are signed. Without --sign KEYFILE none is from here on, and neither is its end.");
    }
    Ok(session)
}
