//! Bounds on an interpreter's releases, such as `>=3.8,<3.11` or `>=2.7,<3 || >=3.5`.

use std::str::FromStr as _;

use pep508_rs::pep440_rs::{Version, VersionSpecifiers};

use super::python_index::repairs;

/// Patch releases of a series that are tried.
const MOST_PATCHES: u64 = 40;

/// Bounds of which one alternative has to hold.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InterpreterBounds {
    alternatives: Vec<VersionSpecifiers>,
}

impl InterpreterBounds {
    /// Reads bounds in the standard's words; `None` of such as cannot be read.
    pub fn parse(text: &str) -> Option<Self> {
        let alternatives = text.split("||");
        let alternatives: Result<Vec<_>, _> = alternatives
            .map(|one| VersionSpecifiers::from_str(&repairs::specifiers(one)))
            .collect();
        let alternatives = alternatives.ok()?;
        Some(Self { alternatives })
    }

    /// Whether a version is among them; a release such as `3.8`, whether one of its patch releases is.
    pub fn admits(&self, version: &str) -> bool {
        let numbers: Vec<u64> = version.split('.').map_while(|part| part.parse().ok()).collect();
        match numbers.as_slice() {
            [_, _] => (0..MOST_PATCHES).any(|patch| self.contains(&[&numbers[..], &[patch]].concat())),
            [] => false,
            _ => self.contains(&numbers),
        }
    }

    fn contains(&self, numbers: &[u64]) -> bool {
        let version = Version::new(numbers);
        self.alternatives.iter().any(|one| one.contains(&version))
    }
}

/// The least version of bounds such as `>=3.7,<4`; `None` where an alternative has none.
pub fn least_of(bounds: &str) -> Option<&str> {
    let numbers = |version: &&str| -> Vec<u32> {
        let parts = version.split('.');
        parts.map_while(|part| part.parse().ok()).collect()
    };
    let all: Option<Vec<&str>> = bounds.split("||").map(least_of_one).collect();
    all?.into_iter().min_by_key(numbers)
}

fn least_of_one(bounds: &str) -> Option<&str> {
    let mut parts = bounds.split(',').map(str::trim);
    let version = parts.find_map(|part| ["~=", ">=", ">"].iter().find_map(|sign| part.strip_prefix(sign)))?;
    let version = version.trim();
    let end = version.find(|letter: char| !letter.is_ascii_digit() && letter != '.');
    let version = version[..end.unwrap_or(version.len())].trim_end_matches('.');
    Some(version).filter(|version| !version.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn releases_are_held_against_both_ends() {
        let admits = |bounds: &str, version: &str| InterpreterBounds::parse(bounds).unwrap().admits(version);
        for (bounds, version) in [
            (">=3.8,<3.11", "3.8"),
            (">=3.8,<3.11", "3.10"),
            (">=3.8.5,<3.11", "3.8"),
            ("<3.8.5", "3.8"),
            (">=3.6.*", "3.6"),
            ("!=3.9.*,>=3.7", "3.10"),
            (">=2.7,<2.8 || >=3.5", "2.7"),
            (">=2.7,<2.8 || >=3.5", "3.9"),
            ("~=3.8", "3.12"),
            (">=3", "3.7"),
            (">=14", "14"),
            (">=3.5.0", "4.0.2"),
        ] {
            assert!(admits(bounds, version), "{bounds} {version}");
        }
        for (bounds, version) in [
            (">=3.8,<3.11", "3.11"),
            (">=3.8,<3.11", "3.7.9"),
            (">=3.8.5", "3.8.2"),
            ("!=3.9.*,>=3.7", "3.9"),
            (">=2.7,<2.8 || >=3.5", "3.4"),
            ("~=3.8.1", "3.9"),
            ("<3", "3.0"),
            (">=3", ""),
        ] {
            assert!(!admits(bounds, version), "{bounds} {version}");
        }
        for unread in ["^3.8", "latest", ">=3.8 <3.9", ">="] {
            assert_eq!(InterpreterBounds::parse(unread), None, "{unread}");
        }
    }

    #[test]
    fn the_least_version_is_that_of_every_alternative() {
        for (bounds, least) in [
            (">=3.8,<3.11", Some("3.8")),
            ("<3.11, >= 3.7.1", Some("3.7.1")),
            (">3.6,<4", Some("3.6")),
            ("<3.11,>=3.7.1", Some("3.7.1")),
            (">=3.5 || >=2.7,<3", Some("2.7")),
            (">=3.5 || <3", None),
            ("<3.9", None),
            ("~=3.8", Some("3.8")),
            (">=3.6.*", Some("3.6")),
        ] {
            assert_eq!(least_of(bounds), least, "{bounds}");
        }
    }
}
