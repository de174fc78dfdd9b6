//! Statistics in the text of a paper, as the American Psychological
//! Association's style writes them: `t(42) = 5.00, p < .001`, `b = 0.60, SE =
//! 0.12, 95% CI [0.36, 0.84]`.

use regex::{Captures, Regex};

use crate::domain::excerpt;
use crate::domain::finding::Relation;
use crate::domain::lazy_regex::LazyRegex;
use crate::domain::number_text;

use super::reported::{ReportedEffect, ReportedP, ReportedStatistic, Rounded, SurroundingWords};

/// Characters behind a statistic in which its p-value is looked for.
const REACH: usize = 90;
/// Characters behind an estimate in which its companions are looked for.
const FAR: usize = 200;
/// Most passages of one text.
const MOST: usize = 2_000;

/// Bytes around a passage in which words say what its p-value is of.
const AROUND: usize = 160;

// A number of the text has its thousands parted by commas or its decimals behind one.

static STATISTIC: LazyRegex = LazyRegex::new(
    r"(?x) \b(?P<t>t)\s?\(\s?(?P<tdf>\d[\d,]*(?:\.\d+)?)\s?\)\s?=\s?(?P<tv>-?(?:0?,\d+\b|\d+,\d{1,2}\b|(?:[1-9]\d{0,2}(?:,\d{3})+|\d+)?(?:\.\d+)?))
        | \b(?P<f>F)\s?\(\s?(?P<f1>\d+(?:\.\d+)?)\s?[,;]\s?(?P<f2>\d[\d,]*(?:\.\d+)?)\s?\)\s?=\s?(?P<fv>-?(?:0?,\d+\b|\d+,\d{1,2}\b|(?:[1-9]\d{0,2}(?:,\d{3})+|\d+)?(?:\.\d+)?))
        | (?P<c>χ\s?2|\b[Xx]2|[Cc]hi-?\s?squared?)\s?\(\s?(?P<cdf>\d+)(?:\s?,\s?[Nn]\s?=\s?\d[\d,\ ]*)?\s?\)\s?=\s?(?P<cv>-?(?:0?,\d+\b|\d+,\d{1,2}\b|(?:[1-9]\d{0,2}(?:,\d{3})+|\d+)?(?:\.\d+)?))
        | \b(?P<r>r)\s?\(\s?(?P<rdf>\d[\d,]*)\s?\)\s?=\s?(?P<rv>-?(?:0?,\d+\b|\d+,\d{1,2}\b|(?:[1-9]\d{0,2}(?:,\d{3})+|\d+)?(?:\.\d+)?))
        | \b(?P<z>[zZ])\s?=\s?(?P<zv>-?(?:0?,\d+\b|\d+,\d{1,2}\b|(?:[1-9]\d{0,2}(?:,\d{3})+|\d+)?(?:\.\d+)?))",
);
static ESTIMATE: LazyRegex = LazyRegex::new(
    r"(?:\b[bB]|β|\b[Bb]eta|\b[Cc]oefficient|\b[Ee]stimate)\s?=\s?(-?(?:0?,\d+\b|\d+,\d{1,2}\b|(?:[1-9]\d{0,2}(?:,\d{3})+|\d+)?(?:\.\d+)?))",
);
/// A ratio, whose interval is one on the scale of logarithms.
static RATIO: LazyRegex = LazyRegex::new(
    r"(?:\b[Ee]xp\s?\(\s?[bBβ]\s?\)|\b[aA]?OR|\b[aA]?HR|\b[aA]?RR|\bIRR|\b(?:[Oo]dds|[Hh]azard|[Rr]isk|[Rr]ate) ratio)\s?(?:=|of)\s?(-?(?:0?,\d+\b|\d+,\d{1,2}\b|(?:[1-9]\d{0,2}(?:,\d{3})+|\d+)?(?:\.\d+)?))",
);
static ONE_SIDED: LazyRegex = LazyRegex::new(
    r"(?i)\b(?:one|1)[- ]?(?:sided|tailed)\b|(?:^|[^-])\bdirectional (?:test|hypothes|predict|p\b|alternative)",
);
/// Every test is of two sides, whatever else is mentioned.
static TWO_SIDED: LazyRegex = LazyRegex::new(
    r"(?i)\btwo[- ]?(?:sided|tailed)\b[^.]{0,80}\b(?:throughout|all)\b|\b(?:throughout|all)\b[^.]{0,80}\btwo[- ]?(?:sided|tailed)\b",
);
static ADJUSTED: LazyRegex = LazyRegex::new(
    r"(?i)\bbonferroni|\bholm\b|\btukey|\b[sš]id[aá]k|\bscheff[eé]|\bbenjamini|\bFDR\b|\bfamily-?wise|\badjusted p\b|\bcorrected p\b|\bp[- _]?adj|\bmultiple (?:comparison|test)",
);
static ERROR: LazyRegex = LazyRegex::new(
    r"(?:\bSE|\bS\.E\.|\bs\.e\.|\b[Ss]tandard error)\s?(?:=|of)\s?(-?(?:0?,\d+\b|\d+,\d{1,2}\b|(?:[1-9]\d{0,2}(?:,\d{3})+|\d+)?(?:\.\d+)?))",
);
static INTERVAL: LazyRegex = LazyRegex::new(
    r"(?:(\d{2}(?:\.\d)?)\s?%\s?|\b)(?:CI|C\.\s?I\.|[Cc]onfidence interval)s?\s?[=:,]?\s?[\[\(]?\s?(-?(?:0?,\d+\b|\d+,\d{1,2}\b|(?:[1-9]\d{0,2}(?:,\d{3})+|\d+)?(?:\.\d+)?))\s?(?:,|;|to|-)\s?(-?(?:0?,\d+\b|\d+,\d{1,2}\b|(?:[1-9]\d{0,2}(?:,\d{3})+|\d+)?(?:\.\d+)?))\s?[\]\)]?",
);
static P: LazyRegex = LazyRegex::new(r"\b[pP]\s?(<|=|>)\s?(0?[.,]\d+|0|1(?:\.0+)?)");

