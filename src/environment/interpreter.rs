//! The interpreter of an analysis: as evidence names it, else the one of its time.

use jiff::civil::Date;
use serde::{Deserialize, Serialize};

use super::date::months_before;
use super::evidence::Evidence;
use super::language::Language;
use super::release_span::{ReleaseSpan, release_numbers};
use super::release_wheels::ReleaseWheels;
use super::tables::releases::{newest_at, release_of};

/// Months that a release of Python is out before analyses are run with it.
const ADOPTED: i32 = 6;

/// The interpreter for a language.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct InterpreterChoice {
    pub language: Language,
    /// `None` where nothing tells it.
    pub version: Option<String>,
    /// Whole sentences.
    pub reason: String,
    /// The releases that may stand in its place; `None` where evidence names the version, or nothing tells it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub others: Option<ReleaseSpan>,
    /// The releases that were held against an index's wheels, the first choice first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub wheels: Vec<ReleaseWheels>,
}

impl InterpreterChoice {
    /// A version that stands for a reason.
    pub fn new(language: Language, version: Option<String>, reason: String) -> Self {
        Self {
            language,
            version,
            reason,
            others: None,
            wheels: Vec::new(),
        }
    }
}

/// An interpreter, and the evidence that speaks against it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InterpreterFinding {
    pub choice: InterpreterChoice,
    /// Whole sentences.
    pub contradictions: Vec<String>,
}

fn numbers(version: &str) -> Vec<u32> {
    let version = version.trim_start_matches(['>', '=']);
    version.split('.').map_while(|part| part.parse().ok()).collect()
}

/// Chooses the interpreter of a language at a day.
pub fn choose(language: Language, day: Option<Date>, evidence: &[Evidence]) -> InterpreterFinding {
    let named: Vec<NamedBy<'_>> = evidence
        .iter()
        .filter_map(|one| NamedBy::of(language, one))
        .collect();
    let least = named
        .iter()
        .filter(|one| one.is_least)
        .max_by_key(|one| numbers(one.version));
    let exact = named
        .iter()
        .filter(|one| !one.is_least)
        .max_by_key(|one| one.evidence.weight);
    let choice = match exact {
        Some(exact) => {
            let reason = format!("{}: {}", exact.place(), exact.evidence.says);
            InterpreterChoice::new(language, Some(exact.version.to_owned()), reason)
        }
        None => by_date(language, day, least),
    };
    let contradictions = match &choice.version {
        Some(version) => named.iter().filter_map(|one| one.against(version)).collect(),
        None => Vec::new(),
    };
    InterpreterFinding {
        choice,
        contradictions,
    }
}

struct NamedBy<'a> {
    evidence: &'a Evidence,
    version: &'a str,
    /// Whether it is a least version.
    is_least: bool,
}

impl<'a> NamedBy<'a> {
    fn of(language: Language, evidence: &'a Evidence) -> Option<Self> {
        let named = evidence
            .interpreter
            .as_ref()
            .filter(|named| named.language == language)?;
        Some(Self {
            evidence,
            version: named.version.trim_start_matches(">="),
            is_least: named.version.starts_with(">="),
        })
    }

    fn place(&self) -> String {
        match self.evidence.line {
            Some(line) => format!("{}, line {line}", self.evidence.file),
            None => self.evidence.file.clone(),
        }
    }

    /// The sentence where it speaks against a version.
    fn against(&self, version: &str) -> Option<String> {
        let (own, chosen) = (numbers(self.version), numbers(version));
        let common = own.len().min(chosen.len());
        let fits = match self.is_least {
            true => chosen[..common] >= own[..common],
            false => chosen[..common] == own[..common],
        };
        (!fits).then(|| {
            format!(
                "{}: {} The chosen version is {version}.",
                self.place(),
                self.evidence.says
            )
        })
    }
}

fn tells_release(language: Language, version: &str) -> bool {
    match language {
        Language::Python | Language::R => release_numbers(version).is_some(),
        Language::Stata | Language::Spss => true,
    }
}

