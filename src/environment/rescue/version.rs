//! The number of an interpreter's release.

use std::str::FromStr;

use crate::domain::excerpt;

/// A release such as 3.11.2, compared part by part.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Version(Vec<u32>);

/// A text that is no number of a release.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is no version: write numbers parted by points, such as 3.11")]
pub struct VersionError(String);

impl FromStr for Version {
    type Err = VersionError;

    /// Reads the numbers at the beginning of each part up to the first that has none.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let parts: Vec<u32> = (text.trim().split('.'))
            .map_while(|part| {
                let digits: String = part.chars().take_while(char::is_ascii_digit).collect();
                digits.parse().ok()
            })
            .collect();
        if parts.is_empty() {
            return Err(VersionError(excerpt::shortened(text, 40)));
        }
        Ok(Self(parts))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn releases_are_compared_by_their_numbers() {
        let version = |text: &str| text.parse::<Version>().unwrap();
        assert!(version("3.9.18") < version("3.10"));
        assert!(version("4.2.2") > version("4.2"));
        assert_eq!(version("3.13.0rc1"), version("3.13.0"));
        assert!("new".parse::<Version>().is_err());
    }
}
