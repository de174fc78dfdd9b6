//! Numbers as data files write them, in English and in continental style.

/// Powers of ten that a double holds exactly.
const TENS: [f64; 23] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18,
    1e19, 1e20, 1e21, 1e22,
];
/// Digits that fit an unsigned 64-bit integer whatever they are.
const DIGITS: u32 = 19;
/// What may part thousands where a comma stands before the decimals.
const SEPARATORS: [char; 4] = ['.', ' ', '\u{A0}', '\u{202F}'];

/// A number with a point for its decimals, if it has any.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Plain {
    pub value: f64,
    /// Written with digits alone, but for a sign.
    pub whole: bool,
    /// Whole, and no double: its neighbours read as the same number.
    pub inexact: bool,
    /// Whole, with zeros before it.
    pub padded: bool,
    pub point: Point,
}

/// The role of a point in a number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Point {
    None,
    /// Decimals alone: `1.5`, `0.123`.
    Decimal,
    /// Decimals or thousands: `1.234`.
    Either,
}

/// The style of a number that is not written plainly.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Style {
    /// A comma for the decimals: `2,5`, `1.234,5`.
    DecimalComma,
    /// Commas between thousands: `1,234,567`, `1,234.5`.
    Thousands,
    /// One comma before three digits: `1,234`.
    Either,
    /// U+2212 in the place of the hyphen.
    Minus,
}

/// Marks around or inside of a number that is neither plain nor in a style.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Dress {
    /// `$1,234.50`, `12 €`.
    Currency,
    /// `12%`.
    Percent,
    /// `(45.00)`, which accounts write for a negative number.
    Brackets,
    /// `45.00-`.
    MinusAfter,
    /// `2D-02`, `1.5 × 10^3`.
    Exponent,
    /// Blanks or apostrophes between thousands: `1 234`, `1'234.50`.
    Apart,
}

impl Dress {
    /// The dress of a number, in words.
    pub fn words(self) -> &'static str {
        match self {
            Self::Currency => "currency signs",
            Self::Percent => "percent signs",
            Self::Brackets => "brackets, which may stand for a minus,",
            Self::MinusAfter => "the minus after the digits",
            Self::Exponent => "powers of ten",
            Self::Apart => "blanks or apostrophes between thousands",
        }
    }
}

/// Signs and abbreviations of currencies.
const CURRENCIES: [&str; 24] = [
    "$", "€", "£", "¥", "₹", "₽", "₩", "₺", "₫", "฿", "zł", "Kč", "kr", "R$", "US$", "USD", "EUR", "GBP",
    "CHF", "JPY", "CNY", "Fr.", "Rs", "Ft",
];

/// What a number is dressed in; `None` for a text that is no number, and for a plain one.
pub fn dress(text: &str) -> Option<Dress> {
    let text = text.trim();
    let is_number = |text: &str| plain(text).is_some() || style(text).is_some();
    let inner = |text: &str| is_number(text) || is_apart(text);
    if let Some(within) = text.strip_prefix('(').and_then(|rest| rest.strip_suffix(')')) {
        let within = within.trim();
        let is_amount = (inner(within) && !within.starts_with(['-', '\u{2212}']))
            || dress(within) == Some(Dress::Currency);
        return is_amount.then_some(Dress::Brackets);
    }
    if let Some(before) = text.strip_suffix('%') {
        return inner(before.trim_end()).then_some(Dress::Percent);
    }
    let (sign, unsigned) = signed(text);
    for currency in CURRENCIES {
        let amount = unsigned
            .strip_prefix(currency)
            .or_else(|| unsigned.strip_suffix(currency));
        if let Some(amount) = amount.map(str::trim)
            && (inner(amount) || inner(&format!("{sign}{amount}")))
        {
            return Some(Dress::Currency);
        }
    }
    if let Some(before) = text.strip_suffix(['-', '\u{2212}'])
        && sign.is_empty()
        && inner(before.trim_end())
    {
        return Some(Dress::MinusAfter);
    }
    let power = unsigned.split_once(['D', 'd']).or_else(|| {
        unsigned.split_once('×').and_then(|(digits, power)| {
            Some((
                digits.trim_end(),
                power.trim_start().strip_prefix("10")?.trim_start_matches('^'),
            ))
        })
    });
    if let Some((digits, power)) = power
        && is_number(digits)
        && with_minus(power).is_some_and(|power| power.fract() == 0.0 && power.abs() < 400.0)
    {
        return Some(Dress::Exponent);
    }
    is_apart(text).then_some(Dress::Apart)
}