fn by_date(language: Language, day: Option<Date>, least: Option<&NamedBy<'_>>) -> InterpreterChoice {
    let adopted = match language {
        Language::Python => day.map(|day| months_before(day, ADOPTED)),
        _ => day,
    };
    let of_time = adopted.and_then(|adopted| newest_at(language, adopted));
    let (version, reason) = match (of_time, least, day) {
        (Some(release), Some(least), _) if numbers(&release.version) < numbers(least.version) => {
            let version =
                release_of(language, least.version).map_or(least.version, |release| &release.version);
            let reason = format!(
                "{}: {} It is newer than the date.",
                least.place(),
                least.evidence.says
            );
            (Some(version.to_owned()), reason)
        }
        (Some(release), _, Some(day)) => {
            let since = match language {
                Language::Python => format!("the newest that was out {ADOPTED} months before {day}"),
                _ => format!("the newest on {day}"),
            };
            (
                Some(release.version.clone()),
                format!("{language} {} was {since}.", release.version),
            )
        }
        // Of Python and R a major number alone tells no release.
        (_, Some(least), _) if tells_release(language, least.version) => (
            Some(least.version.to_owned()),
            format!("{}: {}", least.place(), least.evidence.says),
        ),
        _ => (None, format!("Nothing tells the version of {language}.")),
    };
    let mut choice = InterpreterChoice::new(language, version, reason);
    choice.others = match (language, &choice.version) {
        (Language::Python, Some(version)) => least
            .filter(|least| release_numbers(least.version).is_some())
            .map(|least| ReleaseSpan::since(least.version))
            .or_else(|| of_major(version)),
        _ => None,
    };
    choice
}

/// The releases of Python with a version's major number; none of Python 2, which has one.
fn of_major(version: &str) -> Option<ReleaseSpan> {
    let (major, _) = release_numbers(version)?;
    (major > 2).then(|| ReleaseSpan::since(&format!("{major}.0")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::environment::evidence::EvidenceKind;

    fn named(kind: EvidenceKind, version: &str) -> Evidence {
        Evidence::new(kind, "file", "It says so.").naming(Language::Python, version)
    }

    fn chosen(day: &str, evidence: &[Evidence]) -> InterpreterFinding {
        choose(Language::Python, day.parse().ok(), evidence)
    }

    #[test]
    fn python_is_that_of_the_time_unless_evidence_names_it() {
        let version = |day: &str| chosen(day, &[]).choice.version;
        assert_eq!(version("2017-06-30").as_deref(), Some("3.6"));
        assert_eq!(version("2019-06-30").as_deref(), Some("3.7"));
        assert_eq!(version("2021-06-30").as_deref(), Some("3.9"));
        assert_eq!(version(""), None);
        let found = chosen("2019-06-30", &[named(EvidenceKind::Syntax, ">=3.8")]);
        assert_eq!(found.choice.version.as_deref(), Some("3.8"));
        let found = chosen(
            "2019-06-30",
            &[
                named(EvidenceKind::Readme, "3.6.1"),
                named(EvidenceKind::Dockerfile, "3.7"),
                named(EvidenceKind::Syntax, ">=3.8"),
            ],
        );
        assert_eq!(found.choice.version.as_deref(), Some("3.7"));
        assert_eq!(found.contradictions.len(), 2, "{:?}", found.contradictions);
        let r = choose(Language::R, "2019-12-12".parse().ok(), &[]);
        assert_eq!(r.choice.version.as_deref(), Some("3.6.2"));
    }

    #[test]
    fn a_major_number_alone_leaves_the_release_to_the_date() {
        let major = named(EvidenceKind::Dockerfile, ">=3");
        let found = chosen("2019-06-30", std::slice::from_ref(&major));
        assert_eq!(found.choice.version.as_deref(), Some("3.7"));
        assert!(found.choice.others.unwrap().admits("3.6") && found.contradictions.is_empty());
        assert_eq!(chosen("", &[major]).choice.version, None);
        let stata =
            Evidence::new(EvidenceKind::Syntax, "a.do", "It says so.").naming(Language::Stata, ">=14");
        let found = choose(Language::Stata, None, &[stata]);
        assert_eq!(found.choice.version.as_deref(), Some("14"));
    }

    #[test]
    fn only_a_release_of_the_time_may_give_way_to_others() {
        let others = |day: &str, evidence: &[Evidence]| chosen(day, evidence).choice.others;
        let by_day = others("2019-06-30", &[]).unwrap();
        assert!(by_day.admits("3.6") && by_day.admits("3.8") && !by_day.admits("2.7"));
        let syntax = named(EvidenceKind::Syntax, ">=3.6");
        let bounded = others("2019-06-30", std::slice::from_ref(&syntax)).unwrap();
        assert!(bounded.admits("3.6") && !bounded.admits("3.5"));
        let readme = named(EvidenceKind::Readme, "3.6.1");
        assert_eq!(others("2019-06-30", &[syntax, readme]), None);
        assert_eq!(others("2012-06-30", &[]), None);
        let r = choose(Language::R, "2019-12-12".parse().ok(), &[]);
        assert_eq!(r.choice.others, None);
    }
}
