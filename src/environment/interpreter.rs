//! The interpreter of an analysis: as evidence names it, else the one of its time.

use jiff::civil::Date;
use serde::{Deserialize, Serialize};

use super::date::months_before;
use super::evidence::{Evidence, EvidenceKind};
use super::interpreter_bounds::{InterpreterBounds, least_of};
use super::language::Language;
use super::release_span::{ReleaseSpan, release_numbers};
use super::release_wheels::ReleaseWheels;
use super::tables::releases::{Release, newest_at, releases};

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
    version.split('.').map_while(|part| part.parse().ok()).collect()
}

/// Chooses the interpreter of a language at a day.
pub fn choose(language: Language, day: Option<Date>, evidence: &[Evidence]) -> InterpreterFinding {
    let named: Vec<NamedBy<'_>> = evidence
        .iter()
        .filter_map(|one| NamedBy::of(language, one))
        .collect();
    let exact = named
        .iter()
        .filter_map(|one| Some((one, one.exact?)))
        .max_by_key(|(one, _)| one.evidence.weight);
    let choice = match exact {
        Some((one, version)) => InterpreterChoice::new(language, Some(version.to_owned()), one.says()),
        None => by_date(language, day, &named),
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
    /// The very version.
    exact: Option<&'a str>,
    least: Option<&'a str>,
    bounds: Option<InterpreterBounds>,
}

impl<'a> NamedBy<'a> {
    fn of(language: Language, evidence: &'a Evidence) -> Option<Self> {
        let named = evidence
            .interpreter
            .as_ref()
            .filter(|named| named.language == language)?;
        let version = named.version.as_str();
        let is_exact = version.starts_with(|letter: char| letter.is_ascii_digit());
        Some(Self {
            evidence,
            exact: Some(version).filter(|_| is_exact),
            least: least_of(version).filter(|_| !is_exact),
            bounds: InterpreterBounds::parse(version).filter(|_| !is_exact),
        })
    }

    fn place(&self) -> String {
        match self.evidence.line {
            Some(line) => format!("{}, line {line}", self.evidence.file),
            None => self.evidence.file.clone(),
        }
    }

    fn says(&self) -> String {
        format!("{}: {}", self.place(), self.evidence.says)
    }

    fn admits(&self, version: &str) -> bool {
        match (self.exact, &self.bounds) {
            (Some(own), _) => {
                let (own, other) = (numbers(own), numbers(version));
                let common = own.len().min(other.len());
                own[..common] == other[..common]
            }
            (None, Some(bounds)) => bounds.admits(version),
            (None, None) => true,
        }
    }

    /// The sentence where it speaks against a version.
    fn against(&self, version: &str) -> Option<String> {
        (!self.admits(version)).then(|| format!("{} The chosen version is {version}.", self.says()))
    }
}

fn tells_release(language: Language, version: &str) -> bool {
    match language {
        Language::Python | Language::R => release_numbers(version).is_some(),
        Language::Stata | Language::Spss => true,
    }
}

/// The bounds that some release keeps together: those of syntax first, since other releases cannot read the
/// scripts, then by weight.
fn kept<'a, 'b>(language: Language, named: &'b [NamedBy<'a>]) -> Vec<&'b NamedBy<'a>> {
    let mut bounds: Vec<&NamedBy<'_>> = named.iter().filter(|one| one.bounds.is_some()).collect();
    bounds.sort_by_key(|one| {
        let is_syntax = one.evidence.kind == EvidenceKind::Syntax;
        (!is_syntax, std::cmp::Reverse(one.evidence.weight))
    });
    let mut left: Vec<&Release> = releases(language).iter().collect();
    bounds.retain(|one| {
        let admitted: Vec<&Release> = left
            .iter()
            .copied()
            .filter(|other| one.admits(&other.version))
            .collect();
        let is_kept = !admitted.is_empty();
        if is_kept {
            left = admitted;
        }
        is_kept
    });
    bounds
}

