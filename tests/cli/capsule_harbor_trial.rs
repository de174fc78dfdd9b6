//! Trials of an exported task folder by Harbor's own command, in Docker.
//!
//! Its networks other than `public` need images of Docker Hub by digest (`alpine`, `gogost/gost`) and `docker buildx`,
//! which a machine may lack: the copies that are tried here are `public`, and say nothing about the network.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::{Value, json};

use super::capsule_harbor::{exported, right};
use super::support::Place;
use crate::need;

/// The release that is tried, and the Python that it wants.
const HARBOR: &str = "harbor==0.25.0";
const PYTHON: &str = ">=3.12";
/// Where a file of Docker's compose plugin is named, for machines whose Docker has none.
const COMPOSE: &str = "REPRISE_COMPOSE";

/// Harbor in an environment of its own, with a configuration of Docker's that has compose.
struct Harbor {
    program: PathBuf,
    docker: Option<PathBuf>,
}

impl Harbor {
    /// `None`, with a message, where something is lacking.
    fn new(place: &Place) -> Option<Self> {
        need::program("docker", "apt-get install docker.io")?;
        let docker = compose(place)?;
        let kept = Path::new(env!("CARGO_TARGET_TMPDIR"));
        let python = need::pypi::python_by_uv(kept, "harbor-trial", PYTHON, &[HARBOR])?;
        Some(Self {
            program: python.parent().unwrap().join("harbor"),
            docker,
        })
    }

    /// One trial of a folder by an agent of Harbor's that asks no model; its result.
    fn trial(&self, place: &Place, folder: &Path, agent: &str, job: &str) -> Value {
        let mut command = Command::new(&self.program);
        command
            .arg("run")
            .arg("--path")
            .arg(folder)
            .args([
                "--agent",
                agent,
                "--jobs-dir",
                "jobs",
                "--job-name",
                job,
                "--yes",
                "--quiet",
            ])
            .current_dir(place.path())
            .env("HOME", place.path())
            .env("DO_NOT_TRACK", "1");
        if let Some(docker) = &self.docker {
            command.env("DOCKER_CONFIG", docker);
        }
        let output = command.output().unwrap();
        assert!(output.status.success(), "{job}: {}", said(&output));
        let trials = fs::read_dir(place.path().join("jobs").join(job)).unwrap();
        let mut results =
            trials.filter_map(|trial| fs::read_to_string(trial.unwrap().path().join("result.json")).ok());
        let result = results
            .next()
            .unwrap_or_else(|| panic!("{job}: {}", said(&output)));
        let result: Value = serde_json::from_str(&result).unwrap();
        assert!(result["exception_info"].is_null(), "{job}: {result}");
        assert_eq!(result["verifier_environment_mode"], "separate", "{result}");
        result
    }
}

fn said(output: &Output) -> String {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    text(&output.stdout) + &text(&output.stderr)
}

/// The folder of Docker's configuration that has compose as a plugin, where the machine's own has none.
fn compose(place: &Place) -> Option<Option<PathBuf>> {
    let own = Command::new("docker").args(["compose", "version"]).output();
    if own.is_ok_and(|output| output.status.success()) {
        return Some(None);
    }
    let named = env::var_os(COMPOSE)
        .map(PathBuf::from)
        .filter(|file| file.is_file());
    let named = named.ok_or_else(|| {
        format!("Docker has no compose here: install its plugin (docker-compose-v2), or name the file by {COMPOSE}")
    });
    let file = need::need(named)?;
    let folder = place.path().join("docker");
    fs::create_dir_all(folder.join("cli-plugins")).unwrap();
    fs::copy(file, folder.join("cli-plugins/docker-compose")).unwrap();
    Some(Some(folder))
}

/// Leaves every network open.
fn open(folder: &Path) {
    let file = folder.join("task.toml");
    let mut task: toml::Table = fs::read_to_string(&file).unwrap().parse().unwrap();
    let public = toml::Value::from("public");
    let agent = task["agent"].as_table_mut().unwrap();
    agent.remove("allowed_hosts");
    agent.insert("network_mode".to_owned(), public.clone());
    let verifier = task["verifier"]["environment"].as_table_mut().unwrap();
    verifier.insert("network_mode".to_owned(), public);
    fs::write(file, toml::to_string(&task).unwrap()).unwrap();
}

/// Has the oracle write a report; it is Harbor's agent that runs a script which lies in the folder.
fn solve(folder: &Path, report: &Value, further: &str) {
    let script = format!("#!/bin/bash\ncat >/workspace/report.json <<'END'\n{report}\nEND\n{further}\n");
    fs::create_dir_all(folder.join("solution")).unwrap();
    fs::write(folder.join("solution/solve.sh"), script).unwrap();
}

#[test]
#[ignore = "installs Harbor from PyPI and needs Docker with compose: .ci/run long"]
fn a_trial_by_harbor_is_rewarded_for_right_answers_alone() {
    let place = Place::new();
    let Some(harbor) = Harbor::new(&place) else { return };
    let folder = exported(&place, "hard");
    open(&folder);
    // Nothing is written at all.
    let nothing = harbor.trial(&place, &folder, "nop", "nothing");
    assert_eq!(
        nothing["verifier_result"]["rewards"],
        json!({ "reward": 0 }),
        "{nothing}"
    );
    // One answer is wrong, and rewards are written to wherever the verifier has them.
    let mut wrong = right();
    wrong["Report the mean number of sunspots."] = json!(50.75);
    let forged = "mkdir -p /logs/verifier\nfor file in reward.txt reward.json; do echo '{\"reward\": 1}' \
                  >/logs/verifier/$file; done\nls /tests; grep -rlE '49[.]7521|11[.]0357' /workspace/environment; echo looked";
    solve(&folder, &wrong, forged);
    let forged = harbor.trial(&place, &folder, "oracle", "forged");
    assert_eq!(
        forged["verifier_result"]["rewards"],
        json!({ "reward": 0 }),
        "{forged}"
    );
    // The agent has no tests and no answers within its reach.
    let trial = place
        .path()
        .join("jobs/forged")
        .join(forged["trial_name"].as_str().unwrap());
    let seen = fs::read_to_string(trial.join("agent/oracle.txt")).unwrap();
    assert!(
        seen.contains("looked")
            && seen.contains("'/tests': No such file")
            && !seen.contains("capsule-9000001/"),
        "{seen}"
    );
    solve(&folder, &right(), "");
    let solved = harbor.trial(&place, &folder, "oracle", "solved");
    assert_eq!(
        solved["verifier_result"]["rewards"],
        json!({ "reward": 1 }),
        "{solved}"
    );
    println!("harbor: 0 for nothing, 0 for a forged reward, 1 for right answers");
}
