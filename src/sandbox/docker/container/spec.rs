//! The specification of a container: the whole of what an execution is allowed.

use std::collections::HashMap;
use std::path::Path;

use bollard::models::{
    ContainerCreateBody, HealthConfig, HostConfig, HostConfigLogConfig, Mount, MountBindOptions,
    MountBindOptionsPropagationEnum, MountType, MountVolumeOptions, ResourcesUlimits,
};
use nix::sys::resource::{Resource, getrlimit};

use super::base::BaseConfiguration;
use super::hardening::{ConfinedBody, ContainerBounds};
use super::mounts::ContainerMounts;
use super::overlay_volume;
use super::seccomp::stricter;
use super::user::User;
use crate::sandbox::aliases::FolderAlias;
use crate::sandbox::contract::{ADO, BESIDE, Execution, INSIDE};
use crate::sandbox::docker::egress::egress_proxy::EgressProxy;
use crate::sandbox::docker::facts::{DaemonFacts, Engine};
use crate::sandbox::docker::labels;
use crate::sandbox::inside::variables;

/// Bytes that the temporary file system may hold at most.
const TEMPORARY: u64 = 2 << 30;
/// Bytes that shared memory may hold at most.
const SHARED: u64 = 256 << 20;
/// Open files.
const FILES: i64 = 4096;
/// Processes of one user, on the whole machine.
const PROCESSES: u64 = 1 << 15;
/// Processors that one execution may keep busy.
const PROCESSORS: u64 = 4;
/// Seconds beyond its own limit after which a session ends by itself.
const AFTER: u64 = 60;
/// Where temporary files go.
const TEMP: &str = "/tmp";

/// Proxies of the daemon's own environment, which Podman hands on.
const PROXIES: [&str; 8] = [
    "http_proxy",
    "https_proxy",
    "ftp_proxy",
    "no_proxy",
    "HTTP_PROXY",
    "HTTPS_PROXY",
    "FTP_PROXY",
    "NO_PROXY",
];

/// Everything a container is made from.
#[derive(Clone, Copy)]
pub struct ContainerSpec<'a> {
    /// The container's name.
    pub name: &'a str,
    pub execution: &'a Execution,
    pub place: &'a ContainerMounts,
    pub base: &'a BaseConfiguration,
    pub user: User,
    pub facts: &'a DaemonFacts,
    /// Whether a small init process reaps and passes signals on.
    pub init: bool,
    /// The way to approved hosts, where there are any.
    pub opening: Option<&'a EgressProxy>,
}

