//! The checkpoints of the design, from the facts: environment, dependencies, files.

use std::collections::BTreeSet;

use super::code::{host_paths, scanned};
use super::distributions::{python_gaps, r_gaps};
use super::facts::{Build, CheckpointFacts};
use super::imports::Imports;
use super::words::{CheckResult, clean, listed, verb};
use crate::domain::code_file::CodeFile;

/// 1.1.1: an environment is declared, and it was made.
pub(super) fn base_environment(facts: &CheckpointFacts) -> CheckResult {
    let environment = &facts.environment;
    let named = environment
        .base_image
        .as_deref()
        .map(str::trim)
        .filter(|image| !image.is_empty());
    let what = named.map_or_else(
        || "the declared packages".to_owned(),
        |image| format!("`{image}`"),
    );
    match &environment.build {
        Build::Made => (Some(true), format!("The environment was made from {what}.")),
        Build::Failed(how) => (
            Some(false),
            format!("The environment could not be made from {what}: {how}"),
        ),
        Build::Infrastructure(how) => (None, format!("The machine failed to make the environment: {how}")),
        Build::NotTried if named.is_none() && environment.python.is_empty() && environment.r.is_empty() => (
            Some(false),
            "Neither a base image nor a package is declared.".to_owned(),
        ),
        Build::NotTried => (None, format!("{what} is declared, and it was never tried.")),
    }
}

/// 1.1.2: a file declares it.
pub(super) fn manifest(facts: &CheckpointFacts) -> CheckResult {
    match facts.environment.manifests.as_slice() {
        [] => (Some(false), "No file declares the environment.".to_owned()),
        found => (
            Some(true),
            format!("{} the environment.", verb(found, "declares", "declare")),
        ),
    }
}

/// 1.2: what the code imports is declared.
pub(super) fn dependencies(facts: &CheckpointFacts) -> CheckResult {
    let mut imports = Imports::default();
    for file in &facts.code {
        imports.scan(&file.path, &file.text);
    }
    // A module of the study's own is no package.
    let own: BTreeSet<&str> = facts.existing.iter().filter_map(|path| module(path)).collect();
    imports.python.retain(|module| !own.contains(module.as_str()));
    let environment = &facts.environment;
    let python = python_gaps(&imports.python, &environment.python);
    let r = r_gaps(&imports.r, &environment.r, environment.base_image.as_deref());
    let undeclared: Vec<String> = python.undeclared.into_iter().chain(r.undeclared).collect();
    let implied: Vec<String> = python.implied.into_iter().chain(r.implied).collect();
    let used = imports.python.len() + imports.r.len();
    if !undeclared.is_empty() {
        return (
            Some(false),
            format!("{} used and not declared.", verb(&undeclared, "is", "are")),
        );
    }
    if !imports.unscanned.is_empty() {
        return (
            None,
            format!(
                "{} in a language whose packages are not scanned.",
                verb(&imports.unscanned, "is", "are")
            ),
        );
    }
    if facts.code.is_empty() {
        return (None, "No code was found to scan.".to_owned());
    }
    let aside = if implied.is_empty() {
        String::new()
    } else {
        format!("; {} installed along with others", verb(&implied, "is", "are"))
    };
    (
        Some(true),
        format!("Every package that the code uses is declared ({used}){aside}."),
    )
}

/// The Python module that a file is, or whose folder it opens.
fn module(path: &str) -> Option<&str> {
    let stem = path
        .strip_suffix("/__init__.py")
        .or_else(|| path.strip_suffix(".py"))?;
    stem.rsplit('/').next()
}

/// 1.3.1: no script names a path of one machine.
pub(super) fn hard_coded_paths(facts: &CheckpointFacts) -> CheckResult {
    let found: Vec<String> = (facts.code.iter())
        .filter_map(|file| {
            let paths = host_paths(&file.path, &file.text, &facts.inside);
            paths.first().map(|path| format!("{path}` in `{}", file.path))
        })
        .collect();
    if !found.is_empty() {
        return (Some(false), format!("The code names {}.", listed(&found)));
    }
    let of_code = facts.code.iter().filter_map(|file| CodeFile::of(&file.path));
    match of_code.clone().filter_map(scanned).count() {
        0 => (None, "No code was found to scan.".to_owned()),
        _ if of_code.clone().any(|file| scanned(file).is_none()) => (
            None,
            "Some code is in a language that is not scanned for paths.".to_owned(),
        ),
        count => (
            Some(true),
            format!("No script names a path outside the workspace ({count} scanned)."),
        ),
    }
}

/// 1.3.2: the planned code exists.
pub(super) fn code_files(facts: &CheckpointFacts) -> CheckResult {
    if facts.planned_code.is_empty() {
        return (Some(false), "The plan names no code file.".to_owned());
    }
    let missing = missing(&facts.planned_code, facts);
    if missing.is_empty() {
        let count = facts.planned_code.len();
        return (
            Some(true),
            format!("Every code file of the plan exists ({count})."),
        );
    }
    (Some(false), format!("{} not there.", verb(&missing, "is", "are")))
}

/// 1.3.3: the planned data is where the plan says.
pub(super) fn data_paths(facts: &CheckpointFacts) -> CheckResult {
    if facts.planned_data.is_empty() {
        return (None, "The plan names no data file.".to_owned());
    }
    let missing = missing(&facts.planned_data, facts);
    if missing.is_empty() {
        let count = facts.planned_data.len();
        return (
            Some(true),
            format!("Every data file of the plan is where it says ({count})."),
        );
    }
    (
        Some(false),
        format!("{} not where the plan says.", verb(&missing, "is", "are")),
    )
}

fn missing(planned: &[String], facts: &CheckpointFacts) -> Vec<String> {
    planned
        .iter()
        .filter(|path| !facts.existing.contains(clean(path)))
        .cloned()
        .collect()
}