/// Whether blanks or apostrophes part the thousands of a number.
fn is_apart(text: &str) -> bool {
    const MARKS: [char; 6] = [' ', '\u{A0}', '\u{202F}', '\u{2009}', '\'', '’'];
    let (_, digits) = signed(text);
    let (whole, decimals) = digits.split_once(['.', ',']).unwrap_or((digits, ""));
    whole.contains(MARKS)
        && grouped(whole, &MARKS).is_some()
        && decimals.bytes().all(|byte| byte.is_ascii_digit())
}

/// Reads a plain number; hexadecimal and words but `inf` are none.
pub fn plain(text: &str) -> Option<Plain> {
    let text = text.trim();
    let (negative, digits) = match text.as_bytes() {
        [b'-', rest @ ..] => (true, rest),
        [b'+', rest @ ..] => (false, rest),
        all => (false, all),
    };
    let (mut mantissa, mut count, mut point) = (0u64, 0u32, None);
    for byte in digits {
        match byte {
            b'0'..=b'9' if count < DIGITS => {
                mantissa = mantissa * 10 + u64::from(byte - b'0');
                count += 1;
            }
            b'.' if point.is_none() => point = Some(count),
            _ => return long(text, digits),
        }
    }
    if count == 0 {
        return None;
    }
    let sign = |value: f64| if negative { -value } else { value };
    let Some(before) = point else {
        let value = mantissa as f64;
        return Some(Plain {
            value: sign(value),
            whole: true,
            inexact: value as u128 != u128::from(mantissa),
            padded: count > 1 && digits.first() == Some(&b'0'),
            point: Point::None,
        });
    };
    let places = count - before;
    // A quotient of two exact doubles is rounded once, and so is right (Clinger 1990).
    let value = match TENS.get(places as usize) {
        Some(ten) if mantissa < 1 << 53 => sign(mantissa as f64 / ten),
        _ => text.parse().ok()?,
    };
    let thousands = places == 3 && (1..=3).contains(&before) && digits.first() != Some(&b'0');
    Some(Plain {
        value,
        whole: false,
        inexact: false,
        padded: false,
        point: if thousands { Point::Either } else { Point::Decimal },
    })
}

/// A number with an exponent, with many digits, or an infinite one.
fn long(text: &str, digits: &[u8]) -> Option<Plain> {
    let first = digits.first()?;
    if !first.is_ascii_digit() && *first != b'.' && !digits.eq_ignore_ascii_case(b"inf") {
        return None;
    }
    let value: f64 = text.parse().ok()?;
    let whole = digits.iter().all(u8::is_ascii_digit);
    Some(Plain {
        value,
        whole,
        inexact: whole && text.parse::<i128>() != Ok(value as i128),
        padded: whole && *first == b'0',
        point: if whole { Point::None } else { Point::Decimal },
    })
}

/// Reads a number whose decimals follow a comma; points or blanks may part its thousands.
pub fn with_comma(text: &str) -> Option<f64> {
    let (sign, digits) = signed(text);
    let (before, after) = digits.split_once(',').unwrap_or((digits, ""));
    let mut spelled = sign.to_owned();
    if before.contains(SEPARATORS) {
        spelled.push_str(&grouped(before, &SEPARATORS)?);
    } else {
        spelled.push_str(before);
    }
    if digits.contains(',') {
        spelled.push('.');
        spelled.push_str(after);
    }
    plain(&spelled)
        .map(|number| number.value)
        .filter(|value| value.is_finite())
}

/// How a number is written that [`plain`] does not read; `None` for what is no number.
pub fn style(text: &str) -> Option<Style> {
    let (sign, digits) = signed(text);
    if !digits.starts_with(|first: char| first.is_ascii_digit() || matches!(first, '.' | ',')) {
        return None;
    }
    let comma = digits.contains(',') && with_comma(text).is_some();
    let whole = digits.split_once('.').map_or(digits, |(whole, _)| whole);
    let fraction = digits.strip_prefix(whole).unwrap_or_default();
    let thousands = whole.contains(',')
        && grouped(whole, &[',']).is_some()
        && fraction.bytes().skip(1).all(|byte| byte.is_ascii_digit());
    match (comma, thousands) {
        (true, true) => Some(Style::Either),
        (true, false) => Some(Style::DecimalComma),
        (false, true) => Some(Style::Thousands),
        _ if text.contains('\u{2212}') && plain(&format!("{sign}{digits}")).is_some() => Some(Style::Minus),
        _ => None,
    }
}

