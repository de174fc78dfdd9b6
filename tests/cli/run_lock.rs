//! Runs that are held to a lock.

use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::process::Command;

use reprise::domain::digest::Digest;
use serde_json::{Value, json};
use zip::write::SimpleFileOptions;

use super::index_server::IndexServer;
use super::need;
use super::scripted_study::{self, Script, arguments, events};
use super::support::{Called, Place, called};

const SCRIPT: &str = "import low_pkg, top_pkg
print('low', low_pkg.VERSION)
print('dose N 4 estimate 1.94 SE 0.0905539 t 21.4 p 0.00217167')
";

/// A wheel of one module with its version.
fn wheel(folder: &Path, name: &str, version: &str, needs: &str) {
    fs::create_dir_all(folder).unwrap();
    let file = fs::File::create(folder.join(format!("{name}-{version}-py3-none-any.whl"))).unwrap();
    let mut archive = zip::ZipWriter::new(file);
    let info = format!("{name}-{version}.dist-info");
    let metadata = format!("Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n{needs}");
    let files = [
        (format!("{name}.py"), format!("VERSION = '{version}'\n")),
        (format!("{info}/METADATA"), metadata),
        (
            format!("{info}/WHEEL"),
            "Wheel-Version: 1.0\nGenerator: x\nRoot-Is-Purelib: true\nTag: py3-none-any\n".to_owned(),
        ),
        (
            format!("{info}/RECORD"),
            format!("{name}.py,,\n{info}/METADATA,,\n{info}/WHEEL,,\n{info}/RECORD,,\n"),
        ),
    ];
    for (entry, text) in files {
        archive.start_file(entry, SimpleFileOptions::default()).unwrap();
        archive.write_all(text.as_bytes()).unwrap();
    }
    archive.finish().unwrap();
}

/// The study, wheels that it is installed from, and a lock of the older one.
fn place(python: &[&str]) -> Place {
    let place = Place::new();
    let wheels = place.path().join("wheels");
    wheel(&wheels, "top_pkg", "1.0", "Requires-Dist: low-pkg>=1\n");
    wheel(&wheels, "low_pkg", "1.9", "");
    wheel(&wheels, "low_pkg", "2.0", "");
    scripted_study::study(
        &place,
        &Script {
            name: "slope.py",
            text: SCRIPT,
            edits: &[],
            python,
            again: false,
        },
    );
    let package = |name: &str, version: &str, required_by: &[&str]| {
        json!({
            "language": "python", "name": name, "version": version, "file": "f", "url": "u", "build": false,
            "certainty": "by-date", "required_by": required_by, "reasons": []
        })
    };
    let lock = json!({
        "format": "reprise-lock/1",
        "as_of": {
            "instant": "2019-06-30T23:59:59Z", "day": "2019-06-30", "from": "told", "reason": "A person says so.",
            "weak": false
        },
        "platform": format!("linux-{}", std::env::consts::ARCH),
        "interpreters": [{ "language": "python", "version": null, "reason": "." }],
        "sources": [],
        "packages": [package("low-pkg", "1.9", &["top-pkg"]), package("top-pkg", "1.0", &[])],
        "not_had": [{ "language": "python", "name": "gone", "why": "nothing was there on the day", "reasons": [] }],
        "questions": [],
        "notes": []
    });
    fs::write(place.path().join("env.lock.json"), lock.to_string()).unwrap();
    place
}

fn call(place: &Place, arguments: &[&str]) -> Called {
    let mut command = place.command(arguments);
    command.env("PIP_NO_INDEX", "1");
    command.env("PIP_FIND_LINKS", place.path().join("wheels"));
    command.env("REPRISE_UV", need::uv().unwrap_or_default());
    called(command.output().unwrap())
}

fn printed(place: &Place, out: &str) -> String {
    let ended = &events(place, out, "execution_finished")[0];
    ended["stdout"]["text"].as_str().unwrap_or_default().to_owned()
}

