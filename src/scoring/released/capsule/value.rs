//! Values as Python's `json` module reads them, and as Python prints and compares them.

use std::fmt;

use indexmap::IndexMap;

use super::numbers;
use crate::scoring::released::python::in_code;

/// Levels of lists and objects that are read.
const DEEPEST: usize = 500;
/// Digits of a whole number that Python reads (`sys.int_info.default_max_str_digits`).
const MOST_DIGITS: usize = 4300;

/// A value of Python's. Whole numbers keep all of their digits.
#[derive(Debug, Clone, PartialEq)]
pub enum PythonValue {
    None,
    Bool(bool),
    /// In decimal, without a plus and without leading zeros.
    Int(String),
    Float(f64),
    Text(String),
    List(Vec<Self>),
    /// Of repeated keys the first gives the place and the last the value.
    Dict(IndexMap<String, Self>),
}

/// A text that Python's `json` does not read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{what} at byte {at}")]
pub struct NotJson {
    what: &'static str,
    at: usize,
}

impl PythonValue {
    /// Reads JSON as `json.loads` does, `NaN` and the infinities included. Half a surrogate pair
    /// becomes U+FFFD.
    ///
    /// # Errors
    /// A text that is no JSON, or is nested deeper than Python follows.
    pub fn parse(text: &str) -> Result<Self, NotJson> {
        let mut reader = Reader { text, at: 0 };
        reader.blanks();
        let value = reader.value(0)?;
        reader.blanks();
        match reader.at == text.len() {
            true => Ok(value),
            false => Err(reader.fault("something follows the value")),
        }
    }

    /// Whether Python takes it for a number: `bool` is one.
    pub fn is_number(&self) -> bool {
        matches!(self, Self::Bool(_) | Self::Int(_) | Self::Float(_))
    }

    /// The number as a float; `None` of what is no number, or too large.
    pub fn as_float(&self) -> Option<f64> {
        match self {
            Self::Bool(flag) => Some(f64::from(u8::from(*flag))),
            Self::Int(digits) => digits.parse().ok().filter(|value: &f64| value.is_finite()),
            Self::Float(value) => Some(*value),
            _ => None,
        }
    }

    /// `==`: numbers by value whatever their type, lists in order, objects in any.
    pub fn equals(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::None, Self::None) => true,
            (Self::Text(one), Self::Text(other)) => one == other,
            (Self::List(one), Self::List(other)) => {
                one.len() == other.len() && one.iter().zip(other).all(|(one, other)| one.equals(other))
            }
            (Self::Dict(one), Self::Dict(other)) => {
                one.len() == other.len()
                    && one
                        .iter()
                        .all(|(key, one)| other.get(key).is_some_and(|other| one.equals(other)))
            }
            (one, other) if one.is_number() && other.is_number() => one.is_same_number(other),
            _ => false,
        }
    }

    fn is_same_number(&self, other: &Self) -> bool {
        match (self.digits(), other.digits()) {
            (Some(one), Some(other)) => one == other,
            (None, None) => self.as_float() == other.as_float(),
            (Some(digits), None) => is_float(&digits, other),
            (None, Some(digits)) => is_float(&digits, self),
        }
    }

    /// The digits of a whole number; a truth value is 1 or 0.
    fn digits(&self) -> Option<String> {
        match self {
            Self::Bool(flag) => Some(u8::from(*flag).to_string()),
            Self::Int(digits) => Some(digits.clone()),
            _ => None,
        }
    }
}

/// Whether a float is exactly a whole number.
fn is_float(digits: &str, float: &PythonValue) -> bool {
    let PythonValue::Float(float) = float else {
        return false;
    };
    // All digits of a float: those of a whole number are exact.
    float.is_finite() && float.fract() == 0.0 && format!("{:.0}", float + 0.0) == digits
}

/// `str(value)`.
impl fmt::Display for PythonValue {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Text(text) => formatter.write_str(text),
            other => write_code(other, formatter),
        }
    }
}

/// `repr(value)`.
fn write_code(value: &PythonValue, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
    match value {
        PythonValue::None => formatter.write_str("None"),
        PythonValue::Bool(true) => formatter.write_str("True"),
        PythonValue::Bool(false) => formatter.write_str("False"),
        PythonValue::Int(digits) => formatter.write_str(digits),
        PythonValue::Float(value) => formatter.write_str(&numbers::float_text(*value)),
        PythonValue::Text(text) => formatter.write_str(&text_in_code(text)),
        PythonValue::List(items) => {
            formatter.write_str("[")?;
            for (at, item) in items.iter().enumerate() {
                formatter.write_str(if at > 0 { ", " } else { "" })?;
                write_code(item, formatter)?;
            }
            formatter.write_str("]")
        }
        PythonValue::Dict(members) => {
            formatter.write_str("{")?;
            for (at, (key, member)) in members.iter().enumerate() {
                formatter.write_str(if at > 0 { ", " } else { "" })?;
                write!(formatter, "{}: ", text_in_code(key))?;
                write_code(member, formatter)?;
            }
            formatter.write_str("}")
        }
    }
}

