//! The live web that the operator's settings ask for.

use std::net::IpAddr;
use std::sync::Arc;

use ipnet::IpNet;
use reqwest::Url;

use super::client::{RequestBounds, WebClient};
use super::guard::Guard;
use super::lists::Lists;
use super::rate_limit::Pace;
use super::search::anthropic::{self, AnthropicSearch};
use super::search::brave::{self, Brave};
use super::search::contract::{SearchDialect, SearchEngine};
use super::search::endpoint::SearchEndpoint;
use super::search::engine::Engine;
use super::search::name::SearchName;
use super::search::openai::{self, OpenAiSearch};
use super::search::searxng::SearxNg;
use super::search::tavily::{self, Tavily};
use super::web::{Web, WebParts};
use crate::addresses::resolver::System;
use crate::documents::helper::Helper;
use crate::domain::clock::Clock;
use crate::model::key::Key;
use crate::model::layers::timer::RealTime;
use crate::settings::Settings;

/// Networks that are not public and may be reached all the same, between commas.
pub const PRIVATE: &str = "REPRISE_PRIVATE_ADDRESSES";
/// The proxy that pages are fetched through.
pub const PROXY: &str = "REPRISE_WEB_PROXY";
/// An address or a page that site owners find in their logs.
pub const CONTACT: &str = "REPRISE_WEB_CONTACT";
/// In place of the engine's own address.
pub const BASE: &str = "REPRISE_SEARCH_BASE";

/// A setting that cannot be used. Values that may hold a secret are not shown.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{variable}: {reason}")]
pub struct Unusable {
    pub variable: &'static str,
    pub reason: String,
}

/// The web with the named engine; `None` for [`SearchName::None`].
///
/// # Errors
/// A setting of the network or of the search engine that cannot be used.
pub fn web(
    settings: &Settings,
    name: &SearchName,
    lists: Lists,
    helper: Helper,
    clock: &Arc<dyn Clock>,
    across: bool,
) -> Result<Option<Web>, Unusable> {
    let Some(engine) = engine(settings, name, clock)? else {
        return Ok(None);
    };
    let proxy = address(settings, PROXY)?;
    let mut guard = Guard::new(opened(settings)?, Arc::new(System));
    if let Some(proxy) = &proxy {
        guard = guard.behind(proxy);
    }
    let bounds = RequestBounds::default();
    let pace = Pace::new(bounds.apart, Arc::new(RealTime::default()));
    let client = WebClient::new(
        guard.clone(),
        pace,
        clock.clone(),
        bounds,
        contact(settings)?,
        proxy.as_ref(),
    )
    .map_err(|error| unusable(PROXY, error))?;
    Ok(Some(Web::new(WebParts {
        client,
        guard,
        lists,
        helper,
        engine,
        across,
    })))
}

/// The networks that the operator opened.
fn opened(settings: &Settings) -> Result<Vec<IpNet>, Unusable> {
    let entries = settings.secret(PRIVATE).unwrap_or_default().split(',');
    entries
        .map(str::trim)
        .filter(|entry| !entry.is_empty())
        .map(|entry| {
            let one = entry.parse::<IpAddr>().map(IpNet::from);
            entry.parse::<IpNet>().or(one).map_err(|_| {
                unusable(
                    PRIVATE,
                    format!(
                        "`{entry}` is no network; write addresses or ranges, such as 127.0.0.1 or 10.1.0.0/16"
                    ),
                )
            })
        })
        .collect()
}

fn contact(settings: &Settings) -> Result<Option<&str>, Unusable> {
    let contact = settings.secret(CONTACT);
    if contact.is_some_and(|text| !text.bytes().all(|byte| (b' '..=b'~').contains(&byte))) {
        return Err(unusable(CONTACT, "only plain characters can be sent".to_owned()));
    }
    Ok(contact)
}

fn address(settings: &Settings, variable: &'static str) -> Result<Option<Url>, Unusable> {
    let parsed = settings.secret(variable).map(Url::parse).transpose();
    parsed.map_err(|error| unusable(variable, format!("it is no address: {error}")))
}

fn engine(
    settings: &Settings,
    name: &SearchName,
    clock: &Arc<dyn Clock>,
) -> Result<Option<Arc<dyn SearchEngine>>, Unusable> {
    let at = |default: &str| match address(settings, BASE)? {
        Some(base) => Ok(base),
        None => Url::parse(default).map_err(|error| unusable(BASE, error)),
    };
    let endpoint = |base: Url| {
        let key = match name.key_variable() {
            None => None,
            Some(variable) => {
                let secret = settings.secret(variable).ok_or_else(|| {
                    unusable(
                        variable,
                        format!("it is not set, and `--search {name}` needs a key"),
                    )
                })?;
                Some(Key::new(secret).map_err(|error| unusable(variable, error))?)
            }
        };
        let timer = Arc::new(RealTime::default());
        SearchEndpoint::new(name.to_string(), base, key, timer, clock.clone())
            .map_err(|error| unusable("--search", error))
    };
    Ok(Some(match name {
        SearchName::None => return Ok(None),
        SearchName::SearxNg(base) => asked(endpoint(base.clone())?, SearxNg),
        SearchName::Brave => asked(endpoint(at(brave::BASE)?)?, Brave),
        SearchName::Tavily => asked(endpoint(at(tavily::BASE)?)?, Tavily),
        SearchName::OpenAi(model) => {
            let model = model.clone();
            asked(endpoint(at(openai::BASE)?)?, OpenAiSearch { model })
        }
        SearchName::Anthropic(model) => {
            let model = model.clone();
            asked(endpoint(at(anthropic::BASE)?)?, AnthropicSearch { model })
        }
    }))
}

fn asked(endpoint: SearchEndpoint, dialect: impl SearchDialect + 'static) -> Arc<dyn SearchEngine> {
    Arc::new(Engine { endpoint, dialect })
}

fn unusable(variable: &'static str, reason: impl std::fmt::Display) -> Unusable {
    Unusable {
        variable,
        reason: reason.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn opened_by(text: &str) -> Result<usize, String> {
        let set = [(PRIVATE.to_owned(), text.to_owned())];
        let settings = Settings::from_variables(set).unwrap();
        opened(&settings)
            .map(|nets| nets.len())
            .map_err(|error| error.to_string())
    }

    #[test]
    fn networks_are_opened_by_name() {
        assert_eq!(opened_by(""), Ok(0));
        assert_eq!(opened_by("127.0.0.1, ::1,10.0.0.0/8"), Ok(3));
        assert!(opened_by("yes").unwrap_err().contains("`yes` is no network"));
    }
}
