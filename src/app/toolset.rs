//! Toolset of the runs of one process: definitions, tools, readers.

use std::sync::Arc;

use crate::catalog::stages::load::Catalog;
use crate::documents::helper::Helper;
use crate::documents::limits::Limits;
use crate::documents::table::personal::Privacy;
use crate::domain::replication;
use crate::domain::stage::Stage;
use crate::domain::workspace_path::WorkspacePath;
use crate::effects::track_parts::ChosenParts;
use crate::engine::error::EngineError;
use crate::engine::request::RunRequest;
use crate::sandbox::contract::Sandbox;
use crate::settings::Settings;
use crate::study::layout;
use crate::study::open::Study;
use crate::tools::conversion::convert::{Conversion, NoEnvironment};
use crate::tools::look_at_image::LookAtImage;
use crate::tools::readers::Readers;
use crate::tools::registry::Registry;
use crate::tools::write_file::Writable;

use crate::app::program::Program;
use crate::app::sandboxes::local_sandbox;
use crate::app::tracks::OpenTrack;

/// The readers of this build, with a sandbox of this machine for data that they do not understand.
///
/// # Errors
/// A program that cannot find itself.
pub fn readers(settings: &Settings) -> Result<Readers, EngineError> {
    let settings = settings.clone();
    let conversion = Conversion::new(Box::new(move || {
        local_sandbox(&settings, None)
            .map(|sandbox| -> Arc<dyn Sandbox> { Arc::new(sandbox) })
            .map_err(|error| NoEnvironment::Sandbox(error.to_string()))
    }));
    Ok(native_readers()?.with_conversion(conversion))
}

/// The readers of this build alone.
///
/// # Errors
/// A program that cannot find itself.
pub fn native_readers() -> Result<Readers, EngineError> {
    Ok(Readers::new(document_helper()?))
}

/// The tools, over the readers of this build, with the plans that may be written and the columns
/// whose values may be shown though they are likely personal.
fn tools<'a>(
    settings: &Settings,
    plans: impl IntoIterator<Item = &'a str>,
    shown: &[String],
) -> Result<Registry, EngineError> {
    let mut writable: Vec<WorkspacePath> = Vec::new();
    for plan in plans {
        let plan = plan
            .parse()
            .map_err(|error| EngineError::Unusable(format!("{error}")))?;
        if !writable.contains(&plan) {
            writable.push(plan);
        }
    }
    let readers = Arc::new(readers(settings)?);
    Ok(Registry::standard(
        readers.clone(),
        readers.clone(),
        Writable::new(writable),
        Privacy::allowing(shown.iter().cloned()),
    )
    .with(Arc::new(LookAtImage::new(readers))))
}

/// This program, started again to read one document.
///
/// # Errors
/// A program that cannot find itself.
pub fn document_helper() -> Result<Helper, EngineError> {
    Helper::from_current_exe()
        .map_err(|error| EngineError::Unusable(format!("this program cannot find itself: {error}")))
}

/// About how many tokens a study's paper has, at four bytes each; `None` where
/// its text cannot be read.
pub fn paper_tokens(study: &Study) -> Option<u64> {
    let paper = study.paper().ok()?;
    let helper = document_helper().ok()?;
    let document = helper.read(layout::PAPER, &paper, &Limits::default()).ok()?;
    Some(document.whole_text().len().div_ceil(4) as u64)
}

/// What grading needs besides a judge: the tools, and this program as a reader.
///
/// # Errors
/// A program that cannot find itself.
pub fn graders(settings: &Settings) -> Result<(Registry, Helper), EngineError> {
    let plan = replication::artifact(Stage::DESIGN);
    Ok((tools(settings, [plan], &[])?, document_helper()?))
}

/// The toolset that runs of one process share.
#[derive(Clone)]
pub struct Toolset {
    pub(super) parts: ChosenParts,
    pub(super) catalog: Arc<Catalog>,
    pub(super) tools: Arc<Registry>,
    pub(super) documents: Helper,
}

impl Toolset {
    pub fn catalog(&self) -> &Catalog {
        &self.catalog
    }

    pub fn tools(&self) -> &Registry {
        &self.tools
    }

    /// The definitions, the parts and the tools of a request's track, with the overrides of
    /// its folder.
    ///
    /// # Errors
    /// Where the track is unknown, or a definition cannot be used.
    pub fn for_request(program: &Program, request: &RunRequest) -> Result<Self, EngineError> {
        let OpenTrack { catalog, parts } = program.tracks.open_for(request)?;
        // A task of another track is no study and allows nothing; a study that cannot be opened is
        // told of where it is staged.
        let shown =
            Study::open(&request.study).map_or_else(|_| Vec::new(), |study| study.shown_columns().to_vec());
        let acting = parts.environment.iter();
        let tools = acting
            .flat_map(|environment| environment.tools())
            .fold(tools(&program.settings, catalog.plans(), &shown)?, Registry::with);
        Ok(Self {
            parts,
            catalog: Arc::new(catalog),
            tools: Arc::new(tools),
            documents: document_helper()?,
        })
    }
}
