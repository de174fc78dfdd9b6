//! Each engine's dialect, field by field, as its public reference gives it.

use std::collections::BTreeMap;
use std::sync::Arc;

use jiff::Timestamp;
use reprise::domain::clock::{Clock, FixedClock};
use reprise::domain::usage::Usage;
use reprise::model::key::Key;
use reprise::network::search::anthropic::AnthropicSearch;
use reprise::network::search::brave::Brave;
use reprise::network::search::contract::{Query, SearchDialect, SearchEngine, SearchHits};
use reprise::network::search::endpoint::SearchEndpoint;
use reprise::network::search::engine::Engine;
use reprise::network::search::fault::SearchFault;
use reprise::network::search::openai::OpenAiSearch;
use reprise::network::search::searxng::SearxNg;
use reprise::network::search::tavily::Tavily;
use reqwest::Url;
use serde_json::{Value, json};

use super::server::{Answer, Asked, Server, Told, status};

const KEY: &str = "canary-key-0123456789";
const NAMES: [&str; 5] = ["searxng", "brave", "tavily", "openai", "anthropic"];

fn engine(name: &str, server: &Server, timer: Arc<Told>) -> Box<dyn SearchEngine> {
    let base = Url::parse(&server.url("/base")).unwrap();
    let clock: Arc<dyn Clock> = Arc::new(FixedClock(Timestamp::UNIX_EPOCH));
    let key = Key::new(KEY).unwrap();
    let endpoint = SearchEndpoint::new(name.to_owned(), base, Some(key), timer, clock).unwrap();
    let model = "some-model".to_owned();
    match name {
        "searxng" => asked(endpoint, SearxNg),
        "brave" => asked(endpoint, Brave),
        "tavily" => asked(endpoint, Tavily),
        "openai" => asked(endpoint, OpenAiSearch { model }),
        _ => asked(endpoint, AnthropicSearch { model }),
    }
}

fn asked(endpoint: SearchEndpoint, dialect: impl SearchDialect + 'static) -> Box<dyn SearchEngine> {
    Box::new(Engine { endpoint, dialect })
}

async fn searched(name: &str, answer: Value) -> (SearchHits, Asked) {
    let server = Server::start(move |_| Answer::Whole(200, Vec::new(), answer.to_string().into_bytes()));
    let query = Query {
        text: "income & prestige \"wave 2\"".to_owned(),
        limit: 2,
    };
    let found = engine(name, &server, Arc::default())
        .search(&query)
        .await
        .unwrap();
    let mut asked = server.asked();
    assert_eq!(asked.len(), 1);
    (found, asked.remove(0))
}

fn queried(asked: &Asked) -> (String, BTreeMap<String, String>) {
    let url = Url::parse(&format!("http://x{}", asked.target)).unwrap();
    let pairs = url
        .query_pairs()
        .map(|(key, value)| (key.into_owned(), value.into_owned()));
    (url.path().to_owned(), pairs.collect())
}

fn row(found: &SearchHits, at: usize) -> [&str; 4] {
    let hit = &found.hits[at];
    [
        &hit.url,
        &hit.title,
        hit.date.as_deref().unwrap_or(""),
        &hit.excerpt,
    ]
}

#[tokio::test]
async fn searxng() {
    let answer = json!({ "query": "q", "number_of_results": 0, "results": [
        { "url": "https://a.org/1", "title": "One\n", "content": "First", "publishedDate": "2020-01-02T00:00:00", "engine": "x", "score": 1.5 },
        { "url": "javascript:alert(1)", "title": "Bad" },
        { "url": "https://a.org/2", "title": "Two", "content": "Second", "publishedDate": null },
        { "url": "https://a.org/3", "title": "Three" },
    ], "unresponsive_engines": [["google", "timeout"]] });
    let (found, asked) = searched("searxng", answer).await;
    let (path, pairs) = queried(&asked);
    assert_eq!((asked.method.as_str(), path.as_str()), ("GET", "/base/search"));
    assert_eq!(pairs["q"], "income & prestige \"wave 2\"");
    assert_eq!(pairs["format"], "json");
    assert_eq!(
        row(&found, 0),
        ["https://a.org/1", "One", "2020-01-02T00:00:00", "First"]
    );
    assert_eq!(row(&found, 1), ["https://a.org/2", "Two", "", "Second"]);
    assert_eq!(found.hits.len(), 2);
    assert_eq!(found.notes, ["Engines that did not answer: google."]);
}

