//! Formatting of numbers, in one place for every writer.

use jiff::Timestamp;

use crate::domain::finding::{Interval, PValue, Relation};

/// A number with three significant digits: `0.599`, `0.00136`, `1,236`,
/// `1.20 × 10⁻⁹`. A number that is not finite says so.
pub fn number(value: f64) -> String {
    if !value.is_finite() {
        return "not a number".to_owned();
    }
    if value == 0.0 {
        return "0".to_owned();
    }
    let Some(decimals) = decimals(value.abs()) else {
        return scientific(value, 2);
    };
    trimmed(grouped_decimal(value, decimals))
}

fn trimmed(text: String) -> String {
    if text.contains('.') {
        text.trim_end_matches('0').trim_end_matches('.').to_owned()
    } else {
        text
    }
}

/// An estimate or standard error, its three digits kept: `0.120`.
pub fn estimate(value: f64) -> String {
    match decimals(value.abs()) {
        Some(decimals) => grouped_decimal(value, decimals),
        None => number(value),
    }
}

/// Decimal places for three significant digits; `None` where powers of ten read better.
fn decimals(magnitude: f64) -> Option<usize> {
    if !(1e-5..1e9).contains(&magnitude) {
        return None;
    }
    let exponent = magnitude.log10().floor();
    Some((2.0 - exponent).clamp(0.0, 8.0) as usize)
}

fn scientific(value: f64, decimals: usize) -> String {
    let text = format!("{value:.decimals$e}");
    match text.split_once('e') {
        Some((mantissa, exponent)) => format!("{} × 10{}", minus(mantissa), raised(exponent)),
        None => text,
    }
}

/// A whole number as a power: `⁻⁸`.
pub fn raised(exponent: &str) -> String {
    const DIGITS: [char; 10] = ['⁰', '¹', '²', '³', '⁴', '⁵', '⁶', '⁷', '⁸', '⁹'];
    exponent
        .chars()
        .map(|one| match one.to_digit(10) {
            Some(digit) => DIGITS[digit as usize % 10],
            None => '⁻',
        })
        .collect()
}

fn grouped_decimal(value: f64, decimals: usize) -> String {
    let text = format!("{value:.decimals$}");
    let (whole, fraction) = text.split_once('.').unwrap_or((&text, ""));
    let (sign, digits) = whole
        .strip_prefix('-')
        .map_or(("", whole), |digits| ("-", digits));
    let dot = if fraction.is_empty() { "" } else { "." };
    minus(&format!("{sign}{}{dot}{fraction}", grouped(digits)))
}

fn minus(text: &str) -> String {
    text.replacen('-', "−", 1)
}

