//! Brave Search, by its Web Search API: `GET /res/v1/web/search`.

use async_trait::async_trait;
use reqwest::RequestBuilder;
use serde_json::Value;

use super::contract::{Found, Hit, Query, SearchEngine, SearchFault};
use super::endpoint::Endpoint;

/// Where it is, unless the operator says otherwise.
pub const BASE: &str = "https://api.search.brave.com/res/v1";

pub struct Brave(pub Endpoint);

fn request(endpoint: &Endpoint, query: &Query) -> RequestBuilder {
    let mut url = endpoint.at("web/search");
    url.query_pairs_mut()
        .append_pair("q", &query.text)
        .append_pair("count", &query.limit.to_string())
        // Excerpts come without markup.
        .append_pair("text_decorations", "false");
    endpoint
        .http()
        .get(url)
        .header("Accept", "application/json")
        .header("X-Subscription-Token", endpoint.secret())
}

fn read(answer: &Value, limit: u32) -> Found {
    let results = answer["web"]["results"].as_array().into_iter().flatten();
    Found {
        hits: results
            .filter_map(|one| {
                // `page_age` is a time; `age` is one for people.
                let date = if one["page_age"].is_string() {
                    "page_age"
                } else {
                    "age"
                };
                Hit::read(one, ["url", "title", date, "description"])
            })
            .take(limit as usize)
            .collect(),
        notes: Vec::new(),
        usage: None,
    }
}

#[async_trait]
impl SearchEngine for Brave {
    fn name(&self) -> &str {
        &self.0.name
    }

    fn host(&self) -> &str {
        self.0.base.host_str().unwrap_or_default()
    }

    async fn search(&self, query: &Query) -> Result<Found, SearchFault> {
        let answer = self.0.send(|| request(&self.0, query)).await?;
        Ok(read(&answer, query.limit))
    }
}
