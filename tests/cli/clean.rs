use std::collections::HashMap;
use std::os::unix::net::UnixListener;
use std::path::Path;
use std::process::Output;

use bollard::models::ContainerCreateBody;
use bollard::query_parameters::{
    CommitContainerOptionsBuilder, CreateContainerOptionsBuilder, RemoveContainerOptions, RemoveImageOptions,
};
use reprise::journal::lock::RunLock;
use reprise::sandbox::docker::daemon::Daemon;
use reprise::sandbox::docker::labels;
use reprise::sandbox::in_use::InUse;
use reprise::sandbox::local::sandbox::LocalSandbox;
use reprise::sandbox::local::settings::LocalSettings;
use serde_json::Value;

use super::support::Place;
use crate::need::need;

/// A cache with an environment, and a file that is none of ours.
fn cache(place: &Place) -> std::path::PathBuf {
    let cache = place.path().join("cache");
    std::fs::create_dir_all(cache.join("environments/abc")).unwrap();
    std::fs::write(cache.join("environments/abc/file"), "12345").unwrap();
    std::fs::write(cache.join("mine.txt"), "kept").unwrap();
    cache
}

fn clean(place: &Place, cache: &Path, arguments: &[&str]) -> Output {
    place
        .with_daemon(&[&["clean"], arguments].concat())
        .env("REPRISE_CACHE", cache)
        .output()
        .unwrap()
}

/// Without a daemon, so that tests at the same time keep their containers.
fn clean_cache(place: &Place, cache: &Path, arguments: &[&str]) -> Output {
    place
        .command(&[&["clean"], arguments].concat())
        .env("REPRISE_CACHE", cache)
        .env("DOCKER_HOST", "unix:///nowhere.sock")
        .output()
        .unwrap()
}

fn json(output: &Output) -> Value {
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    serde_json::from_slice(&output.stdout).unwrap()
}

fn names(value: &Value, list: &str, kind: &str) -> Vec<String> {
    value[list]
        .as_array()
        .unwrap()
        .iter()
        .filter(|one| one["kind"] == kind)
        .map(|one| one["name"].as_str().unwrap().to_owned())
        .collect()
}

#[test]
fn sockets_of_killed_processes_go_and_those_of_others_stay() {
    let place = Place::new();
    let temporary = place.path().join("temporary");
    let folder = |name: &str| {
        let folder = temporary.join(name);
        std::fs::create_dir_all(&folder).unwrap();
        folder
    };
    drop(UnixListener::bind(folder("reprise-socket-dead").join("model")).unwrap());
    let _listens = UnixListener::bind(folder("reprise-socket-alive").join("model")).unwrap();
    folder("reprise-socket-new");
    folder(".tmpAbc");
    let output = place
        .command(&["clean", "--json"])
        .env("REPRISE_CACHE", place.path().join("cache"))
        .env("DOCKER_HOST", "unix:///nowhere.sock")
        .env("TMPDIR", &temporary)
        .output()
        .unwrap();
    let removed = names(&json(&output), "removed", "folder");
    assert_eq!(
        removed,
        [temporary.join("reprise-socket-dead").display().to_string()]
    );
    let mut left: Vec<_> = std::fs::read_dir(&temporary)
        .unwrap()
        .map(|entry| entry.unwrap().file_name())
        .collect();
    left.sort();
    assert_eq!(left, [".tmpAbc", "reprise-socket-alive", "reprise-socket-new"]);
}

#[test]
fn only_what_reprise_made_is_removed() {
    let place = Place::new();
    let cache = cache(&place);
    assert!(clean_cache(&place, &cache, &["--dry-run"]).status.success());
    assert!(cache.join("environments/abc/file").exists());
    let value = json(&clean_cache(&place, &cache, &["--json"]));
    assert_eq!(
        value["removed"][0]["bytes"].as_u64().map(|bytes| bytes >= 5),
        Some(true)
    );
    assert!(!cache.join("environments/abc").exists() && cache.join("mine.txt").exists());
}

#[test]
fn what_a_live_run_uses_stays() {
    let place = Place::new();
    let cache = cache(&place);
    let settings = LocalSettings::new(env!("CARGO_BIN_EXE_reprise"), &cache);
    let sandbox = LocalSandbox::detect(settings).unwrap();
    let value = json(&clean_cache(&place, &cache, &["--json"]));
    assert!(cache.join("environments/abc/file").exists());
    assert_eq!(names(&value, "removed", "folder"), Vec::<String>::new());
    let why = value["kept"][0]["why"].as_str().unwrap();
    assert!(why.contains(&format!("process {}", std::process::id())), "{why}");
    drop(sandbox);
    json(&clean_cache(&place, &cache, &["--json"]));
    assert!(!cache.join("environments/abc").exists());
    // Whoever comes while it is being cleaned waits, and finds it usable.
    InUse::share(&cache).unwrap();
}

