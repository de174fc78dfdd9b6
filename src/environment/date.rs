//! The date of an analysis: the strongest evidence of it, and what contradicts that.

use jiff::civil::Date;
use jiff::tz::TimeZone;
use jiff::{Timestamp, ToSpan};
use serde::{Deserialize, Serialize};

use super::evidence::{Evidence, EvidenceKind};
use super::language::Language;

/// Days between two dates of one analysis that are told as a contradiction.
const APART: i32 = 180;
/// Days for which an interpreter is in use after the next one has come out: releases of Python are for years.
const IN_USE: i64 = 365;
const PYTHON_IN_USE: i64 = 3 * 365;
/// The most that the time of an interpreter weighs, whatever names it: less than any day that is named.
const SPAN: u8 = 80;
/// Evidence of less weight is too weak to stand without a person's word.
const WEAK: u8 = 30;

/// The instant at which an environment is taken.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AsOf {
    /// The end of the day in UTC.
    pub instant: Timestamp,
    pub day: Date,
    pub from: EvidenceKind,
    /// A whole sentence.
    pub reason: String,
    /// Whether a person had better say it.
    pub weak: bool,
}

/// The date that was chosen, with its contradictions.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DateChoice {
    pub as_of: Option<AsOf>,
    /// Whole sentences.
    pub contradictions: Vec<String>,
}

/// The end of a day in UTC.
pub fn end_of(day: Date) -> Option<Timestamp> {
    let end = day.at(23, 59, 59, 0).to_zoned(TimeZone::UTC).ok()?;
    Some(end.timestamp())
}

/// Hours by which the first place on earth is ahead of UTC.
const AHEAD: i64 = 14;

/// Whether a day has begun nowhere on earth.
pub fn is_to_come(day: Date, now: Timestamp) -> bool {
    let first = now.checked_add(AHEAD.hours()).unwrap_or(now);
    day > first.to_zoned(TimeZone::UTC).date()
}

/// Chooses the date of an analysis.
pub fn choose(evidence: &[Evidence]) -> DateChoice {
    let first = first_day(evidence);
    let is_possible = |one: &&Evidence| {
        let day = one.date.filter(|_| one.kind != EvidenceKind::Told);
        first.is_none_or(|first| day.is_none_or(|day| day >= first))
    };
    let dated = evidence
        .iter()
        .filter(|one| one.date.is_some())
        .filter(is_possible);
    let strongest = dated.clone().max_by_key(|one| (date_weight(one), one.date));
    let Some(strongest) = strongest else {
        return DateChoice::default();
    };
    let chosen = more_exact(strongest, dated.clone()).unwrap_or(strongest);
    let Some((day, instant)) = chosen.date.and_then(|day| Some((day, end_of(day)?))) else {
        return DateChoice::default();
    };
    DateChoice {
        as_of: Some(AsOf {
            instant,
            day,
            from: chosen.kind,
            reason: reason(chosen),
            weak: chosen.weight < WEAK,
        }),
        contradictions: contradictions(chosen, day, evidence),
    }
}

/// The day before which no analysis can be: that on which the newest interpreter came out which its files name.
fn first_day(evidence: &[Evidence]) -> Option<Date> {
    let named = evidence
        .iter()
        .filter(|one| one.weight >= WEAK && one.date.is_some());
    named.filter_map(|one| one.not_before).max()
}

/// The weight of evidence as to the date: the time of an interpreter is a span, whatever names it.
fn date_weight(evidence: &Evidence) -> u8 {
    match evidence.not_before {
        Some(_) => evidence.weight.min(SPAN),
        None => evidence.weight,
    }
}

/// An interpreter's time is a span of months: a date inside of it is more exact.
fn more_exact<'a>(strongest: &Evidence, dated: impl Iterator<Item = &'a Evidence>) -> Option<&'a Evidence> {
    let first = strongest.not_before?;
    let named = strongest.interpreter.as_ref();
    let in_use = match named.map(|named| named.language) {
        Some(Language::Python) => PYTHON_IN_USE,
        _ => IN_USE,
    };
    let last = strongest.date?.checked_add(in_use.days()).ok()?;
    let inside = dated.filter(|one| one.weight >= WEAK && one.not_before.is_none());
    let inside = inside.filter(|one| one.date.is_some_and(|day| first <= day && day <= last));
    inside.max_by_key(|one| (one.weight, one.date))
}

fn place(evidence: &Evidence) -> String {
    match evidence.line {
        Some(line) => format!("{}, line {line}", evidence.file),
        None => evidence.file.clone(),
    }
}

fn reason(evidence: &Evidence) -> String {
    format!("{}: {}", place(evidence), evidence.says)
}

