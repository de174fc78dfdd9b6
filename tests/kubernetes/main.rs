//! Cells of a bench as indices of a Job: submitted to an API server of our own on loopback, which holds
//! manifests against the API's types and whose pods the test runs; looked at, stopped, collected.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod api_server;
#[path = "../cli/support.rs"]
#[expect(dead_code, reason = "shared with the tests of the command line")]
mod support;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use api_server::ApiServer;
use serde_json::{Value, json};
use support::{Called, Place, called};

/// A place with a bench of two cells below the folder that pods mount.
struct Cluster {
    place: Place,
    server: ApiServer,
}

impl Cluster {
    fn new() -> Self {
        let place = Place::new();
        place.study();
        let file = "name = 'small'\n\
                    settings = { approve = 'auto', sandbox = 'local', code-mode = 'native', no-probe = true }\n\
                    repeats = 2\n[[studies]]\npaths = ['slope']\n";
        fs::write(place.path().join("bench.toml"), file).unwrap();
        let server = ApiServer::start();
        fs::write(place.path().join("kubeconfig"), server.kubeconfig()).unwrap();
        Self { place, server }
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = self.place.command(arguments);
        command
            .env("KUBECONFIG", self.place.path().join("kubeconfig"))
            .env("PIP_INDEX_URL", "https://index.example/simple")
            .env("OPENAI_API_KEY", "sk-canary");
        command
    }

    fn call(&self, arguments: &[&str]) -> Called {
        called(self.command(arguments).output().unwrap())
    }

    fn submit(&self, more: &[&str]) -> Called {
        let mount = fs::canonicalize(self.place.path()).unwrap().display().to_string();
        let arguments = [
            "bench",
            "submit",
            "bench.toml",
            "--engine",
            "kubernetes",
            "--image",
            "reprise:test",
            "--volume-claim",
            "bench",
            "--mount",
            &mount,
            "--json",
        ];
        self.call(&[&arguments[..], more].concat())
    }

    fn standings(&self) -> Vec<(String, String)> {
        let status = parsed(&self.call(&["bench", "status", "bench.toml", "--json"]));
        let text = |cell: &Value, key: &str| cell[key].as_str().unwrap_or_default().to_owned();
        (status["cells"].as_array().unwrap().iter())
            .map(|cell| (text(cell, "standing"), text(cell, "detail")))
            .collect()
    }

    /// Runs the pod of an index as a node does, and returns its exit code.
    fn run_pod(&self, manifest: &Value, index: usize) -> i32 {
        let container = &manifest["spec"]["template"]["spec"]["containers"][0];
        let words: Vec<&str> = (container["command"].as_array().unwrap().iter())
            .map(|word| word.as_str().unwrap())
            .collect();
        let program = Path::new(env!("CARGO_BIN_EXE_reprise"))
            .parent()
            .unwrap()
            .to_owned();
        let path = std::env::var("PATH").unwrap_or_default();
        let mut command = Command::new(words[0]);
        command
            .args(&words[1..])
            .current_dir("/")
            .env_clear()
            .env("PATH", format!("{}:{path}", program.display()))
            .env("HOME", self.place.path())
            .env("JOB_COMPLETION_INDEX", index.to_string());
        for one in container["env"].as_array().unwrap() {
            command.env(one["name"].as_str().unwrap(), one["value"].as_str().unwrap());
        }
        command.output().unwrap().status.code().unwrap_or(-1)
    }
}

fn parsed(called: &Called) -> Value {
    serde_json::from_str(&called.stdout).unwrap_or_else(|_| panic!("{}{}", called.stdout, called.stderr))
}

fn manifest_file(place: &Place) -> PathBuf {
    place.path().join("bench/submissions/0001/array-1/job.json")
}

