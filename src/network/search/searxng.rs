//! SearXNG, by its Search API: `GET /search?q=&format=json`.

use reqwest::RequestBuilder;
use serde_json::Value;

use super::contract::{Hit, Query, SearchDialect, SearchHits};
use super::endpoint::SearchEndpoint;
use crate::network::one_line::one_line;

pub struct SearxNg;

impl SearchDialect for SearxNg {
    fn request(&self, endpoint: &SearchEndpoint, query: &Query) -> RequestBuilder {
        let mut url = endpoint.at("search");
        url.query_pairs_mut()
            .append_pair("q", &query.text)
            .append_pair("format", "json");
        endpoint.http().get(url)
    }

    fn read(&self, answer: &Value) -> SearchHits {
        let results = answer["results"].as_array().into_iter().flatten();
        let silent: Vec<String> = answer["unresponsive_engines"]
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(|one| one[0].as_str().or(one.as_str()))
            .map(|name| one_line(name, 40))
            .collect();
        SearchHits {
            hits: results
                .filter_map(|one| Hit::read(one, ["url", "title", "publishedDate", "content"]))
                .collect(),
            notes: (!silent.is_empty())
                .then(|| format!("Engines that did not answer: {}.", silent.join(", ")))
                .into_iter()
                .collect(),
            ..SearchHits::default()
        }
    }
}
