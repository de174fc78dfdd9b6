//! The folders of the studies, the recordings and the runs.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use crate::need;

/// The published studies.
pub fn studies() -> Option<PathBuf> {
    need::shared("data/replicatorbench/original")
}

/// A recording of this folder, by its name.
pub fn recording(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/replicatorbench/recordings/{name}.json"))
}

/// An empty folder for a run, left behind for whoever wants to look at it.
pub fn fresh(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"))
        .join("replicatorbench")
        .join(name);
    if folder.exists() {
        std::fs::remove_dir_all(&folder).unwrap();
    }
    std::fs::create_dir_all(folder.parent().unwrap()).unwrap();
    folder
}

/// How names begin of variables that say where daemon, mirrors and proxies are.
const KEPT: [&str; 11] = [
    "PATH",
    "HOME",
    "DOCKER_",
    "PIP_",
    "HTTP_PROXY",
    "HTTPS_PROXY",
    "NO_PROXY",
    "REPRISE_IMAGES",
    "REPRISE_CRAN",
    "REPRISE_DEBIAN_MIRROR",
    "REPRISE_CA_BUNDLE",
];

/// The outcome of a call of the program.
pub struct Called {
    pub status: i32,
    pub stdout: String,
    pub stderr: String,
}

/// Calls the program with the environment that containers and installers need, and no more.
pub fn call(arguments: &[&str]) -> Called {
    let mut command = Command::new(env!("CARGO_BIN_EXE_reprise"));
    command.args(arguments).env_clear().env(
        "REPRISE_CACHE",
        Path::new(env!("CARGO_TARGET_TMPDIR")).join("cache"),
    );
    let kept = |name: &str| {
        KEPT.iter()
            .any(|kept| name.to_ascii_uppercase().starts_with(kept))
    };
    for (name, value) in std::env::vars().filter(|(name, _)| kept(name)) {
        command.env(name, value);
    }
    let Output {
        status,
        stdout,
        stderr,
    } = command.output().unwrap();
    Called {
        status: status.code().unwrap_or(-1),
        stdout: String::from_utf8(stdout).unwrap(),
        stderr: String::from_utf8(stderr).unwrap(),
    }
}

/// Every file below a folder with its content, in order.
pub fn tree(folder: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    walkdir::WalkDir::new(folder)
        .sort_by_file_name()
        .into_iter()
        .map(Result::unwrap)
        .filter(|entry| entry.file_type().is_file())
        .map(|entry| {
            let name = entry.path().strip_prefix(folder).unwrap().to_owned();
            (name, std::fs::read(entry.path()).unwrap())
        })
        .collect()
}
