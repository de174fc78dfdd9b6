//! Agents that are fetched by version and digest, from a registry on loopback.

use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;
use std::process::{Command, Output};

use serde_json::Value;

use crate::attempt::{Place, Where, commands, said};
use crate::provider::Speaks;
use crate::registry::{
    PACKAGE, Registry, VERSION, archive, define, define_python, define_runtime, define_wheels, integrity,
    wheel,
};

const AGENT: &[u8] = include_bytes!("clients/agent.py");

/// The platform of this machine, as npm names it.
fn platform() -> String {
    let machine = if cfg!(target_arch = "aarch64") {
        "arm64"
    } else {
        "x64"
    };
    format!("linux-{machine}")
}

/// The package of the fake agent.
fn package() -> Vec<u8> {
    archive(&[
        ("package/package.json", b"{}"),
        ("package/vendor/agent.py", AGENT),
        ("package/vendor/rg", b"beside"),
    ])
}

fn place() -> Option<Place> {
    Place::new(Speaks::Chat, Where::Local, commands())
}

/// Calls the program with the definitions and the cache of a place.
fn call(place: &Place, arguments: &[&str]) -> Output {
    let mut command = place.command(arguments);
    command.args(["--agents-dir", "agents"]);
    command
        .env("REPRISE_CACHE", place.path().join("cache"))
        .output()
        .unwrap()
}

fn add(place: &Place, registry: &Registry, further: &[&str]) -> Output {
    let arguments = [
        &["agents", "add", "fake", "--registry", &registry.address],
        further,
    ]
    .concat();
    call(place, &arguments)
}

/// Everything below the cache's folder of agents.
fn kept(place: &Place) -> Vec<PathBuf> {
    let all = walkdir::WalkDir::new(place.path().join("cache/agents")).min_depth(1);
    let files = all
        .into_iter()
        .flatten()
        .filter(|entry| !entry.file_type().is_dir());
    files.map(|entry| entry.into_path()).collect()
}

#[test]
fn an_agent_is_fetched_once_and_attempts_capsules_from_the_cache() {
    let Some(place) = place() else { return };
    let package = package();
    define(&place.path().join("agents"), &platform(), &integrity(&package));
    let early = call(&place, &run_words(&place));
    assert_eq!(early.status.code(), Some(2));
    assert!(
        said(&early).contains("reprise agents add fake"),
        "{}",
        said(&early)
    );
    let registry = Registry::start(package);
    let added = add(&place, &registry, &["--json"]);
    assert!(added.status.success(), "{}", said(&added));
    let told: Value = serde_json::from_slice(&added.stdout).unwrap();
    let tree = told["installed"]["tree"].as_str().unwrap().to_owned();
    let again = add(&place, &registry, &["--json"]);
    let told: Value = serde_json::from_slice(&again.stdout).unwrap();
    assert_eq!(told["was_there"], true);
    assert_eq!(registry.asked().len(), 1, "{:?}", registry.asked());
    let listed = call(&place, &["agents", "list"]);
    assert!(String::from_utf8_lossy(&listed.stdout).contains("1.2.3 is here"));
    let files = kept(&place);
    let script = files
        .iter()
        .find(|path| path.ends_with("files/package/vendor/agent.py"))
        .unwrap();
    assert_eq!(std::fs::metadata(script).unwrap().permissions().mode() & 0o222, 0);
    assert_eq!(files.len(), 5, "three files, a link, an account: {files:?}");
    let output = call(&place, &run_words(&place));
    place.assert_right(&output, 4);
    let started = &place.events("program_started")[0];
    assert_eq!(started["release"]["tree"], tree.as_str(), "{started}");
    assert!(
        started["release"]["package"]
            .as_str()
            .unwrap()
            .contains("1.2.3-linux-x64")
    );
    // What was changed since is no longer what was added.
    std::fs::set_permissions(script, std::fs::Permissions::from_mode(0o644)).unwrap();
    std::fs::write(script, b"print('another')").unwrap();
    std::fs::rename(place.run(), place.path().join("first")).unwrap();
    let changed = call(&place, &run_words(&place));
    assert!(!changed.status.success());
    assert!(said(&changed).contains("was changed since"), "{}", said(&changed));
    let anew = add(&place, &registry, &["--again", "--json"]);
    let told: Value = serde_json::from_slice(&anew.stdout).unwrap();
    assert_eq!(told["installed"]["tree"], tree.as_str());
}

