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
    /// Reads a sign, which may be a true minus or a dash, digits, and a power of ten `e-5`; `None`
    /// for every other text.
    pub fn parse(text: &str, form: NumberForm) -> Option<Self> {
        let (sign, unsigned) = match text.strip_prefix(['-', '−', '–']) {
            Some(unsigned) => ("-", unsigned),
            None => ("", text.strip_prefix('+').unwrap_or(text)),
        };
        let (mantissa, power) = unsigned.split_once(['e', 'E']).unwrap_or((unsigned, "0"));
        let power: i32 = power.replace(['−', '–'], "-").parse().ok()?;
        let is_part = |byte: u8| byte.is_ascii_digit() || matches!(byte, b'.' | b',');
        if !mantissa.bytes().all(is_part) {
            return None;
        }
        let digits = with_point(mantissa)?;
        let has_decimal_comma = digits.len() == mantissa.len() && mantissa.contains(',');
        match form {
            NumberForm::Plain if mantissa.contains(',') => return None,
            NumberForm::Grouped if has_decimal_comma => return None,
            _ => {}
        }
        let places = digits.split_once('.').map_or(0, |(_, places)| places.len());
        let value: f64 = format!("{sign}{digits}e{power}").parse().ok()?;
        value.is_finite().then_some(Self {
            value,
            decimals: i32::try_from(places).ok()?.checked_sub(power)?,
            is_ambiguous: mantissa.matches(',').count() == 1 && !digits.contains('.'),
        })
    }
}

/// The digits of a printed number with a decimal point and nothing between its
/// thousands; `None` for a chain of points or commas that is no number.
pub fn with_point(digits: &str) -> Option<String> {
    let digits = digits.replace([' ', '\u{2009}', '\u{202f}'], "");
    if digits.matches('.').count() > 1 {
        return None;
    }
    if !digits.contains(',') {
        return Some(digits);
    }
    let (whole, fraction) = digits.split_once('.').unwrap_or((&digits, ""));
    let groups: Vec<&str> = whole.split(',').collect();
    let first = groups[0].trim_start_matches('-');
    // No thousands begin with a zero: `0,599` is a share.
    let thousands = (1..=3).contains(&first.len())
        && !first.starts_with('0')
        && groups[1..].iter().all(|group| group.len() == 3);
    if thousands {
        let point = if fraction.is_empty() { "" } else { "." };
        return Some(format!("{}{point}{fraction}", groups.concat()));
    }
    (groups.len() == 2 && fraction.is_empty()).then(|| groups.join("."))
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
        ] {
            assert_eq!(value(text, Plain), plain, "{text}");
            assert_eq!(value(text, Grouped), grouped, "{text}");
            assert_eq!(value(text, Printed), printed, "{text}");
        }
        for text in [
            "", "-", ".", ",", "e5", "1e", "inf", "nan", "3%", "1 2", "--1", "0x1F", "12-14", "1e999", "5th",
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
            ["1,234", "1,234,567", "1,234.5", "0,599"].map(|text| read(text).is_ambiguous),
            [true, false, false, false]
        );
        assert_eq!(["0.0120", "-3e5", "0"].map(significant_digits), [3, 1, 0]);
        assert_eq!([0.25, 4.0].map(decimals), [2, 0]);
    }
}
