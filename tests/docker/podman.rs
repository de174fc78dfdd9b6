//! The tests of [`crate::run`] again, over Podman's Docker-compatible socket.

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use tempfile::TempDir;

use crate::need;
use crate::support::{DEBIAN, PYTHON};

/// A Podman service with everything below one folder; ended when dropped.
struct Service {
    folder: TempDir,
    process: Child,
    user: Option<String>,
}

impl Service {
    /// Starts one for root or for an ordinary user, with the images of this machine's Docker.
    fn start(user: Option<&str>) -> Option<Self> {
        need::program("podman", "apt-get install podman")?;
        let folder = tempfile::tempdir().unwrap();
        let tar = folder.path().join("images.tar");
        let saved = Command::new("docker")
            .args(["save", "-o"])
            .arg(&tar)
            .args([DEBIAN, PYTHON])
            .status();
        need::need_that(
            saved.is_ok_and(|status| status.success()),
            "no docker to take the images from",
        )?;
        if let Some(user) = user {
            let owned = Command::new("chown")
                .args(["-R", user])
                .arg(folder.path())
                .status()
                .unwrap();
            assert!(owned.success());
        }
        let load = |text: &str| {
            let done = as_user(user, folder.path(), &["sh", "-c", text])
                .stdout(Stdio::null())
                .status()
                .unwrap();
            assert!(done.success(), "{text}");
        };
        let podman = "podman --root root --runroot run";
        load(&format!("{podman} load -q -i images.tar"));
        let process = as_user(
            user,
            folder.path(),
            &[
                "sh",
                "-c",
                &format!("exec {podman} system service --time=0 unix://$PWD/s.sock"),
            ],
        )
        .stderr(std::fs::File::create(folder.path().join("log")).unwrap())
        .spawn()
        .unwrap();
        let service = Self {
            folder,
            process,
            user: user.map(str::to_owned),
        };
        while std::os::unix::net::UnixStream::connect(service.socket()).is_err() {
            std::thread::sleep(std::time::Duration::from_millis(20));
        }
        Some(service)
    }

    fn socket(&self) -> PathBuf {
        self.folder.path().join("s.sock")
    }

    /// Runs this test program's own tests over the service.
    fn run(&self, filters: &[&str]) {
        let program = std::env::current_exe().unwrap();
        let mut command = vec![program.to_str().unwrap(), "--test-threads=1", "--nocapture"];
        command.extend(filters);
        let socket = format!("unix://{}", self.socket().display());
        let ran = as_user(self.user.as_deref(), self.folder.path(), &command)
            .env("DOCKER_HOST", socket)
            .env("REPRISE_CACHE", self.folder.path().join("cache"))
            // Skipping there would be passing here.
            .env("CI", "1")
            .status()
            .unwrap();
        assert!(ran.success(), "over Podman: {ran}");
    }
}

impl Drop for Service {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
        // Files of a user namespace can be removed from inside it only.
        let clean = "podman --root root --runroot run unshare rm -rf root run 2>/dev/null";
        let _ = as_user(self.user.as_deref(), self.folder.path(), &["sh", "-c", clean]).status();
    }
}

/// A command as an ordinary user, with an environment of its own.
fn as_user(user: Option<&str>, folder: &Path, command: &[&str]) -> Command {
    let mut made = match user {
        Some(user) => {
            let mut made = Command::new("setpriv");
            made.args(["--reuid", user, "--regid", user, "--init-groups", "--"])
                .args(command);
            made.env_clear()
                .env("PATH", "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin")
                .env("HOME", folder)
                .env("XDG_RUNTIME_DIR", folder)
                .env("TMPDIR", folder);
            made
        }
        None => {
            let mut made = Command::new(command[0]);
            made.args(&command[1..]);
            made
        }
    };
    made.current_dir(folder);
    made
}

/// A user with subordinate ids, other than root.
fn ordinary_user() -> Option<String> {
    let ids = std::fs::read_to_string("/etc/subuid").ok()?;
    ids.lines()
        .filter_map(|line| line.split(':').next())
        .find(|name| *name != "root" && !name.is_empty())
        .map(str::to_owned)
}

#[test]
fn podman_runs_as_docker_does() {
    let is_root = nix::unistd::geteuid().is_root();
    if need::need_that(is_root, "Podman's system service needs root").is_none() {
        return;
    }
    if let Some(service) = Service::start(None) {
        service.run(&["run::"]);
    }
}

#[test]
fn rootless_podman_runs_as_docker_does() {
    let user = ordinary_user().filter(|_| nix::unistd::geteuid().is_root());
    let Some(user) = need::need(user.ok_or("no user in /etc/subuid to become, or not root")) else {
        return;
    };
    if let Some(service) = Service::start(Some(&user)) {
        // What depends on the user and on who limits; the rest is the same code.
        service.run(&[
            "run::streams_come",
            "run::a_missing_program",
            "run::files_come_back",
            "run::only_the_writable",
            "run::opened_files",
            "run::the_confinement",
        ]);
    }
}
