//! Python requirements, read strictly.

use std::str::FromStr as _;

use pep508_rs::{Requirement, VerbatimUrl, VersionOrUrl};

use super::failure::setup;
use crate::domain::execution::BuildFailure;

/// Requirements of one environment at most.
const MOST: usize = 200;

/// The canonical forms, sorted, each once.
///
/// # Errors
/// A setup failure that names the first requirement that is not a name with
/// optional extras and versions.
pub fn canonical(requirements: &[String]) -> Result<Vec<String>, BuildFailure> {
    if requirements.len() > MOST {
        return Err(setup(
            format!(
                "{} Python packages are too many: name at most {MOST} that the analysis imports.",
                requirements.len()
            ),
            Vec::new(),
        ));
    }
    let mut every = requirements
        .iter()
        .map(|text| one(text))
        .collect::<Result<Vec<_>, _>>()?;
    every.sort();
    every.dedup();
    Ok(every)
}

fn one(text: &str) -> Result<String, BuildFailure> {
    let shown: String = text.escape_debug().take(80).collect();
    let refuse = |why: &str| {
        setup(
            format!("The Python requirement `{shown}` {why}, such as `pandas` or `pandas==2.2.3`."),
            vec![shown.clone()],
        )
    };
    let text = text.trim();
    if text.contains(['\n', '\r', '\0', '\\']) || text.starts_with('-') || text.len() > 300 {
        return Err(refuse(
            "is not one package: write a name and, if needed, a version",
        ));
    }
    if text.contains("://") || text.contains('@') || text.starts_with(['.', '/', '~']) {
        return Err(refuse(
            "names an address or a file: only packages of the index can be installed",
        ));
    }
    if text.contains(';') {
        return Err(refuse(
            "has an environment marker: leave it out and name the package alone",
        ));
    }
    let parsed = Requirement::<VerbatimUrl>::from_str(text)
        .map_err(|_| refuse("cannot be read: write a package name with an optional version"))?;
    let mut canonical = parsed.name.to_string();
    if !parsed.extras.is_empty() {
        let mut extras: Vec<String> = parsed.extras.iter().map(ToString::to_string).collect();
        extras.sort();
        extras.dedup();
        canonical.push_str(&format!("[{}]", extras.join(",")));
    }
    match parsed.version_or_url {
        None => {}
        Some(VersionOrUrl::VersionSpecifier(versions)) => {
            let mut versions: Vec<String> = versions.iter().map(ToString::to_string).collect();
            versions.sort();
            canonical.push_str(&versions.join(","));
        }
        Some(VersionOrUrl::Url(_)) => {
            return Err(refuse(
                "names an address: only packages of the index can be installed",
            ));
        }
    }
    Ok(canonical)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::failure::FailureCause;

    fn read(text: &str) -> Result<Vec<String>, BuildFailure> {
        canonical(&[text.to_owned()])
    }

    #[test]
    fn spellings_of_one_requirement_are_one() {
        assert_eq!(
            read(" Scikit_Learn >= 1.2 , <2 ").unwrap(),
            ["scikit-learn<2,>=1.2"]
        );
        assert_eq!(read("Pandas==2.2.3").unwrap(), read("pandas == 2.2.3").unwrap());
        assert_eq!(
            read("requests[socks,security]").unwrap(),
            ["requests[security,socks]"]
        );
        assert_eq!(
            canonical(&["b".into(), "a".into(), "B".into()]).unwrap(),
            ["a", "b"]
        );
    }

    #[test]
    fn what_is_no_package_of_the_index_is_refused_with_advice() {
        for bad in [
            "git+https://example.org/x",
            "x @ https://example.org/x.whl",
            "x@file:///etc/passwd",
            "./local",
            "/abs/path",
            "--index-url=http://evil",
            "-r other.txt",
            "pandas; python_version < '4'",
            "the usual scientific stack",
            "pandas\n--extra-index-url http://evil",
            "pandas=2",
            "$(id)",
            "",
        ] {
            let failure = read(bad).unwrap_err();
            assert_eq!(failure.cause, FailureCause::Setup, "{bad:?}");
            assert!(
                failure.summary.contains("such as `pandas`"),
                "{bad:?}: {}",
                failure.summary
            );
        }
    }
}
