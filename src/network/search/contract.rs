//! The contract of a search engine: query, hits, dialect.

use async_trait::async_trait;
use reqwest::RequestBuilder;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::endpoint::SearchEndpoint;
use super::fault::SearchFault;
use crate::domain::usage::Usage;
use crate::network::one_line::one_line;

/// Characters of an excerpt.
const EXCERPT: usize = 500;
/// Characters of an address.
const ADDRESS: usize = 2_000;

/// One query.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Query {
    pub text: String,
    /// Most results, from 1 to 20.
    pub limit: u32,
}

/// One result, in the order of the engine.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Hit {
    pub url: String,
    pub title: String,
    /// As the engine gives it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub date: Option<String>,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub excerpt: String,
}

impl Hit {
    /// A result out of one object of an answer, by the names of its fields.
    /// What has no web address is none.
    pub fn read(found: &Value, [url, title, date, excerpt]: [&str; 4]) -> Option<Self> {
        let text = |name: &str| found[name].as_str().unwrap_or_default();
        let url = text(url).trim();
        let is_address = url.starts_with("http://") || url.starts_with("https://");
        if !is_address || url.len() > ADDRESS || url.contains(char::is_whitespace) {
            return None;
        }
        let date = one_line(text(date), 60);
        Some(Self {
            url: url.to_owned(),
            title: one_line(text(title), 300),
            date: (!date.is_empty()).then_some(date),
            excerpt: one_line(text(excerpt), EXCERPT),
        })
    }
}

/// The hits of a search.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SearchHits {
    pub hits: Vec<Hit>,
    /// What the engine says of its search, in sentences.
    pub notes: Vec<String>,
    /// Tokens that a hosted search took, as its provider counted them or as they are estimated.
    pub usage: Option<Usage>,
    /// Searches that it made for the query, as its provider charges for them.
    pub searches: u64,
}

/// The dialect of an engine: its request, and the reading of its answer.
pub trait SearchDialect: Send + Sync {
    fn request(&self, endpoint: &SearchEndpoint, query: &Query) -> RequestBuilder;

    /// Everything that an answer holds, which may be more than was asked for.
    fn read(&self, answer: &Value) -> SearchHits;

    /// Whether a model searches, whose tokens are paid for.
    fn takes_tokens(&self) -> bool {
        false
    }
}

/// A search engine.
#[async_trait]
pub trait SearchEngine: Send + Sync {
    /// What the operator calls it; holds no key.
    fn name(&self) -> &str;

    /// The host that queries go to.
    fn host(&self) -> &str;

    async fn search(&self, query: &Query) -> Result<SearchHits, SearchFault>;
}
