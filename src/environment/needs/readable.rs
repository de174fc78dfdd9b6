//! Versions and bounds of pins that can be read, and those that cannot.

use std::str::FromStr as _;

use pep508_rs::pep440_rs::{Version, VersionSpecifiers};

use super::super::evidence::{FileFault, Pin};
use super::super::language::Language;
use super::super::python_index::repairs;
use super::super::r_archive::version::is_r_version;

/// Letters of a version that are shown.
const MOST_SHOWN: usize = 60;

/// Takes what cannot be read out of some pins; each is told.
pub fn unreadable(pins: &mut [Pin]) -> Vec<FileFault> {
    let mut faults = Vec::new();
    for pin in pins {
        let version = pin.version.take_if(|version| !is_version(pin.language, version));
        let bounds = pin.bounds.take_if(|bounds| !is_bounds(pin.language, bounds));
        if let Some(unread) = version.or(bounds) {
            let shown = unread.chars().filter(|letter| !letter.is_control());
            let shown: String = shown.take(MOST_SHOWN).collect();
            faults.push(FileFault {
                file: pin.file.clone(),
                problem: format!(
                    "line {}: `{shown}` of {} is no version that can be read, so that it is not followed",
                    pin.line, pin.name
                ),
            });
            pin.unread = Some(shown);
            pin.sha256.clear();
        }
    }
    faults
}

fn is_version(language: Language, version: &str) -> bool {
    match language {
        Language::Python => Version::from_str(version).is_ok(),
        Language::R => is_r_version(version),
        Language::Stata | Language::Spss => true,
    }
}

fn is_bounds(language: Language, bounds: &str) -> bool {
    language != Language::Python || VersionSpecifiers::from_str(&repairs::specifiers(bounds)).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::environment::evidence::EvidenceKind;

    #[test]
    fn what_cannot_be_read_is_told_and_goes() {
        let pin = |language, version: &str, bounds: &str| {
            let some = |text: &str| Some(text.to_owned()).filter(|text| !text.is_empty());
            let pin = Pin::new(language, "x", EvidenceKind::LockFile, "requirements.txt", 3);
            Pin {
                bounds: some(bounds),
                ..pin.with_version(some(version))
            }
        };
        let python = Language::Python;
        for (language, version, bounds) in [
            (python, "1.0..3", ""),
            (python, "1.0.x", ""),
            (python, "", ">=1.0,<"),
            (python, "", "==1.*.2"),
            (python, "latest", ""),
            (Language::R, "1.1-x", ""),
            (Language::R, "", ""),
        ] {
            let mut pins = [pin(language, version, bounds)];
            let faults = unreadable(&mut pins);
            let is_empty = version.is_empty() && bounds.is_empty();
            assert_eq!(faults.len(), usize::from(!is_empty), "{version}{bounds}");
            assert_eq!((&pins[0].version, &pins[0].bounds), (&None, &None));
            assert_eq!(pins[0].unread.is_some(), !is_empty);
        }
        for (language, version, bounds) in [
            (python, "0.22.2.post1", ""),
            (python, "1!2.0rc1", ""),
            (python, "2019.3", ""),
            (python, "", ">=3.5.*"),
            (python, "", "==1.18.*"),
            (Language::R, "1.1-26", ""),
            (Language::R, "0.9.12-4.7", ""),
        ] {
            let mut pins = [pin(language, version, bounds)];
            assert_eq!(unreadable(&mut pins), [], "{version}{bounds}");
            assert_eq!(pins[0].unread, None);
        }
    }
}
