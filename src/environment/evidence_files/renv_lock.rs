//! `renv.lock`.

use std::collections::BTreeMap;

use jiff::civil::Date;
use serde::Deserialize;

use super::super::evidence::{Evidence, EvidenceKind, FoundEvidence, Pin, PinSource};
use super::super::language::Language;
use crate::domain::lazy_regex::LazyRegex;

static DAY: LazyRegex = LazyRegex::new(r"/(20[0-9]{2}-[0-9]{2}-[0-9]{2})(?:$|/|\+)");

#[derive(Deserialize)]
struct RenvLock {
    #[serde(rename = "R")]
    r: Option<RenvR>,
    #[serde(rename = "Packages", default)]
    packages: BTreeMap<String, RenvPackage>,
}

#[derive(Deserialize)]
struct RenvR {
    #[serde(rename = "Version")]
    version: Option<String>,
    #[serde(rename = "Repositories", default)]
    repositories: Vec<RenvRepository>,
}

#[derive(Deserialize)]
struct RenvRepository {
    #[serde(rename = "URL", default)]
    url: String,
}

#[derive(Deserialize)]
struct RenvPackage {
    #[serde(rename = "Version")]
    version: Option<String>,
    #[serde(rename = "Source", default)]
    source: String,
    #[serde(rename = "RemoteUsername", default)]
    user: String,
    #[serde(rename = "RemoteRepo", default)]
    repository: String,
    #[serde(rename = "RemoteSha", default)]
    commit: String,
}

/// The day in an address of a repository, such as that of a dated snapshot.
fn snapshot_day(address: &str) -> Option<Date> {
    DAY.captures(address)?[1].parse().ok()
}

/// Reads an `renv.lock`.
///
/// # Errors
/// A text that is no such lock.
pub fn read(file: &str, text: &str, found: &mut FoundEvidence) -> Result<(), serde_json::Error> {
    let lock: RenvLock = serde_json::from_str(text)?;
    let kind = EvidenceKind::LockFile;
    if let Some(r) = &lock.r {
        if let Some(version) = &r.version {
            let says = format!("The lock was made with R {version}.");
            found
                .evidence
                .push(Evidence::new(kind, file, says).of_the_time_of(Language::R, version));
        }
        for repository in &r.repositories {
            if let Some(day) = snapshot_day(&repository.url) {
                let says = format!("The lock takes packages of {day}.");
                found
                    .evidence
                    .push(Evidence::new(kind, file, says).dated(Some(day)));
            }
        }
    }
    for (name, package) in lock.packages {
        let source = match package.source.as_str() {
            "GitHub" | "GitLab" | "Bitbucket" | "Git" | "URL" | "Local" => PinSource::Elsewhere(format!(
                "{}/{}@{}",
                package.user, package.repository, package.commit
            )),
            _ => PinSource::Index,
        };
        let pin = Pin::new(Language::R, &name, kind, file, 1);
        found
            .pins
            .push(pin.with_version(package.version).with_source(source));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_renv_lock_gives_r_a_day_and_versions() {
        let text = r#"{"R": {"Version": "4.0.3", "Repositories": [{"Name": "CRAN", "URL": "https://packages.example.org/cran/2021-02-01"}]},
          "Packages": {"dplyr": {"Package": "dplyr", "Version": "1.0.4", "Source": "Repository", "Hash": "x", "New": 1},
                       "synthdid": {"Package": "synthdid", "Version": "0.0.9", "Source": "GitHub", "RemoteUsername": "owner", "RemoteRepo": "synthdid", "RemoteSha": "abc"}}}"#;
        let mut found = FoundEvidence::default();
        read("renv.lock", text, &mut found).unwrap();
        assert_eq!(found.evidence[0].interpreter.as_ref().unwrap().version, "4.0.3");
        assert_eq!(found.evidence[1].date.unwrap().to_string(), "2021-02-01");
        assert_eq!(
            (found.pins[0].name.as_str(), found.pins[0].version.as_deref()),
            ("dplyr", Some("1.0.4"))
        );
        assert_eq!(
            found.pins[1].source,
            PinSource::Elsewhere("owner/synthdid@abc".to_owned())
        );
        assert!(read("renv.lock", "[1]", &mut found).is_err());
        let deep = format!("{{\"Packages\":{}1{}}}", "[".repeat(50_000), "]".repeat(50_000));
        assert!(read("renv.lock", &deep, &mut found).is_err());
    }
}
