//! A made environment as a lock, to be compared with others, and its R packages as `renv.lock`.

use jiff::tz::TimeZone;
use serde_json::{Value, json};

use crate::domain::execution::Environment;

use super::date::AsOf;
use super::evidence::EvidenceKind;
use super::interpreter::InterpreterChoice;
use super::language::Language;
use super::lock::{EnvironmentLock, FORMAT, LockedPackage};
use super::need::Certainty;

/// The archive of R if no other is known.
const CRAN: &str = "https://cran.r-project.org";
/// The sentence that stands for the reasons of what was found installed.
const REASON: &str = "It was installed in the environment of a run.";

impl EnvironmentLock {
    /// The names and versions of an environment that a run was made in. What made them, their files and
    /// digests are not known of it.
    pub fn from_made(made: &Environment, platform: &str, begun: jiff::Timestamp) -> Self {
        let mut interpreters = Vec::new();
        let mut packages = Vec::new();
        for (name, version) in &made.versions {
            let language = match name.as_str() {
                "python" => Some(Language::Python),
                "R" => Some(Language::R),
                _ => None,
            };
            if let Some(language) = language {
                let version = Some(version.clone());
                interpreters.push(InterpreterChoice::new(language, version, REASON.to_owned()));
                continue;
            }
            let (language, name) = match name.strip_prefix("R: ") {
                Some(name) => (Language::R, name),
                None => (Language::Python, name.as_str()),
            };
            // Such as `installed by`: no package.
            if !name.contains(' ') {
                packages.push(LockedPackage {
                    language,
                    name: name.to_owned(),
                    version: version.clone(),
                    file: String::new(),
                    url: String::new(),
                    sha256: None,
                    size: None,
                    came: None,
                    build: false,
                    certainty: Certainty::Exact,
                    required_by: Vec::new(),
                    reasons: vec![REASON.to_owned()],
                });
            }
        }
        Self {
            format: FORMAT.to_owned(),
            as_of: AsOf {
                instant: begun,
                day: begun.to_zoned(TimeZone::UTC).date(),
                from: EvidenceKind::FileChange,
                reason: "A run was made on that day.".to_owned(),
                weak: true,
            },
            platform: platform.to_owned(),
            interpreters,
            sources: Vec::new(),
            packages,
            not_had: Vec::new(),
            own: Vec::new(),
            questions: Vec::new(),
            notes: Vec::new(),
        }
    }

    /// The text of `renv.lock` with its R packages; `None` of a lock without any.
    ///
    /// The format is that of `renv` 1.0: the fields that `renv::restore()` needs.
    pub fn renv(&self) -> Option<String> {
        let packages: serde_json::Map<String, Value> = self
            .packages_of(Language::R)
            .map(|package| {
                let about = json!({
                    "Package": package.name,
                    "Version": package.version,
                    "Source": "Repository",
                    "Repository": "CRAN",
                });
                (package.name.clone(), about)
            })
            .collect();
        if packages.is_empty() {
            return None;
        }
        let source = self.sources.iter().find(|source| source.language == Language::R);
        let lock = json!({
            "R": {
                "Version": self.interpreter(Language::R),
                "Repositories": [{"Name": "CRAN", "URL": source.map_or(CRAN, |source| source.address.as_str())}],
            },
            "Packages": packages,
        });
        Some(format!("{lock:#}\n"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::digest::Digest;

    #[test]
    fn what_was_installed_is_an_renv_lock() {
        let versions = [
            ("python", "3.11.2"),
            ("numpy", "1.26.0"),
            ("R", "4.2.2"),
            ("R: lme4", "1.1-31"),
            ("installed by", "uv 0.13.9"),
        ];
        let mut made = Environment {
            id: Digest::compute("x"),
            versions: versions
                .map(|(name, version)| (name.to_owned(), version.to_owned()))
                .into(),
            location: String::new(),
            built: true,
        };
        let begun = jiff::Timestamp::UNIX_EPOCH;
        let written = EnvironmentLock::from_made(&made, "linux-x86_64", begun)
            .renv()
            .unwrap();
        let read: Value = serde_json::from_str(&written).unwrap();
        let expected = json!({
            "R": {"Version": "4.2.2", "Repositories": [{"Name": "CRAN", "URL": "https://cran.r-project.org"}]},
            "Packages": {
                "lme4": {"Package": "lme4", "Version": "1.1-31", "Source": "Repository", "Repository": "CRAN"},
            },
        });
        assert_eq!(read, expected);
        made.versions.remove("R: lme4");
        assert_eq!(
            EnvironmentLock::from_made(&made, "linux-x86_64", begun).renv(),
            None
        );
    }
}
