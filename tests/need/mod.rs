//! Needs of a test that a machine may lack. In CI nothing may be lacking.

#![allow(dead_code, reason = "not every test needs everything")]
#![allow(clippy::print_stdout, reason = "what is passed over is said")]

pub mod pypi;
pub mod skips;

use std::fmt::Display;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// The longest wait for what comes by itself unless something is broken: it only ends a hang, however busy
/// the machine is.
pub const PATIENCE: Duration = Duration::from_secs(600);

/// What was found. `None`, with a message, where it is lacking; in CI, where the test
/// may not be passed over, a failure.
pub fn need<T>(found: Result<T, impl Display>) -> Option<T> {
    match found {
        Ok(found) => Some(found),
        Err(why) => {
            assert!(std::env::var_os("CI").is_none(), "CI may skip nothing: {why}");
            println!("skipped: {why}");
            skips::record(&why.to_string());
            None
        }
    }
}

/// As [`need`], of what is there or not.
pub fn need_that(holds: bool, lacking: &str) -> Option<()> {
    need(if holds { Ok(()) } else { Err(lacking) })
}

/// Runs a program of others to its good end, and prints what it said.
#[allow(clippy::unwrap_used, reason = "a test that cannot start it fails")]
pub fn ends_well(program: &mut Command) {
    let output = program.output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(
        output.status.success(),
        "{said}{}",
        String::from_utf8_lossy(&output.stderr)
    );
    println!("{said}");
}

/// A file or folder of the shared data: below `REPRISE_SHARED`, or `../shared` where the
/// variable is not set.
pub fn shared(below: &str) -> Option<PathBuf> {
    let root = std::env::var_os("REPRISE_SHARED").map_or_else(beside, PathBuf::from);
    let path = root.join(below);
    let missing = if root.is_dir() { &path } else { &root };
    need(
        path.canonicalize()
            .map_err(|_| format!("no shared data at {}", missing.display())),
    )
}

/// `shared` beside the repository, whose root holds `Cargo.lock`.
fn beside() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .ancestors()
        .find(|folder| folder.join("Cargo.lock").is_file())
        .unwrap_or(Path::new("."))
        .join("../shared")
}

/// A program that answers when it is asked for its version.
pub fn program(name: &str, install: &str) -> Option<()> {
    let answers = |argument: &str| {
        Command::new(name)
            .arg(argument)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status()
            .is_ok_and(|status| status.success())
    };
    need_that(
        answers("--version") || answers("-v"),
        &format!("{name} does not run here: {install}"),
    )
}

/// What a test needs that makes an environment with packages.
pub fn python_and_uv() -> Option<()> {
    program("python3", "apt-get install python3")?;
    uv().map(drop)
}

/// The program `uv` itself, not a wrapper: confined code cannot run a shim of pyenv.
pub fn uv() -> Option<PathBuf> {
    let asked = Command::new("python3")
        .args(["-c", "import uv; print(uv.find_uv_bin())"])
        .stderr(Stdio::null())
        .output();
    let of_python = asked.map(|output| PathBuf::from(String::from_utf8_lossy(&output.stdout).trim()));
    let path = std::env::var_os("PATH").unwrap_or_default();
    let along_path = std::env::split_paths(&path).map(|folder| folder.join("uv"));
    let is_program = |file: &PathBuf| {
        let mut begin = [0; 4];
        let read = std::fs::File::open(file).and_then(|mut file| file.read_exact(&mut begin));
        read.is_ok() && begin == *b"\x7fELF"
    };
    let found = along_path.chain(of_python.ok()).find(is_program);
    need(found.ok_or("no uv on the path: pip install uv"))
}

/// Between two looks at what another process does: a test that looked without a pause would take the processor
/// which that process needs.
pub fn pause() {
    std::thread::sleep(Duration::from_millis(2));
}

/// Waits until something holds; `what` is missing where it never does.
pub fn until(what: &str, mut holds: impl FnMut() -> bool) {
    let begun = Instant::now();
    while !holds() {
        assert!(begun.elapsed() < PATIENCE, "{what}");
        pause();
    }
}
