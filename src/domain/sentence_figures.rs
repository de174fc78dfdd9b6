//! Figures inside sentences, written as tables write them.
//!
//! A verdict's reason is kept with all its digits, since it is compared from run to run. A page
//! that shows it beside a table gives each figure one form, that of `domain::format`.

use super::bare_number::{BareNumber, NumberForm, significant_digits};
use super::finding::{Interval, PValue, Relation};
use super::format;
use super::lazy_regex::LazyRegex;

/// An interval in brackets, else a number.
static FIGURE: LazyRegex = LazyRegex::new(
    r"\[([-−]?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?), ([-−]?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?)\]|[-−]?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?",
);
/// What stands before a p-value.
static BEFORE_P: LazyRegex = LazyRegex::new(r"(?:^|[^\w.-])(?:p|p-values?(?: (?:is|are))?)( =)? $");
/// What stands before the second of two p-values.
static BEFORE_SECOND_P: LazyRegex = LazyRegex::new(r"p-values are [^ ]+(?: × [^ ]+)? and $");
/// What stands before the level of a test.
static BEFORE_LEVEL: LazyRegex = LazyRegex::new(r"(?:\bp\b.*\b(?:below|above)|\b(?:level|alpha)|α =|α) $");
/// Digits that a table shows.
const SHOWN: usize = 3;

/// The form of a figure.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    /// As in a table.
    Table,
    /// With all its digits.
    Whole,
}

/// A sentence of this program with its figures as tables have them; code in backticks and what
/// is quoted stay as they are.
pub fn written(text: &str) -> String {
    in_form(text, Form::Table)
}

/// The same with every digit, for sentences on figures that differ in their last ones.
pub fn typeset(text: &str) -> String {
    in_form(text, Form::Whole)
}

fn in_form(text: &str, form: Form) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(start) = rest.find(['`', '“']) {
        let (plain, from) = rest.split_at(start);
        put(plain, form, &mut out);
        let (open, close) = match from.starts_with('`') {
            true => (1, '`'),
            false => ('“'.len_utf8(), '”'),
        };
        let end = from[open..]
            .find(close)
            .map_or(from.len(), |end| open + end + close.len_utf8());
        let (apart, after) = from.split_at(end);
        out.push_str(apart);
        rest = after;
    }
    put(rest, form, &mut out);
    out
}

/// A stretch without code or quotations, at the end of what is written so far.
fn put(plain: &str, form: Form, out: &mut String) {
    let mut done = 0;
    for found in FIGURE.captures_iter(plain) {
        let Some(whole) = found.get(0) else { continue };
        out.push_str(&plain[done..whole.start()]);
        done = whole.end();
        let after = &plain[done..];
        let figure = whole.as_str();
        match (found.get(1), found.get(2)) {
            (Some(lower), Some(upper)) if form == Form::Table => {
                out.push_str(&interval(figure, lower.as_str(), upper.as_str()));
            }
            (Some(lower), Some(upper)) => {
                out.push_str(&format!(
                    "[{}, {}]",
                    whole_number(lower.as_str()),
                    whole_number(upper.as_str())
                ));
            }
            _ if is_part_of_a_name(out, figure, after) => out.push_str(figure),
            _ if form == Form::Table => number(figure, out),
            _ => out.push_str(&whole_number(figure)),
        }
        if after.starts_with(" %") {
            done += 1;
        }
    }
    out.push_str(&plain[done..]);
}

/// True of the figures of versions, dates, names, and of numbers that are written out already.
fn is_part_of_a_name(before: &str, figure: &str, after: &str) -> bool {
    let last = before.chars().next_back();
    let is_joined = |one: char| one.is_alphanumeric() || "_./:^,".contains(one);
    let hyphened = last.is_some_and(char::is_alphanumeric) && figure.starts_with('-');
    let mut following = after.chars();
    let (first, second) = (following.next(), following.next());
    let goes_on = first.is_some_and(|one| one.is_alphanumeric() || "_/".contains(one))
        || (first.is_some_and(|one| ".,-:".contains(one)) && second.is_some_and(|one| one.is_ascii_digit()));
    hyphened || goes_on || after.starts_with(" × 10") || last.is_some_and(|one| is_joined(one) || one == '-')
}

/// A number with its digits, its exponent raised.
fn whole_number(figure: &str) -> String {
    let minus = |text: &str| text.replace('-', "−");
    match figure.split_once(['e', 'E']) {
        Some((digits, exponent)) => {
            let sign = if exponent.starts_with('-') { "-" } else { "" };
            let power = exponent.trim_start_matches(['-', '+']).trim_start_matches('0');
            format!(
                "{} × 10{}",
                minus(digits),
                format::raised(&format!("{sign}{power}"))
            )
        }
        None => minus(figure),
    }
}

