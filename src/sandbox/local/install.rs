//! Filling a Python environment, each step confined.

use std::collections::{BTreeMap, VecDeque};
use std::fs;
use std::io::Read as _;
use std::os::unix::fs::{OpenOptionsExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};
use std::time::Duration;

use tokio::sync::mpsc::{self, Sender};
use tokio_util::sync::CancellationToken;

use super::bind_mounts;
use super::build_network::{BuildNetwork, BuildSettings};
use super::cgroup::Cgroup;
use super::interpreter::PythonInstallation;
use super::output::Sink;
use super::policy::{Bind, Policy, PolicyNetwork, Report};
use super::scratch::Scratch;
use super::shared::Shared;
use super::stopped::stopped;
use super::supervise::{ProcessStop, TreeLimits, Watch, Watched, watch};
use crate::domain::execution::BuildFailure;
use crate::domain::failure::FailureCause;
use crate::sandbox::disk::Disks;
use crate::sandbox::failure::{classify, infrastructure, is_network, last, setup};
use crate::sandbox::inside;
use crate::sandbox::ownership::own_all;
use crate::sandbox::removal;

/// What a failure says where no source distribution is built.
const WHEELS_ONLY: &str = " Only built packages (wheels) are installed here: this machine refuses namespaces, and \
    the code of a source package would reach its network. Name a version that has a wheel, or ask the operator to \
    choose the Docker sandbox.";

const MEMORY: u64 = 8 << 30;
const PROCESSES: u64 = 512;
const FILE: u64 = 8 << 30;
/// Lines of a build's log that are kept to look for the cause in.
const LOG: usize = 2000;

/// pip's settings for the whole machine.
const MACHINE: &str = "/etc/pip.conf";
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

/// The making of one Python environment.
pub struct Builder<'a> {
    pub shared: &'a Shared,
    pub interpreter: &'a PythonInstallation,
    /// The environment's folder, whose `venv` is the only part that the steps can write.
    pub folder: &'a Path,
    pub cancel: &'a CancellationToken,
    pub lines: &'a Sender<String>,
}