#[test]
fn a_run_is_held_to_its_lock_which_its_approval_covers_and_its_report_names() {
    let Some(()) = need::python_and_uv() else {
        return;
    };
    let place = place(&["top-pkg"]);
    let free = call(&place, &arguments("free", &[]));
    assert_eq!(free.status, 0, "{}{}", free.stdout, free.stderr);
    assert!(printed(&place, "free").contains("low 2.0"));
    let held = call(&place, &arguments("held", &["--lock", "env.lock.json"]));
    assert_eq!(held.status, 0, "{}{}", held.stdout, held.stderr);
    assert!(
        printed(&place, "held").contains("low 1.9"),
        "{}",
        printed(&place, "held")
    );

    // The same packages under another lock are another thing to approve.
    let text = fs::read_to_string(place.path().join("env.lock.json")).unwrap();
    let other = text.replace("nothing was there", "nothing at all was there");
    fs::write(place.path().join("other.lock.json"), other).unwrap();
    let again = call(&place, &arguments("other", &["--lock", "other.lock.json"]));
    assert_eq!(again.status, 0, "{}", again.stderr);
    let approved = |out: &str| events(&place, out, "execution_started")[0]["digest"].clone();
    assert_ne!(approved("held"), approved("other"));
    assert_ne!(approved("held"), approved("free"));

    let reported = place.call(&["report", "held", "--format", "md"]);
    assert_eq!(reported.status, 0, "{}", reported.stderr);
    let report = fs::read_to_string(place.path().join("held/report.md")).unwrap();
    assert!(
        report.contains("as of 2019-06-30, 2 packages; asked for and not available: gone"),
        "{report}"
    );
    let page = fs::read_to_string(place.path().join("held/report.html")).unwrap();
    assert!(page.contains("Lock of the environment"));

    let replayed = call(&place, &["replay", "held", "--out", "again"]);
    assert_eq!(replayed.status, 0, "{}{}", replayed.stdout, replayed.stderr);
    assert_eq!(approved("again"), approved("held"));

    let same = place.call(&["env", "--diff", "env.lock.json", "held"]);
    assert_eq!(same.status, 0, "{}{}", same.stdout, same.stderr);
    let differs = place.call(&["env", "--diff", "held", "free", "--json"]);
    assert_eq!(differs.status, 1, "{}", differs.stderr);
    let changes: Value = serde_json::from_str(&differs.stdout).unwrap();
    assert_eq!(
        changes["changes"],
        json!([{ "what": "version", "language": "python", "name": "low-pkg", "first": "1.9", "second": "2.0" }])
    );
}

/// Makes the lock one of this machine's Python, with the digests of the wheels.
fn with_digests(place: &Place) {
    let python = Command::new("python3")
        .args(["-c", "import sys; print('%d.%d' % sys.version_info[:2])"])
        .output()
        .unwrap();
    let path = place.path().join("env.lock.json");
    let mut lock: Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
    lock["interpreters"][0]["version"] = json!(String::from_utf8(python.stdout).unwrap().trim());
    for package in lock["packages"].as_array_mut().unwrap() {
        let name = package["name"].as_str().unwrap().replace('-', "_");
        let file = format!("{name}-{}-py3-none-any.whl", package["version"].as_str().unwrap());
        let bytes = fs::read(place.path().join("wheels").join(file)).unwrap();
        package["sha256"] = json!(Digest::compute(bytes).hex());
    }
    fs::write(path, lock.to_string()).unwrap();
}

fn files(place: &Place, out: &str) -> String {
    let built = &events(place, out, "built")[0]["result"]["ready"]["versions"]["files"];
    built.as_str().unwrap_or_default().to_owned()
}

#[test]
fn files_are_held_to_the_digests_of_the_lock() {
    let Some(()) = need::python_and_uv() else {
        return;
    };
    let place = place(&["top-pkg"]);
    let without = call(&place, &arguments("without", &["--lock", "env.lock.json"]));
    assert_eq!(without.status, 0, "{}", without.stderr);
    assert_eq!(files(&place, "without"), "");
    with_digests(&place);
    // The index has another file under the name and version of the lock's.
    let run = |out: &str| {
        let mut command = place.command(&arguments(out, &["--lock", "env.lock.json"]));
        command.env("PIP_NO_INDEX", "1");
        command.env("PIP_FIND_LINKS", place.path().join("wheels"));
        command.env("REPRISE_CACHE", place.path().join(format!("cache-{out}")));
        command.env("REPRISE_UV", need::uv().unwrap_or_default());
        called(command.output().unwrap())
    };
    let held = run("held");
    assert_eq!(held.status, 0, "{}{}", held.stdout, held.stderr);
    assert_eq!(
        files(&place, "held"),
        "held to the lock's SHA-256 digests",
        "{}",
        held.stderr
    );
    let wheels = place.path().join("wheels");
    wheel(&wheels, "low_pkg", "1.9", "Summary: another\n");
    let bad = run("bad");
    assert_eq!(bad.status, 7, "{}{}", bad.stdout, bad.stderr);
    assert!(
        bad.stderr.contains("a file has another SHA-256"),
        "{}",
        bad.stderr
    );
    assert!(events(&place, "bad", "execution_started").is_empty());
}

