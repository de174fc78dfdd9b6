//! A whole run over a daemon that dies: nothing is lost, and `resume` goes on.

use std::os::unix::fs::MetadataExt as _;
use std::path::Path;
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};

use reprise::domain::execution::EnvironmentSpec;
use reprise::domain::failure::FailureCause;
use reprise::sandbox::contract::Sandbox as _;
use reprise::sandbox::docker::container::owned;
use reprise::sandbox::docker::daemon::Daemon;
use tokio_util::sync::CancellationToken;

use crate::private::Private;
use crate::support::{DEBIAN, at, sandbox_at, until};

/// Calls the program over a daemon; returns its exit code and what it said.
fn call(place: &Path, daemon: &Private, dies: Option<u32>, arguments: &[&str]) -> (i32, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_reprise"));
    command
        .args(arguments)
        .current_dir(place)
        .env_clear()
        .env("PATH", std::env::var_os("PATH").unwrap_or_default())
        .env("HOME", place)
        .env("REPRISE_CACHE", place.join("cache"))
        .env("REPRISE_FIXED_TIME", "2026-01-02T03:04:05Z")
        .env("DOCKER_HOST", format!("unix://{}", daemon.socket().display()));
    if let Some(event) = dies {
        command.env("REPRISE_DIE_AFTER_EVENT", event.to_string());
    }
    let output = command.output().unwrap();
    let said = format!(
        "{}{}",
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    );
    (output.status.code().unwrap_or(-1), said)
}

fn study() -> String {
    format!("{}/tests/fixtures/slope", env!("CARGO_MANIFEST_DIR"))
}

/// The number of the first journal line that holds `kind`, counted from 1.
fn event(run: &Path, kind: &str) -> u32 {
    let journal = std::fs::read_to_string(run.join("journal.jsonl")).unwrap();
    let line = journal.lines().position(|line| line.contains(kind)).unwrap();
    u32::try_from(line).unwrap() + 1
}

#[tokio::test(flavor = "multi_thread")]
async fn a_run_survives_its_daemon() {
    let Some(mut private) = Private::start(DEBIAN).await else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path();
    let study = study();
    let run = |out: &'static str| {
        [
            "run",
            &study,
            "--code-mode=native",
            "--no-probe",
            "--sandbox",
            "docker",
            "--approve",
            "auto",
            "--out",
            out,
        ]
    };
    let (status, said) = call(place, &private, None, &run("whole"));
    assert_eq!(status, 0, "{said}");
    let started = event(&place.join("whole"), "execution_started");

    // The engine dies right behind the start of an execution, and the daemon with a
    // container that carries the labels of the run and of its folder.
    let (status, said) = call(place, &private, Some(started), &run("cut"));
    assert_ne!(status, 0, "{said}");
    let request: serde_json::Value =
        serde_json::from_slice(&std::fs::read(place.join("cut/run.json")).unwrap()).unwrap();
    let label = format!("org.reprise.run={}", request["run"].as_str().unwrap());
    let found = std::fs::metadata(place.join("cut")).unwrap();
    let folder = format!("org.reprise.folder={:x}-{:x}", found.dev(), found.ino());
    let host = format!("unix://{}", private.socket().display());
    let left = Command::new("docker")
        .args([
            "-H",
            &host,
            "run",
            "-d",
            "--network",
            "none",
            "--label",
            &label,
            "--label",
            &folder,
            DEBIAN,
            "sleep",
            "600",
        ])
        .output()
        .unwrap();
    assert!(left.status.success(), "{}", String::from_utf8_lossy(&left.stderr));
    private.crash();
    let (status, said) = call(place, &private, None, &["resume", "cut"]);
    assert_eq!(status, 7, "{said}");
    private.up().await;
    let (status, said) = call(place, &private, None, &["resume", "cut"]);
    assert_eq!(status, 0, "{said}");
    let daemon = Daemon::connect(&at(&private.socket())).await.unwrap();
    assert_eq!(owned::owned(&daemon).await.unwrap(), []);
    for name in ["execution_results.json", "interpret_results.json"] {
        let read = |run: &str| std::fs::read(place.join(run).join("artifacts").join(name)).unwrap();
        assert!(read("whole") == read("cut"), "{name} differs");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_daemon_that_is_killed_during_a_build_is_infrastructure() {
    let Some(mut private) = Private::start(DEBIAN).await else {
        return;
    };
    let sandbox = sandbox_at(&private.socket()).await;
    let spec = EnvironmentSpec {
        base_image: Some(DEBIAN.to_owned()),
        system: vec!["hello".to_owned()],
        ..EnvironmentSpec::default()
    };
    let begun = AtomicBool::new(false);
    // The steps of a build are told as they begin; this one has no network to end soon with.
    let progress = |line: &str| {
        if line.contains("system.sh") {
            begun.store(true, Ordering::Relaxed);
        }
    };
    let cancel = CancellationToken::new();
    let (result, ()) = tokio::join!(sandbox.prepare(&spec, &cancel, &progress), async {
        until(|| begun.load(Ordering::Relaxed)).await;
        private.crash();
    });
    let failure = result.unwrap_err();
    assert_eq!(failure.cause, FailureCause::Infrastructure, "{failure:?}");
    private.up().await;
    // Nothing half-made stands in the way: the same build begins again, and fails for want of a network.
    let sandbox = sandbox_at(&private.socket()).await;
    let again = sandbox.prepare(&spec, &cancel, &|_| {}).await.unwrap_err();
    assert_eq!(again.cause, FailureCause::Infrastructure, "{again:?}");
    assert!(again.summary != failure.summary, "{again:?}");
}