#[test]
fn cells_are_submitted_run_by_pods_and_collected() {
    let cluster = Cluster::new();
    let submitted = cluster.submit(&["--at-once", "1", "--memory", "2G", "--secret", "keys"]);
    assert_eq!(submitted.status, 0, "{}", submitted.stderr);
    let [manifest] = &cluster.server.jobs()[..] else {
        panic!("one array, one job");
    };
    let spec = &manifest["spec"];
    assert_eq!(
        (&spec["completions"], &spec["parallelism"]),
        (&json!(2), &json!(1))
    );
    let container = &spec["template"]["spec"]["containers"][0];
    assert_eq!(container["envFrom"][0]["secretRef"]["name"], "keys");
    // What says where indexes are goes along; keys and places of this machine do not.
    let text = manifest.to_string();
    assert!(text.contains("https://index.example/simple"), "{text}");
    assert!(
        !text.contains("sk-canary") && !text.contains("\"HOME\""),
        "{text}"
    );
    let kept = fs::read_to_string(manifest_file(&cluster.place)).unwrap();
    assert!(!kept.contains("sk-canary"));

    let queued = cluster.standings();
    assert!(
        queued
            .iter()
            .all(|(standing, detail)| standing == "queued" && detail.contains("no pod of it yet")),
        "{queued:?}"
    );
    // Nothing is handed over twice.
    let again = parsed(&cluster.submit(&[]));
    assert_eq!(again["submission"], Value::Null, "{again}");

    cluster.server.pod(0, "Running", None);
    cluster.server.pod(1, "Pending", Some("ImagePullBackOff"));
    let standings = cluster.standings();
    assert!(standings[1].1.contains("ImagePullBackOff"), "{standings:?}");
    for index in 0..2 {
        assert_eq!(cluster.run_pod(manifest, index), 0);
    }
    cluster.server.complete("0-1");
    let finished = cluster.standings();
    assert!(
        finished.iter().all(|(standing, _)| standing == "finished"),
        "{finished:?}"
    );
    let collected = parsed(&cluster.call(&["bench", "collect", "bench.toml", "--json"]));
    assert_eq!(collected["cells"].as_array().unwrap().len(), 2, "{collected}");
    assert!(
        collected["cells"]
            .as_array()
            .unwrap()
            .iter()
            .all(|cell| cell["result"] == "met"),
        "{collected}"
    );
}

#[test]
fn what_is_stopped_is_deleted_and_can_be_submitted_again() {
    let cluster = Cluster::new();
    assert_eq!(cluster.submit(&[]).status, 0);
    let name = cluster.server.jobs()[0]["metadata"]["name"]
        .as_str()
        .unwrap()
        .to_owned();
    cluster.server.pod(0, "Running", None);
    assert_eq!(cluster.call(&["bench", "stop", "bench.toml"]).status, 0);
    assert_eq!(cluster.server.deleted(), [name]);
    // It is gone from the list, and may still be fresh there: what was never claimed counts as queued for a while.
    assert_eq!(cluster.call(&["bench", "stop", "bench.toml"]).status, 0);
}

#[test]
fn what_a_cluster_cannot_do_is_refused_before_anything_is_written() {
    let cluster = Cluster::new();
    for (more, said) in [
        (&["--partition", "main"][..], "`partition` is Slurm's"),
        (&["--export", "OPENAI_API_KEY"], "put it into a secret"),
        (&["--mount", "/elsewhere"], "cannot be used multiple times"),
    ] {
        let refused = cluster.submit(more);
        assert_eq!(refused.status, 2, "{}", refused.stderr);
        assert!(refused.stderr.contains(said), "{}", refused.stderr);
    }
    assert!(cluster.server.jobs().is_empty());
    cluster.server.refuse("quota exceeded");
    let refused = cluster.submit(&[]);
    assert_eq!(refused.status, 7, "{}", refused.stderr);
    assert!(refused.stderr.contains("quota exceeded"), "{}", refused.stderr);
    let mut command = cluster.command(&["bench", "status", "bench.toml"]);
    fs::write(cluster.place.path().join("kubeconfig"), "not: a config").unwrap();
    let status = called(command.output().unwrap());
    assert!(
        status.stdout.contains("unknown:"),
        "{}{}",
        status.stdout,
        status.stderr
    );
}
