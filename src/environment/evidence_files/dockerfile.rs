//! The Dockerfile of the folder, read by the reader of capsules.

use super::super::evidence::{Evidence, EvidenceKind, FoundEvidence, Pin};
use super::super::language::Language;
use super::super::source_tree::{SourceFile, SourceTree};
use super::requirements;
use crate::capsule::dockerfile::error::DockerfileError;
use crate::capsule::dockerfile::published::PublishedEnvironment;
use crate::capsule::dockerfile::read::read as read_dockerfile;

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
    for (language, version) in named {
        if let Some(version) = version {
            let says = format!("The Dockerfile, from `{base}`, has {language} {version}.");
            found
                .evidence
                .push(Evidence::new(kind, file, says).of_the_time_of(language, version));
        }
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
