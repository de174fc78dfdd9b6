//! Versions of R packages: numbers between dots and dashes.

use std::cmp::Ordering;

/// A version that can be compared.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct RVersion {
    numbers: Vec<u64>,
    written: String,
}

impl RVersion {
    /// Reads a version; `None` of one that is none.
    pub fn parse(text: &str) -> Option<Self> {
        let text = text.trim();
        let numbers: Option<Vec<u64>> = text.split(['.', '-']).map(|part| part.parse().ok()).collect();
        Some(Self {
            numbers: numbers.filter(|numbers| !numbers.is_empty())?,
            written: text.to_owned(),
        })
    }

    pub fn as_str(&self) -> &str {
        &self.written
    }

    /// Whether a bound such as `>= 1.1` holds; one that cannot be read holds.
    pub fn fits(&self, bound: &str) -> bool {
        let bound = bound.trim();
        let end = bound
            .find(|letter: char| letter.is_ascii_digit())
            .unwrap_or(bound.len());
        let (sign, version) = bound.split_at(end);
        let Some(version) = Self::parse(version) else {
            return true;
        };
        let ordering = self.cmp(&version);
        match sign.trim() {
            ">=" => ordering.is_ge(),
            ">" | ">>" => ordering.is_gt(),
            "<=" => ordering.is_le(),
            "<" | "<<" => ordering.is_lt(),
            "==" | "=" => ordering.is_eq(),
            "!=" => ordering.is_ne(),
            _ => true,
        }
    }
}

impl Ord for RVersion {
    fn cmp(&self, other: &Self) -> Ordering {
        self.numbers
            .cmp(&other.numbers)
            .then_with(|| self.written.cmp(&other.written))
    }
}

impl PartialOrd for RVersion {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_compare_number_by_number() {
        let version = |text: &str| RVersion::parse(text).unwrap();
        assert!(
            version("1.1-21") < version("1.1-23")
                && version("1.9") < version("1.10")
                && version("1.1") < version("1.1.1")
        );
        assert!(
            version("1.1").fits(">= 1.1")
                && !version("1.0").fits(">= 1.1")
                && version("1.0").fits("whatever")
        );
        assert!(RVersion::parse("1.x").is_none() && RVersion::parse("").is_none());
    }
}
