use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt as _;
use std::process::Command;

use nix::sys::resource::{Resource, getrlimit};
use serde_json::Value;

use super::support::{Place, called};
use crate::need::need_that;

fn finding<'a>(value: &'a Value, name: &str) -> &'a Value {
    value["findings"]
        .as_array()
        .unwrap()
        .iter()
        .find(|one| one["name"] == name)
        .unwrap_or_else(|| panic!("nothing is said of {name}"))
}

#[test]
fn what_every_run_needs_is_here() {
    let place = Place::new();
    let called = called(place.with_daemon(&["doctor", "--json"]).output().unwrap());
    assert_eq!(called.status, 0, "{}{}", called.stdout, called.stderr);
    let value: Value = serde_json::from_str(&called.stdout).unwrap();
    assert_eq!(finding(&value, "sandbox")["ok"], true);
    assert!(value["leftovers"]["cache_bytes"].is_u64());
    let docker = finding(&value, "docker");
    if need_that(docker["ok"] == true, &docker["found"].to_string()).is_none() {
        return;
    }
    let text = docker["found"].as_str().unwrap();
    for part in ["API", "cgroups version", "unix://"] {
        assert!(text.contains(part), "{text}");
    }
    assert_eq!(finding(&value, "bases")["ok"], true, "{value}");
    assert_eq!(finding(&value, "container")["ok"], true, "{value}");
    assert_eq!(value["sandboxes"][0]["sandbox"], "docker");
}

#[test]
fn a_daemon_that_is_absent_is_no_failure_and_the_way_out_is_said() {
    let place = Place::new();
    let mut command = place.command(&["doctor"]);
    command.env("DOCKER_HOST", "unix:///nowhere.sock");
    let called = called(command.output().unwrap());
    assert_eq!(called.status, 0, "{}{}", called.stdout, called.stderr);
    let first = called.stdout.lines().next().unwrap();
    assert_eq!(
        first,
        "absent  docker    DOCKER_HOST=unix:///nowhere.sock: there is no such socket. To use containers, install \
         Docker or Podman (`apt-get install docker.io`) and start it, or set DOCKER_HOST; without it code runs in \
         the local sandbox."
    );
    let table: Vec<&str> = called
        .stdout
        .lines()
        .skip_while(|line| !line.starts_with("sandbox "))
        .collect();
    assert!(table[0].contains("opened files"), "{}", called.stdout);
    assert!(
        table[1].starts_with("namespaces") || table[1].starts_with("landlock"),
        "{}",
        called.stdout
    );
}

/// A stand-in for tesseract says what limit it was started with, in the line
/// that is printed of it.
#[test]
fn neither_the_program_nor_what_it_starts_leaves_its_memory_on_a_disk() {
    if getrlimit(Resource::RLIMIT_CORE).unwrap().1 == 0 {
        println!("holds: core dumps are off on this machine");
        return;
    }
    let place = Place::new();
    let bin = place.path().join("bin");
    fs::create_dir(&bin).unwrap();
    let script = "#!/bin/sh\nexec grep '^Max core file size' /proc/self/limits\n";
    fs::write(bin.join("tesseract"), script).unwrap();
    fs::set_permissions(bin.join("tesseract"), Permissions::from_mode(0o755)).unwrap();
    let path = format!("{}:{}", bin.display(), std::env::var("PATH").unwrap());
    let doctor = place.command(&["doctor", "--json"]);
    let mut allowing = Command::new("sh");
    allowing
        .args(["-c", "ulimit -S -c \"$(ulimit -H -c)\" && exec \"$0\" \"$@\""])
        .arg(doctor.get_program())
        .args(doctor.get_args())
        .env_clear()
        .envs(doctor.get_envs().filter_map(|(name, value)| Some((name, value?))))
        .env("PATH", path)
        .current_dir(place.path());
    let called = called(allowing.output().unwrap());
    assert_eq!(called.status, 0, "{}{}", called.stdout, called.stderr);
    let value: Value = serde_json::from_str(&called.stdout).unwrap();
    let dumps = finding(&value, "dumps");
    assert_eq!(dumps["ok"], true, "{dumps}");
    let limits = finding(&value, "ocr")["found"].as_str().unwrap();
    let limits: Vec<&str> = limits.split_whitespace().collect();
    assert_eq!(limits, ["Max", "core", "file", "size", "0", "0", "bytes"]);
}

#[test]
fn keys_and_the_search_engine_are_told_and_no_key_is_shown() {
    let place = Place::new();
    let told = |variables: &[(&str, &str)]| {
        let mut command = place.command(&["doctor", "--json"]);
        let called = called(command.envs(variables.iter().copied()).output().unwrap());
        assert!(!called.stdout.contains("sk-canary"), "{}", called.stdout);
        let value: Value = serde_json::from_str(&called.stdout).unwrap();
        ["keys", "search"].map(|name| {
            let found = finding(&value, name);
            (found["ok"] == true, found["found"].as_str().unwrap().to_owned())
        })
    };
    let [keys, search] = told(&[]);
    assert!(!keys.0 && keys.1.contains("need none"), "{keys:?}");
    assert!(
        !search.0 && search.1.contains("REPRISE_SEARCH names no search engine"),
        "{search:?}"
    );
    let [keys, search] = told(&[("OPENAI_API_KEY", "sk-canary-1"), ("REPRISE_SEARCH", "brave")]);
    assert_eq!(keys, (true, "openai (in the environment)".to_owned()));
    assert_eq!(
        search,
        (false, "brave needs BRAVE_API_KEY, which is not set".to_owned())
    );
}

/// Root's home is closed to the user that code runs as where it keeps the host's files.
#[test]
fn a_cache_that_code_cannot_reach_is_named_with_the_way_out() {
    if need_that(nix::unistd::geteuid().is_root(), "only root becomes another user").is_none() {
        return;
    }
    let place = Place::new();
    let closed = place.path().join("closed");
    fs::create_dir(&closed).unwrap();
    fs::set_permissions(&closed, Permissions::from_mode(0o700)).unwrap();
    let mut command = place.command(&["doctor", "--json"]);
    let called = called(
        command
            .env("REPRISE_CACHE", closed.join("cache"))
            .output()
            .unwrap(),
    );
    let value: Value = serde_json::from_str(&called.stdout).unwrap();
    let landlock = finding(&value, "landlock");
    let told = landlock["found"].as_str().unwrap();
    assert_eq!(landlock["ok"], false, "{told}");
    assert!(
        told.contains("nobody but its owner can enter") && told.contains("set REPRISE_CACHE"),
        "{told}"
    );
}