impl ContainerSpec<'_> {
    /// The request that makes the container. Nothing of it is an agent's word
    /// but the command's arguments, which no shell reads.
    pub fn body(&self) -> ConfinedBody {
        let mut labels = labels::for_container(&self.execution.run, &self.place.workspace);
        if self.execution.lasting {
            labels.insert(labels::ROLE.to_owned(), labels::SESSION.to_owned());
        }
        let given = ContainerCreateBody {
            image: Some(self.execution.environment.location.clone()),
            // With an entry point of its own a container inherits neither that
            // of the image nor the image's command.
            entrypoint: Some(self.command()),
            // A network that is another container's comes with that one's name.
            hostname: self.opening.is_none().then(|| "sandbox".to_owned()),
            working_dir: Some(text(&self.place.directory)),
            env: Some(self.environment()),
            healthcheck: Some(HealthConfig {
                test: Some(vec!["NONE".to_owned()]),
                ..HealthConfig::default()
            }),
            attach_stdout: Some(true),
            attach_stderr: Some(true),
            tty: Some(false),
            labels: Some(labels),
            host_config: Some(self.host()),
            ..ContainerCreateBody::default()
        };
        ConfinedBody::new(given, &self.user.text(), self.bounds())
    }

    /// The command; one that outlives the engine ends by itself, should nobody come back.
    fn command(&self) -> Vec<String> {
        if !self.execution.lasting {
            return self.execution.command.clone();
        }
        let seconds = self.execution.limits.seconds.saturating_add(AFTER);
        let mut command: Vec<String> = ["timeout", "-s", "KILL"].map(str::to_owned).into();
        command.push(seconds.to_string());
        command.extend(self.execution.command.iter().cloned());
        command
    }

    /// What the daemon can limit; `ulimits` stand in for what it cannot.
    fn bounds(&self) -> ContainerBounds {
        let limits = self.execution.limits;
        ContainerBounds {
            memory: self.facts.memory_limit.then_some(bytes(limits.memory)),
            // The init process is none of the command's.
            processes: self
                .facts
                .process_limit
                .then(|| bytes(limits.processes.saturating_add(u64::from(self.init)))),
        }
    }

    /// The volumes that the image declares, by names of this container's: only
    /// a volume with a name can be read-only.
    pub fn volumes(&self) -> Vec<(String, &str)> {
        let free = |volume: &&String| {
            let ours = [TEMP, INSIDE, "/dev/shm"].map(Path::new);
            let aliases = self.place.aliases.iter().map(|alias| alias.inside.as_path());
            !ours
                .into_iter()
                .chain(aliases)
                .any(|ours| Path::new(volume).starts_with(ours))
        };
        let declared = self.base.volumes.iter().filter(free);
        declared
            .enumerate()
            .map(|(number, target)| (format!("{}-{number}", self.name), target.as_str()))
            .collect()
    }

    /// The volume by which the daemon mounts an overlay, where there is one.
    pub fn overlay_volume(&self) -> Option<String> {
        self.place
            .overlay
            .as_ref()
            .map(|_| format!("{}-overlay", self.name))
    }

    /// A folder that can be written: the overlay over what lies beneath it, or the folder itself.
    fn writable(&self, host: &Path, inside: &Path) -> Mount {
        let overlay = self.place.overlay.as_ref().filter(|overlay| overlay.host == host);
        let Some((overlay, name)) = overlay.zip(self.overlay_volume()) else {
            return bind(host, inside, false);
        };
        overlay_volume::mount(name, &overlay.options, inside, &self.execution.run)
    }

    fn environment(&self) -> Vec<String> {
        let mut all = variables(None, Path::new(TEMP), &self.execution.variables);
        if let Some(opening) = self.opening {
            all.extend(opening.variables());
        }
        for name in ["USER", "LOGNAME"] {
            all.entry(name.to_owned()).or_insert_with(|| "sandbox".to_owned());
        }
        if !self.execution.variables.contains_key("PATH") {
            let path = self.base.search_path(all.get("PATH").map_or("", String::as_str));
            all.insert("PATH".to_owned(), path);
        }
        if self.facts.engine == Engine::Podman {
            for proxy in PROXIES {
                all.entry(proxy.to_owned()).or_default();
            }
        }
        all.into_iter()
            .map(|(name, value)| format!("{name}={value}"))
            .collect()
    }

    fn host(&self) -> HostConfig {
        let limits = self.execution.limits;
        let mut security: Vec<String> = stricter(self.facts).into_iter().collect();
        if self.facts.selinux {
            security.push("label=disable".to_owned());
        }
        HostConfig {
            network_mode: self.opening.map(EgressProxy::network_mode),
            security_opt: Some(security),
            userns_mode: self.user.namespace(self.facts),
            init: Some(self.init),
            memory_swap: (self.facts.memory_limit && self.facts.swap_limit).then_some(bytes(limits.memory)),
            nano_cpus: self
                .facts
                .cpu_limit
                .then(|| bytes(self.processors().saturating_mul(1_000_000_000))),
            ulimits: Some(self.ulimits()),
            tmpfs: Some(self.temporary()),
            shm_size: Some(bytes(SHARED.min(limits.memory / 4).max(1 << 20))),
            mounts: Some(self.mounts()),
            log_config: Some(HostConfigLogConfig {
                typ: Some("none".to_owned()),
                config: None,
            }),
            ..HostConfig::default()
        }
    }

    fn temporary(&self) -> HashMap<String, String> {
        let size = TEMPORARY.min(self.execution.limits.memory / 2).max(1 << 20);
        let mut folders = HashMap::from([(
            TEMP.to_owned(),
            format!("rw,exec,nosuid,nodev,mode=1777,size={size}"),
        )]);
        if self.facts.engine == Engine::Podman {
            // Podman makes them writable in a read-only container, without a limit.
            for folder in ["/var/tmp", "/run"] {
                folders.insert(folder.to_owned(), "ro,noexec,nosuid,nodev,size=65536".to_owned());
            }
        }
        folders
    }

    fn ulimits(&self) -> Vec<ResourcesUlimits> {
        let mut limits = vec![
            ulimit("core", 0),
            ulimit("fsize", bytes(self.execution.limits.file)),
            ulimit("nofile", FILES),
            // The kernel's own limit, should nobody be left to end the container: no process
            // takes more time of processors than the execution has.
            ulimit("cpu", bytes(self.processor_seconds())),
        ];
        let hard = getrlimit(Resource::RLIMIT_NPROC).map_or(PROCESSES, |(_, hard)| hard);
        if !self.facts.process_limit {
            // The kernel counts a user's processes in each user namespace apart.
            let wanted = self.execution.limits.processes.saturating_add(1);
            limits.push(ulimit("nproc", bytes(hard.min(wanted))));
        } else if self.facts.engine == Engine::Podman {
            // Podman raises it otherwise, which not every machine allows.
            limits.push(ulimit("nproc", bytes(hard.min(PROCESSES))));
        }
        if !self.facts.memory_limit {
            limits.push(ulimit("data", bytes(self.execution.limits.memory)));
        }
        limits
    }

    fn processors(&self) -> u64 {
        let wanted = self.execution.limits.processors.unwrap_or(PROCESSORS);
        wanted.min(self.facts.processors)
    }

    fn processor_seconds(&self) -> u64 {
        let processors = self.processors().max(1);
        self.execution
            .limits
            .seconds
            .saturating_mul(processors)
            .saturating_add(60)
    }

    fn mounts(&self) -> Vec<Mount> {
        let mut mounts = vec![bind(&self.place.workspace, Path::new(INSIDE), true)];
        for folder in &self.place.writable {
            mounts.push(self.writable(&folder.host, &folder.inside));
        }
        if let Some(folder) = &self.execution.beside {
            mounts.push(bind(folder, Path::new(BESIDE), true));
        }
        if let Some(folder) = &self.execution.ado {
            mounts.push(bind(folder, Path::new(ADO), true));
        }
        // Nothing can be mounted inside a volume that is read-only.
        let volumes = self.volumes();
        let is_free =
            |alias: &&FolderAlias| !volumes.iter().any(|(_, volume)| alias.inside.starts_with(volume));
        for alias in self.place.aliases.iter().filter(is_free) {
            mounts.push(match alias.writable {
                true => self.writable(&alias.host, &alias.inside),
                false => bind(&alias.host, &alias.inside, true),
            });
        }
        // A volume that an image declares would be a writable folder on the
        // host's disk, without a limit. Mounted read-only it keeps what the
        // image put there.
        for (name, target) in volumes {
            mounts.push(Mount {
                target: Some(target.to_owned()),
                source: Some(name),
                typ: Some(MountType::VOLUME),
                read_only: Some(true),
                volume_options: Some(MountVolumeOptions {
                    labels: Some(labels::for_run(&self.execution.run)),
                    ..MountVolumeOptions::default()
                }),
                ..Mount::default()
            });
        }
        mounts
    }
}

