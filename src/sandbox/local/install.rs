//! Filling a Python environment by uv: with wheels alone, else with what is built in the confinement.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use super::empty_environment;
use super::languages::Languages;
use super::policy::Report;
use super::python_releases::PythonRelease;
use super::step::{BuildContext, FetchingProgram, Step, StepEnded, TEMPORARY};
use super::uv::{NoUv, Uv};
use super::uv_install::{self, UvFolder, UvInstallation};
use crate::domain::execution::BuildFailure;
use crate::domain::failure::FailureCause;
use crate::sandbox::failure::{classify, infrastructure, last, setup, without_version};
use crate::sandbox::ownership::open_to_all;
use crate::sandbox::removal;

/// What a failure says where no source distribution is built.
const WHEELS_ONLY: &str = " Only built packages (wheels) are installed here: this machine refuses namespaces, and \
    the code of a source package would reach its network. Name a version that has a wheel, or ask the operator to \
    choose the Docker sandbox.";

/// The oldest Python that uv installs for.
const OLDEST: PythonRelease = PythonRelease { major: 3, minor: 6 };

/// The file beside an environment that lists its packages with the digests of their files.
const LIST: &str = "requirements.txt";
/// The file beside an environment with uv's settings.
const SETTINGS: &str = "uv.toml";

/// The making of one Python environment.
pub struct Builder<'a> {
    pub context: BuildContext<'a>,
    pub languages: &'a Languages,
    /// The environment's folder, whose `venv` is the only part that the steps can write.
    pub folder: &'a Path,
}

/// The packages that an environment is to have.
#[derive(Clone, Copy)]
pub struct WantedPackages<'a> {
    /// In canonical form.
    pub requirements: &'a [String],
    /// The same as lines of a requirements file, each with the digest that its file must have.
    pub held: Option<&'a [String]>,
}

/// The contents of a new environment.
pub struct InstalledPackages {
    /// Names and versions.
    pub versions: BTreeMap<String, String>,
    /// What installed them, and its version; nothing where nothing was asked for.
    pub installer: Option<String>,
    /// Whether the installer compiled the modules.
    pub compiled: bool,
}

