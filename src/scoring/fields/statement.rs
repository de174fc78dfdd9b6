//! The statement of a field, if it makes one.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::domain::bare_number::{BareNumber, NumberForm};
use crate::domain::excerpt;

/// Most characters of one field that are kept.
const MAX_CHARACTERS: usize = 400_000;

/// The content of one field.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Statement {
    /// The field is missing, null or empty.
    #[default]
    Absent,
    /// The field says, in so many words, that the paper does not state it.
    NotStated,
    /// Anything else, as text.
    Text(String),
}

/// The kind of a [`Statement`], without its text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StatementKind {
    Absent,
    NotStated,
    Stated,
}

impl Statement {
    /// Reads a field of any JSON type: lists one item a line, objects as the
    /// values of their leaves in order.
    pub fn from_value(value: &Value) -> Self {
        let mut text = String::new();
        gather(value, &mut text);
        Self::from_text(&text)
    }

    /// Reads a field's text.
    pub fn from_text(text: &str) -> Self {
        let text = text.trim();
        if text.is_empty() {
            return Self::Absent;
        }
        let bare = text
            .trim_matches(|character: char| !character.is_alphanumeric())
            .to_lowercase();
        match bare.as_str() {
            "not stated" | "not reported" | "not available" | "not applicable" | "not specified" | "n/a"
            | "na" | "unknown" => Self::NotStated,
            _ => Self::Text(text.to_owned()),
        }
    }

    /// The text; empty when nothing is stated.
    pub fn text(&self) -> &str {
        match self {
            Self::Text(text) => text,
            Self::Absent | Self::NotStated => "",
        }
    }

    /// The kind of statement.
    pub fn state(&self) -> StatementKind {
        match self {
            Self::Absent => StatementKind::Absent,
            Self::NotStated => StatementKind::NotStated,
            Self::Text(_) => StatementKind::Stated,
        }
    }

    /// The one number that the whole field is, with `−` and digit groups understood.
    pub fn number(&self) -> Option<f64> {
        BareNumber::parse(self.text(), NumberForm::Grouped).map(|number| number.value)
    }

    /// Two statements of one field, the second on its own line.
    pub fn join(self, other: Self) -> Self {
        match (self, other) {
            (Self::Text(first), Self::Text(second)) => Self::Text(format!("{first}\n{second}")),
            (Self::Text(text), _) | (_, Self::Text(text)) => Self::Text(text),
            (Self::NotStated, _) | (_, Self::NotStated) => Self::NotStated,
            (Self::Absent, Self::Absent) => Self::Absent,
        }
    }
}

fn gather(value: &Value, text: &mut String) {
    if text.len() > MAX_CHARACTERS {
        return;
    }
    match value {
        Value::Null => {}
        Value::Bool(flag) => line(text, if *flag { "true" } else { "false" }),
        Value::Number(number) => line(text, &number.to_string()),
        Value::String(string) => line(text, string),
        Value::Array(items) => items.iter().for_each(|item| gather(item, text)),
        Value::Object(members) => members.values().for_each(|member| gather(member, text)),
    }
}

fn line(text: &mut String, addition: &str) {
    if !text.is_empty() {
        text.push('\n');
    }
    text.push_str(excerpt::start(addition, MAX_CHARACTERS));
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn only_a_bare_not_stated_counts_as_one() {
        assert_eq!(Statement::from_value(&json!("Not stated.")), Statement::NotStated);
        assert_eq!(
            Statement::from_value(&json!(["not stated"])),
            Statement::NotStated
        );
        assert_eq!(Statement::from_value(&json!([null, ""])), Statement::Absent);
        let thanks = Statement::from_value(&json!("not stated; the authors thank the data provider"));
        assert_eq!(thanks.state(), StatementKind::Stated);
    }

    #[test]
    fn numbers_are_read_whole_or_not_at_all() {
        let number = |text: &str| Statement::from_text(text).number();
        assert_eq!(number("3,037"), Some(3037.0));
        assert_eq!(number("−0.41"), Some(-0.41));
        assert_eq!(number("-1,234.5"), Some(-1234.5));
        assert_eq!(number("1,2"), None);
        assert_eq!(number("3,037 counties"), None);
        assert_eq!(number("inf"), None);
        assert_eq!(Statement::from_value(&json!(0.001)).number(), Some(0.001));
    }
}
