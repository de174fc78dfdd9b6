//! Names of images: as people write them, and those that hold an interpreter of a version.

use std::collections::BTreeSet;
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::domain::execution::EnvironmentSpec;

/// The name without the parts that the default registry, and Podman for images
/// that were made here, are spelled with.
pub fn familiar(name: &str) -> &str {
    let name = name
        .strip_prefix("docker.io/")
        .or_else(|| name.strip_prefix("index.docker.io/"))
        .or_else(|| name.strip_prefix("localhost/"))
        .unwrap_or(name);
    name.strip_prefix("library/").unwrap_or(name)
}

/// Images of interpreters that no registry gave: each is asked for once in a process.
static NOT_HAD: Mutex<BTreeSet<String>> = Mutex::new(BTreeSet::new());

/// The names that were asked for in vain.
pub fn not_had() -> MutexGuard<'static, BTreeSet<String>> {
    NOT_HAD.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Whether a name was asked for in vain.
pub fn was_not_had(name: &str) -> bool {
    not_had().contains(name)
}

/// Whether a version can stand in the tag of an image.
fn is_version(text: &str) -> bool {
    let numbers = text.split('.');
    numbers.clone().count() <= 3
        && numbers.clone().all(|one| (1..=4).contains(&one.len()))
        && text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.')
}

/// The release of a version: its first two numbers.
pub fn release(version: &str) -> Option<(u32, u32)> {
    let mut numbers = version.split('.');
    Some((numbers.next()?.parse().ok()?, numbers.next()?.parse().ok()?))
}

/// The names of images that have the very interpreter that is wanted, the likeliest first: R decides where both
/// languages are needed, since the image of R has a Python as well.
pub fn of_time(spec: &EnvironmentSpec) -> Vec<String> {
    let r = spec.r_version.as_deref().filter(|_| spec.r.is_some());
    let python = spec.python_version.as_deref().filter(|_| spec.r.is_none());
    if let Some(version) = r.filter(|version| is_version(version)) {
        let mut names = vec![format!("rocker/r-ver:{version}"), format!("r-base:{version}")];
        names.extend(release(version).map(|(major, minor)| format!("rocker/r-ver:{major}.{minor}")));
        return names;
    }
    match python.filter(|version| is_version(version)).and_then(release) {
        Some((major, minor)) => {
            let names = [
                format!("python:{major}.{minor}-slim"),
                format!("python:{major}.{minor}"),
            ];
            names.into()
        }
        None => Vec::new(),
    }
}

/// An image of Python by its name.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct PythonImage {
    pub release: (u32, u32),
    pub name: String,
}

impl PythonImage {
    /// The release in a name; `None` of another image.
    pub fn parse(name: &str) -> Option<Self> {
        let tag = familiar(name).strip_prefix("python:")?;
        let version = tag.strip_suffix("-slim").unwrap_or(tag);
        let release = release(version).filter(|_| is_version(version))?;
        Some(Self {
            release,
            name: name.to_owned(),
        })
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    #[test]
    fn the_interpreter_that_is_wanted_names_the_image() {
        let spec = |python: Option<&str>, r: Option<&str>| EnvironmentSpec {
            python: Some(Vec::new()),
            python_version: python.map(str::to_owned),
            r: r.map(|_| BTreeMap::new()),
            r_version: r.map(str::to_owned),
            ..EnvironmentSpec::default()
        };
        assert_eq!(
            of_time(&spec(Some("3.9"), None)),
            ["python:3.9-slim", "python:3.9"]
        );
        assert_eq!(
            of_time(&spec(Some("3.7"), Some("3.6.1"))),
            ["rocker/r-ver:3.6.1", "r-base:3.6.1", "rocker/r-ver:3.6"]
        );
        for odd in ["3", "3.9-slim", "3.9/../x", "", "3..9", "99999.1"] {
            assert!(of_time(&spec(Some(odd), None)).is_empty(), "{odd}");
        }
        let names = [
            "python:3.13-slim",
            "docker.io/library/python:3.9",
            "python:3-slim",
            "python:3.9-slim",
        ];
        let mut read: Vec<_> = names.iter().filter_map(|name| PythonImage::parse(name)).collect();
        read.sort();
        let read: Vec<_> = read.iter().map(|one| one.name.as_str()).collect();
        assert_eq!(
            read,
            [
                "docker.io/library/python:3.9",
                "python:3.9-slim",
                "python:3.13-slim"
            ]
        );
    }
}