fn value(figure: &str) -> Option<f64> {
    BareNumber::parse(figure, NumberForm::Plain).map(|number| number.value)
}

fn interval(whole: &str, lower: &str, upper: &str) -> String {
    match (value(lower), value(upper)) {
        (Some(lower), Some(upper)) => format::interval(&Interval {
            lower,
            upper,
            level: 0.95,
        }),
        _ => whole.to_owned(),
    }
}

fn number(figure: &str, out: &mut String) {
    let Some(value) = value(figure) else {
        out.push_str(figure);
        return;
    };
    if BEFORE_P.is_match(out) || BEFORE_SECOND_P.is_match(out) {
        p_value(value, out);
    } else if (0.0..1.0).contains(&value) && BEFORE_LEVEL.is_match(out) {
        out.push_str(&level(value));
    } else if is_long(figure) {
        out.push_str(&format::number(value));
    } else {
        out.push_str(&figure.replace('-', "−"));
    }
}

/// A level of a test; one with more digits than a table shows is rounded.
fn level(value: f64) -> String {
    let text = format::level(value);
    match text.len() > SHOWN + 1 {
        true => format::number(value).trim_start_matches('0').to_owned(),
        false => text,
    }
}

fn p_value(value: f64, out: &mut String) {
    let text = format::p_value(PValue {
        relation: Relation::Equal,
        value,
    });
    let Some(figure) = text.strip_prefix("p = ") else {
        // A bound has a sign of its own in the place of `=`.
        let kept = out.trim_end_matches([' ', '=']).len();
        out.truncate(kept);
        out.push_str(text.strip_prefix('p').unwrap_or(&text));
        return;
    };
    if out.ends_with("p ") {
        out.push_str("= ");
    }
    out.push_str(figure);
}

/// True of a number with an exponent, or with more digits than a table shows.
fn is_long(figure: &str) -> bool {
    figure.contains(['e', 'E']) || (figure.contains('.') && significant_digits(figure) > SHOWN)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reason_has_the_figures_of_the_table() {
        for (recorded, shown) in [
            (
                "`income` is 0.00136117, which has the positive sign of the claim, with p = 2.36196e-8, below 0.05 (two-sided)",
                "`income` is 0.00136, which has the positive sign of the claim, with p = 2.4 × 10⁻⁸, below .05 (two-sided)",
            ),
            (
                "`dose` is 1.94, with p = 0.00217167, below 0.05",
                "`dose` is 1.94, with p = .002, below .05",
            ),
            (
                "The estimate 0.6884 lies in the interval [0.3728, 0.7668], and not in [-13.235, -0.461].",
                "The estimate 0.688 lies in the interval [0.373, 0.767], and not in [−13.2, −0.5].",
            ),
            (
                "In the original's direction, 0.236 had one third power, p 0.9996.",
                "In the original's direction, 0.236 had one third power, p > .999.",
            ),
            (
                "Q 0.4152 on 1 degree of freedom, p 0.5193",
                "Q 0.415 on 1 degree of freedom, p = .519",
            ),
            ("p 1, and p = 1 too", "p > .999, and p > .999 too"),
            (
                "the one-sided p-values are 2.993e-7 and 6.360e-10; their sum 2.999e-7 is below 0.03536.",
                "the one-sided p-values are 3.0 × 10⁻⁷ and 6.4 × 10⁻¹⁰; their sum 3.00 × 10⁻⁷ is below .0354.",
            ),
            (
                "The replication Bayes factor is 1.877e99 at alpha 0.05, 95 % interval",
                "The replication Bayes factor is 1.88 × 10⁹⁹ at alpha .05, 95% interval",
            ),
        ] {
            assert_eq!(written(recorded), shown);
            assert_eq!(written(shown), shown, "a second time");
        }
    }

    #[test]
    fn figures_that_are_compared_keep_their_digits() {
        assert_eq!(
            typeset("The estimate 0.00136117 was -2.36196e-08, and lies in [-1.5e+3, 0.59891]."),
            "The estimate 0.00136117 was −2.36196 × 10⁻⁸, and lies in [−1.5 × 10³, 0.59891]."
        );
    }

    #[test]
    fn names_dates_and_code_are_no_figures() {
        for text in [
            "`x1.23456` and “0.123456” stay",
            "reprise 0.10.12345, of 2026-01-02, R-4.21345, x1.23456, 10.1234/abc, 12,345.678",
            "an open `0.123456",
        ] {
            assert_eq!(written(text), text);
        }
    }
}
