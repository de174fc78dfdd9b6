//! Numbers as Python reads them from text, prints and rounds them.

/// The zeros of Unicode's decimal digits; nine further digits follow each.
const ZEROS: [u32; 66] = [
    0x30, 0x660, 0x6F0, 0x7C0, 0x966, 0x9E6, 0xA66, 0xAE6, 0xB66, 0xBE6, 0xC66, 0xCE6, 0xD66, 0xDE6, 0xE50,
    0xED0, 0xF20, 0x1040, 0x1090, 0x17E0, 0x1810, 0x1946, 0x19D0, 0x1A80, 0x1A90, 0x1B50, 0x1BB0, 0x1C40,
    0x1C50, 0xA620, 0xA8D0, 0xA900, 0xA9D0, 0xA9F0, 0xAA50, 0xABF0, 0xFF10, 0x104A0, 0x10D30, 0x11066,
    0x110F0, 0x11136, 0x111D0, 0x112F0, 0x11450, 0x114D0, 0x11650, 0x116C0, 0x11730, 0x118E0, 0x11950,
    0x11C50, 0x11D50, 0x11DA0, 0x16A60, 0x16AC0, 0x16B50, 0x1D7CE, 0x1D7D8, 0x1D7E2, 0x1D7EC, 0x1D7F6,
    0x1E140, 0x1E2F0, 0x1E950, 0x1FBF0,
];

/// `float(text)`; `None` where Python raises `ValueError`.
pub fn read_float(text: &str) -> Option<f64> {
    let text: String = text.trim_matches(is_space).chars().map(plain_digit).collect();
    let (sign, body) = match text.as_bytes().first()? {
        b'-' => (-1.0, &text[1..]),
        b'+' => (1.0, &text[1..]),
        _ => (1.0, text.as_str()),
    };
    match body.to_ascii_lowercase().as_str() {
        "inf" | "infinity" => return Some(sign * f64::INFINITY),
        "nan" => return Some(f64::NAN),
        _ => {}
    }
    let digits = without_underscores(body)?;
    let known = |byte: u8| byte.is_ascii_digit() || matches!(byte, b'.' | b'e' | b'E' | b'+' | b'-');
    // Rust's grammar is Python's, but for names that it knows besides.
    if !digits.bytes().all(known) || digits.starts_with(['+', '-']) {
        return None;
    }
    digits.parse::<f64>().ok().map(|value| sign * value)
}

/// The text without underscores; `None` where one does not stand between two digits.
fn without_underscores(text: &str) -> Option<String> {
    let bytes = text.as_bytes();
    let is_digit = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_digit);
    let well = (0..bytes.len())
        .filter(|at| bytes[*at] == b'_')
        .all(|at| at > 0 && is_digit(at - 1) && is_digit(at + 1));
    well.then(|| text.replace('_', ""))
}

/// A decimal digit of any script as that of ASCII; anything else as it is.
fn plain_digit(found: char) -> char {
    let code = u32::from(found);
    if code < 0x80 {
        return found;
    }
    let script = ZEROS.partition_point(|zero| *zero <= code);
    let digit = script.checked_sub(1).map(|at| code - ZEROS[at]);
    digit
        .and_then(|digit| char::from_digit(digit, 10))
        .unwrap_or(found)
}

/// `str.isspace` of one character.
fn is_space(found: char) -> bool {
    found.is_whitespace() || ('\u{1c}'..='\u{1f}').contains(&found)
}

/// `repr(value)`: the shortest digits that read back as the same float.
pub fn float_text(value: f64) -> String {
    if value.is_nan() {
        return "nan".to_owned();
    }
    if value.is_infinite() {
        return if value > 0.0 { "inf" } else { "-inf" }.to_owned();
    }
    let shortest = format!("{value:e}");
    let (mantissa, power) = shortest.split_once('e').unwrap_or((&shortest, "0"));
    let power: i32 = power.parse().unwrap_or(0);
    if (-4..16).contains(&power) {
        let plain = value.to_string();
        return match plain.contains('.') {
            true => plain,
            false => format!("{plain}.0"),
        };
    }
    let sign = if power < 0 { '-' } else { '+' };
    format!("{mantissa}e{sign}{:02}", power.abs())
}

/// The places behind the decimal point of the shortest text of a float, powers of ten
/// counted in and trailing zeros not.
pub fn decimal_places(value: f64) -> u32 {
    if !value.is_finite() {
        return 0;
    }
    let shortest = format!("{value:e}");
    let (mantissa, power) = shortest.split_once('e').unwrap_or((&shortest, "0"));
    let places = mantissa.split_once('.').map_or(0, |(_, places)| places.len());
    let power: i64 = power.parse().unwrap_or(0);
    u32::try_from((places as i64 - power).max(0)).unwrap_or(0)
}

/// `round(value, places)`: to the nearest decimal of the float's exact value, ties to even.
pub fn rounded(value: f64, places: usize) -> f64 {
    match value.is_finite() {
        true => format!("{value:.places$}").parse().unwrap_or(value),
        false => value,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_read_by_pythons_grammar() {
        for (text, value) in [
            (" 1.5 ", 1.5),
            ("\u{a0}2\u{2003}", 2.0),
            ("1_000.5", 1000.5),
            ("1.", 1.0),
            (".5", 0.5),
            ("+1e-3", 0.001),
            ("-inf", f64::NEG_INFINITY),
            ("Infinity", f64::INFINITY),
            ("\u{0663}.\u{0661}", 3.1),
            ("\u{ff11}\u{ff12}", 12.0),
            ("1e400", f64::INFINITY),
        ] {
            assert_eq!(read_float(text), Some(value), "{text}");
        }
        assert!(read_float("NaN").is_some_and(f64::is_nan));
        for text in [
            "", " ", "1,000", "0x10", "1__0", "_1", "1_", "1_.5", "--1", "+-1", "1e", "infin", "1 2", "e5",
            ".",
        ] {
            assert_eq!(read_float(text), None, "{text}");
        }
    }

    #[test]
    fn floats_print_as_python_prints_them() {
        for (value, text) in [
            (0.1, "0.1"),
            (1.0, "1.0"),
            (1e16, "1e+16"),
            (1e15, "1000000000000000.0"),
            (0.0001, "0.0001"),
            (0.000_012_5, "1.25e-05"),
            (-1.5e300, "-1.5e+300"),
            (5e-324, "5e-324"),
        ] {
            assert_eq!(float_text(value), text);
        }
    }

    #[test]
    fn places_count_powers_and_no_trailing_zeros() {
        for (value, places) in [
            (0.957, 3),
            (1.0, 0),
            (100.0, 0),
            (1e-10, 10),
            (1.25e-5, 7),
            (1e22, 0),
            (12.5, 1),
        ] {
            assert_eq!(decimal_places(value), places, "{value}");
        }
    }

    #[test]
    fn rounding_sees_the_exact_value() {
        assert_eq!(rounded(2.675, 2), 2.67);
        assert_eq!(rounded(0.5, 0), 0.0);
        assert_eq!(rounded(1.5, 0), 2.0);
        assert_eq!(rounded(0.957_2, 3), 0.957);
    }
}
