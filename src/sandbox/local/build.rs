//! Environments on disk: one folder each, named by what it was resolved to.

use std::collections::BTreeMap;
use std::fs::{self, File, TryLockError};
use std::io;
use std::os::unix::fs::DirBuilderExt as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::{Deserialize, Serialize};
use tokio::sync::mpsc::Sender;
use tokio_util::sync::CancellationToken;

use super::bytecode::{UncompiledEnvironment, is_compiled};
use super::install::{Builder, WantedPackages};
use super::installed::{Packages, check_system};
use super::interpreter::PythonInstallation;
use super::languages::Languages;
use super::policy::Bind;
use super::shared::Shared;
use super::step::BuildContext;
use super::stopped::stopped;
use crate::domain::digest::Digest;
use crate::domain::execution::{BuildFailure, Environment, EnvironmentSpec};
use crate::domain::failure::FailureCause;
use crate::sandbox::failure::infrastructure;
use crate::sandbox::held_files::{FILES, FileDigests};
use crate::sandbox::removal;
use crate::sandbox::requirements::canonical;
use crate::sandbox::supported;

/// Raised when environments are laid out differently, so that old ones are not taken for new.
const LAYOUT: u32 = 2;
/// The name under which the versions of an environment say what installed it; no package has it.
const INSTALLER: &str = "installed by";
/// Written last into an environment: without it the folder is half built.
const MARKER: &str = "ready.json";

/// The plan of an environment.
#[derive(Debug)]
pub struct EnvironmentPlan {
    pub id: Digest,
    requirements: Option<Vec<String>>,
    digests: FileDigests,
    interpreter: Option<PythonInstallation>,
    r: Option<Packages>,
    r_packages: Vec<String>,
}

#[derive(Serialize)]
struct Identity<'a> {
    layout: u32,
    requirements: &'a Option<Vec<String>>,
    interpreter: &'a Option<PythonInstallation>,
    r: BTreeMap<&'a str, &'a str>,
    system: &'a [String],
    architecture: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    held: Option<&'a [String]>,
}

impl EnvironmentPlan {
    /// Resolves a specification against what this machine has.
    pub fn resolve(
        shared: &Shared,
        languages: &Languages,
        spec: &EnvironmentSpec,
    ) -> Result<Self, BuildFailure> {
        check_system(&spec.system)?;
        let requirements = spec.python.as_deref().map(canonical).transpose()?;
        let interpreter = match &requirements {
            Some(requirements) => {
                let interpreter = languages.python(shared, spec.python_version.as_deref())?;
                supported::check(requirements, &interpreter.version)?;
                Some(interpreter)
            }
            None => None,
        };
        let digests = match (&requirements, &interpreter) {
            (Some(requirements), Some(interpreter)) => {
                FileDigests::of(requirements, spec.python_files.as_ref(), &interpreter.version)
            }
            _ => FileDigests::None,
        };
        let r = match &spec.r {
            Some(wanted) => {
                let packages = languages.r(shared)?;
                packages.check(wanted)?;
                Some(packages.clone())
            }
            None => None,
        };
        let r_packages: Vec<String> = spec.r.iter().flat_map(|wanted| wanted.keys().cloned()).collect();
        let mut system = spec.system.clone();
        system.sort();
        system.dedup();
        let mut used = BTreeMap::new();
        if let Some(packages) = &r {
            used.insert("R", packages.r.as_str());
            for name in &r_packages {
                used.insert(name, packages.versions.get(name).map_or("", String::as_str));
            }
        }
        let id = Digest::compute_json(&Identity {
            layout: LAYOUT,
            requirements: &requirements,
            interpreter: &interpreter,
            r: used,
            system: &system,
            architecture: std::env::consts::ARCH,
            held: digests.lines(),
        });
        Ok(Self {
            id,
            requirements,
            digests,
            interpreter,
            r,
            r_packages,
        })
    }
}

/// The marker of a finished environment.
#[derive(Debug, Serialize, Deserialize)]
pub struct Ready {
    interpreter: Option<PythonInstallation>,
    versions: BTreeMap<String, String>,
    /// Whether it came with compiled modules.
    compiled: bool,
}

/// The fault of an environment on disk that cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum UnfinishedEnvironment {
    #[error("there is no finished environment in {}: {error}; prepare it again", folder.display())]
    Absent { folder: PathBuf, error: io::Error },
    #[error("{} cannot be read: {error}", marker.display())]
    Unread {
        marker: PathBuf,
        error: serde_json::Error,
    },
}

