//! Numbers that are a whole text, with what their digits leave open.

/// The ways of writing a number that are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NumberForm {
    /// Digits with a point: `1234.5`.
    Plain,
    /// Commas between thousands besides: `1,234.5`.
    Grouped,
    /// Commas between thousands or before decimals: `1,234`, `0,599`.
    Printed,
}

/// A number without anything else.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BareNumber {
    /// Finite.
    pub value: f64,
    /// The place of the last digit: 2 for `0.12` and `1.2e-1`, -3 for `4e3`.
    pub decimals: i32,
    /// Whether its comma may part thousands or decimals: `1,234`.
    pub is_ambiguous: bool,
}

impl BareNumber {
    /// Reads a sign, digits, and a power of ten `e-5`; `None` for every other text.
    ///
    /// The sign may be any minus or dash. A printed number may also have a raised point, a comma
    /// before its decimals, points, blanks or apostrophes between its thousands, and a power
    /// `× 10⁻⁵`.
    pub fn parse(text: &str, form: NumberForm) -> Option<Self> {
        let (sign, unsigned) = match text.strip_prefix(MINUS) {
            Some(unsigned) => ("-", unsigned),
            None => ("", text.strip_prefix('+').unwrap_or(text)),
        };
        let unsigned = match form {
            NumberForm::Printed => unsigned.trim_start(),
            _ => unsigned,
        };
        let (mantissa, power) = split_power(unsigned, form)?;
        let is_plain = |part: char| part.is_ascii_digit() || matches!(part, '.' | ',');
        let is_part = |part: char| is_plain(part) || POINTS.contains(&part) || APART.contains(&part);
        let allowed = match form {
            NumberForm::Printed => mantissa.chars().all(is_part) && is_grouped(mantissa),
            _ => mantissa.chars().all(is_plain),
        };
        let digits = with_point(mantissa).filter(|_| allowed)?;
        let has_decimal_comma = mantissa.rsplit_once(',').is_some_and(|(_, places)| {
            digits
                .split_once('.')
                .is_some_and(|(_, decimals)| decimals == places)
                && !places.is_empty()
        });
        match form {
            NumberForm::Plain if mantissa.contains(',') => return None,
            NumberForm::Plain | NumberForm::Grouped if mantissa.matches('.').count() > 1 => return None,
            NumberForm::Grouped if has_decimal_comma => return None,
            _ => {}
        }
        let places = digits.split_once('.').map_or(0, |(_, places)| places.len());
        let value: f64 = format!("{sign}{digits}e{power}").parse().ok()?;
        value.is_finite().then_some(Self {
            value,
            decimals: i32::try_from(places).ok()?.checked_sub(power)?,
            is_ambiguous: !digits.contains('.')
                && (mantissa.matches(',').count() == 1 || mantissa.contains(' ')),
        })
    }
}

/// Every minus, and the dashes that are printed in its place.
pub const MINUS: [char; 12] = [
    '-', '−', '–', '—', '\u{2010}', '\u{2011}', '\u{2012}', '\u{FE63}', '\u{FF0D}', '⁻', '\u{2D7}',
    '\u{2796}',
];
/// Points before decimals that are raised, as journals of medicine print them.
pub const POINTS: [char; 6] = ['·', '\u{2027}', '∙', '⋅', '\u{2D9}', '\u{387}'];
/// What may part thousands but for points and commas.
const APART: [char; 8] = [
    ' ', '\u{A0}', '\u{2007}', '\u{2009}', '\u{202F}', '\'', '’', '\u{2BC}',
];

/// The digits before a power of ten, and the power.
fn split_power(unsigned: &str, form: NumberForm) -> Option<(&str, i32)> {
    if let Some((mantissa, exponent)) = unsigned.split_once(['e', 'E']) {
        return Some((mantissa, power(exponent)?));
    }
    if form != NumberForm::Printed {
        return Some((unsigned, 0));
    }
    if let Some((mantissa, exponent)) = unsigned.split_once(['d', 'D']) {
        return Some((mantissa, power(exponent)?));
    }
    let times = |one: char| matches!(one, '×' | 'x' | 'X' | '*') || POINTS.contains(&one);
    for (at, sign) in unsigned.char_indices().filter(|(_, one)| times(*one)) {
        let Some(after) = unsigned[at + sign.len_utf8()..].trim_start().strip_prefix("10") else {
            continue;
        };
        let exponent = after
            .trim_start()
            .trim_start_matches('^')
            .trim_start_matches("**");
        let is_raised = exponent.len() < after.len()
            || after.starts_with(|one: char| !one.is_ascii_digit() && one != ' ');
        if is_raised && let Some(power) = power(exponent) {
            return Some((unsigned[..at].trim_end(), power));
        }
    }
    Some((unsigned, 0))
}

