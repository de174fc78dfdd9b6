//! The paths by which the dialects of clients are told apart, and their streamed answers.

use axum::http::Method;

use crate::domain::proxy_dialect::ProxyDialect;
use crate::model::anthropic::assembly::StreamedMessage;
use crate::model::openai::assembly::Completion;
use crate::model::proxy::asked_command;
use crate::model::proxy::generate_content::StreamedContent;
use crate::model::responses::assembly::StreamedResponse;
use crate::model::sse::Assembly;

/// Puts a streamed answer of a dialect together.
pub fn assembly(dialect: ProxyDialect) -> Box<dyn Assembly> {
    match dialect {
        ProxyDialect::ChatCompletions => Completion::boxed(),
        ProxyDialect::Responses => StreamedResponse::boxed(),
        ProxyDialect::Messages => StreamedMessage::boxed(),
        ProxyDialect::GenerateContent => StreamedContent::boxed(),
    }
}

/// The meaning of a request's method and path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ProxyRoute {
    /// A call of the model.
    Call {
        dialect: ProxyDialect,
        /// The model and the manner, where the path holds them.
        named: Option<PathModel>,
    },
    /// Tokens are to be counted.
    Count {
        dialect: ProxyDialect,
    },
    /// The models are to be listed.
    Models,
    /// A program asks about a command.
    Command,
    Unknown,
}

/// A model in a path, and whether its answer is streamed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PathModel {
    pub model: String,
    pub streamed: bool,
}

impl ProxyRoute {
    /// The route of a request. What stands before the dialect's own part, such as `/v1`, is free.
    pub fn of(method: &Method, path: &str) -> Self {
        let path = path.trim_end_matches('/');
        if method == Method::GET {
            return match path.ends_with("/models") {
                true => Self::Models,
                false => Self::Unknown,
            };
        }
        if method != Method::POST {
            return Self::Unknown;
        }
        if path == asked_command::PATH {
            return Self::Command;
        }
        let call = |dialect| Self::Call { dialect, named: None };
        if path.ends_with("/chat/completions") {
            return call(ProxyDialect::ChatCompletions);
        }
        if path.ends_with("/responses") {
            return call(ProxyDialect::Responses);
        }
        if path.ends_with("/messages") {
            return call(ProxyDialect::Messages);
        }
        if path.ends_with("/messages/count_tokens") {
            return Self::Count {
                dialect: ProxyDialect::Messages,
            };
        }
        Self::of_model(path).unwrap_or(Self::Unknown)
    }

    /// The route of a path that ends in `/models/MODEL:ACT`.
    fn of_model(path: &str) -> Option<Self> {
        // Names of models have slashes, colons and this word in them, as `accounts/a/models/b:c` has.
        let (_, rest) = path.split_once("/models/")?;
        let (model, act) = rest.rsplit_once(':')?;
        let dialect = ProxyDialect::GenerateContent;
        let call = |streamed| Self::Call {
            dialect,
            named: Some(PathModel {
                model: model.to_owned(),
                streamed,
            }),
        };
        match act {
            "generateContent" => Some(call(false)),
            "streamGenerateContent" => Some(call(true)),
            "countTokens" => Some(Self::Count { dialect }),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_tell_the_dialects_apart() {
        let dialect = |path: &str| match ProxyRoute::of(&Method::POST, path) {
            ProxyRoute::Call { dialect, named } => Some((dialect, named.map(|named| named.streamed))),
            _ => None,
        };
        assert_eq!(
            dialect("/v1/chat/completions"),
            Some((ProxyDialect::ChatCompletions, None))
        );
        assert_eq!(dialect("/responses/"), Some((ProxyDialect::Responses, None)));
        assert_eq!(dialect("/v1/messages"), Some((ProxyDialect::Messages, None)));
        let gemini = ProxyDialect::GenerateContent;
        assert_eq!(
            dialect("/v1beta/models/a:generateContent"),
            Some((gemini, Some(false)))
        );
        assert_eq!(
            dialect("/v1beta/models/a:streamGenerateContent"),
            Some((gemini, Some(true)))
        );
        let named = |path: &str| match ProxyRoute::of(&Method::POST, path) {
            ProxyRoute::Call { named, .. } => named.map(|named| named.model),
            _ => None,
        };
        for name in [
            "a",
            "accounts/a/models/b",
            "qwen3:8b",
            "openai-api/127.0.0.1:80/v1/m",
        ] {
            let path = format!("/v1beta/models/{name}:generateContent");
            assert_eq!(named(&path).as_deref(), Some(name));
        }
        for other in [
            "/v1/embeddings",
            "/v1/files",
            "/v1/responses/resp_1/cancel",
            "/v1beta/models/a:batchEmbedContents",
        ] {
            assert_eq!(
                ProxyRoute::of(&Method::POST, other),
                ProxyRoute::Unknown,
                "{other}"
            );
        }
        assert_eq!(ProxyRoute::of(&Method::HEAD, "/"), ProxyRoute::Unknown);
        assert_eq!(ProxyRoute::of(&Method::GET, "/v1/models"), ProxyRoute::Models);
        assert_eq!(ProxyRoute::of(&Method::GET, "/v1/responses"), ProxyRoute::Unknown);
    }
}
