//! Releases of Python by the wheels that packages have for them on a day, and the sentence on the choice.

use serde::{Deserialize, Serialize};

/// Packages that are named in one sentence.
const MOST_NAMED: usize = 4;

/// A release, held against the files of an index.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReleaseWheels {
    /// Such as `3.8`.
    pub release: String,
    /// The packages without a wheel for it that have one for another release.
    pub lacking: Vec<LackedWheel>,
}

/// A package without a wheel for a release.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LackedWheel {
    pub package: String,
    /// The releases for which it has one.
    pub had_for: Vec<String>,
}

/// The sentence on the releases that were looked at, the first choice first, and the one that was taken; empty where
/// nothing was.
pub fn sentence(tried: &[ReleaseWheels], taken: &str) -> String {
    let Some(first) = tried.first() else {
        return String::new();
    };
    if first.lacking.is_empty() {
        return "Each package that comes in wheels has one for it on the day.".to_owned();
    }
    let others: Vec<&ReleaseWheels> = tried.iter().skip(1).collect();
    let is_whole = others
        .iter()
        .find(|one| one.release == taken && one.lacking.is_empty());
    if is_whole.is_some() {
        return format!(
            "On the day there is no wheel for Python {} of {}: Python {taken} is taken, for which each package that \
             comes in wheels has one.",
            first.release,
            names(first)
        );
    }
    if others.is_empty() {
        return format!(
            "On the day there is no wheel for it of {}, and for no other release that may be taken either.",
            names(first)
        );
    }
    let lacks: Vec<String> = tried
        .iter()
        .map(|one| format!("for {} there is none of {}", one.release, names(one)))
        .collect();
    let fewest = match taken == first.release {
        true => String::new(),
        false => format!(" Python {taken} is taken, for which the fewest are lacking."),
    };
    format!(
        "No release that may be taken has a wheel of each package on the day: {}.{fewest}",
        lacks.join("; ")
    )
}

fn names(release: &ReleaseWheels) -> String {
    let named = release.lacking.iter().take(MOST_NAMED);
    let mut all: Vec<String> = named
        .map(|one| format!("{} (there is for {})", one.package, one.had_for.join(", ")))
        .collect();
    let more = release.lacking.len().saturating_sub(MOST_NAMED);
    if more > 0 {
        all.push(format!("{more} more"));
    }
    all.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn release(release: &str, lacking: &[(&str, &[&str])]) -> ReleaseWheels {
        let lacking = lacking.iter().map(|(package, had_for)| LackedWheel {
            package: (*package).to_owned(),
            had_for: had_for.iter().map(|&one| one.to_owned()).collect(),
        });
        ReleaseWheels {
            release: release.to_owned(),
            lacking: lacking.collect(),
        }
    }

    #[test]
    fn each_outcome_has_its_sentence() {
        let whole = release("3.6", &[]);
        let lacks_x = release("3.7", &[("x", &["3.5", "3.6"])]);
        let lacks_two = release("3.6", &[("y", &["3.7"]), ("z", &["3.7"])]);
        assert_eq!(sentence(&[], "3.7"), "");
        assert_eq!(
            sentence(std::slice::from_ref(&whole), "3.6"),
            "Each package that comes in wheels has one for it on the day."
        );
        assert_eq!(
            sentence(&[lacks_x.clone(), whole], "3.6"),
            "On the day there is no wheel for Python 3.7 of x (there is for 3.5, 3.6): Python 3.6 is taken, for which \
             each package that comes in wheels has one."
        );
        assert_eq!(
            sentence(std::slice::from_ref(&lacks_x), "3.7"),
            "On the day there is no wheel for it of x (there is for 3.5, 3.6), and for no other release that may be \
             taken either."
        );
        assert_eq!(
            sentence(&[lacks_x.clone(), lacks_two.clone()], "3.7"),
            "No release that may be taken has a wheel of each package on the day: for 3.7 there is none of x (there is \
             for 3.5, 3.6); for 3.6 there is none of y (there is for 3.7), z (there is for 3.7)."
        );
        let told = sentence(&[lacks_two, lacks_x], "3.7");
        assert!(
            told.ends_with("Python 3.7 is taken, for which the fewest are lacking."),
            "{told}"
        );
        let names: Vec<String> = (0..6).map(|at| format!("p{at}")).collect();
        let many: Vec<(&str, &[&str])> = names.iter().map(|name| (name.as_str(), &["3.6"][..])).collect();
        let told = sentence(&[release("3.7", &many)], "3.7");
        assert!(told.contains("p3 (there is for 3.6), 2 more"), "{told}");
    }
}
