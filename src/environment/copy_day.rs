//! A date that is only that of the files' copy, beside versions that say more.

use super::date::AsOf;
use super::evidence::EvidenceKind;
use super::language::Language;
use super::need::{Certainty, PackageNeed};

/// The sentence where nothing dates an analysis but its copy, though its files give versions of Python's packages,
/// of which an index has the days.
pub fn sentence(as_of: Option<&AsOf>, needs: &[PackageNeed]) -> Option<String> {
    let as_of = as_of.filter(|as_of| as_of.from == EvidenceKind::CopyDay)?;
    let mut exact = needs
        .iter()
        .filter(|need| need.language == Language::Python && need.certainty == Certainty::Exact);
    let first = exact.find_map(|need| Some(format!("{} {}", need.package, need.version.as_ref()?)))?;
    let others = match exact.count() {
        0 => String::new(),
        others => format!(" and {others} more"),
    };
    Some(format!(
        "Only the copy dates the analysis ({}), and the files give versions ({first}{others}): the Python of that day may be too new \
         for them. `--lock` asks the index when they came, and goes by the newest one's day; or say it with `--as-of`.",
        as_of.day
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::environment::date::choose;
    use crate::environment::evidence::Evidence;

    #[test]
    fn only_the_copy_and_versions_together_are_told() {
        let as_of = |kind| {
            let evidence =
                Evidence::new(kind, "a.py", "It says so.").dated(Some("2026-11-29".parse().unwrap()));
            choose(&[evidence]).as_of
        };
        let need = |certainty, version: Option<&str>| PackageNeed {
            language: Language::Python,
            package: "numpy".to_owned(),
            loaded_as: Vec::new(),
            certainty,
            version: version.map(str::to_owned),
            bounds: Vec::new(),
            sha256: Vec::new(),
            reasons: Vec::new(),
        };
        let exact = need(Certainty::Exact, Some("1.18.1"));
        let copy = as_of(EvidenceKind::CopyDay);
        let told = sentence(copy.as_ref(), &[exact.clone(), exact.clone()]).unwrap();
        assert!(told.contains("(numpy 1.18.1 and 1 more)"), "{told}");
        assert_eq!(sentence(copy.as_ref(), &[need(Certainty::ByDate, None)]), None);
        assert_eq!(
            sentence(
                as_of(EvidenceKind::FileChange).as_ref(),
                std::slice::from_ref(&exact)
            ),
            None
        );
        assert_eq!(sentence(None, &[exact]), None);
    }
}
