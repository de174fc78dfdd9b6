//! SearXNG, by its Search API: `GET /search?q=&format=json`.

use async_trait::async_trait;
use reqwest::RequestBuilder;
use serde_json::Value;

use super::contract::{Found, Hit, Query, SearchEngine, SearchFault};
use super::endpoint::Endpoint;
use crate::network::page::one_line;

pub struct SearxNg(pub Endpoint);

fn request(endpoint: &Endpoint, query: &Query) -> RequestBuilder {
    let mut url = endpoint.at("search");
    url.query_pairs_mut()
        .append_pair("q", &query.text)
        .append_pair("format", "json");
    endpoint.http().get(url)
}

fn read(answer: &Value, limit: u32) -> Found {
    let results = answer["results"].as_array().into_iter().flatten();
    let silent: Vec<String> = answer["unresponsive_engines"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(|one| one[0].as_str().or(one.as_str()))
        .map(|name| one_line(name, 40))
        .collect();
    Found {
        hits: results
            .filter_map(|one| Hit::read(one, ["url", "title", "publishedDate", "content"]))
            .take(limit as usize)
            .collect(),
        notes: (!silent.is_empty())
            .then(|| format!("Engines that did not answer: {}.", silent.join(", ")))
            .into_iter()
            .collect(),
        usage: None,
    }
}

#[async_trait]
impl SearchEngine for SearxNg {
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
