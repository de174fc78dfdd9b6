//! Strings in any of the quotes that people and models put around them.

use super::parsed::{LenientError, RepairKind, Tolerance};
use super::parser::Parser;

/// The quotation mark that delimits a string.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Quote {
    Double,
    Single,
    Triple,
    SmartDouble,
    SmartSingle,
}

impl Quote {
    fn opening(rest: &str) -> Option<(Self, usize)> {
        if rest.starts_with("\"\"\"") {
            return Some((Self::Triple, 3));
        }
        let first = rest.chars().next()?;
        let quote = match first {
            '"' => Self::Double,
            '\'' => Self::Single,
            '“' | '”' | '„' => Self::SmartDouble,
            '‘' | '’' => Self::SmartSingle,
            _ => return None,
        };
        Some((quote, first.len_utf8()))
    }

    fn repair(self) -> Option<RepairKind> {
        match self {
            Self::Double => None,
            Self::Single => Some(RepairKind::SingleQuotes),
            Self::Triple => Some(RepairKind::TripleQuotes),
            Self::SmartDouble | Self::SmartSingle => Some(RepairKind::SmartQuotes),
        }
    }

    /// Bytes of the closing quote where `found`, before `rest`, closes the string.
    fn closes(self, before: Option<char>, found: char, rest: &str) -> Option<usize> {
        let apostrophe = || {
            before.is_some_and(char::is_alphanumeric)
                && rest.chars().next().is_some_and(char::is_alphanumeric)
        };
        let closing = match self {
            Self::Double => found == '"',
            Self::Single => found == '\'' && !apostrophe(),
            Self::Triple => return (found == '"' && rest.starts_with("\"\"")).then_some(3),
            Self::SmartDouble => matches!(found, '”' | '“'),
            Self::SmartSingle => matches!(found, '’' | '‘') && !apostrophe(),
        };
        closing.then(|| found.len_utf8())
    }
}

impl Parser<'_> {
    /// Reads a string; `None` where no quote opens here.
    pub(super) fn string(&mut self) -> Result<Option<String>, LenientError> {
        if let Some(text) = self.between_three_quotes()? {
            return Ok(Some(text));
        }
        let Some((quote, opening)) = Quote::opening(self.rest()) else {
            return Ok(None);
        };
        if let Some(kind) = quote.repair() {
            self.repaired(kind);
        }
        self.at += opening;
        let mut text = String::new();
        loop {
            let Some(found) = self.peek() else {
                return Err(self.truncated());
            };
            let rest = &self.rest()[found.len_utf8()..];
            if let Some(closing) = quote.closes(text.chars().next_back(), found, rest) {
                self.at += closing;
                return Ok(Some(text));
            }
            match found {
                '\\' => {
                    self.at += 1;
                    self.escape(quote, &mut text)?;
                }
                control if control < ' ' => {
                    if quote != Quote::Triple {
                        self.repaired(RepairKind::RawControl);
                    }
                    self.at += 1;
                    text.push(control);
                }
                other => {
                    self.at += other.len_utf8();
                    text.push(other);
                }
            }
        }
    }

    /// What a person put between three quotes, word for word: a path keeps its backslashes.
    fn between_three_quotes(&mut self) -> Result<Option<String>, LenientError> {
        let marks = ["\"\"\"", "'''"];
        let Some(mark) = marks.iter().find(|mark| self.rest().starts_with(**mark)) else {
            return Ok(None);
        };
        if self.tolerance != Tolerance::People {
            return Ok(None);
        }
        self.repaired(RepairKind::TripleQuotes);
        let inner = &self.rest()[mark.len()..];
        let Some(length) = inner.find(mark) else {
            return Err(self.truncated());
        };
        let text = inner[..length].to_owned();
        self.at += length + 2 * mark.len();
        Ok(Some(text))
    }

    /// Reads what follows a backslash.
    fn escape(&mut self, quote: Quote, text: &mut String) -> Result<(), LenientError> {
        let Some(found) = self.peek() else {
            return Err(self.truncated());
        };
        let plain = match found {
            '"' | '\\' | '/' => Some(found),
            'b' => Some('\u{8}'),
            'f' => Some('\u{c}'),
            'n' => Some('\n'),
            'r' => Some('\r'),
            't' => Some('\t'),
            _ => None,
        };
        if let Some(plain) = plain {
            self.at += 1;
            text.push(plain);
            return Ok(());
        }
        match found {
            'u' => return self.unicode_escape(text),
            'x' if quote == Quote::Single => {
                if let Some(code) = self.hex_digits(1, 2) {
                    self.at += 3;
                    text.push(char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER));
                    return Ok(());
                }
                text.push('\\');
            }
            // A quote needs no backslash; anything else keeps it, for it may
            // belong to a pattern or a path.
            '\'' | '`' => {
                if quote != Quote::Single {
                    self.repaired(RepairKind::InvalidEscape);
                }
                self.at += 1;
                text.push(found);
                return Ok(());
            }
            _ => text.push('\\'),
        }
        self.repaired(RepairKind::InvalidEscape);
        Ok(())
    }

    /// The number in `count` hexadecimal digits, `offset` bytes ahead.
    fn hex_digits(&self, offset: usize, count: usize) -> Option<u32> {
        let digits = self.rest().get(offset..offset + count)?;
        digits
            .bytes()
            .all(|byte| byte.is_ascii_hexdigit())
            .then(|| u32::from_str_radix(digits, 16).ok())?
    }

    /// Reads `uXXXX`, and the second half of a surrogate pair where there is one.
    fn unicode_escape(&mut self, text: &mut String) -> Result<(), LenientError> {
        let Some(first) = self.hex_digits(1, 4) else {
            if self.rest().len() < 5 && self.rest()[1..].bytes().all(|byte| byte.is_ascii_hexdigit()) {
                return Err(self.truncated());
            }
            self.repaired(RepairKind::InvalidEscape);
            text.push('\\');
            return Ok(());
        };
        if let Some(plain) = char::from_u32(first) {
            self.at += 5;
            text.push(plain);
            return Ok(());
        }
        let second = (first < 0xDC00 && self.rest()[5..].starts_with("\\u"))
            .then(|| self.hex_digits(7, 4))
            .flatten()
            .filter(|low| (0xDC00..0xE000).contains(low));
        match second {
            Some(low) => {
                let code = 0x1_0000 + ((first - 0xD800) << 10) + (low - 0xDC00);
                text.push(char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER));
                self.at += 11;
            }
            None => {
                if is_cut_low_half(&self.rest()[5..]) {
                    self.at = self.text.len();
                    return Err(self.truncated());
                }
                self.repaired(RepairKind::LoneSurrogate);
                text.push(char::REPLACEMENT_CHARACTER);
                self.at += 5;
            }
        }
        Ok(())
    }
}

/// Whether the text stops within the second half of a surrogate pair: it is
/// cut, not broken.
fn is_cut_low_half(rest: &str) -> bool {
    match rest.strip_prefix("\\u") {
        Some(digits) => digits.len() < 4 && digits.bytes().all(|byte| byte.is_ascii_hexdigit()),
        None => "\\u".starts_with(rest),
    }
}
