//! Tavily, by its Search API: `POST /search`.

use async_trait::async_trait;
use reqwest::RequestBuilder;
use serde_json::{Value, json};

use super::contract::{Found, Hit, Query, SearchEngine, SearchFault};
use super::endpoint::Endpoint;

/// Where it is, unless the operator says otherwise.
pub const BASE: &str = "https://api.tavily.com";

pub struct Tavily(pub Endpoint);

fn request(endpoint: &Endpoint, query: &Query) -> RequestBuilder {
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

fn read(answer: &Value, limit: u32) -> Found {
    let results = answer["results"].as_array().into_iter().flatten();
    Found {
        hits: results
            .filter_map(|one| Hit::read(one, ["url", "title", "published_date", "content"]))
            .take(limit as usize)
            .collect(),
        notes: Vec::new(),
        usage: None,
    }
}

#[async_trait]
impl SearchEngine for Tavily {
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
