//! Finding a Python that confined code can run.

use std::collections::BTreeSet;
use std::io;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde::{Deserialize, Serialize};

use super::bind_mounts::closed_above;
use super::policy::{Bind, Report};
use super::python_fetch;
use super::python_releases::{self, PythonRelease};
use super::shared::{NoConfinedAnswer, Shared};
use crate::domain::execution::BuildFailure;
use crate::sandbox::failure::infrastructure;

/// A Python installation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PythonInstallation {
    /// The program itself, behind every shim and link of a version manager.
    pub executable: PathBuf,
    /// The folder of its libraries.
    pub prefix: PathBuf,
    /// Such as `3.11.2`.
    pub version: String,
}

/// Prints where an interpreter really lies.
const WHERE: &str = "import sys, json, platform; print(json.dumps({'executable': getattr(sys, '_base_executable', None) or sys.executable, 'prefix': sys.base_prefix, 'version': platform.python_version()}))";

/// The fault of an interpreter that no environment can be made from.
#[derive(Debug, thiserror::Error)]
enum UnfitPython {
    #[error(transparent)]
    NotStarted(#[from] io::Error),
    #[error("it does not tell where it lies: {0}")]
    Nowhere(String),
    #[error("{} is closed to the user that code runs as", .0.display())]
    Closed(PathBuf),
    #[error(transparent)]
    NoAnswer(#[from] NoConfinedAnswer),
    #[error("it lacks the modules venv, ensurepip or ssl")]
    NoModules,
    #[error("it does not run confined: {0:?}")]
    Unconfined(Report),
}

impl PythonInstallation {
    /// Takes the configured Python, or the first on the operator's path that
    /// runs confined and can make environments.
    pub fn find(shared: &Shared) -> Result<Self, BuildFailure> {
        let candidates = match &shared.settings.python {
            Some(python) => vec![python.clone()],
            None => along_path(shared),
        };
        let mut reasons = Vec::new();
        let mut tried = BTreeSet::new();
        for candidate in candidates {
            let result = Self::locate(shared, &candidate).and_then(|found| {
                if tried.insert(found.executable.clone()) {
                    found.check(shared)?;
                }
                Ok(found)
            });
            match result {
                Ok(found) => return Ok(found),
                Err(why) => reasons.push(format!("{}: {why}", candidate.display())),
            }
        }
        if reasons.is_empty() {
            reasons.push("no `python3` lies on PATH".to_owned());
        }
        Err(infrastructure(
            "No Python on this machine can make environments: install python3 with its venv module, or name a \
             Python in the settings.",
            reasons.join("\n"),
        ))
    }

    /// The first Python of a release, or of the next newer one, that runs confined and can make environments;
    /// `None` where the operator names one, or where there is none. One that this machine lacks is fetched where
    /// the operator names a mirror.
    pub fn of_release(shared: &Shared, wanted: PythonRelease) -> Option<Self> {
        if shared.settings.python.is_some() {
            return None;
        }
        let found = Self::among_candidates(shared, wanted);
        let is_wanted = |found: &Self| PythonRelease::parse(&found.version) == Some(wanted);
        match found.as_ref().is_some_and(is_wanted) || !python_fetch::fetch(shared, wanted) {
            true => found,
            false => Self::among_candidates(shared, wanted),
        }
    }

    fn among_candidates(shared: &Shared, wanted: PythonRelease) -> Option<Self> {
        python_releases::candidates(shared, wanted)
            .into_iter()
            .find_map(|candidate| {
                let found = Self::locate(shared, &candidate.program).ok()?;
                let is_it = PythonRelease::parse(&found.version) == Some(candidate.release);
                (is_it && found.check(shared).is_ok()).then_some(found)
            })
    }

    /// Asks an interpreter of the operator's, with nothing of the agent's in reach.
    fn locate(shared: &Shared, candidate: &Path) -> Result<Self, UnfitPython> {
        let mut command = Command::new(candidate);
        command
            .args(["-I", "-c", WHERE])
            .env_clear()
            .current_dir("/")
            .stdin(Stdio::null());
        for name in ["PATH", "HOME"] {
            if let Some(value) = shared.settings.operator.get(name) {
                command.env(name, value);
            }
        }
        let output = command.output()?;
        serde_json::from_slice(&output.stdout).map_err(|_| {
            let said = String::from_utf8_lossy(&output.stderr);
            UnfitPython::Nowhere(said.trim().to_owned())
        })
    }

    /// Whether it starts in the confinement and has what a new environment needs.
    fn check(&self, shared: &Shared) -> Result<(), UnfitPython> {
        let scratch_user = nix::unistd::geteuid().is_root() && !shared.namespaces();
        if let Some(closed) = closed_above(&self.executable).filter(|_| scratch_user) {
            return Err(UnfitPython::Closed(closed));
        }
        let command = [
            self.executable.display().to_string(),
            "-I".to_owned(),
            "-c".to_owned(),
            "import venv, ensurepip, ssl".to_owned(),
        ];
        match shared.ask(&command, self.binds())?.report {
            Report::Exited(0) => Ok(()),
            Report::Exited(_) => Err(UnfitPython::NoModules),
            other => Err(UnfitPython::Unconfined(other)),
        }
    }

    /// What must be shown besides the system's own folders.
    pub fn binds(&self) -> Vec<Bind> {
        if self.prefix.starts_with("/usr") {
            Vec::new()
        } else {
            vec![Bind::same(&self.prefix)]
        }
    }
}

fn along_path(shared: &Shared) -> Vec<PathBuf> {
    let path = shared.settings.operator.get("PATH").map_or("", String::as_str);
    let mut every: Vec<PathBuf> = path
        .split(':')
        .chain(["/usr/local/bin", "/usr/bin"])
        .filter(|folder| folder.starts_with('/'))
        .map(|folder| Path::new(folder).join("python3"))
        .filter(|file| {
            file.metadata()
                .is_ok_and(|found| found.is_file() && found.permissions().mode() & 0o111 != 0)
        })
        .collect();
    let mut seen = BTreeSet::new();
    every.retain(|file| seen.insert(file.clone()));
    every
}
