//! The `DESCRIPTION` of a package or compendium of R.

use super::super::evidence::{Evidence, EvidenceKind, FoundEvidence, Pin};
use super::super::language::Language;
use super::super::r_archive::description::parse;
use crate::domain::lazy_regex::LazyRegex;

static DATED: LazyRegex = LazyRegex::new(r"(?m)^Date(/Publication)?:[ \t]*([0-9]{4}-[0-9]{2}-[0-9]{2})\b");
/// A field of a package that was installed or came from an archive: it is not the analysis itself.
static FOREIGN: LazyRegex = LazyRegex::new(r"(?m)^(?:Built|Repository):");
static NAMED: LazyRegex = LazyRegex::new(r"(?m)^Package:[ \t]*([A-Za-z][A-Za-z0-9.]*)[ \t]*$");
static OWN: LazyRegex = LazyRegex::new(r"(?m)^(?:Package|Imports|Depends|Type):");

/// The name of the package that the file describes; `None` where that was installed or came from an archive.
pub fn own_name(text: &str) -> Option<String> {
    let name = NAMED.captures(text).filter(|_| !FOREIGN.is_match(text))?;
    Some(name[1].to_owned())
}

/// Reads what it needs, the least R and its day.
pub fn read(file: &str, text: &str, found: &mut FoundEvidence) {
    if FOREIGN.is_match(text) || !OWN.is_match(text) {
        return;
    }
    let description = parse(text);
    let kind = EvidenceKind::LockFile;
    let line_of = |name: &str| {
        let is_word = |line: &&str| {
            line.split(|letter: char| !letter.is_ascii_alphanumeric() && letter != '.')
                .any(|word| word == name)
        };
        let mut lines = text
            .lines()
            .enumerate()
            .filter(|(_, line)| !line.starts_with("Package:"));
        lines.find(|(_, line)| is_word(line)).map_or(1, |(at, _)| at + 1)
    };
    if let Some(bound) = &description.r {
        let says = format!("The package is for R {bound}.");
        let evidence = Evidence::new(kind, file, says).at(line_of("R"));
        found.evidence.push(match bound.strip_prefix(">=") {
            Some(least) => evidence.naming(Language::R, &format!(">={}", least.trim())),
            None => evidence,
        });
    }
    for dated in DATED.captures_iter(text) {
        let (kind, does) = match dated.get(1) {
            Some(_) => (EvidenceKind::Deposit, "was published"),
            None => (EvidenceKind::WrittenDate, "is dated"),
        };
        let says = format!("The package {does} {}.", &dated[2]);
        found
            .evidence
            .push(Evidence::new(kind, file, says).dated(dated[2].parse().ok()));
    }
    for need in &description.needs {
        let pin = Pin::new(Language::R, &need.name, kind, file, line_of(&need.name));
        let bound = need.bound.as_deref().map(|bound| bound.replace(' ', ""));
        found.pins.push(
            match bound.as_deref().and_then(|bound| bound.strip_prefix("==")) {
                Some(version) => pin.with_version(Some(version.to_owned())),
                None => Pin { bounds: bound, ..pin },
            },
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::environment::evidence_files::shown_pins;

    #[test]
    fn needs_the_least_r_and_the_day() {
        let text = "Type: Compendium\nPackage: paper\nDate: 2019-05-06\nDepends: R (>= 3.5.0)\nImports:\n    dplyr (>= 0.8.0),\n    \
                    lme4 (== 1.1-21),\n    here\nSuggests: testthat\n";
        let mut found = FoundEvidence::default();
        read("DESCRIPTION", text, &mut found);
        assert_eq!(shown_pins(&found), ["dplyr||>=0.8.0", "here||", "lme4|1.1-21|"]);
        assert_eq!(found.pins[0].line, 6);
        assert_eq!(found.evidence[0].interpreter.as_ref().unwrap().version, ">=3.5.0");
        assert_eq!(found.evidence[1].date.unwrap().to_string(), "2019-05-06");
        // A package that was installed, and data of that name, are no evidence.
        for other in [
            "Package: dplyr\nImports: rlang\nBuilt: R 4.0.3\n",
            "Prices of houses: in thousands\n",
        ] {
            let mut found = FoundEvidence::default();
            read("lib/DESCRIPTION", other, &mut found);
            assert!(found.pins.is_empty() && found.evidence.is_empty(), "{other}");
        }
    }
}
