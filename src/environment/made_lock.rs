//! A made environment as a lock, to be compared with others.

use jiff::tz::TimeZone;

use crate::domain::execution::Environment;

use super::date::AsOf;
use super::evidence::EvidenceKind;
use super::interpreter::InterpreterChoice;
use super::language::Language;
use super::lock::{EnvironmentLock, FORMAT, LockedPackage};
use super::need::Certainty;

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
}