fn by_date(language: Language, day: Option<Date>, named: &[NamedBy<'_>]) -> InterpreterChoice {
    let kept = kept(language, named);
    let all = releases(language);
    let least = named
        .iter()
        .filter_map(|one| Some((one, one.least?)))
        .max_by_key(|(_, least)| numbers(least));
    let is_behind_all = |one: &NamedBy<'_>| !all.iter().any(|release| one.admits(&release.version));
    let (version, reason) = match (of_time(language, day, &kept), least) {
        // Of Python and R a major number alone tells no release.
        (None, Some((one, least))) if tells_release(language, least) => (Some(least.to_owned()), one.says()),
        (Some(_), Some((one, least))) if tells_release(language, least) && is_behind_all(one) => (
            Some(least.to_owned()),
            format!("{} It is newer than the date.", one.says()),
        ),
        (Some((version, reason)), _) => (Some(version), reason),
        (None, _) => newest_of(language, &kept),
    };
    let mut choice = InterpreterChoice::new(language, version, reason);
    choice.others = match (language, &choice.version) {
        (Language::Python, Some(version)) => of_major(version).map(|span| narrowed(span, version, &kept)),
        _ => None,
    };
    choice
}

/// The release of a day that keeps some bounds, with the reason.
fn of_time(language: Language, day: Option<Date>, kept: &[&NamedBy<'_>]) -> Option<(String, String)> {
    let day = day?;
    let (adopted, since) = match language {
        Language::Python => (
            months_before(day, ADOPTED),
            format!("that was out {ADOPTED} months before {day}"),
        ),
        _ => (day, format!("on {day}")),
    };
    let release = newest_at(language, adopted)?;
    let Some(against) = kept.iter().find(|one| !one.admits(&release.version)) else {
        let reason = format!("{language} {} was the newest {since}.", release.version);
        return Some((release.version.clone(), reason));
    };
    let is_kept = |other: &&Release| kept.iter().all(|one| one.admits(&other.version));
    let all = releases(language);
    let older = all
        .iter()
        .rev()
        .filter(|other| other.from <= adopted)
        .find(is_kept);
    let (chosen, why) = match (older, all.iter().find(is_kept)) {
        (Some(older), _) => {
            let why = format!("{language} {} was the newest of these {since}.", older.version);
            (older, why)
        }
        (None, Some(newer)) => (newer, "It is newer than the date.".to_owned()),
        (None, None) => return None,
    };
    Some((chosen.version.clone(), format!("{} {why}", against.says())))
}

/// The newest release that keeps bounds without a least version, where nothing tells a day.
fn newest_of(language: Language, kept: &[&NamedBy<'_>]) -> (Option<String>, String) {
    let bounding = kept.iter().find(|one| one.least.is_none());
    let is_kept = |other: &&Release| kept.iter().all(|one| one.admits(&other.version));
    let newest = releases(language).iter().rev().find(is_kept);
    match (bounding, newest) {
        (Some(one), Some(newest)) => {
            let reason = format!(
                "{} {language} {} is the newest of these.",
                one.says(),
                newest.version
            );
            (Some(newest.version.clone()), reason)
        }
        _ => (None, format!("Nothing tells the version of {language}.")),
    }
}

/// The releases of Python with a version's major number; none of Python 2, which has one.
fn of_major(version: &str) -> Option<ReleaseSpan> {
    let (major, _) = release_numbers(version)?;
    (major > 2).then(|| ReleaseSpan::since(&format!("{major}.0")))
}

/// A span without the releases that bounds leave out, and those beyond them.
fn narrowed(span: ReleaseSpan, chosen: &str, kept: &[&NamedBy<'_>]) -> ReleaseSpan {
    let own = release_numbers(chosen);
    let all = releases(Language::Python).iter();
    let left_out = all.filter(|other| kept.iter().any(|one| !one.admits(&other.version)));
    let numbers = left_out.filter_map(|other| release_numbers(&other.version));
    numbers.fold(span, |span, (major, minor)| match Some((major, minor)) < own {
        true => span.not_before(&format!("{major}.{}", minor + 1)),
        false => span.not_behind(&format!("{major}.{}", minor.saturating_sub(1))),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

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
    #[test]
    fn bounds_are_held_at_both_ends() {
        let bounded = |day: &str, bounds: &[&str]| {
            let all: Vec<Evidence> = bounds
                .iter()
                .map(|bounds| named(EvidenceKind::LockFile, bounds))
                .collect();
            chosen(day, &all)
        };
        let version = |day: &str, bounds: &[&str]| bounded(day, bounds).choice.version.unwrap();
        // The day alone would tell 3.11.
        assert_eq!(version("2023-06-30", &[">=3.7,<3.10"]), "3.9");
        assert_eq!(version("2023-06-30", &["<3.9"]), "3.8");
        assert_eq!(version("2023-06-30", &["!=3.11.*,>=3.7"]), "3.10");
        assert_eq!(
            version("2023-06-30", &[">=3.7", "<3.10", ">=2.7,<3 || >=3.5"]),
            "3.9"
        );
        assert_eq!(version("2023-06-30", &[">=3.7,<4"]), "3.11");
        // Every release within the bounds is newer than the day: the oldest.
        assert_eq!(version("2019-06-30", &[">=3.9,<3.12"]), "3.9");
        // No day: the least version, else the newest that the bounds leave.
        assert_eq!(version("", &[">=3.7,<3.10"]), "3.7");
        assert_eq!(version("", &["<3.9"]), "3.8");
        let found = bounded("2023-06-30", &[">=3.7,<3.10"]);
        assert!(
            found.choice.reason.contains("3.9 was the newest of these"),
            "{}",
            found.choice.reason
        );
        assert!(found.contradictions.is_empty());
        let others = found.choice.others.unwrap();
        assert!(others.admits("3.7") && !others.admits("3.6") && !others.admits("3.10"));
        // Python 2 and 3: others are of the chosen one's major number.
        let both = bounded("2019-06-30", &[">=2.7,!=3.0.*,!=3.4.*"]).choice;
        assert!(both.others.unwrap().admits("3.6"));
    }

    #[test]
    fn bounds_that_exclude_one_another_are_told() {
        let all = [
            named(EvidenceKind::LockFile, ">=3.7,<3.8"),
            named(EvidenceKind::Syntax, ">=3.8"),
        ];
        let found = chosen("2021-06-30", &all);
        // Scripts that 3.7 cannot read did not run on it.
        assert_eq!(found.choice.version.as_deref(), Some("3.9"));
        assert_eq!(found.contradictions.len(), 1, "{:?}", found.contradictions);
        let found = chosen("2021-06-30", &[named(EvidenceKind::LockFile, ">=3.30")]);
        assert_eq!(found.choice.version.as_deref(), Some("3.30"));
        // A lock's interpreter outside of the project's bounds.
        let all = [
            named(EvidenceKind::LockFile, ">=3.7,<3.10"),
            named(EvidenceKind::SessionInfo, "3.11.2"),
        ];
        let found = chosen("2023-06-30", &all);
        assert_eq!(found.choice.version.as_deref(), Some("3.11.2"));
        assert!(found.contradictions[0].contains("The chosen version is 3.11.2"));
    }
}