#[test]
fn without_a_daemon_the_cache_is_cleaned_all_the_same() {
    let place = Place::new();
    let cache = cache(&place);
    let output = clean_cache(&place, &cache, &["--json"]);
    let value = json(&output);
    assert!(value["no_daemon"].as_str().unwrap().contains("nowhere.sock"));
    assert!(!cache.join("environments/abc").exists());
}

async fn daemon() -> Option<Daemon> {
    need(Daemon::connect(&std::env::vars().collect()).await)
}

/// A container that is made and never started.
async fn make(daemon: &Daemon, name: &str, labels: HashMap<String, String>) {
    let options = CreateContainerOptionsBuilder::default().name(name).build();
    let body = ContainerCreateBody {
        image: Some("debian:bookworm-slim".to_owned()),
        labels: Some(labels),
        ..ContainerCreateBody::default()
    };
    daemon.client.create_container(Some(options), body).await.unwrap();
}

async fn is_there(daemon: &Daemon, name: &str) -> bool {
    daemon.client.inspect_container(name, None).await.is_ok()
}

#[tokio::test]
async fn containers_go_when_their_run_is_over_and_only_then() {
    let Some(daemon) = daemon().await else {
        return;
    };
    let place = Place::new();
    let cache = cache(&place);
    let mark = format!("clean-{}", std::process::id());
    let (over, live) = (format!("{mark}-over"), format!("{mark}-live"));
    let mut held = None;
    for run in [&over, &live] {
        let folder = place.path().join(run);
        std::fs::create_dir_all(folder.join("workspace")).unwrap();
        held = Some(RunLock::take(&folder.join("lock")).unwrap());
        let labels = labels::for_container(
            &reprise::domain::ids::RunId::new(run.as_str()),
            &folder.join("workspace"),
        );
        make(&daemon, run, labels).await;
    }
    let foreign = format!("{mark}-foreign");
    make(&daemon, &foreign, HashMap::new()).await;

    let dry = json(&clean(&place, &cache, &["--json", "--dry-run"]));
    let listed = |value: &Value, list: &str, name: &str| {
        names(value, list, "container")
            .iter()
            .any(|one| one.starts_with(name))
    };
    assert!(listed(&dry, "removed", &over) && is_there(&daemon, &over).await);
    let value = json(&clean(&place, &cache, &["--json"]));
    assert!(listed(&value, "removed", &over) && listed(&value, "kept", &live));
    assert!(!listed(&value, "removed", &foreign) && !listed(&value, "kept", &foreign));
    let there = [
        is_there(&daemon, &over).await,
        is_there(&daemon, &live).await,
        is_there(&daemon, &foreign).await,
    ];
    drop(held);
    let after = json(&clean(&place, &cache, &["--json"]));
    assert!(listed(&after, "removed", &live));
    daemon
        .client
        .remove_container(&foreign, None::<RemoveContainerOptions>)
        .await
        .unwrap();
    assert_eq!(there, [false, true, true]);
}

/// Other tests use the images of this daemon, so none is really removed here.
#[tokio::test]
async fn images_are_listed_by_their_label_and_stay_while_a_run_goes_on() {
    let Some(daemon) = daemon().await else {
        return;
    };
    let place = Place::new();
    let cache = cache(&place);
    let name = format!("reprise-clean-test-{}", std::process::id());
    make(&daemon, &name, HashMap::new()).await;
    let tag = |part: &str| format!("{name}-{part}:latest");
    for (part, change) in [
        ("ours", format!("LABEL {}=shared", labels::OWNER)),
        ("other", "LABEL a=b".to_owned()),
    ] {
        let options = CommitContainerOptionsBuilder::default()
            .container(&name)
            .repo(&format!("{name}-{part}"))
            .tag("latest")
            .changes(&change)
            .build();
        daemon
            .client
            .commit_container(options, bollard::models::ContainerConfig::default())
            .await
            .unwrap();
    }
    let without = json(&clean(&place, &cache, &["--json", "--dry-run"]));
    let dry = json(&clean(&place, &cache, &["--json", "--dry-run", "--images"]));
    let held = InUse::share(&cache).unwrap();
    let kept = json(&clean(&place, &cache, &["--json", "--images"]));
    drop(held);
    for part in ["ours", "other"] {
        daemon
            .client
            .remove_image(&tag(part), None::<RemoveImageOptions>, None)
            .await
            .unwrap();
    }
    daemon
        .client
        .remove_container(&name, None::<RemoveContainerOptions>)
        .await
        .unwrap();
    assert_eq!(names(&without, "removed", "image"), Vec::<String>::new());
    let images = names(&dry, "removed", "image");
    assert!(
        images.contains(&tag("ours")) && !images.contains(&tag("other")),
        "{images:?}"
    );
    assert_eq!(names(&kept, "removed", "image"), Vec::<String>::new());
    assert!(names(&kept, "kept", "image").contains(&tag("ours")));
}