#[tokio::test]
async fn brave() {
    let answer = json!({ "type": "search", "web": { "type": "search", "results": [
        { "title": "One", "url": "https://a.org/1", "description": "First", "age": "May 3, 2021", "page_age": "2021-05-03T10:00:00" },
        { "title": "Two", "url": "https://a.org/2", "description": "Second", "age": "2 days ago" },
    ] } });
    let (found, asked) = searched("brave", answer).await;
    let (path, pairs) = queried(&asked);
    assert_eq!(
        (asked.method.as_str(), path.as_str()),
        ("GET", "/base/web/search")
    );
    assert_eq!(
        (pairs["q"].as_str(), pairs["count"].as_str()),
        ("income & prestige \"wave 2\"", "2")
    );
    assert_eq!(asked.headers["x-subscription-token"], KEY);
    assert_eq!(
        row(&found, 0),
        ["https://a.org/1", "One", "2021-05-03T10:00:00", "First"]
    );
    assert_eq!(row(&found, 1), ["https://a.org/2", "Two", "2 days ago", "Second"]);
}

#[tokio::test]
async fn tavily() {
    let answer = json!({ "query": "q", "results": [
        { "title": "One", "url": "https://a.org/1", "content": "First", "score": 0.9, "published_date": "2022-02-02" },
    ], "response_time": 1.2 });
    let (found, asked) = searched("tavily", answer).await;
    assert_eq!(
        (asked.method.as_str(), asked.target.as_str()),
        ("POST", "/base/search")
    );
    assert_eq!(asked.headers["authorization"], format!("Bearer {KEY}"));
    let body: Value = serde_json::from_str(&asked.body).unwrap();
    assert_eq!(
        body,
        json!({ "query": "income & prestige \"wave 2\"", "max_results": 2, "search_depth": "basic", "include_answer": false })
    );
    assert_eq!(row(&found, 0), ["https://a.org/1", "One", "2022-02-02", "First"]);
}

#[tokio::test]
async fn openai_takes_citations_and_sources_alone() {
    let answer = json!({ "id": "resp_1", "status": "completed", "output": [
        { "id": "ws_1", "type": "web_search_call", "status": "completed", "action": { "type": "search", "query": "q",
            "sources": [{ "type": "url", "url": "https://a.org/2" }, { "type": "url", "url": "https://a.org/1" }] } },
        { "id": "ws_2", "type": "web_search_call", "status": "completed", "action": { "type": "open_page", "url": "https://a.org/1" } },
        { "id": "msg_1", "type": "message", "role": "assistant", "content": [{ "type": "output_text",
            "text": "See https://invented.org and one.",
            "annotations": [{ "type": "url_citation", "start_index": 0, "end_index": 3, "url": "https://a.org/1", "title": "One" }] }] },
    ], "usage": { "input_tokens": 900, "input_tokens_details": { "cached_tokens": 400 }, "output_tokens": 30,
        "output_tokens_details": { "reasoning_tokens": 10 } } });
    let (found, asked) = searched("openai", answer).await;
    assert_eq!(
        (asked.method.as_str(), asked.target.as_str()),
        ("POST", "/base/responses")
    );
    assert_eq!(asked.headers["authorization"], format!("Bearer {KEY}"));
    let body: Value = serde_json::from_str(&asked.body).unwrap();
    assert_eq!(body["model"], "some-model");
    assert_eq!(body["tools"], json!([{ "type": "web_search" }]));
    assert_eq!(body["include"], json!(["web_search_call.action.sources"]));
    assert_eq!(
        (&body["tool_choice"], &body["store"]),
        (&json!("required"), &json!(false))
    );
    assert!(
        body["input"]
            .as_str()
            .unwrap()
            .ends_with("income & prestige \"wave 2\"")
    );
    assert_eq!(row(&found, 0), ["https://a.org/1", "One", "", ""]);
    assert_eq!(row(&found, 1), ["https://a.org/2", "", "", ""]);
    let usage = Usage {
        input: 900,
        cached: 400,
        output: 30,
        reasoning: 10,
        ..Usage::default()
    };
    assert_eq!((found.usage, found.searches), (Some(usage), 1));
}