/// Reads a plain number that may have U+2212 before it.
pub fn with_minus(text: &str) -> Option<f64> {
    let (sign, digits) = signed(text);
    plain(&format!("{sign}{digits}")).map(|number| number.value)
}

fn signed(text: &str) -> (&'static str, &str) {
    let text = text.trim();
    match text.strip_prefix(['-', '\u{2212}']) {
        Some(rest) => ("-", rest),
        None => ("", text.strip_prefix('+').unwrap_or(text)),
    }
}

/// The digits of groups of three behind a first one of one to three digits, no zero before them.
fn grouped(text: &str, separators: &[char]) -> Option<String> {
    let mut groups = text.split(separators);
    let first = groups.next()?;
    let digits = |group: &str| group.bytes().all(|byte| byte.is_ascii_digit());
    let sound = (1..=3).contains(&first.len()) && digits(first) && !first.starts_with('0');
    (sound && groups.all(|group| group.len() == 3 && digits(group)))
        .then(|| text.chars().filter(char::is_ascii_digit).collect())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn plain_numbers_and_what_is_none() {
        let values = ["1", " -2.5 ", "+3e2", ".5", "1.", "inf", "-0"]
            .map(|text| plain(text).map(|number| number.value));
        assert_eq!(
            values,
            [1.0, -2.5, 300.0, 0.5, 1.0, f64::INFINITY, -0.0].map(Some)
        );
        for none in ["", "-", ".", "0x10", "nan", "1,5", "1.2.3", "--1", "1 2"] {
            assert_eq!(plain(none), None, "{none}");
        }
        assert!(plain("007").is_some_and(|number| number.padded && number.whole));
        let inexact = |text| plain(text).is_some_and(|number| number.inexact);
        assert!(inexact("9007199254740993") && inexact("123456789012345678901"));
        assert!(!inexact("9007199254740992"));
    }

    #[test]
    fn commas_are_decimals_or_thousands() {
        let values = ["2,5", "1.234", "1.234,5", "-1 234 567,5", "0,234"].map(with_comma);
        assert_eq!(values, [2.5, 1234.0, 1234.5, -1_234_567.5, 0.234].map(Some));
        for none in ["1.5", "0.234", "1,2,3", "1.2345,6", "x,y", ",", ""] {
            assert_eq!(with_comma(none), None, "{none}");
        }
        let styles = [
            "2,5",
            "1,234",
            "1,234,567",
            "1,234.5",
            "0,234",
            "\u{2212}1.5",
            "1,2,3",
            "a",
        ]
        .map(style);
        assert_eq!(
            styles,
            [
                Some(Style::DecimalComma),
                Some(Style::Either),
                Some(Style::Thousands),
                Some(Style::Thousands),
                Some(Style::DecimalComma),
                Some(Style::Minus),
                None,
                None
            ]
        );
        assert_eq!(with_minus("\u{2212}1.5"), Some(-1.5));
    }

    #[test]
    fn dressed_numbers_are_told_from_text() {
        for (text, right) in [
            ("$1,234.50", Some(Dress::Currency)),
            ("-€12", Some(Dress::Currency)),
            ("1.234,50 €", Some(Dress::Currency)),
            ("CHF 1'234.50", Some(Dress::Currency)),
            ("12%", Some(Dress::Percent)),
            ("0,5 %", Some(Dress::Percent)),
            ("(45.00)", Some(Dress::Brackets)),
            ("($1,200)", Some(Dress::Brackets)),
            ("45.00-", Some(Dress::MinusAfter)),
            ("2D-02", Some(Dress::Exponent)),
            ("-1.5d+03", Some(Dress::Exponent)),
            ("1.5 × 10^-3", Some(Dress::Exponent)),
            ("1 234", Some(Dress::Apart)),
            ("1'234'567.8", Some(Dress::Apart)),
            ("12-14", None),
            ("3D", None),
            ("$", None),
            ("(a)", None),
            ("(-4)", None),
            ("12 34", None),
            ("kr", None),
            ("7", None),
        ] {
            assert_eq!(dress(text), right, "{text}");
        }
    }

    proptest! {
        #[test]
        fn the_short_way_rounds_as_the_long_one(text in "[-+]?[0-9]{0,20}[.]?[0-9]{1,20}") {
            prop_assert_eq!(plain(&text).map(|number| number.value), text.parse::<f64>().ok());
        }
    }
}
