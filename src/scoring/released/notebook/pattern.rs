//! Patterns of Python's `re`, searched for in texts without line feeds.
//!
//! A pattern is parsed by Python's grammar (3.11) and written again for `fancy_regex`:
//!
//! | Python | written as |
//! |---|---|
//! | `\w`, `\s` and what they negate | classes of Python's letters, digits and blanks; of ASCII behind `(?a)` |
//! | `\b`, `\B` | looks to both sides for `\w` as above; `\B` is not in an empty text |
//! | `^`, `$`, `\A`, `\Z` | `\A` and `\z`, since no text has a line feed; as lines behind `(?m)` |
//! | `(?P<n>...)`, `(?P=n)`, `\1`, `(?(n)a\|b)` | groups by number |
//! | `(?#...)`, blanks and comments behind `(?x)` | nothing |
//! | `\0`, `\101`, `\x41`, `\u0041`, `\U00000041`, `\a`, `[\b]` | the character |
//! | `{`, `}`, `]` that stand for themselves, `{,n}` | the character, `{0,n}` |
//! | `[`, `&&`, `--`, `~~` in a class | the characters |
//! | lazy and possessive repeats, atomic groups, looks to both sides | the same |
//!
//! What Python refuses is refused as Python's; what is left (`\N{...}`, half surrogates, limits of
//! the searcher) as ours. Beyond Python, a look behind may have branches of different widths.
//! Case is folded as Unicode's simple folding says.

use super::pattern_fault::PatternFault;
use super::pattern_parser::PatternParser;

/// The steps back that a search may take: Python would go on, possibly for ever.
const MOST_STEPS_BACK: usize = 50_000_000;
/// The longest pattern, in characters.
const LONGEST: usize = 20_000;

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
        if pattern.chars().count() > LONGEST {
            return Err(PatternFault::NotTaken(format!(
                "it has more than {LONGEST} characters"
            )));
        }
        let written = PatternParser::new(pattern).written()?;
        fancy_regex::RegexBuilder::new(&written)
            .backtrack_limit(MOST_STEPS_BACK)
            .build()
            .map(Self)
            .map_err(|error| PatternFault::NotTaken(not_compiled(&error).to_owned()))
    }

    /// Whether `re.search` finds it in a text without line feeds.
    ///
    /// # Errors
    /// A search that was given up.
    pub fn is_found(&self, text: &str) -> Result<bool, GaveUp> {
        self.0.is_match(text).map_err(|_| GaveUp)
    }
}

/// The reason for which the searcher does not take a pattern; its own words may quote the pattern.
fn not_compiled(error: &fancy_regex::Error) -> &'static str {
    use fancy_regex::{CompileError, Error};
    match error {
        Error::CompileError(error) if matches!(**error, CompileError::LookBehindNotConst) => {
            "a look behind has no fixed width"
        }
        Error::ParseError(..) => "the searcher does not parse it",
        _ => "the searcher does not compile it; it may be too large",
    }
}
