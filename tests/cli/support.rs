//! A hermetic place to call the program from.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::LazyLock;

use tempfile::TempDir;

/// A run of the fixture study from its beginning to its end, in `out`.
pub const RUN: [&str; 8] = [
    "run",
    "slope",
    "--code-mode=native",
    "--no-probe",
    "--approve",
    "auto",
    "--out",
    "out",
];

/// The same run, which waits before its first execution for a person's answer.
pub const ASKING: [&str; 8] = [
    "run",
    "slope",
    "--code-mode=native",
    "--no-probe",
    "--approve",
    "ask",
    "--out",
    "out",
];

/// A folder of its own, an environment of its own, and a time that stands still.
pub struct Place {
    folder: TempDir,
}

/// The outcome of a call.
pub struct Called {
    pub status: i32,
    pub stdout: String,
    pub stderr: String,
}

impl Place {
    pub fn new() -> Self {
        Self {
            folder: tempfile::tempdir().unwrap(),
        }
    }

    /// With a run of the fixture study from its beginning to its end, in `out`: one that is made once,
    /// and carried to each place with its study.
    pub fn finished() -> Self {
        static MADE: LazyLock<Place> = LazyLock::new(|| {
            let made = Place::new();
            made.study();
            let called = made.call(&RUN);
            assert_eq!(called.status, 0, "{}", called.stderr);
            made
        });
        let place = Self::new();
        place.study();
        copy(&MADE.path().join("out"), &place.path().join("out"));
        // The one file in which the place of the study stands.
        let request = place.path().join("out/run.json");
        let there = std::fs::read_to_string(&request).unwrap();
        let here = there.replace(
            &MADE.path().display().to_string(),
            &place.path().display().to_string(),
        );
        assert_ne!(there, here);
        std::fs::write(&request, here).unwrap();
        place
    }

    pub fn path(&self) -> &Path {
        self.folder.path()
    }

    /// A copy of the fixture study, to be spoilt.
    pub fn study(&self) -> PathBuf {
        let to = self.path().join("slope");
        copy(&fixture(), &to);
        to
    }

    /// The program, ready to be called.
    pub fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_reprise"));
        command
            .args(arguments)
            .current_dir(self.path())
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env("HOME", self.path())
            // No daemon there: what runs here does not hang on the machine's Docker.
            .env("DOCKER_HOST", "unix:///nonexistent/docker.sock")
            .env("REPRISE_CACHE", cache())
            .env("REPRISE_FIXED_TIME", "2026-01-02T03:04:05Z");
        command
    }

    /// The program as a terminal starts it: a hangup ends it, also where the tests were started to outlive one.
    pub fn ended_by_a_hangup(&self, arguments: &[&str]) -> Command {
        let program = self.command(arguments);
        let mut command = Command::new("env");
        command
            .arg("--default-signal=HUP")
            .arg(program.get_program())
            .args(program.get_args())
            .current_dir(self.path())
            .env_clear();
        for (name, value) in program.get_envs() {
            command.env(name, value.unwrap_or_default());
        }
        command
    }

    /// The program, with the daemon of this machine.
    pub fn with_daemon(&self, arguments: &[&str]) -> Command {
        let mut command = self.command(arguments);
        match std::env::var_os("DOCKER_HOST") {
            Some(host) => command.env("DOCKER_HOST", host),
            None => command.env_remove("DOCKER_HOST"),
        };
        command
    }

    pub fn call(&self, arguments: &[&str]) -> Called {
        called(self.command(arguments).output().unwrap())
    }

    /// Calls a run that dies right behind its event of that number.
    pub fn dies_behind(&self, event: usize, arguments: &[&str]) {
        let mut command = self.command(arguments);
        let dead = command.env("REPRISE_DIE_AFTER_EVENT", event.to_string());
        let status = dead.output().unwrap().status;
        assert_eq!(status.code(), None, "event {event} did not kill it");
    }

    /// A call as a reader would see it: what was typed, the exit code, the complaint.
    pub fn complaint(&self, arguments: &[&str]) -> String {
        let called = self.call(arguments);
        format!(
            "$ reprise {}\n[{}] {}\n",
            arguments.join(" "),
            called.status,
            called.stderr
        )
    }

    /// What was printed, with what differs between machines taken out.
    pub fn plain(&self, text: &str) -> String {
        let place = self.path().to_string_lossy().into_owned();
        let fixture = fixture().to_string_lossy().into_owned();
        let mut plain = text.replace(&place, "[PLACE]").replace(&fixture, "[FIXTURE]");
        for (pattern, word) in [
            (r"after \d+ ms", "after [TIME] ms"),
            (r"\b(?:\d+ min )?\d+(?:\.\d)? s\b", "[TIME] s"),
            (r"[\d.]+ [kM]B of memory", "[SIZE] of memory"),
            (r"\(namespaces, \[TIME\] s\): .*", "(namespaces): ready"),
            (
                r"environment [0-9a-f]{12} (ready|built in \d+ ms)",
                "environment [ID] ready",
            ),
            (r"\b[0-9a-f]{12}\b", "[DIGEST]"),
            (r"\(pid \d+\)", "(pid [PID])"),
            (r"-030405-[0-9a-f]{6}", "-030405-[RUN]"),
        ] {
            plain = regex::Regex::new(pattern)
                .unwrap()
                .replace_all(&plain, word)
                .into_owned();
        }
        plain
    }
}

pub fn called(output: Output) -> Called {
    Called {
        status: output.status.code().unwrap_or(-1),
        stdout: String::from_utf8(output.stdout).unwrap(),
        stderr: String::from_utf8(output.stderr).unwrap(),
    }
}

pub fn fixture() -> PathBuf {
    fixture_named("slope")
}

pub fn fixture_named(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/fixtures")
        .join(name)
}

/// Environments are shared by all tests, as they are by all runs of a user.
fn cache() -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join("cache")
}

pub fn copy(from: &Path, to: &Path) {
    for entry in walkdir::WalkDir::new(from) {
        let entry = entry.unwrap();
        let target = to.join(entry.path().strip_prefix(from).unwrap());
        if entry.file_type().is_dir() {
            std::fs::create_dir_all(&target).unwrap();
        } else {
            std::fs::copy(entry.path(), &target).unwrap();
        }
    }
}

/// Every file below a folder with its content, in order.
pub fn tree(folder: &Path) -> Vec<(String, Vec<u8>)> {
    let mut files: Vec<_> = walkdir::WalkDir::new(folder)
        .into_iter()
        .map(Result::unwrap)
        .filter(|entry| entry.file_type().is_file())
        .map(|entry| {
            let name = entry
                .path()
                .strip_prefix(folder)
                .unwrap()
                .to_string_lossy()
                .into_owned();
            (name, std::fs::read(entry.path()).unwrap())
        })
        .collect();
    files.sort();
    files
}
