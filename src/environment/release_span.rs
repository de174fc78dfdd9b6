//! Releases of an interpreter that may stand in another's place.

use serde::{Deserialize, Serialize};

/// The first two numbers of a version such as `3.8` or `3.8.12`.
pub fn release_numbers(version: &str) -> Option<(u32, u32)> {
    let is_number = |text: &&str| text.bytes().all(|byte| byte.is_ascii_digit());
    let mut numbers = version.trim().split('.').take_while(is_number).map(str::parse);
    Some((numbers.next()?.ok()?, numbers.next()?.ok()?))
}

/// Releases of one major number, from one to another.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReleaseSpan {
    pub oldest: String,
    /// `None` where a newer one will always do.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub newest: Option<String>,
}

impl ReleaseSpan {
    /// The releases from one on.
    pub fn since(oldest: &str) -> Self {
        Self {
            oldest: oldest.to_owned(),
            newest: None,
        }
    }

    /// Whether a release is among them.
    pub fn admits(&self, release: &str) -> bool {
        let (Some(own), Some(oldest)) = (release_numbers(release), release_numbers(&self.oldest)) else {
            return false;
        };
        let newest = self.newest.as_deref().map(release_numbers);
        let is_newer = newest.is_some_and(|newest| newest.is_none_or(|newest| own > newest));
        own.0 == oldest.0 && own >= oldest && !is_newer
    }

    /// The same without those before a release.
    pub fn not_before(self, release: &str) -> Self {
        match release_numbers(release) > release_numbers(&self.oldest) {
            true => Self {
                oldest: release.to_owned(),
                ..self
            },
            false => self,
        }
    }

    /// The same without those behind a release.
    pub fn not_behind(self, release: &str) -> Self {
        let newest = self.newest.as_deref().and_then(release_numbers);
        match newest.is_none_or(|newest| release_numbers(release) < Some(newest)) {
            true => Self {
                newest: Some(release.to_owned()),
                ..self
            },
            false => self,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_span_has_its_ends_and_one_major_number() {
        let span = ReleaseSpan::since("3.6").not_behind("3.10");
        for release in ["3.6", "3.6.15", "3.9", "3.10"] {
            assert!(span.admits(release), "{release}");
        }
        for release in ["3.5", "3.11", "2.7", "4.0", "3", "", "x.y", "+3.8"] {
            assert!(!span.admits(release), "{release}");
        }
        assert_eq!(span.clone().not_before("3.2").not_behind("3.12"), span);
        let narrow = span.not_before("3.10").not_behind("3.9");
        assert!(!narrow.admits("3.9") && !narrow.admits("3.10"));
        assert!(ReleaseSpan::since("3.0").admits("3.14"));
    }
}
