//! Tavily, by its Search API: `POST /search`.

use reqwest::RequestBuilder;
use serde_json::{Value, json};

use super::contract::{Hit, Query, SearchDialect, SearchHits};
use super::endpoint::SearchEndpoint;

/// Where it is, unless the operator says otherwise.
pub const BASE: &str = "https://api.tavily.com";

pub struct Tavily;

impl SearchDialect for Tavily {
    fn request(&self, endpoint: &SearchEndpoint, query: &Query) -> RequestBuilder {
        endpoint
            .http()
            .post(endpoint.at("search"))
            .bearer_auth(endpoint.secret())
            .json(&json!({
                "query": query.text,
                "max_results": query.limit,
                "search_depth": "basic",
                "include_answer": false,
            }))
    }

    fn read(&self, answer: &Value) -> SearchHits {
        let results = answer["results"].as_array().into_iter().flatten();
        SearchHits {
            hits: results
                .filter_map(|one| Hit::read(one, ["url", "title", "published_date", "content"]))
                .collect(),
            ..SearchHits::default()
        }
    }
}
