//! Patterns of Python's `re`, searched for in texts without line feeds by `fancy_regex`.
//!
//! Both grammars mean the same by nearly all that landmarks hold. What differs:
//!
//! | pattern | here |
//! |---|---|
//! | `\w`, `\s` and what they negate | written out as Python's letters, digits and blanks |
//! | `&&`, `--`, `~~`, `[` in a class; `(?(name)...)` | not taken, since they mean something else |
//! | `(?a)`, `\0`, `\101`, `\N{...}`, half surrogates | not taken |
//! | `(?:){3}` | refused as Python's, though Python takes it |
//! | `\b`, `\B` | a combining accent belongs to the word; `\B` is in an empty text |
//! | `(?<n>...)`, `\z`, flags in the middle, a repeated place, `a{2,1}`, a name used twice | taken, though Python refuses them |

use fancy_regex::{CompileError, Error, ParseError};
use regex::Captures;

use super::pattern_fault::PatternFault;
use crate::domain::lazy_regex::LazyRegex;

/// The steps back that a search may take: Python would go on, possibly for ever.
const MOST_STEPS_BACK: usize = 50_000_000;
/// The longest pattern, in characters.
const LONGEST: usize = 20_000;

/// What means something else to `fancy_regex`: operators and brackets in a class, a condition by name, and a
/// character by name.
static OTHERWISE: LazyRegex =
    LazyRegex::new(r"(?:^|[^\\])(?:\[\^?\]?(?:\\.|[^\]\\])*?(?:&&|--|~~|\[)|\(\?\([^0-9]|\\N)");
static ESCAPE: LazyRegex = LazyRegex::new(r"(?s)\\(.)");

/// A pattern that can be searched for.
#[derive(Debug, Clone)]
pub struct PythonPattern(fancy_regex::Regex);

/// A search that took too many steps back.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("its search was given up after {MOST_STEPS_BACK} steps back")]
pub struct GaveUp;

impl PythonPattern {
    /// A pattern of Python's.
    ///
    /// # Errors
    /// A pattern that Python refuses, or that is not taken.
    pub fn new(pattern: &str) -> Result<Self, PatternFault> {
        let not_taken = |why: String| Err(PatternFault::NotTaken(why));
        if pattern.chars().count() > LONGEST {
            return not_taken(format!("it has more than {LONGEST} characters"));
        }
        if OTHERWISE.is_match(pattern) {
            return not_taken(
                "it has a class, a condition or an escape that means something else here".to_owned(),
            );
        }
        fancy_regex::RegexBuilder::new(&with_classes(pattern))
            .backtrack_limit(MOST_STEPS_BACK)
            .build()
            .map(Self)
            .map_err(|error| fault(&error))
    }

    /// Whether `re.search` finds it in a text without line feeds.
    ///
    /// # Errors
    /// A search that was given up.
    pub fn is_found(&self, text: &str) -> Result<bool, GaveUp> {
        self.0.is_match(text).map_err(|_| GaveUp)
    }
}

/// The pattern with Python's classes written out; they may be parts of other classes.
fn with_classes(pattern: &str) -> String {
    ESCAPE
        .replace_all(pattern, |found: &Captures<'_>| match &found[1] {
            "w" => r"[\p{L}\p{N}_]".to_owned(),
            "W" => r"[^\p{L}\p{N}_]".to_owned(),
            "s" => r"[\s\x1c-\x1f]".to_owned(),
            "S" => r"[^\s\x1c-\x1f]".to_owned(),
            _ => found[0].to_owned(),
        })
        .into_owned()
}

/// The reason for which a pattern is not taken; the words of `fancy_regex` may quote the pattern.
fn fault(error: &Error) -> PatternFault {
    let parsed = match error {
        Error::ParseError(_, error) => error,
        Error::CompileError(error) if matches!(**error, CompileError::LookBehindNotConst) => {
            return PatternFault::NotTaken("a look behind has no fixed width".to_owned());
        }
        _ => {
            let why = "the searcher does not compile it";
            return PatternFault::NotTaken(why.to_owned());
        }
    };
    match parsed {
        ParseError::UnclosedOpenParen => PatternFault::Python("missing ), unterminated subpattern"),
        ParseError::TargetNotRepeatable => PatternFault::Python("nothing to repeat"),
        ParseError::TrailingBackslash => PatternFault::Python("bad escape (end of pattern)"),
        ParseError::InvalidHex => PatternFault::Python("incomplete escape"),
        _ => PatternFault::NotTaken("the searcher does not parse it".to_owned()),
    }
}
