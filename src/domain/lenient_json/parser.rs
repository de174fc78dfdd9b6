//! The recursive descent: values, containers, numbers, words and space.

use serde_json::{Map, Number, Value};

use super::parsed::{LenientError, MAX_BYTES, MAX_DEPTH, MAX_REPAIRS, Parsed, Repair, RepairKind, Tolerance};
use crate::domain::excerpt;

pub(super) struct Parser<'t> {
    pub(super) text: &'t str,
    pub(super) at: usize,
    /// Offset up to which line breaks are counted, and the line it is in.
    counted: (usize, usize),
    depth: usize,
    /// Whether a key with its colon has been read.
    in_object: bool,
    pub(super) tolerance: Tolerance,
    repairs: Vec<Repair>,
    /// The first repair that the tolerance does not make.
    refused: Option<Repair>,
}

impl<'t> Parser<'t> {
    pub(super) fn new(text: &'t str, at: usize, tolerance: Tolerance) -> Result<Self, LenientError> {
        if text.len() > MAX_BYTES {
            return Err(LenientError::TooLarge(text.len()));
        }
        Ok(Self {
            text,
            at,
            counted: (0, 1),
            depth: 0,
            in_object: false,
            tolerance,
            repairs: Vec::new(),
            refused: None,
        })
    }

    pub(super) fn into_parsed(self, value: Value) -> Parsed {
        Parsed {
            value,
            repairs: self.repairs,
            end: self.at,
        }
    }

