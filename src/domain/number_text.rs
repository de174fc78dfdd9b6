//! Numbers as papers and models write them.
//!
//! One pass over the text, no backtracking, at most [`MOST`] numbers.

use std::borrow::Cow;

use super::bare_number::{self, POINTS};
use super::finding::{Interval, PValue, Relation};
use super::lazy_regex::LazyRegex;

/// The most numbers that one text yields.
pub const MOST: usize = 4096;

/// A number found in a text.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Number {
    /// The value as written: `12 %` is 12.
    pub value: f64,
    /// What stood before the digits; `=` where nothing did.
    pub relation: Relation,
    /// Asterisks after the digits.
    pub stars: u8,
    /// Whether a percent sign follows.
    pub percent: bool,
    /// Whether it is written as a count: no sign, decimal point or exponent.
    pub is_whole: bool,
    /// Byte offset of the sign or first digit.
    pub start: usize,
    /// Byte offset behind the last digit.
    pub end: usize,
}

impl Number {
    /// The value as a share of one: a percentage is divided by 100.
    pub fn share(self) -> f64 {
        if self.percent {
            self.value / 100.0
        } else {
            self.value
        }
    }
}

// Sign, then digits with marks between thousands, plain digits, or a bare
// fraction, whose point may be raised; then an exponent written `e-5`, `× 10^-5` or `x 10−5`.
// A raised point before `10` and a raised power is a sign of multiplication.
static NUMBER: LazyRegex = LazyRegex::new(
    r"(?x)
        (?P<relation>[<>=≤≥≈~])?\s*
        (?P<sign>[-−–‐‑‒﹣－+])?
        (?:(?P<factor>\d+(?:[.,]\d+)?)\s?[·⋅∙]\s?10\s?(?:\^\s?[\{\(]?(?P<caret>[-−–+]?\d{1,4})[\}\)]?|(?P<raised>[-−–]\d{1,4}|[⁻⁺]?[⁰¹²³⁴-⁹]{1,4}))
        |(?P<body>
            \d{1,3}(?:[\u{a0}\u{2007}\u{2009}\u{202f}'’]\d{3})+,\d+
          | \d{1,3}(?:[,\u{a0}\u{2007}\u{2009}\u{202f}'’]\d{3})+(?:[.·‧∙⋅˙]\d+)?
          | \d{1,3}(?:\.\d{3})+,\d+ | [1-9]\d{0,2}(?:\.\d{3}){2,}
          | \d+[.·‧∙⋅˙]\d+ | \d+,\d+ | [.·‧∙⋅˙]\d+ | \d+\.? )
        (?:[eE](?P<exponent>[-−+]?\d{1,4})
          |\s?[×x*]\s?10\s?\^?\s?\{?(?P<power>[-−–+]?\d{1,4}|[⁻⁺]?[⁰¹²³⁴-⁹]{1,4})\}?)?)
        (?P<stars>\s?\*{1,4})?
        (?P<percent>\s?%)?",
);

/// Every number in `text`, from left to right.
///
/// Digits that belong to a word (`R2`, `beta1`, `95CI`) are left out. A comma
/// counts as a decimal mark only where it cannot separate thousands or list
/// items: one comma between digits, a zero before it or not three digits after
/// it, no space.
pub fn numbers(text: &str) -> Vec<Number> {
    let mut found: Vec<Number> = Vec::new();
    for captures in NUMBER.captures_iter(text) {
        if found.len() == MOST {
            break;
        }
        let body = captures.name("body").or(captures.name("factor"));
        let (Some(whole), Some(body)) = (captures.get(0), body) else {
            continue;
        };
        let power = ["power", "caret", "raised", "exponent"]
            .into_iter()
            .find_map(|name| captures.name(name));
        let sign = captures.name("sign");
        let start = sign.map_or(body.start(), |sign| sign.start());
        let before = text[..start].chars().next_back();
        let after_end = power.map_or(body.end(), |part| part.end());
        let after = text[whole.end()..].chars().next();
        // A digit before a dash makes it a range's: `0.36-0.84`. A letter
        // makes the number part of a word: `COVID-19`, `R2`.
        let dash = sign.is_some_and(|sign| sign.as_str() != "+");
        let is_range = dash && before.is_some_and(|c| c.is_ascii_digit());
        let is_joined = before.is_some_and(|c| c.is_alphanumeric() || c == '_' || c == '^');
        if (is_joined && !is_range) || after == Some('^') {
            continue;
        }
        if body.end() == whole.end() && after.is_some_and(char::is_alphabetic) && !has_unit(after) {
            continue;
        }
        let Some(magnitude) = magnitude(body.as_str()) else {
            continue;
        };
        let exponent = power.and_then(|part| bare_number::power(part.as_str()));
        let scaled = match exponent {
            // Through the decimal text, so that `1.8e-21` is the nearest double.
            Some(power) => format!("{magnitude}e{power}").parse().unwrap_or(magnitude),
            None => magnitude,
        };
        let negative = dash && !is_range;
        found.push(Number {
            value: if negative { -scaled } else { scaled },
            relation: relation(captures.name("relation").map(|part| part.as_str())),
            stars: captures
                .name("stars")
                .map_or(0, |stars| stars.as_str().trim().len().try_into().unwrap_or(4)),
            percent: captures.name("percent").is_some(),
            is_whole: sign.is_none()
                && exponent.is_none()
                && !body.as_str().ends_with('.')
                && bare_number::with_point(body.as_str()).is_none_or(|digits| !digits.contains('.')),
            start: if is_range { body.start() } else { start },
            end: after_end,
        });
    }
    found
}

/// Letters that may follow a number at once without making it part of a word.
fn has_unit(after: Option<char>) -> bool {
    matches!(after, Some('p' | 'P' | 'ª' | 'º'))
}

fn relation(mark: Option<&str>) -> Relation {
    match mark {
        Some("<" | "≤") => Relation::Less,
        Some(">" | "≥") => Relation::Greater,
        _ => Relation::Equal,
    }
}

fn magnitude(body: &str) -> Option<f64> {
    let plain = body.trim_end_matches('.');
    let is_other = |one: char| !one.is_ascii_digit() && !matches!(one, '.' | ',');
    let is_continental =
        plain.matches('.').count() > 1 || plain.rfind(',') > plain.rfind('.') && plain.contains('.');
    if plain.contains(is_other) || is_continental {
        let value: f64 = bare_number::with_point(plain)?.parse().ok()?;
        return value.is_finite().then_some(value);
    }
    let value: f64 = match plain.split_once(',') {
        // Three digits after four, as in `1957,190`, are two cells of a file or thousands, not decimals.
        Some((whole, rest))
            if !plain.contains('.') && !rest.contains(',') && (rest.len() != 3 || whole.starts_with('0')) =>
        {
            format!("{whole}.{rest}").parse().ok()?
        }
        Some(_) => plain.replace(',', "").parse().ok()?,
        None => plain.parse().ok()?,
    };
    value.is_finite().then_some(value)
}

/// A text whose raised decimal points are points, and whose raised points before a power of ten
/// are signs of multiplication; other raised points, as between factors and in lists, stay.
pub fn with_points(text: &str) -> Cow<'_, str> {
    if !text.contains(POINTS) {
        return Cow::Borrowed(text);
    }
    let mut result = String::with_capacity(text.len());
    for (at, one) in text.char_indices() {
        if !POINTS.contains(&one) {
            result.push(one);
            continue;
        }
        let before = text[..at].chars().next_back();
        let after = &text[at + one.len_utf8()..];
        let power = after.trim_start().strip_prefix("10").map(str::trim_start);
        let is_power = power.is_some_and(|rest| {
            rest.starts_with(['^', '⁻', '⁺', '-', '−', '–'])
                || rest.starts_with(['⁰', '¹', '²', '³', '⁴', '⁵', '⁶', '⁷', '⁸', '⁹'])
        });
        let begins = before.is_none_or(|one| !one.is_alphanumeric() && one != ')');
        let is_digit = |one: Option<char>| one.is_some_and(|one| one.is_ascii_digit());
        result.push(match is_digit(after.chars().next()) {
            _ if is_power && is_digit(text[..at].trim_end().chars().next_back()) => '×',
            true if begins || is_digit(before) => '.',
            _ => one,
        });
    }
    Cow::Owned(result)
}

/// Whether `text` says in words that there is no value.
pub fn is_absent(text: &str) -> bool {
    let plain = text.trim().trim_end_matches('.').to_ascii_lowercase();
    matches!(
        plain.as_str(),
        "" | "na" | "n/a" | "n.a" | "nan" | "none" | "null" | "-" | "–" | "—"
    ) || [
        "not stated",
        "not reported",
        "not applicable",
        "not available",
        "not provided",
        "not specified",
        "not given",
        "not computed",
        "not estimated",
        "not estimable",
        "unknown",
    ]
    .iter()
    .any(|words| plain.starts_with(words))
}

/// The one value that `text` states: its only number, the number behind the
/// last `=`, or else the first one.
///
/// `None` where the text says that there is none, or where several names are
/// given values (`a = 1; b = 2`) and no single one is meant.
pub fn single(text: &str) -> Option<Number> {
    if is_absent(text) {
        return None;
    }
    let found = numbers(text);
    if found.len() > 1 && text.matches('=').count() > 1 {
        return None;
    }
    if found.len() > 1
        && let Some(equals) = text.find('=')
    {
        return found.into_iter().find(|number| number.start > equals);
    }
    let first = *found.first()?;
    // A number deep inside a sentence is a remark, not the value.
    let lead = text[..first.start].trim();
    (lead.split_whitespace().count() <= 4).then_some(first)
}

/// A p-value: `p < .001`, `0.035`, `P = 2.9e-82`, `<0.01`. Several p-values
/// in one text, or a number outside 0 to 1, are none.
pub fn p_value(text: &str) -> Option<PValue> {
    if is_absent(text) {
        return None;
    }
    let found = numbers(text);
    let mut named = found.iter().filter(|number| {
        let lead = text[..number.start].trim_end_matches([' ', '<', '>', '=', '≤', '≥', '≈', '~', ':']);
        let word = lead
            .rsplit(|c: char| !c.is_alphanumeric())
            .next()
            .unwrap_or_default();
        lead.is_empty()
            || ["p", "value", "pvalue"]
                .iter()
                .any(|name| word.eq_ignore_ascii_case(name))
    });
    let first = named.next()?;
    if named.next().is_some() {
        return None;
    }
    let value = first.share();
    (0.0..=1.0).contains(&value).then_some(PValue {
        relation: first.relation,
        value,
    })
}

/// An interval: `[0.36, 0.84]`, `(−0.3 to 0.2)`, `95% CI 0.1; 0.5`. The level
/// is the percentage in the text, else 0.95. Several intervals are none.
pub fn interval(text: &str) -> Option<Interval> {
    if is_absent(text) {
        return None;
    }
    let found = numbers(text);
    let level = found
        .iter()
        .find(|number| number.percent && number.value >= 50.0 && number.value < 100.0)
        .map_or(0.95, |number| number.value / 100.0);
    let mut bounds = found
        .iter()
        .filter(|number| !(number.percent && number.value >= 50.0 && number.value < 100.0));
    let (low, high) = (bounds.next()?, bounds.next()?);
    if bounds.next().is_some() {
        return None;
    }
    (low.value <= high.value).then_some(Interval {
        lower: low.value,
        upper: high.value,
        level,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn values(text: &str) -> Vec<f64> {
        numbers(text).iter().map(|number| number.value).collect()
    }

    #[test]
    fn signs_stars_exponents_and_thousands() {
        assert_eq!(values("β = 0.599"), [0.599]);
        assert_eq!(values("−2.35**"), [-2.35]);
        assert_eq!(numbers("-2.35**")[0].stars, 2);
        assert_eq!(values("[0.36, 0.84]"), [0.36, 0.84]);
        assert_eq!(values("0.36–0.84"), [0.36, 0.84]);
        assert_eq!(values("1,234,567.5 and 12,000"), [1_234_567.5, 12_000.0]);
        assert_eq!(values("1.8e-21, 3 × 10^−5"), [1.8e-21, 3e-5]);
        assert_eq!(values("0,45, 0,599"), [0.45, 0.599]);
        assert_eq!(values("1957,190"), [1_957_190.0]);
        assert_eq!(values("1, 2, 3"), [1.0, 2.0, 3.0]);
        assert_eq!(values("-.520"), [-0.52]);
        assert_eq!(values("COVID-19, R2, x_1, 5th"), [] as [f64; 0]);
        assert!(numbers("12.5 %")[0].percent);
    }

    #[test]
    fn numbers_of_other_journals_and_countries() {
        for (text, right) in [
            (
                "0·47 (95% CI 0·36–0·60; p=0·004)",
                [0.47, 95.0, 0.36, 0.60, 0.004].as_slice(),
            ),
            ("−·35 (p=·02)", &[-0.35, 0.02]),
            ("1.234,5 per million (SD 411,5)", &[1234.5, 411.5]),
            ("1.234.567 Euro", &[1_234_567.0]),
            (
                "12\u{a0}345 of the register, 1’234’567.5 Franken, 1'234",
                &[12_345.0, 1_234_567.5, 1234.0],
            ),
            ("12\u{202f}345,6", &[12_345.6]),
            ("p = 5.81 × 10⁻⁴⁸, 3·10^-5, 2,5·10⁻³", &[5.81e-48, 3e-5, 2.5e-3]),
            ("‑0.5, ‒0.25, －3", &[-0.5, -0.25, -3.0]),
            ("1.2.3", &[1.2]),
            ("0.599·income", &[0.599]),
        ] {
            assert_eq!(values(text), right, "{text}");
        }
        assert!(
            numbers("2\u{a0}104")[0].is_whole && !numbers("0,45")[0].is_whole && !numbers("1·5")[0].is_whole
        );
    }

    #[test]
    fn raised_points_are_points_between_digits_alone() {
        for (text, right) in [
            ("0·47, −·35 (·02)", "0.47, −.35 (.02)"),
            ("3·10⁻⁵ and 2 · 10^-3", "3×10⁻⁵ and 2 × 10^-3"),
            ("a·b, 2·x, x·2, · item", "a·b, 2·x, x·2, · item"),
            ("plain", "plain"),
        ] {
            assert_eq!(with_points(text), right);
        }
    }

    #[test]
    fn p_values_keep_their_bound() {
        let p = |relation, value| Some(PValue { relation, value });
        assert_eq!(p_value("p < .001"), p(Relation::Less, 0.001));
        assert_eq!(p_value("<0.0064"), p(Relation::Less, 0.0064));
        assert_eq!(p_value("0.809"), p(Relation::Equal, 0.809));
        assert_eq!(p_value("2.94e-82"), p(Relation::Equal, 2.94e-82));
        assert_eq!(p_value("p ≥ 0.05 (ns)"), p(Relation::Greater, 0.05));
        assert_eq!(p_value("const p=0.090; temp p=0.937"), None);
        assert_eq!(p_value("not stated (significant at 10% level)"), None);
        assert_eq!(p_value("8.2"), None);
        assert_eq!(p_value("t(34) = 2.1, p-value: .04"), p(Relation::Equal, 0.04));
        assert_eq!(p_value("step = 0.5"), None);
    }

    #[test]
    fn intervals_and_single_values() {
        let read = interval("[−0.036, 1.031] (approx. 95%)").unwrap();
        assert_eq!((read.lower, read.upper, read.level), (-0.036, 1.031, 0.95));
        assert_eq!(interval("90% CI 0.1 to 0.5").unwrap().level, 0.9);
        assert_eq!(interval("[a: 1, 2], [b: 3, 4]"), None);
        assert_eq!(interval("[5, 1]"), None);
        assert_eq!(single("-0.558 (0.276 vs 0.834)").unwrap().value, -0.558);
        assert!(single("mean_a = 3.07; mean_b = 2.88").is_none());
        assert!(single("Not stated").is_none());
        assert_eq!(single("z = 2.5, n = 3").map(|n| n.value), None);
    }

    proptest::proptest! {
        #[test]
        fn any_text_is_read_without_a_panic(text in "\\PC{0,80}") {
            for number in numbers(&text) {
                proptest::prop_assert!(number.value.is_finite());
                proptest::prop_assert!(text.get(number.start..number.end).is_some());
            }
            let _ = (single(&text), p_value(&text), interval(&text));
        }
    }
}
