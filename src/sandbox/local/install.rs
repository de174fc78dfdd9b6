//! Filling a Python environment: by uv where nothing has to be built, else by pip.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use super::empty_environment;
use super::operator_pip::OperatorPip;
use super::pip_log;
use super::pip_program::PipProgram;
use super::policy::Report;
use super::step::{BuildContext, FetchingProgram, Step, TEMPORARY};
use super::uv::{NoUv, Uv};
use super::uv_install::{self, UvFolder, UvInstallation};
use crate::domain::execution::BuildFailure;
use crate::domain::failure::FailureCause;
use crate::sandbox::failure::{classify, infrastructure, last};
use crate::sandbox::ownership::open_to_all;
use crate::sandbox::removal;

/// What a failure says where no source distribution is built.
const WHEELS_ONLY: &str = " Only built packages (wheels) are installed here: this machine refuses namespaces, and \
    the code of a source package would reach its network. Name a version that has a wheel, or ask the operator to \
    choose the Docker sandbox.";

/// The file beside an environment that lists its packages with the digests of their files.
const LIST: &str = "requirements.txt";

/// The making of one Python environment.
pub struct Builder<'a> {
    pub context: BuildContext<'a>,
    pub uv: Result<&'a Uv, &'a NoUv>,
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
        let named = match wanted.held {
            Some(lines) => self.list(lines)?,
            None => std::iter::once("--".to_owned())
                .chain(requirements.iter().cloned())
                .collect(),
        };
        let gave_up = match self.uv {
            Ok(uv) => match self.install_by_uv(uv, requirements, &named)? {
                None => {
                    return Ok(InstalledPackages {
                        versions: distributions(&self.venv()),
                        installer: Some(format!("uv {}", uv.version)),
                        compiled: false,
                    });
                }
                Some(why) => {
                    let why = format!("uv {} gave up: {why}", uv.version);
                    self.say(&format!("{why}. The packages are installed by pip."));
                    // What it left can be links to its cache, which nobody else may write.
                    self.empty()?;
                    Some(why)
                }
            },
            Err(NoUv::Off | NoUv::Absent) => None,
            Err(why) => {
                self.say(&format!(
                    "uv is not used: {why}. The packages are installed by pip."
                ));
                Some(why.to_string())
            }
        };
        let pip = PipProgram::find(&self.context)?;
        self.install_by_pip(&pip, requirements, &named)?;
        open_to_all(&self.venv());
        let version = &pip.version;
        Ok(InstalledPackages {
            versions: distributions(&self.venv()),
            installer: Some(gave_up.map_or_else(
                || format!("pip {version}"),
                |why| format!("pip {version} ({why})"),
            )),
            compiled: true,
        })
    }

    fn venv(&self) -> PathBuf {
        self.folder.join("venv")
    }

    fn python(&self) -> String {
        empty_environment::python(&self.venv()).display().to_string()
    }

    /// Shows a line; a display that lags must not hold the build up.
    fn say(&self, line: &str) {
        let _ = self.context.lines.try_send(line.to_owned());
    }

    /// Writes the requirements file that installers hold what they fetch to, and gives their options.
    fn list(&self, lines: &[String]) -> Result<Vec<String>, BuildFailure> {
        let list = self.folder.join(LIST);
        fs::write(&list, lines.join("\n") + "\n").map_err(|error| {
            infrastructure(
                format!("{} cannot be written: {error}.", list.display()),
                String::new(),
            )
        })?;
        Ok([
            "--require-hashes".to_owned(),
            "-r".to_owned(),
            list.display().to_string(),
        ]
        .into())
    }

    /// The file of [`list`](Self::list), for a step to read.
    fn listed(&self) -> Option<PathBuf> {
        Some(self.folder.join(LIST)).filter(|list| list.exists())
    }

    /// Makes an environment with nothing in it, in the place of what may be there.
    fn empty(&self) -> Result<(), BuildFailure> {
        let venv = self.venv();
        let made = removal::remove(&venv).and_then(|()| fs::create_dir(&venv));
        made.map_err(|error| {
            infrastructure(
                format!("The folder {} cannot be used: {error}.", self.folder.display()),
                String::new(),
            )
        })?;
        empty_environment::write(&venv, self.context.interpreter).map_err(|error| {
            infrastructure(
                format!("The environment {} cannot be written: {error}.", venv.display()),
                String::new(),
            )
        })?;
        open_to_all(&venv);
        Ok(())
    }

    /// Installs built packages by uv; says why it could not.
    fn install_by_uv(
        &self,
        uv: &Uv,
        requirements: &[String],
        named: &[String],
    ) -> Result<Option<String>, BuildFailure> {
        let read = OperatorPip::read(self.context.shared);
        let translated = read.map_err(|error| error.to_string()).and_then(|operator| {
            super::uv_settings::translate(&operator.settings).map_err(|error| error.to_string())
        });
        if let Err(why) = translated {
            return Ok(Some(why));
        }
        let unmade = |error: std::io::Error| Ok(Some(format!("its folders cannot be used: {error}")));
        let folder = match UvFolder::make(self.context.shared) {
            Ok(folder) => folder,
            Err(error) => return unmade(error),
        };
        let draft = match folder.draft() {
            Ok(draft) => draft,
            Err(error) => return unmade(error),
        };
        let venv = self.venv();
        let installation = UvInstallation {
            uv,
            folder: &folder,
            draft: draft.path(),
            python: &self.python(),
            named,
        };
        let mut reads = uv.reads();
        reads.push(venv.clone());
        reads.extend(self.listed());
        let run = |command: &[String]| {
            self.context.run(&Step {
                command,
                folder: draft.path(),
                cache: Some(folder.root()),
                reads: &reads,
                fetches: Some(FetchingProgram::Uv),
            })
        };
        // Files that are held to digests are the same wherever they come from: where the cache has all of them, no
        // index is asked.
        let held = self.listed().is_some();
        let cached = match held {
            true => {
                Some(run(&installation.offline_command())?).filter(|ended| ended.report == Report::Exited(0))
            }
            false => None,
        };
        let ended = match cached {
            Some(ended) => ended,
            None => run(&installation.command())?,
        };
        if ended.report != Report::Exited(0) {
            return Ok(Some(uv_install::reason(&ended)));
        }
        if let Err(error) = uv_install::take_in(draft.path(), &venv) {
            return unmade(error);
        }
        Ok(uv_install::missing(requirements, &distributions(&venv))
            .map(|name| format!("it ended well and `{name}` is not there")))
    }

    fn install_by_pip(
        &self,
        pip: &PipProgram,
        requirements: &[String],
        named: &[String],
    ) -> Result<(), BuildFailure> {
        let venv = self.venv();
        let reads: Vec<PathBuf> = [Some(pip.packages.clone()), self.listed()]
            .into_iter()
            .flatten()
            .collect();
        let details = venv.join(TEMPORARY).join(pip_log::NAME).display().to_string();
        let version = &self.context.interpreter.version;
        let mut log = Vec::new();
        // A source distribution runs its author's code to build itself; it gets its
        // chance, confined, only when there is no wheel.
        for choice in self.choices() {
            let mut command = pip.command(&self.python());
            let options = [
                "install",
                "--no-input",
                "--no-cache-dir",
                "--disable-pip-version-check",
                "--progress-bar=off",
            ];
            let options = options.iter().chain(*choice).copied().chain(["--log", &details]);
            command.extend(options.map(str::to_owned));
            command.extend(named.iter().cloned());
            let ended = self.context.run(&Step {
                command: &command,
                folder: &venv,
                cache: None,
                reads: &reads,
                fetches: Some(FetchingProgram::Pip),
            })?;
            match ended.report {
                Report::Exited(0) => return Ok(()),
                Report::Exited(_) => log = ended.log,
                other => {
                    return Err(infrastructure(
                        "The packages could not be installed: pip was ended from outside.",
                        format!("{other:?}\n{}", last(&ended.log)),
                    ));
                }
            }
            let failure = classify(&log, requirements, version);
            if failure.cause != FailureCause::Setup {
                return Err(failure);
            }
        }
        let mut failure = classify(&log, requirements, version);
        if !self.context.shared.namespaces() {
            failure.summary.push_str(WHEELS_ONLY);
        }
        Err(failure)
    }

    /// What pip may install, in the order in which it is tried. Without a network namespace the
    /// code of a source distribution would reach every service of this machine.
    fn choices(&self) -> &'static [&'static [&'static str]] {
        if self.context.shared.namespaces() {
            &[&["--only-binary=:all:"], &["--prefer-binary", "--use-pep517"]]
        } else {
            &[&["--only-binary=:all:"]]
        }
    }
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
