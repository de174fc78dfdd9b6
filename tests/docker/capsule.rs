//! Capsules in containers: their environments as they were published.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};

use crate::served::{Served, wheel};
use crate::support::sandbox;

/// A capsule with a Dockerfile, and a session that gives one command and hands in an answer.
fn write(place: &Path, dockerfile: &str, command: &str) {
    let capsule = place.join("capsule-0000001");
    for folder in ["environment", "code", "data", "results"] {
        std::fs::create_dir_all(capsule.join(folder)).unwrap();
    }
    std::fs::write(capsule.join("environment/Dockerfile"), dockerfile).unwrap();
    std::fs::write(capsule.join("REPRODUCING.md"), "Run it.").unwrap();
    let task = json!([{
        "field": "Physics", "language": "Python", "capsule_title": "One", "capsule_id": "capsule-0000001",
        "task_prompt": "Run it.", "results": [{"Report n.": 1}, {"Report n.": 1}], "capsule_doi": "https://doi.org/10.1/x",
    }]);
    std::fs::write(place.join("task.json"), task.to_string()).unwrap();
    let turn =
        |name: &str, arguments: Value| json!({"answer": {"calls": [{"name": name, "arguments": arguments}]}});
    let recording = json!({
        "format": "reprise-recording/1", "origin": "written by hand", "note": "No model's output.",
        "study": "capsule-0000001", "setting": "capsule",
        "stages": {"reproduce": {"turns": [
            turn("bash", json!({"command": command})),
            turn("submit", json!({"answers": {"Report n.": 1}})),
        ]}},
    });
    std::fs::create_dir_all(place.join("recordings")).unwrap();
    std::fs::write(place.join("recordings/one.json"), recording.to_string()).unwrap();
}

fn attempt(place: &Path, level: &str, served: &Served) -> String {
    let mut command = Command::new(env!("CARGO_BIN_EXE_reprise"));
    command
        .args([
            "capsule",
            "run",
            "task.json",
            "--level",
            level,
            "--model",
            "scripted:one",
            "--approve",
            "auto",
        ])
        .args(["--sandbox", "docker", "--out", level])
        .current_dir(place)
        .env_clear()
        .env("PATH", std::env::var_os("PATH").unwrap_or_default())
        .env("HOME", place)
        .env("REPRISE_CACHE", place.join("cache"))
        .env("PIP_INDEX_URL", format!("http://{}/simple/", served.address))
        .env("PIP_TRUSTED_HOST", &served.host);
    if let Some(host) = std::env::var_os("DOCKER_HOST") {
        command.env("DOCKER_HOST", host);
    }
    let output = command.output().unwrap();
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    std::fs::read_to_string(place.join(level).join("journal.jsonl")).unwrap()
}

/// The events of a kind.
fn events(journal: &str, kind: &str) -> Vec<Value> {
    let lines = journal
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap());
    lines
        .filter(|line| line.to_string().contains(&format!("\"{kind}\"")))
        .collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn medium_has_the_published_packages_and_says_which_version_was_not_to_be_had() {
    if sandbox().await.is_none() {
        return;
    }
    let names = [("repriseone", "1.0"), ("reprisetwo", "2.0")];
    let mut files = BTreeMap::new();
    for (name, version) in names {
        let file = format!("{name}-{version}-py3-none-any.whl");
        let page = format!("<html><body><a href=\"/files/{file}\">{file}</a></body></html>");
        files.insert(format!("/simple/{name}/"), page.into_bytes());
        files.insert(format!("/files/{file}"), wheel(name, version));
    }
    let served = Served::start(files).await;
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path();
    let list = "python3 -c \"from importlib.metadata import distributions as d; print(sorted(f'{x.name}={x.version}' \
                for x in d() if x.name.startswith('reprise')))\"";
    let dockerfile = "FROM python:3.8\nRUN pip install repriseone==1.0 reprisetwo==9.9\nCOPY x /x\n";
    write(place, dockerfile, list);
    let medium = attempt(place, "medium", &served);
    assert!(
        medium.contains("['repriseone=1.0', 'reprisetwo=2.0']"),
        "{medium}"
    );
    let built = events(&medium, "built");
    assert_eq!(built.len(), 1, "{medium}");
    assert!(
        built[0].to_string().contains("\"repriseone\":\"1.0\""),
        "{}",
        built[0]
    );
    let ended = events(&medium, "session_ended")[0].to_string();
    for part in [
        "any version is taken of `reprisetwo==9.9`",
        "line 3, `COPY x /x`",
        "In place of the published image python:3.8",
        "stands in for the published 3.8.",
    ] {
        assert!(ended.contains(part), "{part}: {ended}");
        assert!(medium.matches(part).count() >= 3, "the agent is not told: {part}");
    }
    let hard = attempt(place, "hard", &served);
    assert!(hard.contains("[]\\n[exit status 0]"), "{hard}");
    assert!(!hard.contains("COPY x") && !hard.contains("reprisetwo"), "{hard}");
}
