//! Leniently parsed JSON: the value, its repairs, and the errors.

use std::fmt;

use serde_json::Value;

/// Most bytes that are read.
pub const MAX_BYTES: usize = 16 << 20;

/// Most containers inside one another.
pub const MAX_DEPTH: usize = 100;

/// Most repairs that are listed; further ones are made and not listed.
pub const MAX_REPAIRS: usize = 200;

/// A departure from the JSON standard that was read nevertheless.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum RepairKind {
    TrailingComma,
    /// Two values beside one another; see [`Tolerance::People`].
    MissingComma,
    Comment,
    SingleQuotes,
    TripleQuotes,
    SmartQuotes,
    /// `True`, `False`, `None` or `undefined`.
    PythonLiteral,
    /// `NaN` or an infinity, read as `null`.
    NotANumber,
    /// `+1`, `.5` or `5.`.
    NumberForm,
    UnquotedKey,
    /// A line break, tab or other control character inside a string.
    RawControl,
    /// A backslash before a character that needs none.
    InvalidEscape,
    /// Half of a surrogate pair, read as U+FFFD.
    LoneSurrogate,
    /// The key occurs twice in one object; the last value counts.
    DuplicateKey(String),
}

/// The tolerance towards the JSON of models or of people.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tolerance {
    /// A model's: everything but a missing comma, which may stand for lost text.
    Models,
    /// A file that a person has edited: commas, control characters and strings between
    /// three quotes; nothing else is guessed at.
    People,
}

impl Tolerance {
    /// Whether a repair is made.
    pub(super) fn makes(self, repair: &RepairKind) -> bool {
        match self {
            Self::Models => *repair != RepairKind::MissingComma,
            Self::People => matches!(
                repair,
                RepairKind::TrailingComma
                    | RepairKind::MissingComma
                    | RepairKind::TripleQuotes
                    | RepairKind::RawControl
                    | RepairKind::DuplicateKey(_)
            ),
        }
    }
}

/// One repair, with its line counted from 1.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Repair {
    pub kind: RepairKind,
    pub line: usize,
}

impl fmt::Display for Repair {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let what = match &self.kind {
            RepairKind::TrailingComma => "a trailing comma",
            RepairKind::MissingComma => "a missing comma",
            RepairKind::Comment => "a comment",
            RepairKind::SingleQuotes => "single quotes",
            RepairKind::TripleQuotes => "triple quotes",
            RepairKind::SmartQuotes => "typographic quotes",
            RepairKind::PythonLiteral => "a Python literal",
            RepairKind::NotANumber => "NaN or an infinity, read as null",
            RepairKind::NumberForm => "a number that JSON does not allow",
            RepairKind::UnquotedKey => "an unquoted key",
            RepairKind::RawControl => "an unescaped control character",
            RepairKind::InvalidEscape => "an invalid escape",
            RepairKind::LoneSurrogate => "half of a surrogate pair",
            RepairKind::DuplicateKey(key) => {
                return write!(
                    formatter,
                    "the key `{key}` a second time in line {}; its last value counts",
                    self.line
                );
            }
        };
        write!(formatter, "{what} in line {}", self.line)
    }
}

/// A value, and what had to be repaired to read it.
#[derive(Debug, Clone, PartialEq)]
pub struct Parsed {
    pub value: Value,
    pub repairs: Vec<Repair>,
    /// Offset in bytes just behind the value.
    pub end: usize,
}

/// The error of a text that gives no value.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum LenientError {
    #[error("the JSON ends inside a value that begins in line {line}")]
    Truncated { line: usize },
    #[error("the JSON is broken in line {line}: {reason}")]
    Malformed {
        line: usize,
        /// Offset in bytes.
        at: usize,
        reason: String,
        /// Whether an object with at least one key had begun.
        in_object: bool,
    },
    #[error("the JSON nests deeper than {MAX_DEPTH} levels in line {line}")]
    TooDeep { line: usize, at: usize },
    #[error("the JSON has {0} bytes, and at most {MAX_BYTES} are read")]
    TooLarge(usize),
    #[error("there is no JSON: the text is empty")]
    Empty,
}
