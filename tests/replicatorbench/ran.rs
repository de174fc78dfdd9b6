//! One replication, carried out.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock, Mutex};
use std::time::{Duration, Instant};

use reprise::sandbox::docker::daemon::Daemon;
use serde_json::Value;

use crate::need::need;
use crate::replicatorbench::place::{Called, call, fresh, recording};
use crate::replicatorbench::tables::Replication;

/// A run that came to its end.
pub struct Ran {
    pub folder: PathBuf,
    /// What `--json` printed.
    pub result: Value,
    /// What `reprise report --format json` says.
    pub report: Value,
    pub wall: Duration,
}

/// Where the scripts run: containers, or what `REPRISE_PUBLISHED_SANDBOX` names
/// (`local` needs the R packages on this machine). `None`, with a word, where no
/// daemon answers; in CI there must be one.
pub fn sandbox() -> Option<String> {
    if let Ok(named) = std::env::var("REPRISE_PUBLISHED_SANDBOX") {
        return Some(named);
    }
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    need(runtime.block_on(Daemon::connect(&std::env::vars().collect()))).map(|_| "docker".to_owned())
}

/// Runs that have been made, since two tests look at the same one. The lock is
/// held over a run: images are built one after the other.
static RUNS: LazyLock<Mutex<BTreeMap<&'static str, Arc<Ran>>>> = LazyLock::new(Mutex::default);

/// Carries a replication through all stages, or gives the run that has been made.
pub fn ran(replication: &Replication, study: &Path, sandbox: &str) -> Arc<Ran> {
    let mut runs = RUNS.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    runs.entry(replication.name)
        .or_insert_with(|| Arc::new(run(replication, study, sandbox)))
        .clone()
}

fn run(replication: &Replication, study: &Path, sandbox: &str) -> Ran {
    let folder = fresh(replication.name);
    let out = folder.to_str().unwrap();
    let model = format!("scripted:{}", recording(replication.name).display());
    let study = study.to_str().unwrap();
    let started = Instant::now();
    let mut arguments = vec![
        "run",
        study,
        "--model",
        &model,
        "--code-mode",
        replication.mode,
        "--approve",
        "auto",
        "--sandbox",
        sandbox,
        "--out",
        out,
        "--json",
    ];
    // These scripts take seconds each, and probes run one some twenty times.
    if std::env::var_os("REPRISE_PROBES").is_none() {
        arguments.push("--no-probe");
    }
    let called = call(&arguments);
    let wall = started.elapsed();
    assert_eq!(
        called.status, 0,
        "{}: {}{}",
        replication.name, called.stdout, called.stderr
    );
    let reported = call(&["report", out, "--format", "json", "--out", "-"]);
    Ran {
        result: json(&called),
        report: json(&reported),
        folder,
        wall,
    }
}

pub fn json(called: &Called) -> Value {
    serde_json::from_str(&called.stdout)
        .unwrap_or_else(|error| panic!("{error}: {}{}", called.stdout, called.stderr))
}

impl Ran {
    /// The executions, in order.
    pub fn executions(&self) -> &[Value] {
        self.report["executions"].as_array().unwrap()
    }

    /// The whole standard output of the last execution.
    pub fn stdout(&self) -> String {
        let last = self.executions().last().unwrap()["id"].clone();
        let log = format!("workspace/logs/x{last}.stdout.txt");
        fs::read_to_string(self.folder.join(log)).unwrap()
    }

    /// A file of the run as text, whatever its bytes.
    pub fn text(&self, below: &str) -> String {
        String::from_utf8_lossy(&fs::read(self.folder.join(below)).unwrap()).into_owned()
    }
}
