//! Logs and notes: what a session says of itself, and versions that a person wrote down.

use super::super::evidence::{Evidence, EvidenceKind, FoundEvidence, Pin};
use super::super::language::Language;
use super::super::tables::releases::{last_day, release_of};
use super::prose;
use crate::domain::lazy_regex::LazyRegex;

static SESSION: LazyRegex =
    LazyRegex::new(r"\bR version ([0-9]\.[0-9]{1,2}\.[0-9]{1,2}) \(20[0-9]{2}-[0-9]{2}-[0-9]{2}\)");
static R_NOTE: LazyRegex = LazyRegex::new(
    r"(?i)\b(?:(?-i:R)-|R[`*]{0,2}(?:\s*\(?\s*(?:version|v\.?|ver\.?))?\s*[(:]?\s*v?)([2345]\.[0-9]{1,2}(?:\.[0-9]{1,2})?)\b",
);
static PYTHON_NOTE: LazyRegex =
    LazyRegex::new(r"(?i)\bpython\s*(?:version|v\.?)?\s*[(:=]?\s*v?([23]\.[0-9]{1,2}(?:\.[0-9]{1,2})?)\b");
static STATA_NOTE: LazyRegex = LazyRegex::new(
    r"(?i)\bstata(?:\s*/?\s*(?:MP|SE|IC|BE))?\s*(?:version|v\.?|release)?\s*([0-9]{1,2}(?:\.[0-9])?)\b",
);
static SPSS_NOTE: LazyRegex =
    LazyRegex::new(r"(?i)\bspss(?:\s+statistics)?\s*(?:version|v\.?)?\s*([0-9]{2}(?:\.[0-9])?)\b");
static ATTACHED: LazyRegex = LazyRegex::new(r"\b([A-Za-z][A-Za-z0-9.]*)_([0-9]+(?:[.-][0-9]+)+)\b");
static DEVTOOLS: LazyRegex = LazyRegex::new(
    r"^\s*\*?\s*([A-Za-z][A-Za-z0-9.]*)\s+\*?\s*([0-9]+(?:[.-][0-9]+)+)\s+(20[0-9]{2}-[0-9]{2}-[0-9]{2})\s",
);
static PINNED: LazyRegex =
    LazyRegex::new(r"^\s*[-*]?\s*`?([A-Za-z][A-Za-z0-9_.-]*)\s*==\s*([0-9][A-Za-z0-9.]*)`?\s*$");

/// Versions that are taken of one text.
const MOST: usize = 2_000;

/// Reads a log or a note.
pub fn read(file: &str, text: &str, found: &mut FoundEvidence) {
    let has_session = session(file, text, found);
    if !has_session {
        notes(file, text, found);
        prose::read(file, text, found);
    }
    for (at, line) in text.lines().enumerate() {
        if let Some(pinned) = PINNED.captures(line) {
            pin(
                Language::Python,
                EvidenceKind::Readme,
                [&pinned[1], &pinned[2]],
                file,
                at + 1,
                found,
            );
        }
    }
}

/// `sessionInfo()` and `devtools::session_info()`.
fn session(file: &str, text: &str, found: &mut FoundEvidence) -> bool {
    let Some(first) = text.lines().position(|line| SESSION.is_match(line)) else {
        return false;
    };
    let version = text.lines().nth(first).and_then(|line| SESSION.captures(line));
    let Some(version) = version.map(|version| version[1].to_owned()) else {
        return false;
    };
    let release = release_of(Language::R, &version).filter(|release| release.version == version);
    let until = release.and_then(|release| last_day(Language::R, release));
    let when = until.map_or(String::new(), |day| format!("; it was the newest until {day}"));
    let says = format!("A session ran on R {version}{when}.");
    let mut evidence = Evidence::new(EvidenceKind::SessionInfo, file, says)
        .at(first + 1)
        .dated(until)
        .naming(Language::R, &version);
    evidence.not_before = release.map(|release| release.from);
    found.evidence.push(evidence);
    for (at, line) in text.lines().enumerate().skip(first) {
        if line.trim_start().starts_with('[') {
            for one in ATTACHED.captures_iter(line) {
                pin(
                    Language::R,
                    EvidenceKind::SessionInfo,
                    [&one[1], &one[2]],
                    file,
                    at + 1,
                    found,
                );
            }
        } else if let Some(one) = DEVTOOLS.captures(line) {
            pin(
                Language::R,
                EvidenceKind::SessionInfo,
                [&one[1], &one[2]],
                file,
                at + 1,
                found,
            );
        }
        if found.pins.len() > MOST {
            found.fault(file, format!("more than {MOST} packages: the rest is not read"));
            break;
        }
    }
    true
}