/// The passages of a text that report a statistic or an estimate with company.
pub fn passages(text: &str) -> Vec<ReportedEffect> {
    let text: String = number_text::with_points(text)
        .chars()
        .map(|c| if c.is_whitespace() { ' ' } else { c })
        .collect();
    let mut found = statistics(&text);
    found.extend(estimates(&text));
    found
}

/// Whether a whole text says that tests are one-sided, and not that all have two sides.
pub fn says_one_sided(text: &str) -> bool {
    ONE_SIDED.is_match(text) && !TWO_SIDED.is_match(text)
}

/// What the words around a passage say of its p-value.
fn said(text: &str, start: usize, end: usize) -> SurroundingWords {
    let around = excerpt::between(text, start.saturating_sub(AROUND), end + AROUND);
    SurroundingWords {
        one_sided: ONE_SIDED.is_match(around),
        adjusted: ADJUSTED.is_match(around),
    }
}

fn statistics(text: &str) -> Vec<ReportedEffect> {
    let all: Vec<Captures> = STATISTIC.captures_iter(text).take(MOST).collect();
    let starts: Vec<usize> = all.iter().filter_map(|c| Some(c.get(0)?.start())).collect();
    all.iter()
        .enumerate()
        .filter_map(|(at, captures)| {
            let whole = captures.get(0)?;
            let statistic = statistic(captures)?;
            let end = starts.get(at + 1).copied().unwrap_or(text.len());
            let tail = sentence(text, whole.end(), end.min(whole.end() + REACH));
            let (p, length) = p_in(tail)?;
            Some(ReportedEffect {
                passage: text[whole.start()..whole.end() + length].to_owned(),
                statistic: Some(statistic),
                p: Some(p),
                said: said(text, whole.start(), whole.end() + length),
                ..ReportedEffect::default()
            })
        })
        .collect()
}

fn statistic(captures: &Captures) -> Option<(ReportedStatistic, Rounded)> {
    let number = |name| {
        captures
            .name(name)
            .and_then(|part: regex::Match| Rounded::parse(part.as_str()))
    };
    Some(if captures.name("t").is_some() {
        (ReportedStatistic::T { df: number("tdf")? }, number("tv")?)
    } else if captures.name("f").is_some() {
        let (numerator, denominator) = (number("f1")?, number("f2")?);
        (
            ReportedStatistic::F {
                numerator,
                denominator,
            },
            number("fv")?,
        )
    } else if captures.name("c").is_some() {
        (
            ReportedStatistic::ChiSquared { df: number("cdf")? },
            number("cv")?,
        )
    } else if captures.name("r").is_some() {
        (ReportedStatistic::R { df: number("rdf")? }, number("rv")?)
    } else {
        (ReportedStatistic::Z, number("zv")?)
    })
}