fn contradictions(chosen: &Evidence, day: Date, evidence: &[Evidence]) -> Vec<String> {
    let is_other = |one: &&Evidence| !std::ptr::eq(*one, chosen) && one.weight >= WEAK;
    let mut found = Vec::new();
    for other in evidence.iter().filter(is_other) {
        if let Some(first) = other.not_before.filter(|first| *first > day) {
            found.push(format!(
                "{} It came out on {first}, behind the chosen day {day} ({}).",
                reason(other),
                place(chosen)
            ));
            continue;
        }
        // Older scripts stand beside the newest one; that is no contradiction.
        let is_older_of_kind = other.kind == chosen.kind && other.date.is_some_and(|date| date <= day);
        // The time of an interpreter is a span; only its beginning can contradict.
        let Some(date) = other
            .date
            .filter(|_| other.not_before.is_none() && !is_older_of_kind)
        else {
            continue;
        };
        let apart = day.until(date).map_or(0, |span| span.get_days().abs());
        if apart > APART {
            found.push(format!(
                "{} That is {apart} days from the chosen day {day} ({}).",
                reason(other),
                place(chosen)
            ));
        }
    }
    found
}

/// The evidence of a person who names a day.
pub fn told(day: Date) -> Evidence {
    Evidence::new(
        EvidenceKind::Told,
        "--as-of",
        format!("The day {day} was asked for."),
    )
    .dated(Some(day))
}

/// The day some months before another.
pub fn months_before(day: Date, months: i32) -> Date {
    day.checked_sub(months.months()).unwrap_or(day)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn dated(kind: EvidenceKind, day: &str) -> Evidence {
        Evidence::new(kind, "file", "It says so.").dated(Some(day.parse().unwrap()))
    }

    #[test]
    fn the_strongest_wins_and_others_contradict() {
        let commit = dated(EvidenceKind::Commit, "2020-06-01");
        let lock = dated(EvidenceKind::LockFile, "2019-01-01");
        let copy = dated(EvidenceKind::CopyDay, "2026-01-01");
        let choice = choose(&[commit.clone(), lock, copy.clone()]);
        let as_of = choice.as_of.unwrap();
        assert_eq!(
            (as_of.day.to_string().as_str(), as_of.from),
            ("2019-01-01", EvidenceKind::LockFile)
        );
        assert_eq!(as_of.instant.to_string(), "2019-01-01T23:59:59Z");
        assert_eq!(choice.contradictions.len(), 1);
        assert!(
            choice.contradictions[0].contains("517 days"),
            "{:?}",
            choice.contradictions
        );
        let choice = choose(&[copy, dated(EvidenceKind::Publication, "2015-12-31")]);
        assert!(choice.as_of.unwrap().weak && choice.contradictions.is_empty());
        assert_eq!(choose(&[]), DateChoice::default());
        let choice = choose(&[commit, told("2018-05-05".parse().unwrap())]);
        assert_eq!(choice.as_of.unwrap().day.to_string(), "2018-05-05");
    }

    #[test]
    fn a_day_is_to_come_where_it_has_begun_nowhere() {
        let now = "2026-11-28T18:00:00Z".parse().unwrap();
        for (day, is_to_come) in [
            ("2026-11-28", false),
            ("2026-11-29", false),
            ("2026-11-30", true),
            ("2099-01-01", true),
        ] {
            assert_eq!(super::is_to_come(day.parse().unwrap(), now), is_to_come, "{day}");
        }
    }

    #[test]
    fn no_day_is_before_the_interpreter_that_is_named() {
        let mut session = dated(EvidenceKind::CopyDay, "2021-12-11");
        session.weight = WEAK;
        session.not_before = Some("2021-10-04".parse().unwrap());
        let older = dated(EvidenceKind::LockFile, "2019-01-01");
        let choice = choose(&[session.clone(), older.clone()]);
        assert_eq!(choice.as_of.unwrap().day.to_string(), "2021-12-11");
        assert!(
            choice.contradictions[0].contains("2021-12-11"),
            "{:?}",
            choice.contradictions
        );
        // What a person says counts all the same, and weak evidence forbids no day.
        let told = told("2018-05-05".parse().unwrap());
        assert_eq!(
            choose(&[session.clone(), told]).as_of.unwrap().day.to_string(),
            "2018-05-05"
        );
        session.weight = WEAK - 1;
        assert_eq!(
            choose(&[session, older]).as_of.unwrap().day.to_string(),
            "2019-01-01"
        );
    }

    #[test]
    fn an_interpreter_spans_its_time() {
        let mut session = dated(EvidenceKind::SessionInfo, "2019-12-11");
        session.not_before = Some("2019-07-05".parse().unwrap());
        let inside = dated(EvidenceKind::Commit, "2019-08-01");
        let choice = choose(&[session.clone(), inside]);
        assert_eq!(choice.as_of.unwrap().day.to_string(), "2019-08-01");
        assert!(choice.contradictions.is_empty());
        let later = dated(EvidenceKind::WrittenDate, "2020-03-01");
        assert_eq!(
            choose(&[session.clone(), later]).as_of.unwrap().day.to_string(),
            "2020-03-01"
        );
        let choice = choose(&[session, told("2018-01-01".parse().unwrap())]);
        assert!(
            choice.contradictions[0].contains("2019-07-05"),
            "{:?}",
            choice.contradictions
        );
    }
}
