//! The Python versions that each series of the common compiled packages supports:
//! a clash of pins and interpreter is told before anything is built.

use std::collections::BTreeMap;
use std::str::FromStr as _;
use std::sync::LazyLock;

use pep508_rs::pep440_rs::{Version, VersionSpecifiers};
use pep508_rs::{Requirement, VerbatimUrl, VersionOrUrl};
use serde::Deserialize;

use super::failure::setup;
use crate::domain::execution::BuildFailure;

/// The minor numbers of the first and the last Python 3.
type Range = (u64, u64);

#[derive(Debug, Deserialize)]
struct Table {
    /// Code names of distributions to the minor number of their Python.
    releases: BTreeMap<String, u64>,
    /// Packages to series, such as `1.26`, to the Python versions they have wheels for.
    packages: BTreeMap<String, BTreeMap<String, Range>>,
}

/// A table with a mistake would know nothing, so that it stops every build of an environment.
static TABLE: LazyLock<Result<Table, toml::de::Error>> =
    LazyLock::new(|| toml::from_str(include_str!("supported.toml")));

/// Releases of one series that are tried against a requirement.
const PATCHES: u64 = 20;

/// The Python that a release of a distribution installs, such as `3.11`.
pub fn python_of_release(name: &str) -> Option<String> {
    let minor = TABLE.as_ref().ok()?.releases.get(name)?;
    Some(format!("3.{minor}"))
}

/// Checks canonical requirements against a Python such as `3.11.2`.
///
/// # Errors
/// A setup failure that names every requirement that admits only versions
/// without support for that Python, and versions that have it.
pub fn check(requirements: &[String], python: &str) -> Result<(), BuildFailure> {
    let table = TABLE
        .as_ref()
        .map_err(|error| setup(format!("supported.toml: {error}"), Vec::new()))?;
    let Some(minor) = minor(python) else {
        return Ok(());
    };
    let mut clashes = Vec::new();
    let mut names = Vec::new();
    for text in requirements {
        let Ok(requirement) = Requirement::<VerbatimUrl>::from_str(text) else {
            continue;
        };
        let name = requirement.name.to_string();
        let (Some(series), Some(VersionOrUrl::VersionSpecifier(wanted))) =
            (table.packages.get(&name), &requirement.version_or_url)
        else {
            continue;
        };
        if let Some(clash) = clash(text, wanted, series, minor) {
            clashes.push(clash);
            names.push(name);
        }
    }
    if clashes.is_empty() {
        return Ok(());
    }
    Err(setup(
        format!(
            "Python 3.{minor} does not fit: {}. Change the version, leave it out, or name a base image with a \
             Python that fits.",
            clashes.join("; ")
        ),
        names,
    ))
}

fn minor(python: &str) -> Option<u64> {
    let mut parts = python.split('.');
    (parts.next()? == "3").then_some(())?;
    parts.next()?.parse().ok()
}

/// Says how a requirement clashes, if it admits nothing that could fit.
fn clash(
    text: &str,
    wanted: &VersionSpecifiers,
    series: &BTreeMap<String, Range>,
    minor: u64,
) -> Option<String> {
    let admitted = |name: &str| {
        (0..PATCHES).any(|patch| {
            Version::from_str(&format!("{name}.{patch}")).is_ok_and(|version| wanted.contains(&version))
        })
    };
    // What is newer than the table may support anything.
    if wanted.contains(&Version::new([9999])) {
        return None;
    }
    let ranges: Vec<Range> = series
        .iter()
        .filter(|(name, _)| admitted(name))
        .map(|(_, range)| *range)
        .collect();
    let fits = |(first, last): &Range| (*first..=*last).contains(&minor);
    if ranges.is_empty() || ranges.iter().any(fits) {
        return None;
    }
    let first = ranges.iter().map(|range| range.0).min()?;
    let last = ranges.iter().map(|range| range.1).max()?;
    let mut fitting: Vec<(Vec<u64>, &str)> = series
        .iter()
        .filter(|(_, range)| fits(range))
        .map(|(name, _)| {
            let key = name.split('.').filter_map(|part| part.parse().ok()).collect();
            (key, name.as_str())
        })
        .collect();
    fitting.sort();
    let shown = match (fitting.first(), fitting.last()) {
        (Some((_, low)), Some((_, high))) if low != high => format!("{low} to {high} do"),
        (Some((_, only)), _) => format!("{only} does"),
        _ => "no version does".to_owned(),
    };
    Some(format!(
        "`{text}` has releases for Python 3.{first} to 3.{last} only, and on Python 3.{minor} {shown}"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::failure::FailureCause;

    fn check_one(requirement: &str, python: &str) -> Result<(), BuildFailure> {
        check(&[requirement.to_owned()], python)
    }

    #[test]
    fn a_pin_of_another_time_is_refused_with_what_fits() {
        let failure = check_one("numpy==1.19.5", "3.11.2").unwrap_err();
        assert_eq!(failure.cause, FailureCause::Setup);
        assert_eq!(failure.packages, ["numpy"]);
        for part in ["`numpy==1.19.5`", "3.6 to 3.9", "Python 3.11", "1.23 to 2.4"] {
            assert!(failure.summary.contains(part), "{failure}");
        }
        for clashing in [
            ("statsmodels==0.12.2", "3.10.1"),
            ("scikit-learn<1.0,>=0.24", "3.11"),
            ("pandas==3.0.0", "3.9.18"),
            ("numpy<1.20", "3.12"),
            ("scipy<1.8,~=1.7.1", "3.13"),
        ] {
            assert!(check_one(clashing.0, clashing.1).is_err(), "{clashing:?}");
        }
    }

    #[test]
    fn what_may_fit_is_left_to_pip() {
        for fine in [
            ("numpy==1.26.4", "3.11.2"),
            ("numpy>=1.19", "3.14"),
            ("numpy!=1.26.0", "3.9"),
            ("numpy==1.27.0", "3.11.2"),
            ("numpy", "3.11.2"),
            ("nonesuch==1.0", "3.11.2"),
            ("numpy==1.19.5", "2.7.18"),
        ] {
            assert!(check_one(fine.0, fine.1).is_ok(), "{fine:?}");
        }
        assert_eq!(python_of_release("bookworm").as_deref(), Some("3.11"));
        assert_eq!(python_of_release("sid"), None);
    }
}