fn grouped(digits: &str) -> String {
    let mut out = String::with_capacity(digits.len() + digits.len() / 3);
    for (position, digit) in digits.chars().enumerate() {
        if position > 0 && (digits.len() - position).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// A count with separators: `1,234,567`.
pub fn count(value: impl TryInto<u64>) -> String {
    grouped(&value.try_into().unwrap_or(u64::MAX).to_string())
}

/// A count with its noun: `1 file`, `1,234 files`.
pub fn counted(value: impl TryInto<u64>, one: &str, many: &str) -> String {
    let value = value.try_into().unwrap_or(u64::MAX);
    format!("{} {}", count(value), plural(value, one, many))
}

/// The word that agrees with a count.
pub fn plural<'a>(value: impl TryInto<u64>, one: &'a str, many: &'a str) -> &'a str {
    if value.try_into().unwrap_or(u64::MAX) == 1 {
        one
    } else {
        many
    }
}

/// Dollars to the cent: `$0.12`.
pub fn dollars(amount: f64) -> String {
    format!("${amount:.2}")
}

/// The day of a moment in UTC: `2018-01-12`.
pub fn day(at: Timestamp) -> String {
    at.strftime("%Y-%m-%d").to_string()
}

/// An interval with the same decimals at both ends: `[0.364, 0.834]`.
pub fn interval(interval: &Interval) -> String {
    let magnitude = interval.lower.abs().max(interval.upper.abs());
    match decimals(magnitude) {
        Some(decimals) if interval.lower.is_finite() && interval.upper.is_finite() => format!(
            "[{}, {}]",
            grouped_decimal(interval.lower, decimals),
            grouped_decimal(interval.upper, decimals)
        ),
        _ => format!("[{}, {}]", number(interval.lower), number(interval.upper)),
    }
}

/// A p-value in the style of the APA manual, small ones in full: `p = .014`, `p = 2.4 × 10⁻⁸`;
/// one that was given as a bound stays one: `p < .001`.
pub fn p_value(p: PValue) -> String {
    if !(0.0..=1.0).contains(&p.value) {
        return "p not usable".to_owned();
    }
    match p.relation {
        // No test gives zero: a program has rounded it.
        Relation::Equal if p.value == 0.0 => "p < .001".to_owned(),
        Relation::Equal if p.value < 0.001 => format!("p = {}", scientific(p.value, 1)),
        Relation::Equal if p.value > 0.999 => "p > .999".to_owned(),
        Relation::Equal => format!("p = {}", unit(p.value, 3)),
        Relation::Less => format!("p < {}", bound(p.value)),
        Relation::Greater => format!("p > {}", bound(p.value)),
    }
}

fn bound(value: f64) -> String {
    value.to_string().trim_start_matches('0').to_owned()
}

/// A number between 0 and 1 without its leading zero: `.05`.
pub fn level(value: f64) -> String {
    if value > 0.0 && value < 1.0 {
        bound(value)
    } else {
        number(value)
    }
}

fn unit(value: f64, decimals: usize) -> String {
    format!("{value:.decimals$}").trim_start_matches('0').to_owned()
}

/// A clause as a sentence: with a capital, unless a name in backticks begins it,
/// and a full stop.
pub fn sentence(clause: &str) -> String {
    let mut rest = clause.trim().chars();
    let Some(first) = rest.next() else {
        return String::new();
    };
    let stop = if clause.trim_end().ends_with(['.', '!', '?']) {
        ""
    } else {
        "."
    };
    first.to_uppercase().collect::<String>() + rest.as_str() + stop
}

/// Milliseconds for people: `0.4 s`, `42 s`, `3 min 05 s`, `2 h 04 min`, `3 d 4 h`.
pub fn duration(ms: u64) -> String {
    let seconds = ms / 1000;
    match seconds {
        0..10 => format!("{}.{} s", seconds, ms % 1000 / 100),
        10..60 => format!("{seconds} s"),
        60..3600 => format!("{} min {:02} s", seconds / 60, seconds % 60),
        3600..86_400 => format!("{} h {:02} min", seconds / 3600, seconds % 3600 / 60),
        _ => format!("{} d {} h", seconds / 86_400, seconds % 86_400 / 3600),
    }
}

/// A round time on an axis: `30 s`, `2 min`, `1 h`.
pub fn tick(ms: u64) -> String {
    match ms / 1000 {
        0 if ms > 0 => format!("{} ms", ms),
        seconds if seconds >= 86_400 && seconds % 86_400 == 0 => format!("{} d", seconds / 86_400),
        seconds if seconds >= 3600 && seconds % 3600 == 0 => format!("{} h", seconds / 3600),
        seconds if seconds >= 60 && seconds % 60 == 0 => format!("{} min", seconds / 60),
        seconds if seconds < 60 => format!("{seconds} s"),
        _ => duration(ms),
    }
}

/// Bytes in decimal units: `812 B`, `4.1 kB`, `2.0 MB`.
pub fn bytes(size: u64) -> String {
    if size < 1000 {
        return format!("{size} B");
    }
    let mut value = size as f64 / 1000.0;
    let mut units = ["kB", "MB", "GB", "TB", "PB", "EB"].into_iter();
    let mut unit = units.next().unwrap_or_default();
    for next in units {
        if value < 999.95 {
            break;
        }
        value /= 1000.0;
        unit = next;
    }
    format!("{value:.1} {unit}")
}

/// Bytes without a false precision: `812 bytes`, `84 kB`, `1.2 MB`.
pub fn size(bytes: u64) -> String {
    match bytes {
        0..1_000 => counted(bytes, "byte", "bytes"),
        1_000..1_000_000 => format!("{} kB", bytes.div_ceil(1_000)),
        _ => format!("{:.1} MB", bytes as f64 / 1e6),
    }
}

/// A share of a whole in per cent: `12%`, `<1%`; a dash where there is no whole.
pub fn share(part: u64, whole: u64) -> String {
    if whole == 0 {
        return "–".to_owned();
    }
    let percent = part as f64 / whole as f64 * 100.0;
    if part > 0 && percent < 1.0 {
        "<1%".to_owned()
    } else {
        format!("{percent:.0}%")
    }
}

#[cfg(test)]
mod tests {
    use crate::domain::format::*;

    #[test]
    fn numbers_keep_three_digits() {
        let written: Vec<_> = [
            0.598_73,
            0.001_361,
            -6.848,
            12_345.6,
            0.05,
            1.2e-9,
            0.0,
            f64::NAN,
            1e12,
        ]
        .map(number)
        .to_vec();
        assert_eq!(
            written,
            [
                "0.599",
                "0.00136",
                "−6.85",
                "12,346",
                "0.05",
                "1.20 × 10⁻⁹",
                "0",
                "not a number",
                "1.00 × 10¹²"
            ]
        );
    }

    #[test]
    fn intervals_share_their_decimals() {
        let of = |lower, upper| {
            interval(&Interval {
                lower,
                upper,
                level: 0.95,
            })
        };
        assert_eq!(of(0.00092, 0.00181), "[0.00092, 0.00181]");
        assert_eq!(of(0.5, 0.698), "[0.500, 0.698]");
        assert_eq!(of(-13.235, -0.461), "[−13.2, −0.5]");
    }

    #[test]
    fn p_values_follow_the_apa_manual() {
        let p = |relation, value| p_value(PValue { relation, value });
        assert_eq!(p(Relation::Equal, 0.0136), "p = .014");
        assert_eq!(p(Relation::Equal, 2.361_96e-8), "p = 2.4 × 10⁻⁸");
        assert_eq!(p(Relation::Equal, 0.0), "p < .001");
        assert_eq!(p(Relation::Less, 0.05), "p < .05");
        assert_eq!(p(Relation::Greater, 0.1), "p > .1");
        assert_eq!(p(Relation::Equal, 1.0), "p > .999");
        assert_eq!(p(Relation::Equal, 7.0), "p not usable");
    }

    #[test]
    fn a_clause_becomes_a_sentence() {
        assert_eq!(
            ["the effect is 2", "`income` is 3 ", "So it is.", ""].map(sentence),
            ["The effect is 2.", "`income` is 3.", "So it is.", ""]
        );
    }

    #[test]
    fn times_and_sizes_are_for_people() {
        assert_eq!(
            [430, 42_900, 185_000, 7_440_000, 273_600_000].map(duration),
            ["0.4 s", "42 s", "3 min 05 s", "2 h 04 min", "3 d 4 h"]
        );
        assert_eq!(
            [812, 4_100, 2_000_000, 999_999].map(bytes),
            ["812 B", "4.1 kB", "2.0 MB", "1.0 MB"]
        );
        assert_eq!(
            [0, 200, 20_000, 120_000, 5_400_000, 7_200_000].map(tick),
            ["0 s", "200 ms", "20 s", "2 min", "90 min", "2 h"]
        );
        assert_eq!(
            [0.12, 4.137, 102.0, 0.0].map(estimate),
            ["0.120", "4.14", "102", "0"]
        );
        assert_eq!(
            [0, 1, 999, 84_000, 1_250_000].map(size),
            ["0 bytes", "1 byte", "999 bytes", "84 kB", "1.2 MB"]
        );
        assert_eq!(count(1_234_567), "1,234,567");
        assert_eq!(
            [1, 0, 1_234].map(|n| counted(n, "file", "files")),
            ["1 file", "0 files", "1,234 files"]
        );
        assert_eq!(
            (dollars(0.124), day(Timestamp::UNIX_EPOCH)),
            ("$0.12".into(), "1970-01-01".into())
        );
        assert_eq!([share(1, 8), share(1, 1000), share(0, 0)], ["12%", "<1%", "–"]);
    }
}