    pub(super) fn rest(&self) -> &'t str {
        &self.text[self.at..]
    }

    pub(super) fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    /// The line of the current position; positions only grow.
    pub(super) fn line(&mut self) -> usize {
        let (from, line) = self.counted;
        let breaks = self.text.as_bytes()[from..self.at]
            .iter()
            .filter(|byte| **byte == b'\n')
            .count();
        self.counted = (self.at, line + breaks);
        line + breaks
    }

    pub(super) fn repaired(&mut self, kind: RepairKind) {
        if !self.tolerance.makes(&kind) {
            let line = self.line();
            self.refused.get_or_insert(Repair { kind, line });
            return;
        }
        if self.repairs.len() >= MAX_REPAIRS {
            return;
        }
        let repair = Repair {
            kind,
            line: self.line(),
        };
        if self.repairs.last() != Some(&repair) {
            self.repairs.push(repair);
        }
    }

    pub(super) fn truncated(&mut self) -> LenientError {
        LenientError::Truncated { line: self.line() }
    }

    pub(super) fn malformed(&mut self, reason: impl Into<String>) -> LenientError {
        LenientError::Malformed {
            line: self.line(),
            at: self.at,
            reason: reason.into(),
            in_object: self.in_object,
        }
    }

    fn unexpected(&mut self, expected: &str) -> LenientError {
        match self.peek() {
            None => self.truncated(),
            Some(found) => self.malformed(format!("expected {expected}, found `{}`", found.escape_debug())),
        }
    }

    /// The one value of a text.
    pub(super) fn document(&mut self) -> Result<Value, LenientError> {
        self.space()?;
        if self.peek().is_none() {
            return Err(LenientError::Empty);
        }
        self.value()
    }

    /// Checks that nothing but space follows.
    pub(super) fn finish(&mut self) -> Result<(), LenientError> {
        self.space()?;
        if self.peek().is_some() {
            return Err(self.unexpected("the end of the text"));
        }
        match self.refused.take() {
            None => Ok(()),
            Some(repair) => Err(LenientError::Malformed {
                line: repair.line,
                at: self.at,
                reason: format!("{repair} is not guessed at"),
                in_object: self.in_object,
            }),
        }
    }

    fn value(&mut self) -> Result<Value, LenientError> {
        match self.peek() {
            Some('{') => self.nested(Self::object),
            Some('[') => self.nested(Self::array),
            Some('-' | '+' | '.' | '0'..='9') => self.number(),
            Some(letter) if letter.is_ascii_alphabetic() => self.word(),
            _ => match self.string()? {
                Some(text) => Ok(Value::String(text)),
                None => Err(self.unexpected("a value")),
            },
        }
    }

    fn nested(
        &mut self,
        inner: impl FnOnce(&mut Self) -> Result<Value, LenientError>,
    ) -> Result<Value, LenientError> {
        if self.depth >= MAX_DEPTH {
            return Err(LenientError::TooDeep {
                line: self.line(),
                at: self.at,
            });
        }
        self.depth += 1;
        let value = inner(self);
        self.depth -= 1;
        value
    }

    fn object(&mut self) -> Result<Value, LenientError> {
        let mut map = Map::new();
        self.at += 1;
        self.space()?;
        while self.peek() != Some('}') {
            let key = match self.string()? {
                Some(key) => key,
                None => self.bare_key()?,
            };
            self.space()?;
            if self.peek() != Some(':') {
                return Err(self.unexpected("`:` after a key"));
            }
            self.at += 1;
            self.in_object = true;
            self.space()?;
            let value = self.value()?;
            if map.contains_key(&key) {
                self.repaired(RepairKind::DuplicateKey(key.clone()));
            }
            map.insert(key, value);
            self.separator('}')?;
        }
        self.at += 1;
        Ok(Value::Object(map))
    }

    fn array(&mut self) -> Result<Value, LenientError> {
        let mut items = Vec::new();
        self.at += 1;
        self.space()?;
        while self.peek() != Some(']') {
            items.push(self.value()?);
            self.separator(']')?;
        }
        self.at += 1;
        Ok(Value::Array(items))
    }

    /// Passes the comma behind a member, or stays before `close`.
    fn separator(&mut self, close: char) -> Result<(), LenientError> {
        // A number or a word may have lost more than its comma.
        let is_whole = self.text[..self.at].ends_with(['}', ']', '"', '\'']);
        self.space()?;
        match self.peek() {
            Some(found) if found == close => Ok(()),
            Some(',') => {
                let comma = self.line();
                self.at += 1;
                self.space()?;
                if self.peek() == Some(close) && self.repairs.len() < MAX_REPAIRS {
                    self.repairs.push(Repair {
                        kind: RepairKind::TrailingComma,
                        line: comma,
                    });
                }
                Ok(())
            }
            Some('{' | '[' | '"') if is_whole && self.tolerance.makes(&RepairKind::MissingComma) => {
                let line = self.line();
                if self.repairs.len() < MAX_REPAIRS {
                    self.repairs.push(Repair {
                        kind: RepairKind::MissingComma,
                        line,
                    });
                }
                Ok(())
            }
            _ => Err(self.unexpected(&format!("`,` or `{close}`"))),
        }
    }

    fn bare_key(&mut self) -> Result<String, LenientError> {
        let length = self
            .rest()
            .find(|found: char| !(found.is_alphanumeric() || matches!(found, '_' | '$' | '-')))
            .unwrap_or(self.rest().len());
        if length == 0 {
            return Err(self.unexpected("a key"));
        }
        let key = self.rest()[..length].to_owned();
        self.repaired(RepairKind::UnquotedKey);
        self.at += length;
        Ok(key)
    }

    fn number(&mut self) -> Result<Value, LenientError> {
        let length = self
            .rest()
            .find(|found: char| !(found.is_ascii_digit() || matches!(found, '+' | '-' | '.' | 'e' | 'E')))
            .unwrap_or(self.rest().len());
        let (written, rest) = self.rest().split_at(length);
        if matches!(written, "-" | "+") && (rest.starts_with("Inf") || rest.starts_with("inf")) {
            self.at += 1;
            return self.word();
        }
        if let Ok(number) = serde_json::from_str::<Number>(written) {
            self.at += length;
            return Ok(Value::Number(number));
        }
        if rest.is_empty() && written.ends_with(['-', '+', '.', 'e', 'E']) {
            return Err(self.truncated());
        }
        let unsigned = written.strip_prefix('+').unwrap_or(written);
        let mut standard = unsigned.strip_suffix('.').unwrap_or(unsigned).to_owned();
        if let Some(fraction) = standard.strip_prefix('.') {
            standard = format!("0.{fraction}");
        } else if let Some(fraction) = standard.strip_prefix("-.") {
            standard = format!("-0.{fraction}");
        }
        match serde_json::from_str::<Number>(&standard) {
            Ok(number) => {
                self.repaired(RepairKind::NumberForm);
                self.at += length;
                Ok(Value::Number(number))
            }
            Err(_) => {
                let shown = excerpt::shortened(written, 40);
                Err(self.malformed(format!("`{shown}` is not a number that can be read")))
            }
        }
    }

    fn word(&mut self) -> Result<Value, LenientError> {
        let length = self
            .rest()
            .find(|found: char| !(found.is_ascii_alphanumeric() || found == '_'))
            .unwrap_or(self.rest().len());
        let word = &self.rest()[..length];
        let (value, kind) = match word {
            "true" => (Value::Bool(true), None),
            "false" => (Value::Bool(false), None),
            "null" => (Value::Null, None),
            "True" | "TRUE" => (Value::Bool(true), Some(RepairKind::PythonLiteral)),
            "False" | "FALSE" => (Value::Bool(false), Some(RepairKind::PythonLiteral)),
            "None" | "undefined" => (Value::Null, Some(RepairKind::PythonLiteral)),
            "NaN" | "nan" | "Infinity" | "inf" | "Inf" => (Value::Null, Some(RepairKind::NotANumber)),
            _ => {
                let begun = [
                    "true", "false", "null", "True", "False", "None", "NaN", "Infinity",
                ]
                .iter()
                .any(|whole| whole.starts_with(word));
                return Err(if begun && length == self.rest().len() {
                    self.truncated()
                } else {
                    let shown = excerpt::shortened(word, 40);
                    self.malformed(format!(
                        "`{shown}` is not a JSON value; a text needs double quotes"
                    ))
                });
            }
        };
        if let Some(kind) = kind {
            self.repaired(kind);
        }
        self.at += length;
        Ok(value)
    }

    /// Passes space and comments.
    fn space(&mut self) -> Result<(), LenientError> {
        loop {
            let rest = self.rest();
            let blank = rest.len() - rest.trim_start().len();
            if blank > 0 {
                self.at += blank;
                continue;
            }
            let length = if rest.starts_with("//") || rest.starts_with('#') {
                rest.find('\n').unwrap_or(rest.len())
            } else if rest.starts_with("/*") {
                match rest.find("*/") {
                    Some(close) => close + 2,
                    None => return Err(self.truncated()),
                }
            } else {
                return Ok(());
            };
            self.repaired(RepairKind::Comment);
            self.at += length;
        }
    }
}
