//! Versions of R packages: numbers between dots and dashes.

/// Whether a text is a version of an R package.
pub fn is_r_version(text: &str) -> bool {
    let mut parts = text.trim().split(['.', '-']);
    parts.all(|part| part.parse::<u64>().is_ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_numbers_between_dots_and_dashes() {
        for version in ["1.1-21", " 4.2.2 ", "20190101"] {
            assert!(is_r_version(version), "{version}");
        }
        for other in ["", "1.x", "1..2", "-1", "latest"] {
            assert!(!is_r_version(other), "{other}");
        }
    }
}