fn text_in_code(text: &str) -> String {
    let mut written = String::new();
    in_code(text, &mut written);
    written
}

/// The place in a text that is read.
struct Reader<'a> {
    text: &'a str,
    at: usize,
}

impl Reader<'_> {
    fn fault(&self, what: &'static str) -> NotJson {
        NotJson { what, at: self.at }
    }

    fn rest(&self) -> &[u8] {
        &self.text.as_bytes()[self.at..]
    }

    fn blanks(&mut self) {
        let blank = |byte: &&u8| matches!(byte, b' ' | b'\t' | b'\n' | b'\r');
        self.at += self.rest().iter().take_while(blank).count();
    }

    /// Whether this comes next; it is then behind us.
    fn takes(&mut self, word: &str) -> bool {
        let comes = self.rest().starts_with(word.as_bytes());
        if comes {
            self.at += word.len();
        }
        comes
    }

    fn value(&mut self, depth: usize) -> Result<PythonValue, NotJson> {
        if depth > DEEPEST {
            return Err(self.fault("lists and objects are nested too deep"));
        }
        match self.rest().first() {
            Some(b'{') => self.dict(depth),
            Some(b'[') => self.list(depth),
            Some(b'"') => Ok(PythonValue::Text(self.string()?)),
            Some(b'-' | b'0'..=b'9') if !self.rest().starts_with(b"-Infinity") => self.number(),
            _ => self.word(),
        }
    }

    fn word(&mut self) -> Result<PythonValue, NotJson> {
        let words = [
            ("null", PythonValue::None),
            ("true", PythonValue::Bool(true)),
            ("false", PythonValue::Bool(false)),
            ("NaN", PythonValue::Float(f64::NAN)),
            ("Infinity", PythonValue::Float(f64::INFINITY)),
            ("-Infinity", PythonValue::Float(f64::NEG_INFINITY)),
        ];
        for (word, value) in words {
            if self.takes(word) {
                return Ok(value);
            }
        }
        Err(self.fault("no value stands"))
    }

    fn list(&mut self, depth: usize) -> Result<PythonValue, NotJson> {
        self.at += 1;
        let mut items = Vec::new();
        self.blanks();
        if self.takes("]") {
            return Ok(PythonValue::List(items));
        }
        loop {
            self.blanks();
            items.push(self.value(depth + 1)?);
            self.blanks();
            if self.takes("]") {
                return Ok(PythonValue::List(items));
            }
            if !self.takes(",") {
                return Err(self.fault("no comma stands between values"));
            }
        }
    }

    fn dict(&mut self, depth: usize) -> Result<PythonValue, NotJson> {
        self.at += 1;
        let mut members = IndexMap::new();
        self.blanks();
        if self.takes("}") {
            return Ok(PythonValue::Dict(members));
        }
        loop {
            self.blanks();
            if self.rest().first() != Some(&b'"') {
                return Err(self.fault("no key in quotes stands"));
            }
            let key = self.string()?;
            self.blanks();
            if !self.takes(":") {
                return Err(self.fault("no colon stands behind a key"));
            }
            self.blanks();
            let value = self.value(depth + 1)?;
            members.insert(key, value);
            self.blanks();
            if self.takes("}") {
                return Ok(PythonValue::Dict(members));
            }
            if !self.takes(",") {
                return Err(self.fault("no comma stands between members"));
            }
        }
    }

    fn number(&mut self) -> Result<PythonValue, NotJson> {
        let from = self.at;
        self.takes("-");
        let digits = self.digits();
        if digits.is_empty() {
            return Err(self.fault("no digit stands behind a sign"));
        }
        if digits.len() > 1 && digits.starts_with('0') {
            // `01` is a 0 with something behind it.
            self.at -= digits.len() - 1;
        }
        let whole = self.at;
        let is_fraction = self.part(|reader| reader.takes("."));
        let is_power = self.part(|reader| {
            (reader.takes("e") || reader.takes("E")) && {
                let _signed = reader.takes("-") || reader.takes("+");
                true
            }
        });
        let text = &self.text[from..self.at];
        if is_fraction || is_power {
            return match text.parse() {
                Ok(value) => Ok(PythonValue::Float(value)),
                Err(_) => Err(self.fault("a number cannot be read")),
            };
        }
        if whole - from > MOST_DIGITS {
            return Err(self.fault("a whole number has too many digits"));
        }
        Ok(PythonValue::Int(if text == "-0" { "0" } else { text }.to_owned()))
    }

    /// A part of a number: what introduces it, and digits; nothing of it is taken where either
    /// is missing.
    fn part(&mut self, introduced: impl FnOnce(&mut Self) -> bool) -> bool {
        let from = self.at;
        let whole = introduced(self) && !self.digits().is_empty();
        if !whole {
            self.at = from;
        }
        whole
    }

    fn digits(&mut self) -> String {
        let count = self
            .rest()
            .iter()
            .take_while(|byte| byte.is_ascii_digit())
            .count();
        let digits = self.text[self.at..self.at + count].to_owned();
        self.at += count;
        digits
    }

    fn string(&mut self) -> Result<String, NotJson> {
        self.at += 1;
        let mut text = String::new();
        loop {
            let rest = &self.text[self.at..];
            let Some(found) = rest.chars().next() else {
                return Err(self.fault("a text has no end"));
            };
            match found {
                '"' => {
                    self.at += 1;
                    return Ok(text);
                }
                '\\' => text.push(self.escaped()?),
                _ if found < ' ' => return Err(self.fault("a control character stands in a text")),
                _ => {
                    text.push(found);
                    self.at += found.len_utf8();
                }
            }
        }
    }

    fn escaped(&mut self) -> Result<char, NotJson> {
        let kind = self.rest().get(1).copied();
        let found = match kind {
            Some(b'"') => '"',
            Some(b'\\') => '\\',
            Some(b'/') => '/',
            Some(b'b') => '\u{8}',
            Some(b'f') => '\u{c}',
            Some(b'n') => '\n',
            Some(b'r') => '\r',
            Some(b't') => '\t',
            Some(b'u') => return self.unit(),
            _ => return Err(self.fault("an escape is none of JSON's")),
        };
        self.at += 2;
        Ok(found)
    }

    fn unit(&mut self) -> Result<char, NotJson> {
        let unit = |rest: &[u8]| {
            let digits = rest.strip_prefix(b"\\u")?.get(..4)?;
            let all = digits.iter().all(u8::is_ascii_hexdigit);
            u32::from_str_radix(std::str::from_utf8(digits).ok().filter(|_| all)?, 16).ok()
        };
        let Some(first) = unit(self.rest()) else {
            return Err(self.fault("an escape has no four digits"));
        };
        self.at += 6;
        if !(0xD800..0xE000).contains(&first) {
            return Ok(char::from_u32(first).unwrap_or(char::REPLACEMENT_CHARACTER));
        }
        let second = unit(self.rest()).filter(|second| first < 0xDC00 && (0xDC00..0xE000).contains(second));
        let Some(second) = second else {
            return Ok(char::REPLACEMENT_CHARACTER);
        };
        self.at += 6;
        let code = 0x10000 + ((first - 0xD800) << 10) + (second - 0xDC00);
        Ok(char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> PythonValue {
        PythonValue::parse(text).unwrap()
    }

    #[test]
    fn values_print_as_python_prints_them() {
        for (json, printed) in [
            ("[null, true, 1, 1.5, \"a'b\"]", "[None, True, 1, 1.5, \"a'b\"]"),
            ("{\"a\": 1, \"b\": [], \"a\": 2}", "{'a': 2, 'b': []}"),
            ("1e-5", "1e-05"),
            ("1E22", "1e+22"),
            ("-0", "0"),
            ("-0.0", "-0.0"),
            ("NaN", "nan"),
            ("-Infinity", "-inf"),
            ("1e400", "inf"),
            ("\"as it is\"", "as it is"),
            ("\"\\ud83d\\ude00 \\ud83d\"", "\u{1f600} \u{fffd}"),
            ("123456789012345678901234567890", "123456789012345678901234567890"),
        ] {
            assert_eq!(read(json).to_string(), printed, "{json}");
        }
    }

    #[test]
    fn what_python_does_not_read_is_no_value() {
        for text in [
            "",
            "01",
            "1.",
            ".5",
            "+1",
            "[1,]",
            "{\"a\":1,}",
            "{a: 1}",
            "'a'",
            "\"a\nb\"",
            "\"\\x41\"",
            "[1] 2",
            "nan",
            "-",
            "\"\\u12g4\"",
            "\u{feff}1",
            "tru",
        ] {
            assert!(PythonValue::parse(text).is_err(), "{text}");
        }
        assert!(PythonValue::parse(&"[".repeat(100_000)).is_err());
        assert!(PythonValue::parse(&"9".repeat(5000)).is_err());
    }

    #[test]
    fn numbers_are_equal_by_value() {
        for (one, other, equal) in [
            ("[1, 2]", "[1.0, 2]", true),
            ("true", "1", true),
            ("1", "\"1\"", false),
            ("9007199254740993", "9007199254740992.0", false),
            ("NaN", "NaN", false),
            ("{\"a\": 1, \"b\": 2}", "{\"b\": 2, \"a\": 1}", true),
            ("[1, 2]", "[2, 1]", false),
            ("0", "-0.0", true),
        ] {
            assert_eq!(read(one).equals(&read(other)), equal, "{one} {other}");
        }
    }
}