fn estimates(text: &str) -> Vec<ReportedEffect> {
    let mut all: Vec<(Captures, bool)> = Vec::new();
    for (pattern, is_ratio) in [(&ESTIMATE, false), (&RATIO, true)] {
        all.extend(
            pattern
                .captures_iter(text)
                .take(MOST)
                .map(|found| (found, is_ratio)),
        );
    }
    let start = |captures: &Captures| captures.get(0).map_or(0, |whole| whole.start());
    all.sort_by_key(|(captures, _)| start(captures));
    all.iter()
        .enumerate()
        .filter_map(|(at, (captures, is_ratio))| {
            let later = &all[at + 1..];
            let next = later.first().map(|(next, of_ratio)| (start(next), *of_ratio));
            let end = match next {
                // What follows the ratio of a coefficient says something of both.
                Some((_, true)) if !is_ratio => later
                    .iter()
                    .find(|(_, of_ratio)| !of_ratio)
                    .map(|(next, _)| start(next)),
                Some((start, _)) => Some(start),
                None => None,
            };
            let ratio_at = next.filter(|(_, of_ratio)| *of_ratio).map(|(start, _)| start);
            parse_estimate(text, captures, *is_ratio, end, ratio_at)
        })
        .collect()
}

/// What follows an estimate up to the next one, of which its interval stands before any ratio.
fn parse_estimate(
    text: &str,
    captures: &Captures,
    is_ratio: bool,
    end: Option<usize>,
    ratio_at: Option<usize>,
) -> Option<ReportedEffect> {
    let whole = captures.get(0)?;
    let bound = end.unwrap_or(text.len()).min(whole.end() + FAR);
    let tail = sentence(text, whole.end(), bound);
    // A bracket that closes ends what belongs to the estimate.
    let tail = &tail[..closing(tail)];
    let own = ratio_at.map_or(tail.len(), |at| (at.saturating_sub(whole.end())).min(tail.len()));
    let own = tail.get(..own)?;
    let number = |captures: &Captures, at| Rounded::parse(captures.get(at)?.as_str());
    let limits = only(&INTERVAL, own);
    // An error behind a ratio may be of either.
    let error = if is_ratio { None } else { only(&ERROR, own) };
    let reported = ReportedEffect {
        passage: text[whole.start()..whole.end() + tail.len()].trim().to_owned(),
        estimate: Some(number(captures, 1)?),
        is_ratio,
        standard_error: error.and_then(|found| number(&found, 1)),
        statistic: only(&STATISTIC, tail).and_then(|found| statistic(&found)),
        p: p_in(tail).map(|(p, _)| p),
        interval: limits
            .as_ref()
            .and_then(|found| Some((number(found, 2)?, number(found, 3)?))),
        level: limits.and_then(|found| Some(number(&found, 1)?.value / 100.0)),
        said: said(text, whole.start(), whole.end() + tail.len()),
    };
    (reported.standard_error.is_some() || reported.interval.is_some()).then_some(reported)
}

/// The match of a pattern where a text holds one and no more.
fn only<'t>(pattern: &Regex, text: &'t str) -> Option<Captures<'t>> {
    let mut matches = pattern.captures_iter(text);
    let first = matches.next()?;
    matches.next().is_none().then_some(first)
}

/// The text from a place to the end of its sentence, or to a bound.
fn sentence(text: &str, start: usize, bound: usize) -> &str {
    let tail = excerpt::between(text, start, bound);
    let stop = tail.match_indices(". ").map(|(at, _)| at).find(|at| {
        let after = tail[at + 2..].chars().next();
        after.is_none_or(char::is_uppercase) && !tail[..*at].ends_with("vs")
    });
    &tail[..stop.unwrap_or(tail.len())]
}

/// Where a bracket closes that was opened before the text.
fn closing(text: &str) -> usize {
    let mut depth = 0i32;
    for (at, character) in text.char_indices() {
        match character {
            '(' | '[' => depth += 1,
            ')' | ']' => depth -= 1,
            _ => {}
        }
        if depth < 0 {
            return at;
        }
    }
    text.len()
}