impl Builder<'_> {
    /// Makes the environment and installs into it.
    ///
    /// # Errors
    /// Packages that cannot be had or built, a machine without a way to them, or a stop.
    pub fn build(&self, wanted: WantedPackages<'_>) -> Result<InstalledPackages, BuildFailure> {
        self.empty()?;
        let requirements = wanted.requirements;
        if requirements.is_empty() {
            return Ok(InstalledPackages {
                versions: BTreeMap::new(),
                installer: None,
                compiled: true,
            });
        }
        self.check_python(requirements)?;
        let uv = self.languages.uv(&self.context).map_err(NoUv::failure)?;
        let settings = self.write(SETTINGS, uv_install::OLD_METADATA)?;
        let named: Vec<String> = match wanted.held {
            Some(lines) => {
                let list = self.write(LIST, &(lines.join("\n") + "\n"))?;
                ["--require-hashes", "-r", &list.display().to_string()]
                    .map(str::to_owned)
                    .into()
            }
            None => std::iter::once("--".to_owned())
                .chain(requirements.iter().cloned())
                .collect(),
        };
        let python = empty_environment::python(&self.venv()).display().to_string();
        let installation = UvInstallation {
            uv,
            settings: &settings,
            python: &python,
            named: &named,
        };
        self.install(&installation, requirements, wanted.held.is_some())?;
        let versions = distributions(&self.venv());
        if let Some(name) = uv_install::missing(requirements, &versions) {
            return Err(infrastructure(
                format!("uv {} ended well, and `{name}` is not installed.", uv.version),
                String::new(),
            ));
        }
        Ok(InstalledPackages {
            versions,
            installer: Some(format!("uv {}", uv.version)),
            compiled: false,
        })
    }

    /// Whether uv installs for the Python of the environment.
    fn check_python(&self, requirements: &[String]) -> Result<(), BuildFailure> {
        let version = &self.context.interpreter.version;
        match PythonRelease::parse(version).is_some_and(|release| release < OLDEST) {
            true => Err(setup(
                format!(
                    "The local sandbox installs Python packages by uv, which does so for Python {}.{} and later, and \
                     the Python of this environment is {version}: ask the operator to choose the Docker sandbox.",
                    OLDEST.major, OLDEST.minor
                ),
                requirements.to_vec(),
            )),
            false => Ok(()),
        }
    }

    fn venv(&self) -> PathBuf {
        self.folder.join("venv")
    }

    /// Writes a file beside the environment, for a step to read.
    fn write(&self, name: &str, text: &str) -> Result<PathBuf, BuildFailure> {
        let file = self.folder.join(name);
        match fs::write(&file, text) {
            Ok(()) => Ok(file),
            Err(error) => Err(unusable(&file, &error)),
        }
    }

    /// Makes an environment with nothing in it, in the place of what may be there.
    fn empty(&self) -> Result<(), BuildFailure> {
        let venv = self.venv();
        removal::remove(&venv)
            .and_then(|()| fs::create_dir(&venv))
            .and_then(|()| empty_environment::write(&venv, self.context.interpreter))
            .map_err(|error| unusable(&venv, &error))?;
        open_to_all(&venv);
        Ok(())
    }

    /// Installs wheels alone. A source distribution runs its author's code to build itself: it gets its chance,
    /// confined, only if there is no wheel. Without a network namespace that code would reach every service of this
    /// machine.
    fn install(
        &self,
        installation: &UvInstallation<'_>,
        requirements: &[String],
        is_held: bool,
    ) -> Result<(), BuildFailure> {
        let Err(failure) = self.ended(self.install_wheels(installation, is_held)?, requirements) else {
            return Ok(());
        };
        if failure.cause != FailureCause::Setup {
            return Err(failure);
        }
        let failure = match self.context.shared.namespaces() {
            true => {
                // What is left of an installation can be links to uv's cache, which nobody else may write.
                self.empty()?;
                let Err(failure) = self.ended(self.install_with_builds(installation)?, requirements) else {
                    open_to_all(&self.venv());
                    return Ok(());
                };
                failure
            }
            false => BuildFailure {
                summary: failure.summary + WHEELS_ONLY,
                ..failure
            },
        };
        self.with_newest(installation, failure)
    }

    /// The end of an installation, as a failure where it is none.
    fn ended(&self, ended: StepEnded, requirements: &[String]) -> Result<(), BuildFailure> {
        match ended.report {
            Report::Exited(0) => Ok(()),
            Report::Exited(_) => Err(classify(
                &ended.log,
                requirements,
                &self.context.interpreter.version,
            )),
            other => Err(infrastructure(
                "The packages could not be installed: uv was ended from outside.",
                format!("{other:?}\n{}", last(&ended.log)),
            )),
        }
    }

    /// Installs wheels as links to a cache that only uv writes.
    fn install_wheels(
        &self,
        installation: &UvInstallation<'_>,
        is_held: bool,
    ) -> Result<StepEnded, BuildFailure> {
        let cache = &self.context.shared.cache;
        let folder = UvFolder::make(self.context.shared).map_err(|error| unusable(cache, &error))?;
        let draft = folder.draft().map_err(|error| unusable(cache, &error))?;
        let venv = self.venv();
        let reads = self.reads(installation.uv);
        let run = |command: &[String]| {
            self.context.run(&Step {
                command,
                folder: draft.path(),
                cache: Some(folder.root()),
                reads: &reads,
                fetches: Some(FetchingProgram::Uv),
            })
        };
        let command = installation.of_wheels(&folder, draft.path());
        // Files that are held to digests are the same wherever they come from: where the cache has all of them, no
        // index is asked.
        let cached = match is_held {
            true => {
                let offline = uv_install::offline(command.clone());
                Some(run(&offline)?).filter(|ended| ended.report == Report::Exited(0))
            }
            false => None,
        };
        let ended = match cached {
            Some(ended) => ended,
            None => run(&command)?,
        };
        if ended.report == Report::Exited(0) {
            uv_install::take_in(draft.path(), &venv).map_err(|error| unusable(&venv, &error))?;
        }
        Ok(ended)
    }

    /// Installs into the environment itself, with a cache that is gone with the step: code of packages runs, and may
    /// write to both.
    fn install_with_builds(&self, installation: &UvInstallation<'_>) -> Result<StepEnded, BuildFailure> {
        let venv = self.venv();
        self.context.run(&Step {
            command: &installation.with_builds(&venv.join(TEMPORARY).join("uv")),
            folder: &venv,
            cache: None,
            reads: &self.reads(installation.uv),
            fetches: Some(FetchingProgram::Uv),
        })
    }

    /// A failure for which no version fits, with the newest one that would.
    fn with_newest(
        &self,
        installation: &UvInstallation<'_>,
        failure: BuildFailure,
    ) -> Result<(), BuildFailure> {
        let Some(name) = without_version(&failure.log) else {
            return Err(failure);
        };
        let named = ["--dry-run".to_owned(), "--no-deps".to_owned(), name.clone()];
        let asked = UvInstallation {
            named: &named,
            ..*installation
        };
        let ended = self.install_wheels(&asked, false)?;
        Err(match uv_install::would_install(&ended.log, &name) {
            Some(newest) => BuildFailure {
                summary: format!("{} The newest version that fits is {newest}.", failure.summary),
                ..failure
            },
            None => failure,
        })
    }

    fn reads(&self, uv: &Uv) -> Vec<PathBuf> {
        let beside = [LIST, SETTINGS].map(|name| self.folder.join(name));
        let beside = beside.into_iter().filter(|file| file.exists());
        uv.reads()
            .into_iter()
            .chain([self.venv()])
            .chain(beside)
            .collect()
    }
}

fn unusable(path: &Path, error: &std::io::Error) -> BuildFailure {
    infrastructure(
        format!("{} cannot be used: {error}.", path.display()),
        String::new(),
    )
}

/// Names and versions of what is installed, by the folders that every installer leaves.
fn distributions(venv: &Path) -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    let Ok(versions) = fs::read_dir(venv.join("lib")) else {
        return found;
    };
    for packages in versions.flatten().map(|entry| entry.path().join("site-packages")) {
        let Ok(entries) = fs::read_dir(packages) else {
            continue;
        };
        for entry in entries.flatten() {
            let name = entry.file_name().to_string_lossy().into_owned();
            if let Some((name, version)) = name
                .strip_suffix(".dist-info")
                .and_then(|stem| stem.rsplit_once('-'))
            {
                found.insert(name.replace('_', "-").to_lowercase(), version.to_owned());
            }
        }
    }
    found
}
