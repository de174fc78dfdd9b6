//! Prose of notes: versions of packages that a person names, and the day on which analyses were run.

use super::super::evidence::{Evidence, EvidenceKind, FoundEvidence, Pin};
use super::super::language::Language;
use super::super::tables::{python_names, r_packages};
use super::written_dates::days;
use crate::domain::excerpt;
use crate::domain::lazy_regex::LazyRegex;

static NAMED: LazyRegex = LazyRegex::new(
    r"(?i)\b([a-z][a-z0-9._-]*[a-z0-9])[`*]{0,2},?\s*\(?\s*(version|ver\.?|v\.?)?\s*([0-9]+(?:[.-][0-9]+)+)\)?\s*(\+|or\s+(?:higher|later|newer|above)|and\s+(?:higher|later|newer|above))?",
);
/// Words of sentences that name a version which was not used.
static OTHERWISE: LazyRegex = LazyRegex::new(
    r"(?i)\b(?:not|never|cannot|fails?|broken?|breaks|before|since|older|newer than|later than|than|until|bugs?|instead|deprecated|removed|from)\b",
);
static RAN: LazyRegex = LazyRegex::new(
    r"(?i)\b(?:analys[ei]s|script|scripts|code|models|computations|results)\s[^.;]{0,60}?\b(?:run|ran|executed|performed|conducted|computed|completed|finished)\s+(?:\w+\s+)?on\b",
);
static DATA: LazyRegex =
    LazyRegex::new(r"(?i)\b(?:downloaded|collected|accessed|retrieved|obtained|registered)\b");

/// Characters behind `run on` in which the day stands.
const WINDOW: usize = 40;
/// Letters of a month that is cut short, at most.
const MONTH_CUT_SHORT: usize = 4;
/// Versions that are taken of one text.
const MOST: usize = 200;

/// Reads a note.
pub fn read(file: &str, text: &str, found: &mut FoundEvidence) {
    let mut left = MOST;
    for (at, line) in text.lines().enumerate() {
        // Most lines have no number at all.
        if line.bytes().any(|byte| byte.is_ascii_digit()) && !OTHERWISE.is_match(line) {
            let pins = versions(file, at + 1, line);
            found.pins.extend(pins.into_iter().take(left));
            left = MOST.saturating_sub(found.pins.len());
        }
    }
    found.evidence.extend(day_of_run(file, text));
}

fn versions(file: &str, line: usize, text: &str) -> Vec<Pin> {
    let named = NAMED.captures_iter(text).filter_map(|named| {
        let (language, name) = package(&named[1])?;
        let version = &named[3];
        // Two numbers may be anything, unless the word says that they are a version.
        let is_sure = named.get(2).is_some() || version.split(['.', '-']).count() > 2;
        let pin = Pin::new(language, &name, EvidenceKind::Readme, file, line);
        is_sure.then(|| match named.get(4) {
            Some(_) => Pin {
                bounds: Some(format!(">={version}")),
                ..pin
            },
            None => pin.with_version(Some(version.to_owned())),
        })
    });
    named.collect()
}

/// The package that a word names; none of a word that is in the tables of both languages, or of none.
fn package(word: &str) -> Option<(Language, String)> {
    let lower = word.to_ascii_lowercase();
    let python = python_names::distribution(&lower, None)
        .map(str::to_owned)
        .or_else(|| python_names::is_distribution(&lower).then(|| lower.clone()));
    let r = r_packages::known().find(|known| *known == word);
    match (python, r) {
        (Some(python), None) => Some((Language::Python, python)),
        (None, Some(r)) => Some((Language::R, r.to_owned())),
        _ => None,
    }
}

/// `Analyses were run on 12 January 2018.`
fn day_of_run(file: &str, text: &str) -> Option<Evidence> {
    let found = RAN.find_iter(text).filter_map(|ran| {
        let behind = excerpt::start(text.get(ran.end()..)?, WINDOW);
        let behind = behind.split("\n\n").next().unwrap_or_default().replace('\n', " ");
        let days = days(sentence(&behind));
        let day = days
            .first()
            .copied()
            .filter(|first| days.iter().all(|day| day == first))?;
        let line = text.get(..ran.start())?.lines().count().max(1);
        (!DATA.is_match(ran.as_str())).then_some((day, line))
    });
    let (day, line) = found.max()?;
    let says = format!("It says that analyses were run on {day}.");
    let evidence = Evidence::new(EvidenceKind::Readme, file, says);
    Some(evidence.at(line).dated(Some(day)))
}

/// The text up to a full stop; the one of a month that is cut short is none.
fn sentence(text: &str) -> &str {
    let mut stops = text.match_indices(". ").map(|(at, _)| text.split_at(at).0);
    let is_end = |before: &&str| {
        let letters = before.chars().rev().take_while(|letter| letter.is_alphabetic());
        letters.count() > MONTH_CUT_SHORT
    };
    stops.find(is_end).unwrap_or(text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::environment::evidence_files::shown_pins;

    fn pins(text: &str) -> Vec<String> {
        let mut found = FoundEvidence::default();
        read("README.md", text, &mut found);
        shown_pins(&found)
    }

    fn day(text: &str) -> Option<String> {
        let mut found = FoundEvidence::default();
        read("README.md", text, &mut found);
        found
            .evidence
            .first()
            .and_then(|one| one.date)
            .map(|day| day.to_string())
    }

    #[test]
    fn versions_in_sentences_are_pins() {
        assert_eq!(
            pins("We used pandas 0.24.2 and numpy 1.16.4 with sklearn v0.20."),
            ["pandas|0.24.2|", "numpy|1.16.4|", "scikit-learn|0.20|"]
        );
        assert_eq!(
            pins("R 3.4.3 with lme4 (version 1.1-15) and psych 1.7.8, `ggplot2` 3.1.0"),
            ["lme4|1.1-15|", "psych|1.7.8|", "ggplot2|3.1.0|"]
        );
        assert_eq!(pins("needs pandas 1.1.0 or higher"), ["pandas||>=1.1.0"]);
        for none in [
            "It does not run with pandas 1.0.0.",
            "Since pandas 0.20.1 this fails.",
            "See section 3.1.2 and figure 2.1.3.",
            "mice 2.1 of them",
            "the car 1.5 m away; boot 3.2",
            "pandas is at 10.1.2.3:8080",
            "numpy",
        ] {
            assert_eq!(pins(none), Vec::<String>::new(), "{none}");
        }
    }

    #[test]
    fn a_day_in_prose_is_that_of_the_run() {
        assert_eq!(
            day("Analyses were run on 12 January 2018.").as_deref(),
            Some("2018-01-12")
        );
        assert_eq!(
            day("All scripts were last\nrun on\nMarch 3, 2019 by us").as_deref(),
            Some("2019-03-03")
        );
        assert_eq!(
            day("The code was executed on 2020-02-01").as_deref(),
            Some("2020-02-01")
        );
        for none in [
            "Data were collected on 12 January 2018.",
            "Analyses were run on 05/06/2018.",
            "Analyses were run on a machine. We met on 12 January 2018, in the rain, as it was usual then.",
            "Analyses were run on 1 May 2018 or 2 May 2018",
            "Participants ran on 12 January 2018.",
        ] {
            assert_eq!(day(none), None, "{none}");
        }
    }
}
