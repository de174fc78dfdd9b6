//! A Python that this machine lacks, installed by uv from the mirror that the operator names. Without a mirror uv would
//! take it from a code host, and nothing is fetched.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use super::python_releases::{PythonRelease, fetched};
use super::shared::Shared;
use super::uv::Uv;

/// uv's own setting with the address of a mirror of its builds.
const MIRROR: &str = "UV_PYTHON_INSTALL_MIRROR";
/// What else uv needs of the operator's environment to reach it.
const PASSED: [&str; 12] = [
    "PATH",
    "HOME",
    "SSL_CERT_FILE",
    "SSL_CERT_DIR",
    "HTTP_PROXY",
    "HTTPS_PROXY",
    "ALL_PROXY",
    "NO_PROXY",
    "http_proxy",
    "https_proxy",
    "all_proxy",
    "no_proxy",
];
/// Longest time for a fetch, and the time between two looks at it.
const LONGEST: Duration = Duration::from_secs(600);
const LOOK: Duration = Duration::from_millis(50);

/// Fetches a release; true where uv says that it is there. uv holds each build to the SHA-256 that it knows.
pub fn fetch(shared: &Shared, wanted: PythonRelease) -> bool {
    let operator = &shared.settings.operator;
    let Some(mirror) = operator.get(MIRROR).filter(|mirror| !mirror.trim().is_empty()) else {
        return false;
    };
    let Ok(uv) = Uv::find(shared) else { return false };
    let folder = fetched(shared);
    if fs::create_dir_all(&folder).is_err() {
        return false;
    }
    let mut command = Command::new(&uv.program);
    command
        .args(["python", "install", "--no-config", "--no-bin", "--no-progress"])
        .args(["--mirror", mirror.trim(), "--install-dir"])
        .arg(&folder)
        .arg(format!("{}.{}", wanted.major, wanted.minor))
        .env_clear()
        .current_dir(Path::new("/"))
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    for name in PASSED {
        if let Some(value) = operator.get(name) {
            command.env(name, value);
        }
    }
    ended_well(command)
}

/// Whether a command ends well in time.
fn ended_well(mut command: Command) -> bool {
    let Ok(mut child) = command.spawn() else {
        return false;
    };
    let begun = Instant::now();
    loop {
        match child.try_wait() {
            Ok(Some(status)) => return status.success(),
            Ok(None) if begun.elapsed() < LONGEST => std::thread::sleep(LOOK),
            Ok(None) | Err(_) => {
                let _it_may_be_gone = child.kill();
                let _status = child.wait();
                return false;
            }
        }
    }
}
