//! Packages that are installed on the machine: of R and of Debian.

use std::collections::{BTreeMap, BTreeSet};

use super::policy::Report;
use super::shared::{ConfinedAnswer, Shared};
use crate::domain::execution::BuildFailure;
use crate::sandbox::failure::{infrastructure, setup, shown};

/// R and the packages it can load.
#[derive(Debug, Clone)]
pub struct Packages {
    pub r: String,
    pub versions: BTreeMap<String, String>,
}

/// Prints R's version, then every package and its version.
const LIST: &str = "cat(as.character(getRversion()), '\\n', sep=''); p <- installed.packages()[, c('Package', 'Version'), drop=FALSE]; cat(paste(p[, 1], p[, 2]), sep='\\n')";

impl Packages {
    /// Asks R, confined as an analysis would be.
    pub fn list(shared: &Shared) -> Result<Self, BuildFailure> {
        let command = ["Rscript", "--vanilla", "-e", LIST].map(str::to_owned);
        let text = match shared.ask(&command, Vec::new()) {
            Ok(ConfinedAnswer {
                report: Report::Exited(0),
                text,
            }) => text,
            Ok(ConfinedAnswer {
                report: Report::NoProgram(_),
                ..
            }) => {
                return Err(infrastructure(
                    "R is not installed on this machine: install `r-base-core`, or choose the Docker sandbox.",
                    String::new(),
                ));
            }
            Ok(ConfinedAnswer { report, text }) => {
                return Err(infrastructure(
                    "R does not run in the sandbox of this machine: choose the Docker sandbox.",
                    format!("{report:?}\n{text}"),
                ));
            }
            Err(why) => {
                return Err(infrastructure(
                    "R could not be asked for its packages.",
                    why.to_string(),
                ));
            }
        };
        let mut lines = text.lines();
        let r = lines.next().unwrap_or_default().trim().to_owned();
        let mut versions = BTreeMap::new();
        for (name, version) in lines.filter_map(|line| line.split_once(' ')) {
            // The first library on R's path is the one that it loads from.
            versions
                .entry(name.to_owned())
                .or_insert_with(|| version.trim().to_owned());
        }
        Ok(Self { r, versions })
    }

    /// Checks that every package is here, in the version asked for.
    pub fn check(&self, wanted: &BTreeMap<String, Option<String>>) -> Result<(), BuildFailure> {
        let missing: Vec<String> = wanted
            .keys()
            .filter(|name| !self.versions.contains_key(*name))
            .map(|name| shown(name))
            .collect();
        if !missing.is_empty() {
            return Err(setup(
                format!(
                    "The R packages {} are not installed on this machine, whose sandbox cannot install any: do \
                     without them, or ask the operator to install them or to choose the Docker sandbox.",
                    missing.join(", ")
                ),
                missing,
            ));
        }
        let other: Vec<(String, String)> = wanted
            .iter()
            .filter_map(|(name, version)| {
                let (wanted, here) = (version.as_ref()?, self.versions.get(name)?);
                (wanted.replace('-', ".") != here.replace('-', "."))
                    .then(|| (shown(name), format!("{} {here}", shown(name))))
            })
            .collect();
        if other.is_empty() {
            return Ok(());
        }
        let (names, here): (Vec<_>, Vec<_>) = other.into_iter().unzip();
        Err(setup(
            format!(
                "This machine has other versions of R packages than asked for ({}): leave the versions out, or \
                 ask the operator to choose the Docker sandbox.",
                here.join(", ")
            ),
            names,
        ))
    }
}

/// Checks that Debian packages are installed on this machine.
pub fn check_system(wanted: &[String]) -> Result<(), BuildFailure> {
    let installed = if wanted.is_empty() {
        BTreeSet::new()
    } else {
        debian(&std::fs::read_to_string("/var/lib/dpkg/status").unwrap_or_default())
    };
    let missing: Vec<String> = wanted
        .iter()
        .filter(|name| !installed.contains(name.as_str()))
        .map(|name| shown(name))
        .collect();
    if missing.is_empty() {
        return Ok(());
    }
    Err(setup(
        format!(
            "The system packages {} are not installed on this machine, whose sandbox cannot install any: do \
             without them, or ask the operator to install them or to choose the Docker sandbox.",
            missing.join(", ")
        ),
        missing,
    ))
}

fn debian(status: &str) -> BTreeSet<String> {
    status
        .split("\n\n")
        .filter(|entry| entry.lines().any(|line| line == "Status: install ok installed"))
        .filter_map(|entry| entry.lines().find_map(|line| line.strip_prefix("Package: ")))
        .map(str::to_owned)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn missing_packages_are_named_with_the_way_out() {
        let status = "Package: gcc\nStatus: install ok installed\n\nPackage: gone\nStatus: deinstall ok config-files\n";
        assert_eq!(debian(status), BTreeSet::from(["gcc".to_owned()]));
        let failure = check_system(&["no-such-package".to_owned()]).unwrap_err();
        assert_eq!(failure.packages, ["no-such-package"]);
        assert!(failure.summary.contains("Docker"));
    }

    #[test]
    fn versions_of_r_packages_are_compared_as_r_does() {
        let here = Packages {
            r: "4.2.2".to_owned(),
            versions: BTreeMap::from([("lme4".to_owned(), "1.1-31".to_owned())]),
        };
        let want = |version: Option<&str>| BTreeMap::from([("lme4".to_owned(), version.map(str::to_owned))]);
        assert!(here.check(&want(None)).is_ok());
        assert!(here.check(&want(Some("1.1.31"))).is_ok());
        assert_eq!(here.check(&want(Some("1.1-30"))).unwrap_err().packages, ["lme4"]);
    }
}