impl Ready {
    /// Reads the marker of the environment in `folder`.
    ///
    /// # Errors
    /// A marker that is absent, or is none.
    pub fn read(folder: &Path) -> Result<Self, UnfinishedEnvironment> {
        let marker = folder.join(MARKER);
        let text = fs::read(&marker).map_err(|error| UnfinishedEnvironment::Absent {
            folder: folder.to_owned(),
            error,
        })?;
        serde_json::from_slice(&text).map_err(|error| UnfinishedEnvironment::Unread { marker, error })
    }

    /// The environment, where its modules are still to be compiled.
    pub fn uncompiled(&self, folder: &Path) -> Option<UncompiledEnvironment> {
        let is_left = !self.compiled && !is_compiled(folder);
        let interpreter = self.interpreter.clone().filter(|_| is_left)?;
        Some(UncompiledEnvironment {
            folder: folder.to_owned(),
            interpreter,
        })
    }

    /// The folder of the Python environment, where there is one.
    pub fn venv(&self, folder: impl AsRef<Path>) -> Option<PathBuf> {
        self.interpreter.as_ref().map(|_| folder.as_ref().join("venv"))
    }

    /// What must be shown to a command.
    pub fn binds(&self, folder: &Path) -> Vec<Bind> {
        let mut binds = self
            .interpreter
            .as_ref()
            .map(PythonInstallation::binds)
            .unwrap_or_default();
        binds.extend(self.venv(folder).map(Bind::same));
        binds
    }
}

/// Makes the environment, or finds it ready. Blocks; two at once share one build.
pub fn prepare(
    shared: &Shared,
    languages: &Languages,
    plan: &EnvironmentPlan,
    cancel: &CancellationToken,
    lines: &Sender<String>,
) -> Result<Environment, BuildFailure> {
    let disk = |error: std::io::Error| {
        infrastructure(
            format!(
                "The folder of environments {} cannot be used: {error}.",
                shared.cache.display()
            ),
            String::new(),
        )
    };
    let root = shared.cache.join("environments");
    fs::create_dir_all(&root).map_err(disk)?;
    let folder = root.join(plan.id.hex());
    let lock = File::create(root.join(format!("{}.lock", plan.id.hex()))).map_err(disk)?;
    while let Err(error) = lock.try_lock() {
        if let TryLockError::Error(error) = error {
            return Err(disk(error));
        }
        if cancel.is_cancelled() {
            return Err(stopped(
                FailureCause::Cancelled,
                "The build was cancelled.",
                String::new(),
            ));
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    let environment = |ready: Ready, built| Environment {
        id: plan.id,
        versions: ready.versions,
        location: folder.display().to_string(),
        built,
    };
    if let Ok(ready) = Ready::read(&folder) {
        return Ok(environment(ready, false));
    }
    removal::remove(&folder).map_err(disk)?;
    fs::DirBuilder::new().mode(0o755).create(&folder).map_err(disk)?;
    let (mut versions, mut compiled) = (BTreeMap::new(), true);
    if let (Some(interpreter), Some(requirements)) = (&plan.interpreter, &plan.requirements) {
        let context = BuildContext {
            shared,
            interpreter,
            cancel,
            lines,
            name: "builds",
        };
        let builder = Builder {
            context,
            languages,
            folder: &folder,
        };
        let wanted = WantedPackages {
            requirements,
            held: plan.digests.lines(),
        };
        let installed = match builder.build(wanted) {
            Ok(installed) => installed,
            Err(failure) => {
                let _ = removal::remove(&folder);
                return Err(failure);
            }
        };
        (versions, compiled) = (installed.versions, installed.compiled);
        versions.insert("python".to_owned(), interpreter.version.clone());
        versions.extend(installed.installer.map(|by| (INSTALLER.to_owned(), by)));
        versions.extend(plan.digests.standing().map(|told| (FILES.to_owned(), told)));
    }
    if let Some(packages) = &plan.r {
        versions.insert("R".to_owned(), packages.r.clone());
        for name in &plan.r_packages {
            if let Some(version) = packages.versions.get(name) {
                versions.insert(format!("R: {name}"), version.clone());
            }
        }
    }
    let ready = Ready {
        interpreter: plan.interpreter.clone(),
        versions,
        compiled,
    };
    mark(&folder, &ready).map_err(disk)?;
    Ok(environment(ready, true))
}

/// Writes the marker so that it is there whole or not at all.
fn mark(folder: &Path, ready: &Ready) -> std::io::Result<()> {
    let draft = folder.join("ready.draft");
    let file = File::create(&draft)?;
    serde_json::to_writer(&file, ready)?;
    file.sync_all()?;
    fs::rename(draft, folder.join(MARKER))
}