/// The only p-value of a text, and where it ends; several are none.
fn p_in(text: &str) -> Option<(ReportedP, usize)> {
    let mut all = P.captures_iter(text);
    let first = all.next()?;
    let relation = match &first[1] {
        "<" => Relation::Less,
        ">" => Relation::Greater,
        _ => Relation::Equal,
    };
    let value = Rounded::parse(first.get(2)?.as_str())?;
    Some((ReportedP { relation, value }, first.get(0)?.end()))
}

/// A p-value that is a text of its own: `< .001`, `0.03`, `p = .04`.
pub fn p_value(text: &str) -> Option<ReportedP> {
    let text = text.trim().trim_start_matches(['p', 'P']).trim();
    let written = if text.starts_with(['<', '=', '>']) {
        format!("p {text}")
    } else {
        format!("p = {text}")
    };
    let (p, end) = p_in(&written)?;
    // Words behind the number may change what it means.
    (end == written.len()).then_some(p)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A pattern that is checked by the compiler cannot be put together from parts.
    #[test]
    fn a_number_is_written_alike_in_every_pattern() {
        const NUMBER: &str = r"-?(?:0?,\d+\b|\d+,\d{1,2}\b|(?:[1-9]\d{0,2}(?:,\d{3})+|\d+)?(?:\.\d+)?)";
        for (pattern, numbers) in [
            (&STATISTIC, 5),
            (&ESTIMATE, 1),
            (&RATIO, 1),
            (&ERROR, 1),
            (&INTERVAL, 2),
        ] {
            assert_eq!(
                pattern.as_str().matches(NUMBER).count(),
                numbers,
                "{}",
                pattern.as_str()
            );
        }
    }

    #[test]
    fn the_usual_forms_are_read() {
        let text = "It grew, t(28) = 2.20, p = .03, but F(1, 57) = 4.47, MSE = 2, p < .05; χ2(2, N = 170) = 14.14, \
                    p < .01. And r(55) = .49, p < .001; z = -1.2, p = .23.";
        let found = statistics(text);
        assert_eq!(found.len(), 5, "{found:#?}");
        assert_eq!(found[0].passage, "t(28) = 2.20, p = .03");
        assert_eq!(found[4].statistic.unwrap().1.value, -1.2);
    }

    #[test]
    fn an_estimate_keeps_its_company() {
        let text = "Income mattered (b = 0.599, SE = 0.120, t(42) = 5.00, p < .001), and age (B = 1.2, 95% CI [0.4, 2.0], p = .003).";
        let found = estimates(text);
        assert_eq!(found.len(), 2, "{found:#?}");
        assert_eq!(found[0].standard_error.unwrap().value, 0.12);
        assert_eq!(
            found[1].interval.map(|(low, high)| (low.value, high.value)),
            Some((0.4, 2.0))
        );
        assert_eq!(found[1].level, Some(0.95));
    }

    #[test]
    fn an_interval_behind_a_ratio_is_the_ratio_s() {
        let found = estimates(
            "It grew, b = 0.69, exp(b) = 1.99, 95% CI [1.10, 3.60]. OR = 1.50, CI [1.10, 2.05], p = .50",
        );
        assert_eq!(found.len(), 2, "{found:#?}");
        assert!(found.iter().all(|reported| reported.is_ratio));
        assert_eq!(found[0].estimate.unwrap().value, 1.99);
        assert_eq!((found[1].level, found[1].p.is_some()), (None, true));
    }

    #[test]
    fn decimal_commas_are_no_thousands() {
        let found = estimates("(b = 0,599, SE = 0,120, 95% CI [0,36; 0,84], p = 0,03; B = 1,234, SE = ,5)");
        let values: Vec<f64> = found.iter().map(|one| one.estimate.unwrap().value).collect();
        assert_eq!(values, [0.599, 1234.0]);
        assert_eq!(found[0].standard_error.unwrap().value, 0.12);
        assert_eq!(found[1].standard_error.unwrap().value, 0.5);
        assert_eq!(found[0].p.unwrap().value.value, 0.03);
        assert_eq!(
            statistics("t(28) = 2,20, p = ,036")[0].statistic.unwrap().1.value,
            2.2
        );
    }

    #[test]
    fn a_statistic_without_its_own_p_is_left_alone() {
        assert!(statistics("t(28) = 2.20. In another study p = .9").is_empty());
        assert!(statistics("see t(2) of chapter 3, p = .03").is_empty());
    }
}
