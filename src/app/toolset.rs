//! What runs of one process can share: definitions, tools, readers.

use std::path::Path;
use std::sync::Arc;

use crate::catalog::stages::load::Catalog;
use crate::documents::helper::Helper;
use crate::documents::limits::Limits;
use crate::domain::stage::Stage;
use crate::engine::error::EngineError;
use crate::sandbox::contract::Sandbox;
use crate::settings::Settings;
use crate::study::layout;
use crate::study::open::Study;
use crate::tools::conversion::convert::Conversion;
use crate::tools::look_at_image::LookAtImage;
use crate::tools::readers::Readers;
use crate::tools::registry::Registry;
use crate::tools::write_file::Writable;

use crate::app::sandboxes::local_sandbox;

/// The readers of this build, with a sandbox of this machine for data that they do not understand.
pub fn readers(settings: &Settings) -> Result<Readers, EngineError> {
    let settings = settings.clone();
    let conversion = Conversion::new(Box::new(move || {
        local_sandbox(&settings, None)
            .map(|sandbox| -> Arc<dyn Sandbox> { Arc::new(sandbox) })
            .map_err(|error| error.to_string())
    }));
    Ok(native_readers()?.with_conversion(conversion))
}

/// The readers of this build alone.
pub fn native_readers() -> Result<Readers, EngineError> {
    Ok(Readers::new(document_helper()?))
}

/// The tools, over the readers of this build.
fn tools(settings: &Settings) -> Result<Registry, EngineError> {
    let plan = Stage::Design
        .artifact()
        .parse()
        .map_err(|error| EngineError::Unusable(format!("{error}")))?;
    let readers = Arc::new(readers(settings)?);
    Ok(
        Registry::standard(readers.clone(), readers.clone(), Writable::new(vec![plan]))
            .with(Arc::new(LookAtImage::new(readers))),
    )
}

/// This program, started again to read one document.
pub fn document_helper() -> Result<Helper, EngineError> {
    Helper::of_this_program()
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
pub fn graders(settings: &Settings) -> Result<(Registry, Helper), EngineError> {
    Ok((tools(settings)?, document_helper()?))
}

/// What runs of one process can share.
#[derive(Clone)]
pub struct Toolset {
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

    /// The built-in definitions and tools, with the overrides of a folder.
    pub fn new(settings: &Settings, stages_dir: Option<&Path>) -> Result<Self, EngineError> {
        Ok(Self {
            catalog: Arc::new(match stages_dir {
                Some(folder) => Catalog::with_overrides(folder)?,
                None => Catalog::embedded()?,
            }),
            tools: Arc::new(tools(settings)?),
            documents: document_helper()?,
        })
    }
}
