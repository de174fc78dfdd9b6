//! The translation of a program's calls into the dialect in which a run's model is asked.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::proxy_dialect::ProxyDialect;

/// The dialects between which a run's calls are translated.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CallTranslation {
    /// The dialect of the program, where its definition or its options say it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<ProxyDialect>,
    /// The dialect in which calls are asked that come in one that the model does not speak.
    pub into: ProxyDialect,
    /// The dialects in which the model is asked; calls in these go on as they are.
    pub spoken: Vec<ProxyDialect>,
}

impl CallTranslation {
    /// Whether calls in a dialect are translated.
    pub fn carries(&self, dialect: ProxyDialect) -> bool {
        !self.spoken.contains(&dialect)
    }
}

/// As the rest of a clause on calls.
impl fmt::Display for CallTranslation {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let from = self.from.map_or("other dialects", ProxyDialect::name);
        write!(formatter, "translated from {from} into {}", self.into.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_model_speaks_is_not_translated() {
        let translation = CallTranslation {
            from: Some(ProxyDialect::Responses),
            into: ProxyDialect::ChatCompletions,
            spoken: vec![ProxyDialect::ChatCompletions],
        };
        let carried: Vec<_> = ProxyDialect::ALL
            .into_iter()
            .filter(|dialect| translation.carries(*dialect))
            .collect();
        assert_eq!(
            carried,
            [
                ProxyDialect::Responses,
                ProxyDialect::Messages,
                ProxyDialect::GenerateContent
            ]
        );
        assert_eq!(
            translation.to_string(),
            "translated from Responses into chat completions"
        );
        let unknown = CallTranslation {
            from: None,
            ..translation
        };
        assert_eq!(
            serde_json::to_string(&unknown).unwrap(),
            r#"{"into":"chat_completions","spoken":["chat_completions"]}"#
        );
    }
}