/// A power of ten with any minus, raised or in brackets.
pub fn power(text: &str) -> Option<i32> {
    let plain: String = text
        .trim_matches(['{', '}', '(', ')', ' '])
        .chars()
        .map(|one| match one {
            _ if MINUS.contains(&one) => '-',
            '⁺' => '+',
            '¹' => '1',
            '²' => '2',
            '³' => '3',
            '⁰' | '⁴'..='⁹' => char::from_digit(u32::from(one) - u32::from('⁰'), 10).unwrap_or(one),
            other => other,
        })
        .collect();
    plain.parse().ok()
}

/// Whether blanks and apostrophes, if there are any, separate thousands.
fn is_grouped(mantissa: &str) -> bool {
    if !mantissa.contains(APART) {
        return true;
    }
    let decimals = |one: char| matches!(one, '.' | ',') || POINTS.contains(&one);
    let whole = mantissa.split(decimals).next().unwrap_or_default();
    let mut groups = whole.split(APART);
    let first = groups.next().unwrap_or_default();
    let count = mantissa.matches(APART).count();
    (1..=3).contains(&first.len())
        && !first.starts_with('0')
        && groups.clone().count() == count
        && groups.all(|group| group.len() == 3)
}

/// The digits of a printed number with a decimal point and nothing between its
/// thousands; `None` for a chain of points or commas that is no number.
pub fn with_point(digits: &str) -> Option<String> {
    let raised = digits.matches(POINTS).count();
    if raised > 1 || (raised == 1 && digits.contains('.')) {
        return None;
    }
    let digits = digits.replace(APART, "").replace(POINTS, ".");
    let (points, commas) = (digits.matches('.').count(), digits.matches(',').count());
    let groups = |whole: &str, mark: char| -> Option<String> {
        let groups: Vec<&str> = whole.split(mark).collect();
        let first = groups[0].trim_start_matches('-');
        // No thousands begin with a zero: `0,599` is a share.
        let begins = (1..=3).contains(&first.len()) && !first.starts_with('0');
        (begins && groups[1..].iter().all(|group| group.len() == 3)).then(|| groups.concat())
    };
    match (points, commas) {
        (_, 0) if points <= 1 => Some(digits),
        (_, 0) => groups(&digits, '.'),
        // The comma stands before the decimals: `1.234,5`.
        (_, 1) if digits.rfind(',') > digits.rfind('.') && points > 0 => {
            let (whole, decimals) = digits.split_once(',')?;
            Some(format!("{}.{decimals}", groups(whole, '.')?))
        }
        (0 | 1, _) => {
            let (whole, fraction) = digits.split_once('.').unwrap_or((&digits, ""));
            let point = if fraction.is_empty() { "" } else { "." };
            match groups(whole, ',').or_else(|| in_lakhs(whole)) {
                Some(whole) => Some(format!("{whole}{point}{fraction}")),
                None => (commas == 1 && points == 0).then(|| digits.replace(',', ".")),
            }
        }
        _ => None,
    }
}

/// The digits of `12,34,567`, as India parts them: by two, the last three together.
fn in_lakhs(whole: &str) -> Option<String> {
    let groups: Vec<&str> = whole.split(',').collect();
    let [first, middle @ .., last] = &groups[..] else {
        return None;
    };
    let begins = (1..=2).contains(&first.len()) && !first.starts_with('0');
    let is_part =
        begins && last.len() == 3 && !middle.is_empty() && middle.iter().all(|group| group.len() == 2);
    is_part.then(|| groups.concat())
}

