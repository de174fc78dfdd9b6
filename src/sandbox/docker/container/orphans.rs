//! Processes of a container that its daemon may have lost sight of.

use std::path::Path;
use std::time::{Duration, Instant};

use nix::errno::Errno;
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

/// How long killed processes may take to be gone.
const PATIENCE: Duration = Duration::from_secs(30);

/// A process of the container that is still alive.
#[derive(Debug, thiserror::Error)]
pub enum LivingOrphan {
    #[error("process {process} of it cannot be killed ({}); end it, then resume", why.desc())]
    Unkillable { process: Pid, why: Errno },
    #[error("process {0} of it does not end")]
    Lingering(Pid),
}

/// Kills what runs in the container on this machine, and waits until it is gone.
///
/// A daemon that was killed between starting a container and noting so takes it for
/// one that never ran, and removes it without ending it.
///
/// # Errors
/// What is still alive. The processes of a daemon elsewhere are not seen.
pub async fn end(container: &str) -> Result<(), LivingOrphan> {
    let begin = Instant::now();
    loop {
        let left = members(Path::new("/proc"), container);
        let Some(first) = left.first() else {
            return Ok(());
        };
        for &process in &left {
            match kill(process, Signal::SIGKILL) {
                Ok(()) | Err(Errno::ESRCH) => {}
                Err(why) => return Err(LivingOrphan::Unkillable { process, why }),
            }
        }
        if begin.elapsed() > PATIENCE {
            return Err(LivingOrphan::Lingering(*first));
        }
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

/// The processes whose control group bears the container's id, zombies left out.
fn members(proc: &Path, container: &str) -> Vec<Pid> {
    // An id is 64 hexadecimal digits: nothing else's name has it.
    if container.len() < 64 {
        return Vec::new();
    }
    let Ok(entries) = std::fs::read_dir(proc) else {
        return Vec::new();
    };
    entries
        .flatten()
        .filter(|entry| {
            std::fs::read_to_string(entry.path().join("cgroup"))
                .is_ok_and(|groups| groups.contains(container))
                && std::fs::read_to_string(entry.path().join("stat")).is_ok_and(|stat| !dead(&stat))
        })
        .filter_map(|entry| Some(Pid::from_raw(entry.file_name().to_str()?.parse().ok()?)))
        .collect()
}

/// Whether `/proc/PID/stat` is a zombie's: what follows the name in parentheses.
fn dead(stat: &str) -> bool {
    stat.rsplit(')')
        .next()
        .is_some_and(|rest| rest.trim_start().starts_with(['Z', 'X']))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn process(proc: &Path, id: &str, cgroup: &str, stat: &str) {
        let folder = proc.join(id);
        std::fs::create_dir(&folder).unwrap();
        std::fs::write(folder.join("cgroup"), cgroup).unwrap();
        std::fs::write(folder.join("stat"), stat).unwrap();
    }

    #[test]
    fn members_are_found_under_both_layouts_and_by_whole_ids_only() {
        let proc = tempfile::tempdir().unwrap();
        let id = "0f".repeat(32);
        process(
            proc.path(),
            "11",
            &format!("4:memory:/docker/{id}\n"),
            "11 (sh) S 1",
        );
        process(
            proc.path(),
            "12",
            &format!("0::/system.slice/docker-{id}.scope\n"),
            "12 (a) b) R 1",
        );
        process(proc.path(), "13", &format!("0::/docker/{id}\n"), "13 (sh) Z 1");
        process(
            proc.path(),
            "14",
            &format!("0::/docker/{}\n", &id[..12]),
            "14 (sh) S 1",
        );
        let mut found = members(proc.path(), &id);
        found.sort();
        assert_eq!(found, [Pid::from_raw(11), Pid::from_raw(12)]);
        assert_eq!(members(proc.path(), "docker"), []);
    }
}
