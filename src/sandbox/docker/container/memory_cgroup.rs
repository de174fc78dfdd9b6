//! A container's memory control group, read on the host: Podman does not tell
//! when the kernel ended a process of it for want of memory.

use std::path::{Path, PathBuf};

use bollard::query_parameters::InspectContainerOptions;

use crate::sandbox::docker::daemon::Daemon;
use crate::sandbox::docker::facts::Engine;

/// The control group in which the kernel counts the processes that it ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ControlGroup(PathBuf);

impl ControlGroup {
    /// The group of a running container of Podman's; none where Docker tells by
    /// itself, where there is no group, or where it is not on this machine.
    pub async fn find(daemon: &Daemon, name: &str) -> Option<Self> {
        let facts = daemon.describe();
        if facts.engine != Engine::Podman || !facts.memory_limit || !facts.shares_kernel() {
            return None;
        }
        let asked = daemon
            .client
            .inspect_container(name, None::<InspectContainerOptions>);
        let found = daemon.within(asked).await.ok()?;
        let process = found.state?.pid.filter(|process| *process > 0)?;
        let lines = std::fs::read_to_string(format!("/proc/{process}/cgroup")).ok()?;
        Self::read(&lines, &found.id?)
    }

    /// Finds the group in a process's list; only one that is the container's own.
    fn read(lines: &str, id: &str) -> Option<Self> {
        lines.lines().find_map(|line| {
            let mut parts = line.splitn(3, ':').skip(1);
            let (controllers, path) = (parts.next()?, parts.next()?);
            let file = match controllers {
                "" => Path::new("/sys/fs/cgroup")
                    .join(path.trim_start_matches('/'))
                    .join("memory.events"),
                _ if controllers.split(',').any(|one| one == "memory") => Path::new("/sys/fs/cgroup/memory")
                    .join(path.trim_start_matches('/'))
                    .join("memory.oom_control"),
                _ => return None,
            };
            path.contains(id).then_some(Self(file))
        })
    }

    /// Whether the kernel has ended a process of the group; none once the group is gone.
    pub fn killed(&self) -> Option<bool> {
        std::fs::read_to_string(&self.0).ok().map(|text| count(&text) > 0)
    }
}

fn count(text: &str) -> u64 {
    text.lines()
        .filter_map(|line| line.strip_prefix("oom_kill "))
        .find_map(|count| count.trim().parse().ok())
        .unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_containers_own_group_is_read() {
        let first = "5:devices:/libpod_parent/libpod-abc\n4:memory:/libpod_parent/libpod-abc\n0::/libpod_parent/libpod-abc\n";
        let file = |path: &str| Some(ControlGroup(PathBuf::from(path)));
        assert_eq!(
            ControlGroup::read(first, "abc"),
            file("/sys/fs/cgroup/memory/libpod_parent/libpod-abc/memory.oom_control")
        );
        assert_eq!(
            ControlGroup::read("0::/user.slice/libpod-abc.scope/container\n", "abc"),
            file("/sys/fs/cgroup/user.slice/libpod-abc.scope/container/memory.events")
        );
        assert_eq!(ControlGroup::read("4:memory:/everybody\n0::/\n", "abc"), None);
        assert_eq!(count("oom_kill_disable 0\nunder_oom 0\noom_kill 2\n"), 2);
        assert_eq!(count("low 0\nmax 3\noom 1\noom_kill 0\n"), 0);
    }
}
