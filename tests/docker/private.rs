//! A daemon of a test's own, which may be killed.

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use reprise::sandbox::docker::daemon::Daemon;
use tempfile::TempDir;

use crate::need::need_that;
use crate::support::at;

/// A second dockerd with everything below one folder; ended when dropped.
pub struct Private {
    folder: TempDir,
    data: PathBuf,
    process: Option<Child>,
}

impl Private {
    /// Starts one, with an image of this machine's; `None`, with a message, where it cannot be.
    pub async fn start(image: &str) -> Option<Self> {
        let folder = tempfile::tempdir().unwrap();
        let data = folder.path().join("data");
        Self::start_at(image, folder, data).await
    }

    /// Starts one whose images and containers are below `data`.
    pub async fn start_at(image: &str, folder: TempDir, data: PathBuf) -> Option<Self> {
        let there = |program: &str| {
            Command::new(program)
                .arg("--version")
                .output()
                .is_ok_and(|run| run.status.success())
        };
        need_that(
            nix::unistd::geteuid().is_root() && there("dockerd") && there("docker"),
            "a second dockerd needs root, `dockerd` and `docker`",
        )?;
        let image_there = Command::new("docker").args(["image", "inspect", image]).output();
        need_that(
            image_there.is_ok_and(|run| run.status.success()),
            &format!("the first daemon has to run and to have {image} (`tests/images/make`)"),
        )?;
        let mut daemon = Self {
            folder,
            data,
            process: None,
        };
        daemon.up().await;
        let load = format!(
            "docker save {image} | docker -H unix://{} load -q",
            daemon.socket().display()
        );
        let loaded = Command::new("sh")
            .args(["-c", &load])
            .stdout(Stdio::null())
            .status()
            .unwrap();
        assert!(loaded.success(), "{load}");
        Some(daemon)
    }

    pub fn socket(&self) -> PathBuf {
        self.folder.path().join("d.sock")
    }

    pub fn data(&self) -> &Path {
        &self.data
    }

    /// Starts the daemon, again where it was killed, and waits until it answers.
    pub async fn up(&mut self) {
        let folder = self.folder.path();
        // The kernel's list of processes may still hold the dead ones, which
        // nobody has waited for.
        for pid in ["pid", "exec/containerd/containerd.pid"] {
            let _ = std::fs::remove_file(folder.join(pid));
        }
        let log = std::fs::File::options()
            .create(true)
            .append(true)
            .open(folder.join("log"))
            .unwrap();
        // Without a bridge a daemon removes `docker0` where it stands: that of the machine's own daemon,
        // unless it starts in a network namespace of its own.
        let child = Command::new("unshare")
            .args(["--net", "dockerd"])
            .arg("--data-root")
            .arg(&self.data)
            .arg("--exec-root")
            .arg(folder.join("exec"))
            .arg("--pidfile")
            .arg(folder.join("pid"))
            .args(["-H", &format!("unix://{}", self.socket().display())])
            .args(["--bridge=none", "--iptables=false", "--ip6tables=false"])
            .args(["--containerd-namespace", &self.name()])
            .args([
                "--containerd-plugins-namespace",
                &format!("{}-plugins", self.name()),
            ])
            .stdout(Stdio::null())
            .stderr(log)
            .spawn()
            .unwrap();
        self.process = Some(child);
        while Daemon::connect(&at(&self.socket())).await.is_err() {
            let ended = self.process.as_mut().unwrap().try_wait().unwrap();
            let log = std::fs::read_to_string(self.folder.path().join("log")).unwrap_or_default();
            assert!(ended.is_none(), "dockerd ended: {ended:?}\n{log}");
            tokio::time::sleep(std::time::Duration::from_millis(50)).await;
        }
    }

    fn name(&self) -> String {
        let name = self.folder.path().file_name().unwrap().to_string_lossy();
        format!("test-{}", name.trim_start_matches('.').to_lowercase())
    }

    pub fn signal(&self, signal: Signal) {
        let process = i32::try_from(self.process.as_ref().unwrap().id()).unwrap();
        kill(Pid::from_raw(process), signal).unwrap();
    }

    /// Waits until a daemon that was told to stop has ended.
    pub fn gone(&mut self) {
        self.process.take().unwrap().wait().unwrap();
    }

    /// Kills the daemon, with the containerd that is its child, as a crash of
    /// the machine's services would. The container's own processes live on.
    pub fn crash(&mut self) {
        self.signal(Signal::SIGKILL);
        self.process.take().unwrap().wait().unwrap();
        let pid = self.folder.path().join("exec/containerd/containerd.pid");
        let pid = Pid::from_raw(std::fs::read_to_string(pid).unwrap().trim().parse().unwrap());
        let _ = kill(pid, Signal::SIGKILL);
        while std::fs::read_to_string(format!("/proc/{pid}/comm"))
            .is_ok_and(|name| name.starts_with("containerd"))
            && !zombie(pid)
        {
            crate::need::pause();
        }
    }
}

impl Drop for Private {
    fn drop(&mut self) {
        if let Some(mut process) = self.process.take() {
            let id = i32::try_from(process.id()).unwrap();
            let _ = kill(Pid::from_raw(id), Signal::SIGTERM);
            let _ = process.wait();
        }
        // What the daemon mounted would keep the folder.
        let mounts = std::fs::read_to_string("/proc/self/mounts").unwrap_or_default();
        let below = self.folder.path().to_string_lossy().into_owned();
        for mount in mounts.lines().rev().filter_map(|line| line.split(' ').nth(1)) {
            if mount.starts_with(&below) {
                let _ = nix::mount::umount2(mount, nix::mount::MntFlags::MNT_DETACH);
            }
        }
    }
}

/// Whether a process is dead, but for whoever should have noticed.
fn zombie(pid: Pid) -> bool {
    std::fs::read_to_string(format!("/proc/{pid}/stat")).is_ok_and(|stat| {
        stat.rsplit(')')
            .next()
            .is_some_and(|rest| rest.trim_start().starts_with('Z'))
    })
}