impl Builder<'_> {
    /// Makes the environment and installs into it; returns names and versions.
    pub fn build(&self, requirements: &[String]) -> Result<BTreeMap<String, String>, BuildFailure> {
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
        for choice in self.choices() {
            let mut command = common.to_vec();
            command.extend([*choice, "--log", &details]);
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
        let mut failure = classify(&log, requirements, &self.interpreter.version);
        if !self.shared.namespaces() {
            failure.summary.push_str(WHEELS_ONLY);
        }
        Err(failure)
    }

    /// What pip may install, in the order in which it is tried. Without a network namespace the
    /// code of a source distribution would reach every service of this machine.
    fn choices(&self) -> &'static [&'static str] {
        if self.shared.namespaces() {
            &["--only-binary=:all:", "--prefer-binary"]
        } else {
            &["--only-binary=:all:"]
        }
    }

    /// Runs one step, with only the new environment writable.
    fn run(&self, command: &[&str], fetches: bool) -> Result<(Watched, Vec<String>), BuildFailure> {
        let broken = |error: String| infrastructure(format!("The sandbox failed: {error}."), String::new());
        let shared = self.shared;
        let scratch = Scratch::make(&shared.scratch, "builds").map_err(|error| broken(error.to_string()))?;
        let venv = self.folder.join("venv");
        // Packages can be large: they pass through the disk, not through memory.
        let temporary = venv.join(".tmp");
        fs::create_dir(&temporary).map_err(|error| broken(error.to_string()))?;
        let mut binds = self.interpreter.binds();
        let mut variables = inside::variables(None, &temporary, &BTreeMap::new());
        let (network, way) = if fetches {
            self.network(&temporary, &mut variables, &mut binds)?
        } else {
            (PolicyNetwork::None, None)
        };
        binds.push(Bind {
            from: venv.clone(),
            to: venv.clone(),
            writable: true,
        });
        let user = shared.user(&scratch);
        if let Some(user) = user {
            if !shared.namespaces()
                && let Some(closed) = bind_mounts::closed_above(&venv)
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
            tree: cgroup.is_none().then_some(TreeLimits {
                memory: MEMORY,
                processes: PROCESSES,
            }),
            cgroup: cgroup.as_ref(),
            disks: Disks::under([self.folder]),
            recorder: None,
            cancel: self.cancel.clone(),
        });
        if user.is_some() {
            let (caller, group) = (nix::unistd::geteuid(), nix::unistd::getegid());
            own_all(&venv, caller.as_raw(), group.as_raw());
        }
        let mut log = collect.join().unwrap_or_default();
        log.extend(unreached(&temporary.join(PIP_LOG)));
        removal::remove(&temporary).map_err(|error| broken(error.to_string()))?;
        let refused = way.as_ref().map(BuildNetwork::refused).unwrap_or_default();
        if !refused.is_empty() {
            log.push(format!(
                "Hosts that the build asked for and the sandbox keeps closed: {}.",
                refused.join(", ").escape_debug()
            ));
        }
        let watched = watched.map_err(|error| broken(error.to_string()))?;
        let seconds = |time: Duration| time.as_secs();
        match (watched.stop, &watched.report) {
            (None, Report::Failed(why)) => Err(broken(why.clone())),
            (None, Report::NoProgram(name)) => Err(broken(format!("`{name}` is not there"))),
            (None, _) => Ok((watched, log)),
            (Some(ProcessStop::Cancelled), _) => Err(stopped(
                FailureCause::Cancelled,
                "The build was cancelled.",
                last(&log),
            )),
            (Some(ProcessStop::Idle), _) => Err(stopped(
                FailureCause::Timeout,
                &format!(
                    "The build was ended because nothing happened for {} seconds.",
                    seconds(shared.settings.build_silence)
                ),
                last(&log),
            )),
            (Some(ProcessStop::TimedOut), _) => Err(stopped(
                FailureCause::Timeout,
                &format!(
                    "The build took longer than {} seconds.",
                    seconds(shared.settings.build)
                ),
                last(&log),
            )),
            (Some(ProcessStop::DiskFull), _) => Err(infrastructure(
                "The build was ended because the disk is nearly full.",
                last(&log),
            )),
            (Some(ProcessStop::OutOfMemory | ProcessStop::TooManyProcesses), _) => Err(BuildFailure {
                log: last(&log),
                ..setup(
                    "The build needed too much memory or too many processes.",
                    Vec::new(),
                )
            }),
        }
    }

    /// The network of a step that fetches, with the operator's settings of it. In namespaces it
    /// leads to the index alone, and passwords stay outside.
    fn network(
        &self,
        temporary: &Path,
        variables: &mut BTreeMap<String, String>,
        binds: &mut Vec<Bind>,
    ) -> Result<(PolicyNetwork, Option<BuildNetwork>), BuildFailure> {
        let broken = |error: String| {
            infrastructure(format!("The packages cannot be fetched: {error}."), String::new())
        };
        let mut settings = self.settings(binds).map_err(|error| broken(error.to_string()))?;
        let way = if self.shared.namespaces() {
            Some(
                BuildNetwork::open(&self.shared.settings.operator, &mut settings)
                    .map_err(|error| broken(error.to_string()))?,
            )
        } else {
            None
        };
        variables.extend(settings.variables);
        // The operator's own file, and in namespaces, which lack the machine's, that one.
        let places = [(PathBuf::from("pip.conf"), "PIP_CONFIG_FILE", settings.own_file)]
            .into_iter()
            .chain(way.iter().map(|_| {
                (
                    PathBuf::from("xdg/pip/pip.conf"),
                    "",
                    settings.machine_file.take(),
                )
            }));
        for (place, variable, text) in places {
            let Some(text) = text else { continue };
            let copy = temporary.join(place);
            let written = copy
                .parent()
                .map_or(Ok(()), fs::create_dir_all)
                .and_then(|()| fs::write(&copy, text));
            written.map_err(|error| broken(error.to_string()))?;
            if variable.is_empty() {
                variables.insert(
                    "XDG_CONFIG_DIRS".to_owned(),
                    temporary.join("xdg").display().to_string(),
                );
            } else {
                variables.insert(variable.to_owned(), copy.display().to_string());
            }
        }
        let network = match &way {
            Some(way) => PolicyNetwork::Proxy(way.socket()),
            None => PolicyNetwork::Host,
        };
        Ok((network, way))
    }

    /// The operator's index, certificates and proxies, and nothing else.
    fn settings(&self, binds: &mut Vec<Bind>) -> std::io::Result<BuildSettings> {
        let operator = &self.shared.settings.operator;
        let mut settings = BuildSettings::default();
        for name in FETCHING {
            let Some(value) = operator.get(*name) else {
                continue;
            };
            settings.variables.insert((*name).to_owned(), value.clone());
            for part in value.split_whitespace() {
                let path = Path::new(part);
                if path.is_absolute() && path.exists() && path != Path::new("/") {
                    binds.push(Bind::same(path));
                }
            }
        }
        let home = operator.get("HOME").map(PathBuf::from);
        let configured = operator.get("PIP_CONFIG_FILE").map(PathBuf::from);
        let own = configured.into_iter().chain(
            home.iter()
                .flat_map(|home| [home.join(".config/pip/pip.conf"), home.join(".pip/pip.conf")]),
        );
        let read = |file: &Path| match fs::read_to_string(file) {
            Ok(text) => Ok(Some(text)),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        };
        settings.own_file = match own.into_iter().find(|file| file.is_file()) {
            Some(file) => read(&file)?,
            None => None,
        };
        settings.machine_file = read(Path::new(MACHINE))?;
        Ok(settings)
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
