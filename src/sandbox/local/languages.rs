//! Python, uv and R of this machine, each looked for once.

use std::collections::BTreeMap;
use std::sync::{Mutex, OnceLock, PoisonError};

use super::installed::Packages;
use super::interpreter::PythonInstallation;
use super::python_releases::PythonRelease;
use super::shared::Shared;
use super::step::BuildContext;
use super::uv::{NoUv, Uv};
use super::uv_fetch;
use crate::domain::execution::BuildFailure;

/// The languages of environments: the machine's Python and R.
#[derive(Debug, Default)]
pub struct Languages {
    python: OnceLock<Result<PythonInstallation, BuildFailure>>,
    /// By the release that was wanted; `None` where the machine's own Python has to do.
    releases: Mutex<BTreeMap<PythonRelease, Option<PythonInstallation>>>,
    uv: OnceLock<Result<Uv, NoUv>>,
    r: OnceLock<Result<Packages, BuildFailure>>,
}

impl Languages {
    /// The Python to make environments with, found once: of the release that is wanted, such as `3.7`, else of
    /// the next newer one that works here, else the first on the path.
    ///
    /// # Errors
    /// A machine without a Python that makes environments.
    pub fn python(&self, shared: &Shared, wanted: Option<&str>) -> Result<PythonInstallation, BuildFailure> {
        if let Some(wanted) = wanted.and_then(PythonRelease::parse) {
            let mut releases = self.releases.lock().unwrap_or_else(PoisonError::into_inner);
            let found = releases
                .entry(wanted)
                .or_insert_with(|| PythonInstallation::of_release(shared, wanted));
            if let Some(found) = found {
                return Ok(found.clone());
            }
        }
        self.python
            .get_or_init(|| PythonInstallation::find(shared))
            .clone()
    }

    /// The program that installs packages, found once, or fetched if the operator names none and the machine has none
    /// that works.
    ///
    /// # Errors
    /// Why there is none.
    pub fn uv(&self, context: &BuildContext<'_>) -> Result<&Uv, &NoUv> {
        let find = || match Uv::find(context.shared) {
            Err(_) if Uv::is_left_to_us(context.shared) => {
                // The pip of an old Python does not know its wheels.
                let own = self.python(context.shared, None);
                let interpreter = own.as_ref().unwrap_or(context.interpreter);
                uv_fetch::fetch(&BuildContext {
                    interpreter,
                    ..*context
                })
            }
            found => found,
        };
        self.uv.get_or_init(find).as_ref()
    }

    /// R and its packages, listed once.
    ///
    /// # Errors
    /// A machine without R.
    pub fn r(&self, shared: &Shared) -> Result<&Packages, BuildFailure> {
        self.r
            .get_or_init(|| Packages::list(shared))
            .as_ref()
            .map_err(Clone::clone)
    }
}
