//! Numbers with a label before them.

use super::label::Meaning;
use super::meaning::classify;
use super::number::{self, NumberCell};
use crate::domain::lazy_regex::LazyRegex;
use crate::domain::scale::Scale;
use crate::domain::statistic::DegreesOfFreedom;

/// The most labelled numbers that one line yields.
const MOST: usize = 200;

/// One labelled number, or an interval with both of its bounds.
#[derive(Debug, Clone, PartialEq)]
pub struct LabelledValue {
    pub meaning: Meaning,
    pub cell: Option<NumberCell>,
    /// The upper bound of an interval.
    pub second: Option<NumberCell>,
    pub level: Option<f64>,
    pub df: Option<DegreesOfFreedom>,
    pub sides: Option<u8>,
    /// The term, where the label names it: `p-value for income:`.
    pub term: Option<String>,
    /// Bytes of the line.
    pub start: usize,
    pub end: usize,
}

static VALUE: LazyRegex = LazyRegex::new(
    r#"(?ix)(?P<label>(?:unstandardized\s|standardized\s|adjusted\s|robust\s|clustered\s|mean\s)?
    (?:estimates?|est\.?|coefficients?|coeffs?\.?|coefs?\.?|betas?|slope|differences?|diff|odds[\s_]ratio|hazard[\s_]ratio|risk[\s_]ratio|rate[\s_]ratio
    |std[\s._]*err(?:ors?|\.)?|standard[\s_]errors?|stderr|bse|s\.e\.|se|irr|rrr|rr|hr|a?or|correlation|corr?|rho
    |[tzfuwh](?:[\s_-]?(?:stat(?:istic)?|values?|ratio|score))|chi-?2|chi[\s-]?sq(?:uared?)?|χ²|χ2|x²|x-squared|x2|wald|statistic
    |degrees\sof\sfreedom|df|dof
    |(?:one-sided\s|two-sided\s|one-tailed\s|two-tailed\s)?p[\s_-]?val(?:ues?)?|p[\s_](?:one|two)[\s_-](?:sided|tailed)|sig\.?
    |(?:number\sof\s|no\.\s?)?obs(?:ervations|\.)?|n[\s_]?obs|sample\ssize
    |(?:conf|ci)[._](?:low|high)|ci[\s_]?(?:lower|upper|low|high|lo|hi)|(?:lower|upper)(?:[\s_](?:ci|bound|limit))?
    |[btzfrpndguwhβ]))["']?
        (?:\s*[(\[]\s*(?P<inside>[^()\[\]]{1,60}?)\s*[)\]])?(?:\s+(?:for|of|on)\s+(?P<term>[^:=,;<>]{1,60}?))?
        (?P<separator>\s*(?:[:=≈]+|\bis\b|\bwas\b)?\s*(?:(?:np\.)?float\d*\()?\s*)
        (?P<number>[<>≤≥]?\s*=?\s*[-+]?(?:\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+\.\d*|\.\d+|\d+)(?:[eE][-+]?\d{1,4})?)"#,
);
static INTERVAL: LazyRegex = LazyRegex::new(
    r#"(?ix)(?:(?P<level>\d{2}(?:\.\d+)?)\s*%\s*|\b)
        (?:ci|c\.i\.|cri|hdi|confidence\s+interval|credible\s+interval|conf\.?\s*int(?:erval|\.)?)(?P<after>_?95)?["']?
        (?:\s*\(\s*(?P<inside>\d{2}(?:\.\d+)?)\s*%\s*\))?
        \s*[:=]?\s*[\[(]\s*(?P<lower>[-+]?(?:\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+\.\d*|\.\d+|\d+)(?:[eE][-+]?\d{1,4})?)\s*(?:,|;|\bto\b|\s-\s|\.\.)\s*(?P<upper>[-+]?(?:\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+\.\d*|\.\d+|\d+)(?:[eE][-+]?\d{1,4})?)\s*[\])]"#,
);

/// The labelled numbers of a line, from left to right.
pub fn values(text: &str) -> Vec<LabelledValue> {
    let mut found: Vec<LabelledValue> = Vec::new();
    for interval in INTERVAL.captures_iter(text).take(MOST) {
        let Some(whole) = interval.get(0) else { continue };
        let cell = |name: &str| {
            interval
                .name(name)
                .and_then(|group| number::parse(group.as_str()))
        };
        let level = ["level", "inside"]
            .iter()
            .find_map(|name| interval.name(name))
            .and_then(|group| group.as_str().parse::<f64>().ok())
            .or(interval.name("after").map(|_| 95.0));
        found.push(LabelledValue {
            meaning: Meaning::Bounds,
            cell: cell("lower"),
            second: cell("upper"),
            level: level
                .map(|level| level / 100.0)
                .filter(|level| (0.5..1.0).contains(level)),
            df: None,
            sides: None,
            term: None,
            start: whole.start(),
            end: whole.end(),
        });
    }
    let intervals: Vec<(usize, usize)> = found.iter().map(|value| (value.start, value.end)).collect();
    let mut from = 0;
    while let Some(captures) = VALUE.captures_at(text, from) {
        let Some(whole) = captures.get(0) else { break };
        if found.len() >= MOST {
            break;
        }
        let within = intervals
            .iter()
            .find(|(start, end)| whole.start() < *end && *start < whole.end());
        if let Some((_, end)) = within {
            from = (*end).max(whole.start() + 1);
        } else if let Some(value) = value_of(text, &captures, !found.is_empty()) {
            from = whole.end();
            found.push(value);
        } else {
            // The label may begin inside the match: on with its next character.
            from = whole.start() + text[whole.start()..].chars().next().map_or(1, char::len_utf8);
        }
        if from > text.len() {
            break;
        }
    }
    found.sort_by_key(|value| value.start);
    found
}

fn value_of(text: &str, captures: &regex::Captures<'_>, has_company: bool) -> Option<LabelledValue> {
    let (whole, label) = (captures.get(0)?, captures.name("label")?);
    let number_text = captures.name("number")?.as_str();
    let before = text[..label.start()].chars().next_back();
    let after = text[whole.end()..].chars().next();
    // `Prob > F = 0.03` is the probability of F.
    let lead = text[..label.start()].trim_end();
    if lead.ends_with("Prob >") || lead.ends_with("Pr >") {
        return None;
    }
    let is_joined = |c: char| c.is_alphanumeric() || c == '_';
    if before.is_some_and(|c| is_joined(c) || c == '.' || c == '-')
        || after.is_some_and(|c| is_joined(c) || c == '%')
    {
        return None;
    }
    let separator = captures.name("separator").map_or("", |group| group.as_str());
    let inside = captures.name("inside").map(|group| group.as_str());
    let is_marked =
        !separator.trim().is_empty() || number_text.trim_start().starts_with(['<', '>', '≤', '≥', '=']);
    // Without a mark a single letter is a word of a sentence or a name.
    let is_word = label.as_str().chars().count() > 1 && !label.as_str().eq_ignore_ascii_case("or");
    // Behind another labelled number a letter is a label too.
    let stands_alone = matches!(label.as_str(), "p" | "P" | "N")
        || (has_company && matches!(label.as_str(), "t" | "z" | "F" | "n"));
    if !is_marked && (separator.is_empty() || !(is_word || stands_alone)) {
        return None;
    }
    let classified = classify(label.as_str());
    let mut meaning = meaning_of(label.as_str(), classified.meaning)?;
    let mut value = LabelledValue {
        meaning,
        cell: number::parse(number_text),
        second: None,
        level: classified.level,
        df: None,
        sides: None,
        term: captures
            .name("term")
            .map(|group| super::labelled_term::clean_term(group.as_str())),
        start: label.start(),
        end: whole.end(),
    };
    if let Some(inside) = inside {
        value.df = degrees(inside);
        value.sides = sides(inside);
        let is_number = inside.starts_with(|c: char| c.is_ascii_digit());
        let is_remark = value.sides.is_some() || is_number || is_remark(inside);
        if !is_remark {
            value.term = Some(super::labelled_term::clean_term(inside));
        }
    }
    if let (Meaning::P(None), Some(sides)) = (meaning, sides(label.as_str())) {
        meaning = Meaning::P(Some(sides));
    }
    value.meaning = meaning;
    value.cell.is_some().then_some(value)
}

fn meaning_of(label: &str, classified: Meaning) -> Option<Meaning> {
    let meaning = match label {
        "d" | "g" => Meaning::Estimate(Some(Scale::Standardized)),
        "r" => Meaning::Estimate(Some(Scale::Correlation)),
        "N" | "n" => Meaning::Count,
        "D" | "G" | "R" => return None,
        _ if classified != Meaning::Unknown => classified,
        _ => bare_meaning(label)?,
    };
    Some(meaning)
}

/// A label without the word in front of it: `clustered SE`, `adjusted OR`.
fn bare_meaning(label: &str) -> Option<Meaning> {
    let lower = label.to_lowercase();
    if lower.contains("p_one")
        || lower.contains("p_two")
        || lower.starts_with("one-")
        || lower.starts_with("two-")
    {
        return Some(Meaning::P(sides(&lower)));
    }
    if lower == "aor" {
        return Some(Meaning::Estimate(Some(Scale::Ratio)));
    }
    let (first, rest) = lower.split_once(' ')?;
    let meaning = classify(rest).meaning;
    match (first, meaning) {
        (_, Meaning::Unknown) => None,
        ("standardized", Meaning::Estimate(None)) => Some(Meaning::Estimate(Some(Scale::Standardized))),
        (_, meaning) => Some(meaning),
    }
}

fn sides(text: &str) -> Option<u8> {
    let text = text.to_lowercase().replace(['-', '_'], " ");
    let has = |words: [&str; 4]| words.iter().any(|word| text.contains(word));
    if has(["two sided", "two tailed", "2 sided", "2 tailed"]) {
        Some(2)
    } else if has(["one sided", "one tailed", "1 sided", "1 tailed"]) {
        Some(1)
    } else {
        None
    }
}

/// `98`, `1, 204` and `2, N = 90` in parentheses behind a statistic.
fn degrees(inside: &str) -> Option<DegreesOfFreedom> {
    let mut parts = inside.split(',').map(str::trim);
    let first: f64 = parts
        .next()?
        .trim_start_matches("df")
        .trim_start_matches([' ', '='])
        .parse()
        .ok()?;
    match parts.next().and_then(|second| second.parse().ok()) {
        Some(second) => Some(DegreesOfFreedom::two(first, second)),
        None => Some(DegreesOfFreedom::one(first)),
    }
}

fn is_remark(inside: &str) -> bool {
    let lower = inside.to_lowercase();
    [
        "robust", "cluster", "hc", "std", "se", "log", "ols", "fe", "exact", "approx", "standard", "df",
        "welch", "usd",
    ]
    .iter()
    .any(|word| {
        lower == *word || lower.starts_with(&format!("{word} ")) || (*word == "hc" && lower.len() == 3)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A pattern that is checked by the compiler cannot be put together from parts.
    #[test]
    fn a_number_is_written_alike_in_every_pattern() {
        const NUMBER: &str =
            r"[-+]?(?:\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+\.\d*|\.\d+|\d+)(?:[eE][-+]?\d{1,4})?)";
        for (pattern, numbers) in [(&VALUE, 1), (&INTERVAL, 2)] {
            assert_eq!(
                pattern.as_str().matches(NUMBER).count(),
                numbers,
                "{}",
                pattern.as_str()
            );
        }
    }
}
