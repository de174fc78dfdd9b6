//! The Dockerfile of the folder, read by the reader of capsules.

use super::super::evidence::{Evidence, EvidenceKind, FoundEvidence, Pin};
use super::super::language::Language;
use super::super::source_tree::{SourceFile, SourceTree};
use super::requirements;
use crate::capsule::dockerfile::error::DockerfileError;
use crate::capsule::dockerfile::published::PublishedEnvironment;
use crate::capsule::dockerfile::read::read as read_dockerfile;
use crate::domain::lazy_regex::LazyRegex;

static R_MAJOR: LazyRegex = LazyRegex::new(
    r"(?:^|/)(?:r-ver|r-base|rstudio|tidyverse|verse|geospatial):([34])(?:-[a-z][a-z0-9.-]*)?$",
);

/// Parts that are not followed of which each is told.
const MOST_TOLD: usize = 20;

/// Reads a Dockerfile.
///
/// # Errors
/// A file that is too large or no text.
pub fn read(
    file: &SourceFile,
    bytes: &[u8],
    tree: &SourceTree,
    found: &mut FoundEvidence,
) -> Result<(), DockerfileError> {
    let beside = |path: &str| {
        let wanted = match file.folder() {
            "" => path.to_owned(),
            folder => format!("{folder}/{path}"),
        };
        let other = tree
            .files
            .iter()
            .find(|other| other.path == wanted || other.path == path)?;
        other.bytes().ok()
    };
    let environment = read_dockerfile(bytes, &beside)?;
    take(&file.path, &environment, found);
    Ok(())
}

fn take(file: &str, environment: &PublishedEnvironment, found: &mut FoundEvidence) {
    let kind = EvidenceKind::Dockerfile;
    let named = [
        (Language::Python, &environment.python_version),
        (Language::R, &environment.r_version),
    ];
    let base = environment.base.as_deref().unwrap_or("its base image");
    let is_release = |version: &&String| version.contains('.');
    for (language, version) in named {
        if let Some(version) = version.as_ref().filter(is_release) {
            let says = format!("The Dockerfile, from `{base}`, has {language} {version}.");
            found
                .evidence
                .push(Evidence::new(kind, file, says).of_the_time_of(language, version));
        }
    }
    let python = environment.python_version.clone();
    let r = || R_MAJOR.captures(base).map(|found| found[1].to_owned());
    let majors = [
        (Language::Python, python.filter(|version| !is_release(&version))),
        (Language::R, environment.r_version.is_none().then(r).flatten()),
    ];
    for (language, major) in majors {
        let Some(major) = major else { continue };
        let says = format!("The Dockerfile, from `{base}`, has the newest {language} {major} of its day.");
        let evidence = Evidence::new(kind, file, says);
        found.evidence.push(match (language, major.as_str()) {
            (Language::Python, "2") => evidence.naming(language, "2.7"),
            _ => evidence.naming(language, &format!(">={major}")),
        });
    }
    for requirement in &environment.python {
        let first = found.pins.len();
        requirements::line(file, requirement.line, &requirement.text, found);
        for pin in &mut found.pins[first..] {
            pin.kind = kind;
        }
    }
    for (name, version) in &environment.r {
        let pin = Pin::new(Language::R, name, kind, file, 1);
        found.pins.push(pin.with_version(version.clone()));
    }
    for part in environment.not_followed.iter().take(MOST_TOLD) {
        found.fault(file, part.words());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_major_number_alone_bounds_the_release() {
        let named = |base: &str| {
            let environment = read_dockerfile(format!("FROM {base}\n").as_bytes(), &|_: &str| None).unwrap();
            let mut found = FoundEvidence::default();
            take("Dockerfile", &environment, &mut found);
            let named = found.evidence.into_iter().filter_map(|one| one.interpreter);
            named
                .map(|one| format!("{} {}", one.language, one.version))
                .collect::<Vec<_>>()
        };
        assert_eq!(named("python:3"), ["Python >=3"]);
        assert_eq!(named("docker.io/library/python:3-slim-bullseye"), ["Python >=3"]);
        assert_eq!(named("python:2"), ["Python 2.7"]);
        assert_eq!(named("rocker/r-ver:4"), ["R >=4"]);
        for other in [
            "python:latest",
            "python",
            "mypython:3",
            "rocker/r-ver:latest",
            "debian:12",
        ] {
            assert_eq!(named(other), Vec::<String>::new(), "{other}");
        }
    }
}
