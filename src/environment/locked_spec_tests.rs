use std::collections::BTreeMap;

use serde_json::json;

use super::*;

fn lock() -> EnvironmentLock {
    let package = |language: &str, name: &str, version: &str, required_by: &[&str]| {
        json!({
            "language": language, "name": name, "version": version, "file": "f", "url": "u",
            "build": false, "certainty": "by-date", "required_by": required_by, "reasons": []
        })
    };
    let text = json!({
        "format": "reprise-lock/1",
        "as_of": {
            "instant": "2019-06-30T23:59:59Z", "day": "2019-06-30", "from": "told", "reason": "A person says so.",
            "weak": false
        },
        "platform": "linux-x86_64",
        "interpreters": [{ "language": "python", "version": "3.7", "reason": "." }],
        "sources": [],
        "packages": [
            package("python", "pandas", "0.24.2", &[]),
            package("python", "numpy", "1.16.4", &["pandas"]),
            package("python", "python-dateutil", "2.8.0", &["pandas"]),
            package("python", "six", "1.12.0", &["python-dateutil"]),
            package("python", "scipy", "1.3.0", &[]),
            package("r", "Rcpp", "1.0.1", &["lme4"]),
            package("r", "lme4", "1.1-21", &[]),
        ],
        "not_had": [{
            "language": "python", "name": "stargazer", "why": "nothing of it was there on the day", "reasons": []
        }],
        "questions": [],
        "notes": []
    });
    EnvironmentLock::parse(text.to_string().as_bytes()).unwrap()
}

fn python(declared: &[&str]) -> EnvironmentSpec {
    EnvironmentSpec {
        python: Some(declared.iter().map(|&text| text.to_owned()).collect()),
        ..EnvironmentSpec::default()
    }
}

#[test]
fn a_declared_package_comes_in_the_locked_version_with_all_that_it_needs() {
    let held = lock().held_to(&python(&["Pandas>=0.20"])).unwrap();
    assert_eq!(
        held.python.unwrap(),
        [
            "pandas==0.24.2",
            "numpy==1.16.4",
            "python-dateutil==2.8.0",
            "six==1.12.0"
        ]
    );
    assert_eq!(lock().held_to(&python(&[])).unwrap().python.unwrap().len(), 0);
    let extras = lock().held_to(&python(&["scipy[test]"])).unwrap();
    assert_eq!(extras.python.unwrap(), ["scipy[test]==1.3.0"]);
}

#[test]
fn a_name_that_stands_for_another_is_held_to_that_one() {
    let mut lock = lock();
    lock.packages[4].name = "scikit-learn".to_owned();
    for declared in ["sklearn", "Sklearn==0.0"] {
        let held = lock.held_to(&python(&[declared])).unwrap();
        assert_eq!(held.python.unwrap(), ["scikit-learn==1.3.0"], "{declared}");
    }
    assert!(lock.has(Language::Python, "sklearn"));
    assert!(lock.held_to(&python(&["pytorch"])).is_err());
}

#[test]
fn digests_of_python_files_go_with_the_versions() {
    let plain = lock();
    assert_eq!(
        plain.held_to(&EnvironmentSpec::default()).unwrap().python_files,
        None
    );
    let mut lock = plain;
    lock.packages[2].sha256 = Some("ab".repeat(32));
    let files = lock.held_to(&python(&["pandas"])).unwrap().python_files.unwrap();
    assert_eq!(files.python, "3.7");
    assert_eq!(
        files.sha256,
        BTreeMap::from([("python-dateutil".to_owned(), "ab".repeat(32))])
    );
    assert_eq!(
        lock.held_to(&python(&[])).unwrap().python_version.as_deref(),
        Some("3.7")
    );
    assert_eq!(
        lock.held_to(&EnvironmentSpec::default()).unwrap().python_version,
        None
    );
    lock.interpreters[0].version = None;
    assert_eq!(lock.held_to(&python(&["pandas"])).unwrap().python_files, None);
}

#[test]
fn an_image_of_an_interpreter_gives_way_to_the_locks() {
    let image = |name: &str, lock: &EnvironmentLock| {
        let spec = EnvironmentSpec {
            base_image: Some(name.to_owned()),
            ..python(&["pandas"])
        };
        lock.held_to(&spec).unwrap().base_image
    };
    let mut lock = lock();
    for name in [
        "python:3.11-slim",
        "docker.io/library/python:3",
        "r-base",
        "rocker/r-ver:4.2",
    ] {
        assert_eq!(image(name, &lock), None, "{name}");
    }
    for name in ["ghcr.io/lab/python:3", "rocker/verse:4.2", "debian:12"] {
        assert_eq!(image(name, &lock).as_deref(), Some(name));
    }
    lock.interpreters.clear();
    assert_eq!(
        image("python:3.11-slim", &lock).as_deref(),
        Some("python:3.11-slim")
    );
}

#[test]
fn packages_of_r_keep_their_versions_and_what_is_part_of_r_needs_none() {
    let declared = ["lme4", "stats"];
    let spec = EnvironmentSpec {
        r: Some(declared.iter().map(|name| ((*name).to_owned(), None)).collect()),
        ..EnvironmentSpec::default()
    };
    let held = lock().held_to(&spec).unwrap().r.unwrap();
    let wanted: BTreeMap<String, Option<String>> =
        [("Rcpp", Some("1.0.1")), ("lme4", Some("1.1-21")), ("stats", None)]
            .map(|(name, version)| (name.to_owned(), version.map(str::to_owned)))
            .into();
    assert_eq!(held, wanted);
}

#[test]
fn what_the_lock_lacks_is_refused_with_its_reason() {
    let refused = lock()
        .held_to(&python(&["stargazer", "pandas==1.0", "torch"]))
        .unwrap_err();
    let told: Vec<String> = refused.iter().map(ToString::to_string).collect();
    assert!(
        told[0].contains("`stargazer` (nothing of it was there on the day)"),
        "{told:?}"
    );
    assert!(told[1].contains("`pandas==1.0` is declared, and the run's lock has pandas 0.24.2"));
    assert!(
        told[2].contains("no Python package `torch`: do without it"),
        "{told:?}"
    );
}

#[test]
fn another_interpreter_than_the_locks_is_told() {
    let made = |version: &str| Environment {
        id: crate::domain::digest::Digest::compute("x"),
        versions: BTreeMap::from([("python".to_owned(), version.to_owned())]),
        location: String::new(),
        built: true,
    };
    assert!(lock().differences_of(&made("3.7.17")).is_empty());
    let told = lock().differences_of(&made("3.11.2"));
    assert_eq!(
        told,
        ["The lock is of Python 3.7, and the environment has 3.11.2."]
    );
}
