//! Python and R of this machine, each looked for once.

use std::sync::OnceLock;

use super::installed::Packages;
use super::interpreter::PythonInstallation;
use super::shared::Shared;
use crate::domain::execution::BuildFailure;

/// The languages of environments: the machine's Python and R.
#[derive(Debug, Default)]
pub struct Languages {
    python: OnceLock<Result<PythonInstallation, BuildFailure>>,
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