fn bind(from: &Path, to: &Path, read_only: bool) -> Mount {
    Mount {
        target: Some(text(to)),
        source: Some(text(from)),
        typ: Some(MountType::BIND),
        read_only: Some(read_only),
        bind_options: Some(MountBindOptions {
            propagation: Some(MountBindOptionsPropagationEnum::RPRIVATE),
            // What is mounted below a folder that is shown read-only stays writable: leave it out.
            non_recursive: Some(true),
            ..MountBindOptions::default()
        }),
        ..Mount::default()
    }
}

fn ulimit(name: &str, value: i64) -> ResourcesUlimits {
    ResourcesUlimits {
        name: Some(name.to_owned()),
        soft: Some(value),
        hard: Some(value),
    }
}

fn text(path: &Path) -> String {
    path.display().to_string()
}

fn bytes(count: u64) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}

/// What the daemon cannot enforce, in words for the report.
pub fn unenforced(facts: &DaemonFacts, user: User) -> Vec<String> {
    let mut notes = Vec::new();
    for (works, note) in [
        (
            facts.memory_limit,
            "The daemon has no control group for memory: it is limited per process by the kernel, not over the \
             process tree.",
        ),
        (
            facts.process_limit,
            "The daemon has no control group for processes: they are limited by the kernel's count of the user's.",
        ),
        (facts.cpu_limit, "The daemon cannot limit processor time."),
    ] {
        if !works {
            notes.push(note.to_owned());
        }
    }
    if facts.memory_limit && !facts.swap_limit {
        notes.push("The daemon limits memory, but not swap: the kernel does not count it.".to_owned());
    }
    if !facts.seccomp {
        notes.push("The daemon filters no system calls: it was built or started without seccomp.".to_owned());
    }
    if facts.selinux {
        notes.push(
            "SELinux labels are off for the container, which could not read the workspace otherwise."
                .to_owned(),
        );
    }
    if user == User::Mapped {
        notes.push(
            "The command ran as root of the rootless daemon's user namespace, without any capability; outside \
             it is the caller. It can write to the container's own /dev, in memory."
                .to_owned(),
        );
    }
    notes
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::path::PathBuf;

    use bollard::models::{SystemInfo, SystemVersion};

    use super::*;
    use crate::domain::digest::Digest;
    use crate::domain::execution::Environment;
    use crate::domain::ids::RunId;
    use crate::sandbox::docker::container::hardening::tests::assert_hardened;

    fn body(facts: &DaemonFacts) -> ConfinedBody {
        let workspace = PathBuf::from("/runs/r-1/workspace");
        let environment = Environment {
            id: Digest::compute("x"),
            versions: BTreeMap::new(),
            location: "image".to_owned(),
            built: false,
        };
        let execution = Execution {
            writable: Vec::new(),
            ado: Some(PathBuf::from("/runs/r-1/ado/0a")),
            ..Execution::alone(
                RunId::new("r-1"),
                environment,
                &["true"],
                &workspace,
                "work".parse().unwrap(),
                &workspace,
            )
        };
        let place = ContainerMounts {
            workspace,
            writable: Vec::new(),
            directory: PathBuf::from("/workspace/work"),
            aliases: Vec::new(),
            overlay: None,
        };
        let spec = ContainerSpec {
            name: "c-1",
            execution: &execution,
            place: &place,
            base: &BaseConfiguration::default(),
            user: User::Lent(70_000),
            facts,
            init: true,
            opening: None,
        };
        spec.body()
    }

    #[test]
    fn the_container_of_an_execution_is_hardened() {
        let info = SystemInfo {
            memory_limit: Some(true),
            pids_limit: Some(true),
            ..SystemInfo::default()
        };
        let facts = DaemonFacts::new("unix:///x", SystemVersion::default(), info);
        assert_hardened(body(&facts));
    }

    #[test]
    fn ado_files_are_shown_read_only_where_stata_looks_for_what_it_installed() {
        let facts = DaemonFacts::new("unix:///x", SystemVersion::default(), SystemInfo::default());
        let host = body(&facts).for_daemon().host_config.unwrap();
        let mounts = host.mounts.unwrap();
        let ado: Vec<&Mount> = mounts
            .iter()
            .filter(|mount| mount.source.as_deref() == Some("/runs/r-1/ado/0a"))
            .collect();
        let [ado] = ado.as_slice() else {
            panic!("{mounts:?}")
        };
        assert_eq!(ado.target.as_deref(), Some("/tmp/ado/plus"));
        assert_eq!((ado.typ, ado.read_only), (Some(MountType::BIND), Some(true)));
        // The home of the command, below which Stata's PLUS lies.
        let home = "HOME=/tmp".to_owned();
        assert!(body(&facts).for_daemon().env.unwrap().contains(&home));
    }

    #[test]
    fn the_kernel_limits_what_a_daemon_without_control_groups_cannot() {
        let facts = DaemonFacts::new("unix:///x", SystemVersion::default(), SystemInfo::default());
        let host = body(&facts).for_daemon().host_config.unwrap();
        assert_eq!((host.memory, host.pids_limit), (None, None));
        let limits = host.ulimits.unwrap();
        for name in ["data", "nproc"] {
            assert!(
                limits.iter().any(|limit| limit.name.as_deref() == Some(name)),
                "{name}"
            );
        }
    }
}
