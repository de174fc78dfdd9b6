//! The engine that an operator names.

use std::fmt;
use std::str::FromStr;

use reqwest::Url;

use crate::domain::excerpt;

/// An engine, as `--search` and `REPRISE_SEARCH` name it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SearchName {
    /// No search engine, and no pages.
    None,
    SearxNg(Url),
    Brave,
    Tavily,
    /// Hosted search, by the model that calls it.
    OpenAi(String),
    Anthropic(String),
}

/// A name that no engine has.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BadSearchName {
    #[error(
        "`{0}` is no search engine: choose none, searxng:https://HOST, brave, tavily, openai/MODEL or anthropic/MODEL"
    )]
    Unknown(String),
    #[error(
        "the address of the search engine at `{0}` holds a user or a password, and names are kept: take them out"
    )]
    Credentials(String),
}

impl SearchName {
    /// The variable that holds the engine's key, where it needs one.
    pub fn key_variable(&self) -> Option<&'static str> {
        match self {
            Self::None | Self::SearxNg(_) => None,
            Self::Brave => Some("BRAVE_API_KEY"),
            Self::Tavily => Some("TAVILY_API_KEY"),
            Self::OpenAi(_) => Some("OPENAI_API_KEY"),
            Self::Anthropic(_) => Some("ANTHROPIC_API_KEY"),
        }
    }
}

impl FromStr for SearchName {
    type Err = BadSearchName;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let unknown = || BadSearchName::Unknown(excerpt::shortened(text, 200));
        match text {
            "none" => return Ok(Self::None),
            "brave" => return Ok(Self::Brave),
            "tavily" => return Ok(Self::Tavily),
            _ => {}
        }
        if let Some(address) = text.strip_prefix("searxng:") {
            let url = Url::parse(address).map_err(|_| BadSearchName::Unknown("searxng:...".to_owned()))?;
            if !url.username().is_empty() || url.password().is_some() {
                let host = url.host_str().unwrap_or_default().to_owned();
                return Err(BadSearchName::Credentials(host));
            }
            return match url.scheme() {
                "http" | "https" if url.query().is_none() => Ok(Self::SearxNg(url)),
                _ => Err(unknown()),
            };
        }
        match text.split_once('/') {
            Some(("openai", model)) if !model.is_empty() => Ok(Self::OpenAi(model.to_owned())),
            Some(("anthropic", model)) if !model.is_empty() => Ok(Self::Anthropic(model.to_owned())),
            _ => Err(unknown()),
        }
    }
}

impl fmt::Display for SearchName {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::None => formatter.write_str("none"),
            Self::SearxNg(url) => write!(formatter, "searxng:{url}"),
            Self::Brave => formatter.write_str("brave"),
            Self::Tavily => formatter.write_str("tavily"),
            Self::OpenAi(model) => write!(formatter, "openai/{model}"),
            Self::Anthropic(model) => write!(formatter, "anthropic/{model}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_and_written_alike() {
        for name in [
            "none",
            "brave",
            "tavily",
            "openai/gpt-5",
            "anthropic/claude",
            "searxng:http://127.0.0.1:8080/",
        ] {
            assert_eq!(name.parse::<SearchName>().unwrap().to_string(), name);
        }
        for wrong in [
            "",
            "google",
            "openai/",
            "searxng:",
            "searxng:ftp://x",
            "searxng:http://x/?key=1",
        ] {
            assert!(wrong.parse::<SearchName>().is_err(), "{wrong}");
        }
        let error = "searxng:http://u:canary@x.org".parse::<SearchName>().unwrap_err();
        assert!(!error.to_string().contains("canary"), "{error}");
    }
}