/// The words of an attempt by the fake, without a folder of its files.
fn run_words(place: &Place) -> Vec<&'static str> {
    let (model, tasks) = (
        place.provider.model(Speaks::Chat).0,
        concat!(env!("CARGO_MANIFEST_DIR"), "/capsules/sunspots/task.json"),
    );
    vec![
        "capsule",
        "run",
        tasks,
        "--approve",
        "auto",
        "--network",
        "none",
        "--allow-unpriced",
        "--out",
        "out",
        "--sandbox",
        "local",
        "--model",
        model.leak(),
        "--agent",
        "fake",
    ]
}

const OWN: &str = "packages/aa/bb/fake_agent-1.2.3-py3-none-any.whl";
const NEEDED: &str = "packages/cc/dd/fake_needed-4.5-py3-none-any.whl";

/// The wheels of the fake agent, and of what it needs.
fn wheels() -> [(&'static str, Vec<u8>); 2] {
    let main = [b"import fake_needed\n", AGENT].concat();
    let own = wheel(&[
        ("fake_agent/__init__.py", b""),
        ("fake_agent/__main__.py", &main),
        ("fake_agent-1.2.3.dist-info/METADATA", b"Name: fake-agent\n"),
        ("fake_agent-1.2.3.data/scripts/fake", b"for installers"),
    ]);
    let needed = wheel(&[
        ("fake_needed-4.5.data/purelib/fake_needed.py", b"VALUE = 1\n"),
        ("fake_needed-4.5.dist-info/METADATA", b"Name: fake-needed\n"),
    ]);
    [(OWN, own), (NEEDED, needed)]
}

#[test]
fn an_agent_of_pypi_is_its_wheels_and_attempts_capsules_from_the_cache() {
    let Some(place) = place() else { return };
    let wheels = wheels();
    let pinned = wheels.each_ref().map(|(path, bytes)| (*path, integrity(bytes)));
    define_wheels(&place.path().join("agents"), &platform(), &pinned);
    let registry = Registry::of_files(wheels.map(|(path, bytes)| (path.to_owned(), bytes)).into());
    let added = add(&place, &registry, &["--json"]);
    assert!(added.status.success(), "{}", said(&added));
    let told: Value = serde_json::from_slice(&added.stdout).unwrap();
    assert_eq!(registry.asked().len(), 2, "{:?}", registry.asked());
    let files = kept(&place);
    let named = |name: &str| files.iter().find(|path| path.ends_with(name));
    assert!(named("files/fake_agent/__main__.py").is_some() && named("files/fake_needed.py").is_some());
    assert!(named("scripts/fake").is_none() && files.len() == 6, "{files:?}");
    let mode = std::fs::metadata(named("files/fake_needed.py").unwrap()).unwrap();
    assert_eq!(mode.permissions().mode() & 0o222, 0);
    let checked = call(&place, &["agents", "check", "fake"]);
    let checked = String::from_utf8_lossy(&checked.stdout).into_owned();
    assert!(checked.contains("fake-agent PyPI 1.2.3, 2 wheels"), "{checked}");
    let listed = call(&place, &["agents", "list"]);
    assert!(String::from_utf8_lossy(&listed.stdout).contains("1.2.3 is here"));
    let output = call(&place, &run_words(&place));
    place.assert_right(&output, 4);
    let started = &place.events("program_started")[0];
    assert_eq!(started["release"]["tree"], told["installed"]["tree"], "{started}");
    assert_eq!(started["release"]["package"], "fake-agent PyPI 1.2.3");
}

const INTERPRETER: &str = "packages/ee/ff/fake_interpreter-9.9-py3-none-any.whl";

/// The wheel of a program that hands over to Python, and other files of its package.
fn interpreter() -> Vec<u8> {
    wheel(&[
        ("fake_interpreter/bin/run", b"#!/bin/sh\nexec python3 \"$@\"\n"),
        ("fake_interpreter/include/large.h", b"of no use"),
    ])
}

#[test]
fn an_agent_of_two_registries_is_fetched_whole_and_runs_on_what_came_beside_it() {
    let Some(place) = place() else { return };
    let agents = place.path().join("agents");
    let (own, beside) = (package(), interpreter());
    let path = format!("{PACKAGE}/-/agent-{VERSION}.tgz");
    let (npm, pypi) = (
        Registry::of_files(vec![(path, own.clone())]),
        Registry::of_files(vec![(INTERPRETER.to_owned(), beside.clone())]),
    );
    let pinned = |integrity: &str, from: &str| {
        define(&agents, &platform(), &crate::registry::integrity(&own));
        define_runtime(&agents, (INTERPRETER, integrity), from);
    };
    let of_pypi = format!("PyPI={}", pypi.address);
    let mirrors = ["--registry", of_pypi.as_str(), "--json"];
    // Each of the two is held to its own digest and has its own file.
    for (digest, from, told) in [
        (
            integrity(b"another"),
            "fake_interpreter/bin/run",
            "nothing was installed",
        ),
        (
            integrity(&beside),
            "fake_interpreter/bin/none",
            "no file fake_interpreter/bin/none",
        ),
    ] {
        pinned(&digest, from);
        let refused = add(&place, &npm, &mirrors);
        assert!(
            !refused.status.success() && said(&refused).contains(told),
            "{}",
            said(&refused)
        );
        let fetched = place.path().join("cache/agents/fetched");
        assert!(kept(&place).iter().all(|path| path.starts_with(&fetched)));
    }
    pinned(&integrity(&beside), "fake_interpreter/bin/run");
    let added = add(&place, &npm, &mirrors);
    assert!(added.status.success(), "{}", said(&added));
    let told: Value = serde_json::from_slice(&added.stdout).unwrap();
    let files = kept(&place);
    assert!(!files.iter().any(|path| path.ends_with("large.h")), "{files:?}");
    assert_eq!(
        files.len(),
        6,
        "three files of npm, a link, a program, an account: {files:?}"
    );
    let output = call(&place, &run_words(&place));
    place.assert_right(&output, 4);
    let started = &place.events("program_started")[0];
    assert_eq!(started["release"]["tree"], told["installed"]["tree"], "{started}");
    let both = "@fake/agent npm 1.2.3-linux-x64 with fake-interpreter PyPI 9.9";
    assert_eq!(started["release"]["package"], both);
}

/// The release of the Python of this machine.
fn python_release() -> String {
    let code = "import sys; print('%d.%d' % sys.version_info[:2])";
    let output = Command::new("python3").args(["-c", code]).output().unwrap();
    String::from_utf8(output.stdout).unwrap().trim().to_owned()
}

#[test]
fn modules_of_an_agent_are_compiled_once_and_alike() {
    let Some(place) = place() else { return };
    let agents = place.path().join("agents");
    let wheels = wheels();
    let pinned = wheels.each_ref().map(|(path, bytes)| (*path, integrity(bytes)));
    let registry = Registry::of_files(wheels.map(|(path, bytes)| (path.to_owned(), bytes)).into());
    // Without a Python of its release it is added as it is, and that is said.
    define_wheels(&agents, &platform(), &pinned);
    define_python(&agents, "2.99");
    let plain = add(&place, &registry, &[]);
    assert!(plain.status.success(), "{}", said(&plain));
    assert!(
        said(&plain).contains("there was no Python 2.99 here"),
        "{}",
        said(&plain)
    );
    assert!(
        kept(&place)
            .iter()
            .all(|path| path.extension() != Some("pyc".as_ref()))
    );
    define_wheels(&agents, &platform(), &pinned);
    define_python(&agents, &python_release());
    let added = || {
        let added = add(&place, &registry, &["--again", "--json"]);
        assert!(added.status.success(), "{}", said(&added));
        serde_json::from_slice::<Value>(&added.stdout).unwrap()["installed"].take()
    };
    let (first, second) = (added(), added());
    assert_eq!(first, second);
    assert!(
        first["compiled"].as_str().unwrap().starts_with(&python_release()),
        "{first}"
    );
    assert_eq!(
        first["files"], 8,
        "five of the wheels and three compiled ones: {first}"
    );
    let folder = PathBuf::from(first["folder"].as_str().unwrap());
    let compiled: Vec<PathBuf> = kept(&place)
        .into_iter()
        .filter(|path| path.starts_with(&folder) && path.extension() == Some("pyc".as_ref()))
        .collect();
    assert_eq!(compiled.len(), 3, "{compiled:?}");
    for path in &compiled {
        let bytes = std::fs::read(path).unwrap();
        assert_eq!(
            bytes[4..8],
            [1, 0, 0, 0],
            "a hash that is not held against the source"
        );
        assert_eq!(std::fs::metadata(path).unwrap().permissions().mode() & 0o222, 0);
    }
    // What Python takes is what was compiled: it says so when it is asked where the module comes from.
    let import = "import fake_needed as m; print(m.__cached__, m.VALUE)";
    let shown = Command::new("python3")
        .args(["-v", "-c", import])
        .env("PYTHONPATH", &folder)
        .output()
        .unwrap();
    let told = String::from_utf8_lossy(&shown.stderr).into_owned();
    assert!(told.contains("matches") && told.contains("fake_needed"), "{told}");
    let output = call(&place, &run_words(&place));
    place.assert_right(&output, 4);
    assert_eq!(
        place.events("program_started")[0]["release"]["tree"],
        first["tree"]
    );
}

#[test]
fn wheels_that_are_others_or_lead_out_are_not_installed() {
    let Some(place) = place() else { return };
    let agents = place.path().join("agents");
    let [(_, own), (_, needed)] = wheels();
    let climbing = wheel(&[("../evil.py", b"print('evil')")]);
    let zeros = wheel(&[("zeros.py", &vec![0; 300 << 20])]);
    for (second, told) in [
        (b"no wheel".to_vec(), "is no zip file"),
        (
            b"PK\x03\x04 and no more".to_vec(),
            "no wheel that can be unpacked",
        ),
        (climbing, "leads out"),
        (zeros, "unpacks to too much"),
    ] {
        define_wheels(
            &agents,
            &platform(),
            &[(OWN, integrity(&own)), (NEEDED, integrity(&second))],
        );
        let files = vec![(OWN.to_owned(), own.clone()), (NEEDED.to_owned(), second)];
        let refused = add(&place, &Registry::of_files(files), &[]);
        assert!(
            !refused.status.success() && said(&refused).contains(told),
            "{}",
            said(&refused)
        );
        // A wheel that was fetched whole is not fetched again by the next call.
        let fetched = place.path().join("cache/agents/fetched");
        assert!(kept(&place).iter().all(|path| path.starts_with(&fetched)));
    }
    // What it needs is held to its digest as well.
    define_wheels(
        &agents,
        &platform(),
        &[(OWN, integrity(&own)), (NEEDED, integrity(b"another"))],
    );
    let files = vec![(OWN.to_owned(), own), (NEEDED.to_owned(), needed)];
    let refused = add(&place, &Registry::of_files(files), &[]);
    assert_eq!(refused.status.code(), Some(1), "{}", said(&refused));
    assert!(said(&refused).contains(NEEDED), "{}", said(&refused));
}

#[test]
fn another_digest_is_not_installed() {
    let Some(place) = place() else { return };
    let wanted = integrity(&package());
    define(&place.path().join("agents"), &platform(), &wanted);
    let other = archive(&[("package/vendor/agent.py", b"print('forged')")]);
    let found = integrity(&other);
    let registry = Registry::start(other);
    let refused = add(&place, &registry, &[]);
    assert_eq!(refused.status.code(), Some(1));
    let words = said(&refused);
    assert!(
        words.contains(&wanted) && words.contains(&found) && words.contains("/npm/@fake/agent/"),
        "{words}"
    );
    assert_eq!(kept(&place), Vec::<PathBuf>::new());
}

#[test]
fn what_cannot_be_had_is_said() {
    let Some(place) = place() else { return };
    let agents = place.path().join("agents");
    let whole = package();
    define(&agents, "plan9-mips", &integrity(&whole));
    let registry = Registry::start(whole);
    let unknown = add(&place, &registry, &[]);
    assert_eq!(unknown.status.code(), Some(2));
    assert!(
        said(&unknown).contains("plan9-mips") && said(&unknown).contains(&platform()),
        "{}",
        said(&unknown)
    );
    assert!(registry.asked().is_empty());
    let none = call(&place, &["agents", "add", "hal"]);
    assert!(said(&none).contains("--agent-files"), "{}", said(&none));
    define(&agents, &platform(), "sha512-short");
    let mistyped = add(&place, &registry, &[]);
    assert!(
        said(&mistyped).contains("`sha512-short` is no integrity"),
        "{}",
        said(&mistyped)
    );
    for (files, told) in [
        (vec![("package/other.py", AGENT)], "no file vendor/agent.py"),
        (
            vec![("package/vendor/agent.py", AGENT), ("package/../../evil", AGENT)],
            "evil",
        ),
    ] {
        let bytes = archive(&files);
        define(&agents, &platform(), &integrity(&bytes));
        let refused = add(&place, &Registry::start(bytes), &[]);
        assert!(
            !refused.status.success() && said(&refused).contains(told),
            "{}",
            said(&refused)
        );
        assert_eq!(kept(&place), Vec::<PathBuf>::new());
    }
    let bytes = package();
    define(&agents, &platform(), &integrity(&bytes));
    let gone = call(
        &place,
        &[
            "agents",
            "add",
            "fake",
            "--registry",
            &format!("{}/elsewhere", registry.address),
        ],
    );
    assert!(
        !gone.status.success() && said(&gone).contains("404"),
        "{}",
        said(&gone)
    );
    let listed = call(&place, &["agents", "list", "--json"]);
    let listed: Value = serde_json::from_slice(&listed.stdout).unwrap();
    let fake = listed["agents"]
        .as_array()
        .unwrap()
        .iter()
        .find(|agent| agent["definition"]["agent"] == "fake");
    assert_eq!(fake.unwrap()["installed"], Value::Null);
}
