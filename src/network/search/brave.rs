//! Brave Search, by its Web Search API: `GET /res/v1/web/search`.

use reqwest::RequestBuilder;
use serde_json::Value;

use super::contract::{Hit, Query, SearchDialect, SearchHits};
use super::endpoint::SearchEndpoint;

/// Where it is, unless the operator says otherwise.
pub const BASE: &str = "https://api.search.brave.com/res/v1";

pub struct Brave;

impl SearchDialect for Brave {
    fn request(&self, endpoint: &SearchEndpoint, query: &Query) -> RequestBuilder {
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

    fn read(&self, answer: &Value) -> SearchHits {
        let results = answer["web"]["results"].as_array().into_iter().flatten();
        SearchHits {
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
                .collect(),
            ..SearchHits::default()
        }
    }
}
