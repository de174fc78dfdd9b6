//! Environments on disk: one folder each, named by what it was resolved to.

use std::collections::{BTreeMap, VecDeque};
use std::fs::{self, File, TryLockError};
use std::io::Read as _;
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::{Deserialize, Serialize};
use tokio::sync::mpsc::{self, Sender};
use tokio_util::sync::CancellationToken;

use super::cgroup::Cgroup;
use super::failure::{classify, infrastructure, is_network, last, setup};
use super::installed::{Packages, check_system};
use super::interpreter::Interpreter;
use super::output::Sink;
use super::ownership::own_all;
use super::place;
use super::policy::{Bind, Policy, Report};
use super::requirements::canonical;
use super::sandbox::Shared;
use super::scratch::{self, Scratch};
use super::supervise::{Stop, Watch, Watched, watch};
use crate::domain::digest::Digest;
use crate::domain::failure::FailureCause;
use crate::sandbox::contract::{BuildFailure, Environment, EnvironmentSpec};

/// Raised when environments are laid out differently, so that old ones are not taken for new.
const LAYOUT: u32 = 1;
/// Written last into an environment: without it the folder is half built.
const MARKER: &str = "ready.json";
const MEMORY: u64 = 8 << 30;
const PROCESSES: u64 = 512;
const FILE: u64 = 8 << 30;
/// Lines of a build's log that are kept to look for the cause in.
const LOG: usize = 2000;

/// pip's detailed log, in the temporary folder of the build.
const PIP_LOG: &str = "pip.log";
/// Bytes of it that are read.
const DETAILS: u64 = 8 << 20;

/// Variables of the operator's that tell pip where and how to fetch.
const FETCHING: &[&str] = &[
    "PIP_INDEX_URL",
    "PIP_EXTRA_INDEX_URL",
    "PIP_FIND_LINKS",
    "PIP_NO_INDEX",
    "PIP_TRUSTED_HOST",
    "PIP_PROXY",
    "PIP_DEFAULT_TIMEOUT",
    "PIP_RETRIES",
    "PIP_CERT",
    "SSL_CERT_FILE",
    "SSL_CERT_DIR",
    "REQUESTS_CA_BUNDLE",
    "HTTPS_PROXY",
    "HTTP_PROXY",
    "ALL_PROXY",
    "NO_PROXY",
    "https_proxy",
    "http_proxy",
    "all_proxy",
    "no_proxy",
];

/// What an environment is made from.
#[derive(Debug)]
pub struct Plan {
    pub id: Digest,
    requirements: Option<Vec<String>>,
    interpreter: Option<Interpreter>,
    r: Option<Packages>,
    r_packages: Vec<String>,
}

#[derive(Serialize)]
struct Identity<'a> {
    layout: u32,
    requirements: &'a Option<Vec<String>>,
    interpreter: &'a Option<Interpreter>,
    r: BTreeMap<&'a str, &'a str>,
    system: &'a [String],
    architecture: &'static str,
}