#[tokio::test]
async fn anthropic_takes_the_tools_results_alone() {
    let answer = json!({ "type": "message", "role": "assistant", "content": [
        { "type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search", "input": { "query": "q" } },
        { "type": "web_search_tool_result", "tool_use_id": "srvtoolu_1", "content": [
            { "type": "web_search_result", "url": "https://a.org/1", "title": "One", "encrypted_content": "zzz", "page_age": "April 30, 2025" },
        ] },
        { "type": "text", "text": "https://invented.org" },
        { "type": "web_search_tool_result", "tool_use_id": "srvtoolu_2",
            "content": { "type": "web_search_tool_result_error", "error_code": "max_uses_exceeded" } },
    ], "stop_reason": "end_turn",
        "usage": { "input_tokens": 700, "cache_read_input_tokens": 100, "output_tokens": 20, "server_tool_use": { "web_search_requests": 1 } } });
    let (found, asked) = searched("anthropic", answer).await;
    let usage = Usage {
        input: 800,
        cached: 100,
        output: 20,
        ..Usage::default()
    };
    assert_eq!((found.usage, found.searches), (Some(usage), 1));
    assert_eq!(
        (asked.method.as_str(), asked.target.as_str()),
        ("POST", "/base/messages")
    );
    assert_eq!(asked.headers["x-api-key"], KEY);
    assert_eq!(asked.headers["anthropic-version"], "2023-06-01");
    let body: Value = serde_json::from_str(&asked.body).unwrap();
    assert_eq!(
        body["tools"],
        json!([{ "type": "web_search_20250305", "name": "web_search", "max_uses": 1 }])
    );
    assert_eq!(
        body["tool_choice"],
        json!({ "type": "tool", "name": "web_search" })
    );
    assert_eq!(body["max_tokens"], 1024);
    assert_eq!(body["messages"][0]["role"], "user");
    assert_eq!(row(&found, 0), ["https://a.org/1", "One", "April 30, 2025", ""]);
    assert_eq!(found.hits.len(), 1);
    assert_eq!(found.notes, ["The hosted search failed: `max_uses_exceeded`."]);
}

#[tokio::test]
async fn faults_are_told_without_the_key() {
    for name in NAMES {
        let timer = Arc::new(Told::default());
        let query = Query {
            text: "q".to_owned(),
            limit: 5,
        };
        let echo = || Answer::Whole(401, Vec::new(), format!("bad key {KEY}").into_bytes());
        let refused = Server::start(move |_| echo());
        let fault = engine(name, &refused, timer.clone())
            .search(&query)
            .await
            .unwrap_err();
        assert!(matches!(fault, SearchFault::Misconfigured(_)), "{fault:?}");
        assert!(
            fault.to_string().contains("[key]") && !format!("{fault:?}").contains("canary"),
            "{fault:?}"
        );
        assert_eq!(refused.asked().len(), 1);

        let busy = Server::start(|_| status(429, &[("Retry-After", "7")]));
        let fault = engine(name, &busy, timer.clone())
            .search(&query)
            .await
            .unwrap_err();
        assert!(
            matches!(&fault, SearchFault::Failed(why) if why.contains("429")),
            "{fault:?}"
        );
        assert_eq!(
            (busy.asked().len(), timer.0.lock().unwrap().as_slice()),
            (3, &[7, 7][..])
        );

        for wrong in [
            Answer::Whole(200, Vec::new(), b"<html>no json".to_vec()),
            Answer::Raw(b"\x00".to_vec()),
        ] {
            let wrong = std::sync::Mutex::new(Some(wrong));
            let server =
                Server::start(move |_| wrong.lock().unwrap().take().unwrap_or(Answer::Raw(Vec::new())));
            let fault = engine(name, &server, Arc::default())
                .search(&query)
                .await
                .unwrap_err();
            assert!(matches!(fault, SearchFault::Failed(_)), "{fault:?}");
        }
        for empty in [
            json!({}),
            json!([]),
            json!({ "results": "none", "web": 3, "content": {}, "output": [1] }),
        ] {
            let body = empty.to_string();
            let server = Server::start(move |_| Answer::Whole(200, Vec::new(), body.clone().into_bytes()));
            let found = engine(name, &server, Arc::default())
                .search(&query)
                .await
                .unwrap();
            assert!(found.hits.is_empty(), "{name}");
        }
    }
}
