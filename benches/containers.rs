//! Overhead of one confined execution over a plain `docker run --rm`.
//!
//! `cargo bench --bench containers -- --image debian:bookworm-slim --runs 20`
//! prints one JSON line; `tests/perf/containers.py` makes a table of it. The
//! kinds take turns, so that a busy machine is as busy for each.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stdout)]

use std::collections::BTreeMap;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;

use clap::Parser;
use reprise_domain::domain::digest::Digest;
use reprise_domain::domain::execution::{Ending, Environment, EnvironmentSpec};
use reprise_domain::domain::ids::RunId;
use reprise_sandbox::sandbox::contract::{Execution, Sandbox as _};
use reprise_sandbox::sandbox::docker::sandbox::DockerSandbox;
use reprise_sandbox::sandbox::docker::settings::DockerSettings;
use tokio_util::sync::CancellationToken;

#[derive(Parser)]
struct Arguments {
    #[arg(long, default_value = "debian:bookworm-slim")]
    image: String,
    #[arg(long, default_value_t = 20)]
    runs: u32,
    /// Executions at the same time.
    #[arg(long, default_value_t = 20)]
    parallel: u32,
    /// Passed by `cargo bench`.
    #[arg(long, hide = true)]
    bench: bool,
}

/// The options of the client that come nearest to our confinement.
const CONFINED: [&str; 14] = [
    "--network=none",
    "--read-only",
    "--cap-drop=ALL",
    "--security-opt=no-new-privileges",
    "--init",
    "--user=61500:61500",
    "--memory=1g",
    "--memory-swap=1g",
    "--cpus=1",
    "--pids-limit=64",
    "--tmpfs=/tmp",
    "--log-driver=none",
    "--ulimit=core=0",
    "--no-healthcheck",
];

fn main() {
    let arguments = Arguments::parse();
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .unwrap();
    runtime.block_on(measure(&arguments));
}

async fn measure(arguments: &Arguments) {
    let folder = tempfile::tempdir().unwrap();
    let settings = DockerSettings::new(folder.path().join("cache"), std::env::vars().collect());
    let sandbox = DockerSandbox::connect(settings).await.unwrap();
    let (mut ours, mut plain, mut confined) = (Vec::new(), Vec::new(), Vec::new());
    // The first of each fills caches of the daemon.
    for round in 0..=arguments.runs {
        let times = (
            one(&sandbox, &arguments.image, folder.path(), 0).await,
            client(&arguments.image, &[]).await,
            client(&arguments.image, &CONFINED).await,
        );
        if round > 0 {
            ours.push(times.0);
            plain.push(times.1);
            confined.push(times.2);
        }
    }
    let rebuilds = rebuilds(&sandbox).await;
    let begin = Instant::now();
    let all = (0..arguments.parallel).map(|number| one(&sandbox, &arguments.image, folder.path(), number));
    futures::future::join_all(all).await;
    let ours_at_once = begin.elapsed().as_secs_f64() * 1000.0;
    let begin = Instant::now();
    futures::future::join_all((0..arguments.parallel).map(|_| client(&arguments.image, &[]))).await;
    let plain_at_once = begin.elapsed().as_secs_f64() * 1000.0;
    println!(
        "{}",
        serde_json::json!({
            "runs": arguments.runs, "parallel": arguments.parallel,
            "reprise": ours, "docker_run": plain, "docker_run_confined": confined,
            "rebuilds": rebuilds, "reprise_at_once": ours_at_once, "docker_run_at_once": plain_at_once,
        })
    );
}

/// Milliseconds to make an environment with a Debian and a Python package, to find it
/// again, and to make it with another Python package, another Debian package in turn.
async fn rebuilds(sandbox: &DockerSandbox) -> BTreeMap<&'static str, f64> {
    let spec = |system: &str, python: &str| EnvironmentSpec {
        base_image: Some("python:3.11-slim".to_owned()),
        python: Some(vec![python.to_owned()]),
        system: vec![system.to_owned()],
        ..EnvironmentSpec::default()
    };
    let mut times = BTreeMap::new();
    for (name, spec, built) in [
        ("1 first", spec("hello", "six==1.16.0"), true),
        ("2 unchanged", spec("hello", "six==1.16.0"), false),
        ("3 another Python package", spec("hello", "six==1.17.0"), true),
        ("4 another Debian package", spec("sl", "six==1.17.0"), true),
    ] {
        let begin = Instant::now();
        let made = sandbox
            .prepare(&spec, &CancellationToken::new(), &|_| {})
            .await
            .unwrap();
        times.insert(name, begin.elapsed().as_secs_f64() * 1000.0);
        assert_eq!(
            made.built, built,
            "{name}: remove the images of an earlier run by `reprise clean --images`"
        );
    }
    times
}

/// Milliseconds of one execution, from the call to the removed container.
async fn one(sandbox: &DockerSandbox, image: &str, folder: &Path, number: u32) -> f64 {
    let workspace = folder.join(format!("workspace-{number}"));
    for part in ["work", "replication_data"] {
        std::fs::create_dir_all(workspace.join(part)).unwrap();
    }
    let environment = Environment {
        id: Digest::compute(image),
        versions: BTreeMap::new(),
        location: image.to_owned(),
        built: false,
    };
    let execution = Execution {
        watched: vec!["replication_data".parse().unwrap(), "work".parse().unwrap()],
        ..Execution::alone(
            RunId::new(format!("bench-{}-{number}", std::process::id())),
            environment,
            &["true"],
            &workspace,
            "work".parse().unwrap(),
            &workspace,
        )
    };
    let begin = Instant::now();
    let ended = sandbox
        .execute(&execution, &CancellationToken::new())
        .await
        .unwrap();
    let took = begin.elapsed().as_secs_f64() * 1000.0;
    assert_eq!(ended.ending, Ending::Exited(0));
    took
}

/// Milliseconds of the command line client.
async fn client(image: &str, options: &[&str]) -> f64 {
    let (image, options) = (
        image.to_owned(),
        options
            .iter()
            .map(|&option| option.to_owned())
            .collect::<Vec<_>>(),
    );
    tokio::task::spawn_blocking(move || {
        let begin = Instant::now();
        let status = Command::new("docker")
            .args(["run", "--rm"])
            .args(&options)
            .args([&image, "true"])
            .stdout(Stdio::null())
            .status()
            .unwrap();
        assert!(status.success());
        begin.elapsed().as_secs_f64() * 1000.0
    })
    .await
    .unwrap()
}