/// The significant digits of a number's text, zeros at its end included.
pub fn significant_digits(text: &str) -> usize {
    let mantissa = text.split(['e', 'E']).next().unwrap_or_default();
    mantissa
        .chars()
        .filter(char::is_ascii_digit)
        .skip_while(|digit| *digit == '0')
        .count()
}

/// The digits after the point of a number in its shortest form.
pub fn decimals(value: f64) -> usize {
    let text = value.to_string();
    text.split_once('.').map_or(0, |(_, decimals)| decimals.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_form_reads_its_own() {
        use NumberForm::{Grouped, Plain, Printed};
        let value = |text, form| BareNumber::parse(text, form).map(|number| number.value);
        for (text, plain, grouped, printed) in [
            ("−2.5e−3", Some(-0.0025), Some(-0.0025), Some(-0.0025)),
            ("+.5", Some(0.5), Some(0.5), Some(0.5)),
            ("1,234.5", None, Some(1234.5), Some(1234.5)),
            ("1,234", None, Some(1234.0), Some(1234.0)),
            ("0,599", None, None, Some(0.599)),
            (",05", None, None, Some(0.05)),
            ("1,5e3", None, None, Some(1500.0)),
            ("1.2.3", None, None, None),
            ("1,23,4", None, None, None),
            ("12,34.5", None, None, None),
            ("0·47", None, None, Some(0.47)),
            ("−·35", None, None, Some(-0.35)),
            ("1.234,5", None, None, Some(1234.5)),
            ("1.234.567", None, None, Some(1_234_567.0)),
            ("1.234.567,89", None, None, Some(1_234_567.89)),
            ("12,34,567", None, Some(1_234_567.0), Some(1_234_567.0)),
            ("1\u{202f}234,5", None, None, Some(1234.5)),
            ("12 345 678.5", None, None, Some(12_345_678.5)),
            ("1'234.50", None, None, Some(1234.5)),
            ("1’234’567", None, None, Some(1_234_567.0)),
            ("—0.5", Some(-0.5), Some(-0.5), Some(-0.5)),
            ("\u{2011}0.5", Some(-0.5), Some(-0.5), Some(-0.5)),
            ("− 0.5", None, None, Some(-0.5)),
            ("5.81 × 10^-48", None, None, Some(5.81e-48)),
            ("5.8×10⁻⁷", None, None, Some(5.8e-7)),
            ("5,8 x 10−7", None, None, Some(5.8e-7)),
            ("3·10^{-5}", None, None, Some(3e-5)),
            ("3·10⁻⁵", None, None, Some(3e-5)),
            ("3·10", None, None, Some(3.1)),
            ("2D-02", None, None, Some(0.02)),
            ("1.5*10**3", None, None, Some(1500.0)),
        ] {
            assert_eq!(value(text, Plain), plain, "{text}");
            assert_eq!(value(text, Grouped), grouped, "{text}");
            assert_eq!(value(text, Printed), printed, "{text}");
        }
        for text in [
            "",
            "-",
            ".",
            ",",
            "e5",
            "1e",
            "inf",
            "nan",
            "3%",
            "1 2",
            "--1",
            "0x1F",
            "12-14",
            "1e999",
            "5th",
            "12 34",
            "1 2345",
            "0 123",
            "1'23",
            "0·4·7",
            "1,2,3",
            "01.234.567",
            "× 10^5",
            "3x5",
            "1.234,5,6",
            "1,234.567,8",
        ] {
            assert_eq!(value(text, Printed), None, "{text}");
        }
    }

    #[test]
    fn digits_say_what_is_open() {
        let read = |text| BareNumber::parse(text, NumberForm::Printed).unwrap();
        assert_eq!(
            ["0.120", "1.2e-5", "4e3", "1,234", "0,45"].map(|text| read(text).decimals),
            [3, 6, -3, 0, 2]
        );
        assert_eq!(
            [
                "1,234",
                "1,234,567",
                "1,234.5",
                "0,599",
                "1 234",
                "1’234",
                "1.234,5"
            ]
            .map(|text| read(text).is_ambiguous),
            [true, false, false, false, true, false, false]
        );
        assert_eq!(["0.0120", "-3e5", "0"].map(significant_digits), [3, 1, 0]);
        assert_eq!([0.25, 4.0].map(decimals), [2, 0]);
    }
}