fn pin(
    language: Language,
    kind: EvidenceKind,
    named: [&str; 2],
    file: &str,
    line: usize,
    found: &mut FoundEvidence,
) {
    let [name, version] = named;
    let pin = Pin::new(language, name, kind, file, line);
    found.pins.push(pin.with_version(Some(version.to_owned())));
}

/// Versions that are written in a note, the first of each language.
fn notes(file: &str, text: &str, found: &mut FoundEvidence) {
    let expressions = [
        (Language::R, &R_NOTE),
        (Language::Python, &PYTHON_NOTE),
        (Language::Stata, &STATA_NOTE),
        (Language::Spss, &SPSS_NOTE),
    ];
    for (language, expression) in expressions {
        let mut lines = text.lines().enumerate();
        let named = lines.find_map(|(at, line)| Some((at, expression.captures(line)?[1].to_owned())));
        let Some((at, version)) = named else { continue };
        let says = format!("It names {language} {version}.");
        let evidence = Evidence::new(EvidenceKind::Readme, file, says).at(at + 1);
        found.evidence.push(evidence.of_the_time_of(language, &version));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read_text(text: &str) -> FoundEvidence {
        let mut found = FoundEvidence::default();
        read("log.txt", text, &mut found);
        found
    }

    #[test]
    fn a_session_tells_r_and_its_packages() {
        let text = "> sessionInfo()\nR version 3.6.1 (2019-07-05)\nPlatform: x86_64\n\nattached base packages:\n[1] stats graphics\n\n\
                    other attached packages:\n[1] lmerTest_3.1-0 lme4_1.1-21\n[3] Matrix_1.2-17\n\nloaded via a namespace (and not attached):\n [1] Rcpp_1.0.2\n";
        let found = read_text(text);
        let first = &found.evidence[0];
        assert_eq!((first.kind, first.line), (EvidenceKind::SessionInfo, Some(2)));
        assert_eq!(first.date.unwrap().to_string(), "2019-12-11");
        let pins: Vec<String> = (found.pins.iter())
            .map(|pin| format!("{} {}", pin.name, pin.version.as_deref().unwrap()))
            .collect();
        assert_eq!(
            pins,
            ["lmerTest 3.1-0", "lme4 1.1-21", "Matrix 1.2-17", "Rcpp 1.0.2"]
        );
        let found = read_text(
            " version  R version 4.0.3 (2020-10-10)\n package * version date lib source\n dplyr * 1.0.2 2020-08-18 [1] CRAN\n",
        );
        assert_eq!(found.pins[0].version.as_deref(), Some("1.0.2"));
    }

    #[test]
    fn notes_name_versions() {
        let named = |text: &str| {
            let found = read_text(text);
            let all = found.evidence.into_iter();
            all.filter_map(|one| one.interpreter)
                .map(|one| format!("{} {}", one.language, one.version))
                .collect::<Vec<_>>()
        };
        for (text, release) in [
            ("run in R (version 3.5.1)", "R 3.5.1"),
            ("**R** 4.0.2", "R 4.0.2"),
            ("`R` (v. 3.6.1)", "R 3.6.1"),
            ("R-4.1.0 and later", "R 4.1.0"),
        ] {
            assert_eq!(named(text), [release], "{text}");
        }
        for other in ["number-3.2.1", "for-4.0.1", "r-4.1", "R-squared (4.1.0)"] {
            assert_eq!(named(other), Vec::<String>::new(), "{other}");
        }
        assert_eq!(
            named("We used R 3.5.2 and Python 3.7, and Stata/MP 15.1."),
            ["R 3.5.2", "Python 3.7", "Stata 15.1"]
        );
        assert_eq!(
            named("R version 4.0.2, SPSS Statistics 26"),
            ["R 4.0.2", "SPSS 26"]
        );
        assert_eq!(
            named("r = 0.45, p < .05; for 4.1 % of them"),
            Vec::<String>::new()
        );
        assert_eq!(read_text("numpy==1.16.4\n").pins.len(), 1);
    }
}
