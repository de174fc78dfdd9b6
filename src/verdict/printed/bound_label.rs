//! Labels of the bounds of intervals.

use super::label::{Label, Meaning};

/// `[0.025`, `0.975]`, `2.5 %`, `97.5%`: the quantile that a bound stands at.
pub fn quantile(text: &str) -> Option<Label> {
    let digits = text.trim_matches(['[', ']', ' ']);
    let share = match digits.strip_suffix('%') {
        Some(percent) => percent.trim().parse::<f64>().ok()? / 100.0,
        None if digits.starts_with("0.") || digits.starts_with('.') => digits.parse::<f64>().ok()?,
        None => return None,
    };
    let is_bracketed = digits.len() != text.len();
    if !(0.0..1.0).contains(&share) || share == 0.0 {
        return None;
    }
    let is_tail = share <= 0.1 || share >= 0.9;
    if !is_tail && !is_bracketed {
        return None;
    }
    let (meaning, tail) = if share < 0.5 {
        (Meaning::Lower, share)
    } else {
        (Meaning::Upper, 1.0 - share)
    };
    Some(Label {
        meaning,
        level: Some(rounded(1.0 - 2.0 * tail)),
        of_ratio: None,
    })
}

fn rounded(level: f64) -> f64 {
    (level * 1e9).round() / 1e9
}

/// `[95% Conf. Interval]`, `lower.CL`, `CI_high`, `95% C.I. for EXP(B) Lower`.
pub fn bound(text: &str) -> Option<Label> {
    let words: Vec<&str> = text
        .split(|c: char| !c.is_alphanumeric() && c != '.' && c != '%')
        .flat_map(|word| {
            word.split(|c: char| c == '.' && !word.starts_with(|d: char| d.is_ascii_digit() || d == '.'))
        })
        .filter(|word| !word.is_empty())
        .collect();
    let has = |names: &[&str]| words.iter().any(|word| names.contains(word));
    let is_lower = has(&[
        "lower", "lwr", "low", "lcl", "ll", "lo", "lb", "cilow", "lowerci", "lci", "cil", "ci95low",
    ]);
    let is_upper = has(&[
        "upper", "upr", "high", "ucl", "ul", "hi", "ub", "cihigh", "upperci", "uci", "ciu", "ci95high",
    ]);
    let is_interval = has(&["ci", "conf", "confidence", "interval", "credible", "hdi", "c"]) && {
        has(&["ci", "interval", "hdi"]) || text.contains("c.i") || has(&["conf", "confidence"])
    };
    let meaning = match (is_lower, is_upper, is_interval) {
        (true, false, _) => Meaning::Lower,
        (false, true, _) => Meaning::Upper,
        (false, false, true) if !has(&["level", "width"]) => Meaning::Bounds,
        _ => return None,
    };
    // A label such as 'low group' is a name; a bound says nothing else.
    let known = [
        "lower",
        "lwr",
        "low",
        "lcl",
        "ll",
        "lo",
        "lb",
        "upper",
        "upr",
        "high",
        "ucl",
        "ul",
        "hi",
        "ub",
        "ci",
        "conf",
        "confidence",
        "interval",
        "credible",
        "hdi",
        "c",
        "i",
        "cl",
        "bound",
        "limit",
        "asymp",
        "for",
        "of",
        "the",
        "difference",
        "b",
        "exp",
        "or",
        "hr",
        "irr",
        "rr",
        "coef",
        "estimate",
        "est",
        "level",
        "normal",
        "based",
        "wald",
        "lci",
        "uci",
        "cil",
        "ciu",
        "cilow",
        "cihigh",
        "lowerci",
        "upperci",
        "ci95",
        "ci95low",
        "ci95high",
        "ratio",
        "odds",
        "profile",
        "robust",
        "mean",
        "bootstrap",
        "percentile",
    ];
    let is_name = words
        .iter()
        .any(|word| !known.contains(word) && level_of(word).is_none() && !word.chars().all(|c| c == '%'));
    if is_name {
        return None;
    }
    let level = words.iter().find_map(|word| level_of(word));
    let is_ratio = has(&["or", "hr", "irr", "rr", "odds"]) || text.contains("exp(");
    let is_plain = has(&["coef", "b"]) && !is_ratio;
    let of_ratio = match (is_ratio, is_plain) {
        (true, _) => Some(true),
        (_, true) => Some(false),
        _ => None,
    };
    Some(Label {
        meaning,
        level,
        of_ratio,
    })
}

/// `95%`, `95`, `.95`, `0.95`, `ci95` as a coverage.
fn level_of(word: &str) -> Option<f64> {
    let digits = word.strip_prefix("ci").unwrap_or(word);
    let value: f64 = digits.strip_suffix('%').unwrap_or(digits).parse().ok()?;
    let level = if value > 1.0 { value / 100.0 } else { value };
    (0.5..1.0).contains(&level).then(|| rounded(level))
}