impl Plan {
    /// Resolves a specification against what this machine has.
    pub fn of(shared: &Shared, spec: &EnvironmentSpec) -> Result<Self, BuildFailure> {
        check_system(&spec.system)?;
        let requirements = spec.python.as_deref().map(canonical).transpose()?;
        let interpreter = match &requirements {
            Some(_) => Some(shared.python()?.clone()),
            None => None,
        };
        let r = match &spec.r {
            Some(wanted) => {
                let packages = shared.r()?;
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
        let id = Digest::of_json(&Identity {
            layout: LAYOUT,
            requirements: &requirements,
            interpreter: &interpreter,
            r: used,
            system: &system,
            architecture: std::env::consts::ARCH,
        });
        Ok(Self {
            id,
            requirements,
            interpreter,
            r,
            r_packages,
        })
    }
}

/// What the marker of a finished environment says.
#[derive(Debug, Serialize, Deserialize)]
pub struct Ready {
    interpreter: Option<Interpreter>,
    versions: BTreeMap<String, String>,
}

impl Ready {
    /// Reads the marker of the environment in `folder`.
    pub fn read(folder: &Path) -> Result<Self, String> {
        let file = folder.join(MARKER);
        let text = fs::read(&file).map_err(|error| {
            format!(
                "there is no finished environment in {}: {error}; prepare it again",
                folder.display()
            )
        })?;
        serde_json::from_slice(&text).map_err(|error| format!("{} cannot be read: {error}", file.display()))
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
            .map(Interpreter::binds)
            .unwrap_or_default();
        binds.extend(self.venv(folder).map(Bind::same));
        binds
    }
}

/// Makes the environment, or finds it ready. Blocks; two at once share one build.
pub fn prepare(
    shared: &Shared,
    plan: &Plan,
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
    scratch::remove(&folder).map_err(disk)?;
    fs::DirBuilder::new().mode(0o755).create(&folder).map_err(disk)?;
    let mut versions = BTreeMap::new();
    if let (Some(interpreter), Some(requirements)) = (&plan.interpreter, &plan.requirements) {
        let builder = Builder {
            shared,
            interpreter,
            folder: &folder,
            cancel,
            lines,
        };
        versions = match builder.build(requirements) {
            Ok(versions) => versions,
            Err(failure) => {
                let _ = scratch::remove(&folder);
                return Err(failure);
            }
        };
        versions.insert("python".to_owned(), interpreter.version.clone());
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

fn stopped(cause: FailureCause, summary: &str, log: String) -> BuildFailure {
    BuildFailure {
        cause,
        ..infrastructure(summary, log)
    }
}

struct Builder<'a> {
    shared: &'a Shared,
    interpreter: &'a Interpreter,
    folder: &'a Path,
    cancel: &'a CancellationToken,
    lines: &'a Sender<String>,
}

impl Builder<'_> {
    fn build(&self, requirements: &[String]) -> Result<BTreeMap<String, String>, BuildFailure> {
        let venv = self.folder.join("venv");
        let disk = |error: std::io::Error| {
            infrastructure(
                format!("The folder {} cannot be used: {error}.", self.folder.display()),
                String::new(),
            )
        };
        fs::create_dir(&venv).map_err(disk)?;
        let text = |path: &Path| path.display().to_string();
        let make = [
            &text(&self.interpreter.executable),
            "-I",
            "-m",
            "venv",
            &text(&venv),
        ];
        let (watched, log) = self.run(&make, false)?;
        if watched.report != Report::Exited(0) {
            return Err(infrastructure(
                "Python could not make an environment: its venv module failed.",
                last(&log),
            ));
        }
        if !requirements.is_empty() {
            self.install(&text(&venv.join("bin/python")), requirements)?;
        }
        // Everything above ran as an unprivileged user, whose masks may be narrow.
        for entry in walkdir::WalkDir::new(&venv)
            .follow_links(false)
            .into_iter()
            .flatten()
        {
            let Ok(found) = entry.metadata() else { continue };
            if found.is_symlink() {
                continue;
            }
            let mode = found.permissions().mode();
            let wanted = (mode & 0o755) | if found.is_dir() { 0o755 } else { 0o644 };
            if mode & 0o7777 != wanted {
                let _ = fs::set_permissions(entry.path(), fs::Permissions::from_mode(wanted));
            }
        }
        Ok(distributions(&venv))
    }

    fn install(&self, python: &str, requirements: &[String]) -> Result<(), BuildFailure> {
        let common = [
            python,
            "-I",
            "-m",
            "pip",
            "install",
            "--no-input",
            "--no-cache-dir",
            "--disable-pip-version-check",
            "--progress-bar=off",
        ];
        let details = self.folder.join("venv/.tmp").join(PIP_LOG).display().to_string();
        let mut log = Vec::new();
        // A source distribution runs its author's code to build itself; it gets its
        // chance, confined, only when there is no wheel.
        for choice in ["--only-binary=:all:", "--prefer-binary"] {
            let mut command = common.to_vec();
            command.extend([choice, "--log", &details]);
            command.push("--");
            command.extend(requirements.iter().map(String::as_str));
            let (watched, said) = self.run(&command, true)?;
            match watched.report {
                Report::Exited(0) => return Ok(()),
                Report::Exited(_) => log = said,
                other => {
                    return Err(infrastructure(
                        "The packages could not be installed: pip was ended from outside.",
                        format!("{other:?}\n{}", last(&said)),
                    ));
                }
            }
            let failure = classify(&log, requirements, &self.interpreter.version);
            if failure.cause != FailureCause::Setup {
                return Err(failure);
            }
        }
        Err(classify(&log, requirements, &self.interpreter.version))
    }

    /// Runs one step, with only the new environment writable.
    fn run(&self, command: &[&str], network: bool) -> Result<(Watched, Vec<String>), BuildFailure> {
        let broken = |error: String| infrastructure(format!("The sandbox failed: {error}."), String::new());
        let shared = self.shared;
        let scratch = Scratch::make(&shared.scratch, "builds").map_err(|error| broken(error.to_string()))?;
        let venv = self.folder.join("venv");
        // Packages can be large: they pass through the disk, not through memory.
        let temporary = venv.join(".tmp");
        fs::create_dir(&temporary).map_err(|error| broken(error.to_string()))?;
        let mut binds = self.interpreter.binds();
        let mut variables = place::variables(None, &temporary, &BTreeMap::new());
        if network {
            self.fetching(&temporary, &mut variables, &mut binds)
                .map_err(|error| broken(error.to_string()))?;
        }
        binds.push(Bind {
            from: venv.clone(),
            to: venv.clone(),
            writable: true,
        });
        let user = shared.user(&scratch);
        if let Some(user) = user {
            if !shared.namespaces()
                && let Some(closed) = place::closed_above(&venv)
            {
                return Err(infrastructure(
                    format!(
                        "Environments in {} cannot be reached by the user that code runs as, because {} is closed to \
                         others: keep the cache elsewhere, or run as a user other than root.",
                        shared.cache.display(),
                        closed.display()
                    ),
                    String::new(),
                ));
            }
            own_all(&venv, user, user);
            own_all(&scratch.private(), user, user);
        }
        let cgroup = Cgroup::make(&scratch.label, MEMORY, PROCESSES);
        let (sender, mut receiver) = mpsc::channel::<String>(256);
        let forward = self.lines.clone();
        let collect = std::thread::spawn(move || {
            let mut log = VecDeque::new();
            while let Some(line) = receiver.blocking_recv() {
                // A progress display that lags must not hold the build up.
                let _ = forward.try_send(line.clone());
                if log.len() == LOG {
                    log.pop_front();
                }
                log.push_back(line);
            }
            Vec::from(log)
        });
        let watched = watch(Watch {
            helper: shared.helper.clone(),
            policy: Policy {
                namespaces: shared.namespaces(),
                network,
                command: command.iter().map(|&part| part.to_owned()).collect(),
                directory: temporary.clone(),
                variables,
                binds,
                private: scratch.private(),
                temporary: 256 << 20,
                user,
                data: None,
                processes: cgroup.is_none().then(|| shared.process_limit(PROCESSES)),
                file: FILE,
                cgroups: cgroup.as_ref().map(Cgroup::folders).unwrap_or_default(),
            },
            scratch: &scratch,
            stdout: Sink::Lines(sender.clone()),
            stderr: Sink::Lines(sender),
            total: shared.settings.build,
            idle: Some(shared.settings.build_silence),
            tree: cgroup.is_none().then_some((MEMORY, PROCESSES)),
            cgroup: cgroup.as_ref(),
            recorder: None,
            cancel: self.cancel.clone(),
        });
        if user.is_some() {
            let (caller, group) = (nix::unistd::geteuid(), nix::unistd::getegid());
            own_all(&venv, caller.as_raw(), group.as_raw());
        }
        let mut log = collect.join().unwrap_or_default();
        log.extend(unreached(&temporary.join(PIP_LOG)));
        scratch::remove(&temporary).map_err(|error| broken(error.to_string()))?;
        let watched = watched.map_err(broken)?;
        let seconds = |time: Duration| time.as_secs();
        match (watched.stop, &watched.report) {
            (None, Report::Failed(why)) => Err(broken(why.clone())),
            (None, Report::NoProgram(name)) => Err(broken(format!("`{name}` is not there"))),
            (None, _) => Ok((watched, log)),
            (Some(Stop::Cancelled), _) => Err(stopped(
                FailureCause::Cancelled,
                "The build was cancelled.",
                last(&log),
            )),
            (Some(Stop::Idle), _) => Err(stopped(
                FailureCause::Timeout,
                &format!(
                    "The build was ended because nothing happened for {} seconds.",
                    seconds(shared.settings.build_silence)
                ),
                last(&log),
            )),
            (Some(Stop::TimedOut), _) => Err(stopped(
                FailureCause::Timeout,
                &format!(
                    "The build took longer than {} seconds.",
                    seconds(shared.settings.build)
                ),
                last(&log),
            )),
            (Some(Stop::OutOfMemory | Stop::TooManyProcesses), _) => Err(BuildFailure {
                log: last(&log),
                ..setup(
                    "The build needed too much memory or too many processes.",
                    Vec::new(),
                )
            }),
        }
    }

    /// Hands pip the operator's index, certificates and proxies, and nothing else.
    fn fetching(
        &self,
        temporary: &Path,
        variables: &mut BTreeMap<String, String>,
        binds: &mut Vec<Bind>,
    ) -> std::io::Result<()> {
        let operator = &self.shared.settings.operator;
        for name in FETCHING {
            let Some(value) = operator.get(*name) else {
                continue;
            };
            variables.insert((*name).to_owned(), value.clone());
            for part in value.split_whitespace() {
                let path = Path::new(part);
                if path.is_absolute() && path.exists() && path != Path::new("/") {
                    binds.push(Bind::same(path));
                }
            }
        }
        let home = operator.get("HOME").map(PathBuf::from);
        let configured = operator.get("PIP_CONFIG_FILE").map(PathBuf::from);
        let settings = configured.into_iter().chain(
            home.iter()
                .flat_map(|home| [home.join(".config/pip/pip.conf"), home.join(".pip/pip.conf")]),
        );
        if let Some(file) = settings.into_iter().find(|file| file.is_file()) {
            // A copy, since the file may be closed to the user that pip runs as.
            let copy = temporary.join("pip.conf");
            fs::copy(&file, &copy)?;
            variables.insert("PIP_CONFIG_FILE".to_owned(), copy.display().to_string());
        }
        Ok(())
    }
}

/// Lines of pip's detailed log that tell of an index out of reach, which it does
/// not print. The file may have been written by a package's own code.
fn unreached(file: &Path) -> Vec<String> {
    let mut text = Vec::new();
    let read = fs::OpenOptions::new()
        .read(true)
        .custom_flags(nix::libc::O_NOFOLLOW | nix::libc::O_NONBLOCK)
        .open(file)
        .and_then(|file| file.take(DETAILS).read_to_end(&mut text));
    if read.is_err() {
        return Vec::new();
    }
    String::from_utf8_lossy(&text)
        .lines()
        .filter(|line| line.contains("Could not fetch URL") && is_network(line))
        .take(3)
        .map(|line| line.chars().take(500).collect())
        .collect()
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
