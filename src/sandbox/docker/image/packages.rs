//! Names and versions of R and Debian packages, read strictly.

use std::collections::BTreeMap;

use crate::domain::execution::BuildFailure;
use crate::domain::lazy_regex::LazyRegex;
use crate::sandbox::failure::{setup, shown};

/// Packages of one kind at most.
const MOST: usize = 300;

static R_NAME: LazyRegex = LazyRegex::new(r"^[A-Za-z](?:[A-Za-z0-9.]{0,98}[A-Za-z0-9])$");
static R_VERSION: LazyRegex = LazyRegex::new(r"^[0-9]{1,9}(?:[.-][0-9]{1,9}){0,9}$");
/// Without a dash at the end, which tells apt to remove a package.
static DEBIAN: LazyRegex = LazyRegex::new(r"^[a-z0-9][a-z0-9+.-]{0,98}[a-z0-9+.]$");

/// The R packages, if every name and version is one.
///
/// # Errors
/// A setup failure that names all that are not.
pub fn r_packages(
    packages: &BTreeMap<String, Option<String>>,
) -> Result<BTreeMap<String, Option<String>>, BuildFailure> {
    let bad: Vec<String> = packages
        .iter()
        .filter(|(name, version)| {
            !R_NAME.is_match(name)
                || version
                    .as_ref()
                    .is_some_and(|version| !R_VERSION.is_match(version))
        })
        .map(|(name, version)| match version {
            Some(version) => shown(&format!("{name}=={version}")),
            None => shown(name),
        })
        .collect();
    refuse("R", "lme4 or lme4==1.1-35", bad, packages.len())?;
    Ok(packages.clone())
}

/// The Debian packages, sorted, each once, if every name is one.
///
/// # Errors
/// A setup failure that names all that are not.
pub fn system_packages(packages: &[String]) -> Result<Vec<String>, BuildFailure> {
    let bad: Vec<String> = packages
        .iter()
        .filter(|name| !DEBIAN.is_match(name))
        .map(|name| shown(name))
        .collect();
    refuse("Debian", "libxml2-dev", bad, packages.len())?;
    let mut packages = packages.to_vec();
    packages.sort();
    packages.dedup();
    Ok(packages)
}

fn refuse(kind: &str, example: &str, bad: Vec<String>, number: usize) -> Result<(), BuildFailure> {
    if number > MOST {
        return Err(setup(
            format!("{number} {kind} packages are too many: name at most {MOST} that the analysis needs."),
            Vec::new(),
        ));
    }
    if bad.is_empty() {
        return Ok(());
    }
    Err(setup(
        format!(
            "These are not names of {kind} packages: `{}`. Write each alone, such as {example}.",
            bad.join("`, `")
        ),
        bad,
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_names_and_nothing_else() {
        let good = ["g++", "libxml2-dev", "git", "libstdc++6", "r-cran-lme4"].map(str::to_owned);
        assert!(system_packages(&good).is_ok());
        let bad = [
            "bash-",
            "--allow-unauthenticated",
            "git (optional)",
            "a;id",
            "$(id)",
            "`id`",
            "x\ny",
            "Git",
            "^lib.*",
            "",
        ]
        .map(str::to_owned);
        let failure = system_packages(&bad).unwrap_err();
        assert_eq!(failure.packages.len(), bad.len(), "{failure:?}");
        let of = |name: &str, version: Option<&str>| {
            r_packages(&BTreeMap::from([(name.to_owned(), version.map(str::to_owned))]))
        };
        assert!(of("data.table", Some("1.14-8")).is_ok());
        for (name, version) in [
            ("lme4", Some("1.1;id")),
            ("lme4", Some("latest")),
            ("lme4\nx", None),
            ("../x", None),
            ("-e", None),
            ("x", None),
            ("lme4", Some("1.1\t2")),
        ] {
            assert!(of(name, version).is_err(), "{name} {version:?}");
        }
    }
}
