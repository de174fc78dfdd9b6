//! Python, uv and R of this machine, each looked for once.

use std::sync::OnceLock;

use super::installed::Packages;
use super::interpreter::PythonInstallation;
use super::shared::Shared;
use super::step::BuildContext;
use super::uv::{NoUv, Uv};
use super::uv_fetch;
use crate::domain::execution::BuildFailure;

/// The languages of environments: the machine's Python and R.
#[derive(Debug, Default)]
pub struct Languages {
    python: OnceLock<Result<PythonInstallation, BuildFailure>>,
    uv: OnceLock<Result<Uv, NoUv>>,
    r: OnceLock<Result<Packages, BuildFailure>>,
}

impl Languages {
    /// The Python to make environments with, found once.
    ///
    /// # Errors
    /// A machine without a Python that makes environments.
    pub fn python(&self, shared: &Shared) -> Result<&PythonInstallation, BuildFailure> {
        self.python
            .get_or_init(|| PythonInstallation::find(shared))
            .as_ref()
            .map_err(Clone::clone)
    }

    /// The program that installs in pip's place, found once, or fetched where the operator names
    /// none and the machine has none that works.
    ///
    /// # Errors
    /// Why there is none.
    pub fn uv(&self, context: &BuildContext<'_>) -> Result<&Uv, &NoUv> {
        let find = || match Uv::find(context.shared) {
            Err(_) if Uv::is_left_to_us(context.shared) => uv_fetch::fetch(context),
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
