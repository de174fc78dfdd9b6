//! The dialects in which programs of others ask a model.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// A dialect that clients speak.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ProxyDialect {
    ChatCompletions,
    Responses,
    Messages,
    /// Gemini's own. No client of ours asks in it.
    GenerateContent,
}

/// A word that is the name of no dialect.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is no dialect: write chat-completions, responses, messages or generate-content")]
pub struct NoDialect(String);

impl ProxyDialect {
    pub const ALL: [Self; 4] = [
        Self::ChatCompletions,
        Self::Responses,
        Self::Messages,
        Self::GenerateContent,
    ];

    /// The name that its clients know it by.
    pub fn name(self) -> &'static str {
        match self {
            Self::ChatCompletions => "chat completions",
            Self::Responses => "Responses",
            Self::Messages => "Messages",
            Self::GenerateContent => "generateContent",
        }
    }

    /// The name as it is typed.
    pub fn word(self) -> &'static str {
        match self {
            Self::ChatCompletions => "chat-completions",
            Self::Responses => "responses",
            Self::Messages => "messages",
            Self::GenerateContent => "generate-content",
        }
    }
}

impl FromStr for ProxyDialect {
    type Err = NoDialect;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let word = text.replace('_', "-");
        let found = Self::ALL.into_iter().find(|one| one.word() == word);
        found.ok_or_else(|| NoDialect(text.to_owned()))
    }
}

impl fmt::Display for ProxyDialect {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(self.word())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_dialect_is_read_as_it_is_written() {
        for dialect in ProxyDialect::ALL {
            assert_eq!(dialect.to_string().parse(), Ok(dialect));
            let kept = serde_json::to_string(&dialect).unwrap();
            assert_eq!(kept.trim_matches('"').parse(), Ok(dialect));
        }
        assert!(
            "chat"
                .parse::<ProxyDialect>()
                .unwrap_err()
                .to_string()
                .contains("chat-completions")
        );
    }
}