#[test]
fn a_package_that_the_lock_lacks_is_told_to_the_agent_and_nothing_is_made() {
    let place = place(&["top-pkg", "gone"]);
    // The plan is objected to, and its author stays with it.
    let path = place.path().join("slope/recordings/native.json");
    let mut recording: Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
    let design = recording["stages"]["design"]["turns"].as_array_mut().unwrap();
    let plan = design.last().unwrap().clone();
    design.extend([plan.clone(), plan]);
    fs::write(&path, recording.to_string()).unwrap();
    let _fails_without_an_execution = call(&place, &arguments("out", &["--lock", "env.lock.json"]));
    let reviewed = events(&place, "out", "answer_reviewed");
    let remarks = reviewed.iter().filter(|review| !review["remark"].is_null());
    assert_eq!(remarks.count(), 2, "{reviewed:?}");
    let told = events(&place, "out", "tool_finished");
    let ran = told.iter().find(|call| call["tool"] == "run_analysis").unwrap();
    let told = ran["observation"]["text"].as_str().unwrap();
    assert!(told.contains("do not fit the lock of this run"), "{told}");
    assert!(told.contains("`gone` (nothing was there on the day)"), "{told}");
    assert!(events(&place, "out", "built").is_empty());
}

#[test]
fn a_lock_that_cannot_be_used_begins_no_run() {
    let place = place(&[]);
    let text = fs::read_to_string(place.path().join("env.lock.json")).unwrap();
    let platform = format!("linux-{}", std::env::consts::ARCH);
    fs::write(
        place.path().join("arm.lock.json"),
        text.replace(&platform, "linux-riscv64"),
    )
    .unwrap();
    fs::write(place.path().join("no.lock.json"), "{}").unwrap();
    for (file, said) in [
        (
            "arm.lock.json",
            "its files are for linux-riscv64, and this machine is linux-",
        ),
        (
            "absent.json",
            "`reprise env STUDY --lock absent.json` makes a lock",
        ),
        ("no.lock.json", "it is no lock of an environment"),
    ] {
        let called = call(&place, &arguments("out", &["--lock", file]));
        assert_eq!(called.status, 2, "{}", called.stderr);
        assert!(called.stderr.contains(said), "{}", called.stderr);
        assert!(!place.path().join("out").exists());
    }
    let dry = call(
        &place,
        &arguments("out", &["--lock", "env.lock.json", "--dry-run"]),
    );
    assert!(
        dry.stdout.contains("as of 2019-06-30, 2 packages"),
        "{}",
        dry.stdout
    );
}

#[test]
fn a_name_beside_a_known_one_is_pointed_out_before_it_is_installed() {
    let place = place(&["numpi>=1", "numpy"]);
    let mut asks = arguments("out", &[]);
    asks[5] = "ask";
    let mut status = call(&place, &asks).status;
    let executes = |place: &Place| {
        let asked = events(place, "out", "asked");
        asked.into_iter().find(|asked| asked["asking"] == "execute")
    };
    while status == 5 && executes(&place).is_none() {
        assert_eq!(place.call(&["approve", "out"]).status, 0);
        status = call(&place, &["resume", "out"]).status;
    }
    let details = executes(&place).unwrap()["details"].clone();
    let details = scripted_study::content(&place, "out", &details);
    assert!(
        details.contains("warning   numpi is nearly numpy: such names are also taken"),
        "{details}"
    );
    assert_eq!(details.matches("warning   ").count(), 1, "{details}");
    assert!(events(&place, "out", "built").is_empty());
}

#[test]
fn an_index_that_is_down_half_way_leaves_no_environment() {
    let Some(()) = need::python_and_uv() else {
        return;
    };
    let place = place(&["half-pkg"]);
    let server = IndexServer::new();
    server.wheel("half_pkg 1.0 2019-05-28 other-half>=1");
    // The page and part of what comes behind it.
    server.hang_up_after(2);
    let cache = place.path().join("cache");
    let mut command = place.command(&arguments("out", &[]));
    command.env("REPRISE_CACHE", &cache).env("PIP_RETRIES", "0");
    command.env("PIP_INDEX_URL", format!("{}/simple", server.address));
    command.env("REPRISE_UV", need::uv().unwrap_or_default());
    let ended = called(command.output().unwrap());
    assert_ne!(ended.status, 0, "{}", ended.stdout);
    assert!(events(&place, "out", "execution_started").is_empty());
    let left: Vec<_> = walkdir::WalkDir::new(cache.join("environments"))
        .into_iter()
        .filter_map(Result::ok)
        .filter(|entry| entry.file_type().is_dir() && entry.depth() > 0)
        .map(|entry| entry.path().to_owned())
        .collect();
    assert!(left.is_empty(), "{left:?}");
}
