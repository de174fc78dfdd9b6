//! The live web of one run: an engine, a client, a study's lists, and what was
//! learnt of each site on the way.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, PoisonError};

use reqwest::{Method, Url};
use serde_json::{Value, json};
use tokio::sync::OnceCell;

use super::client::{FetchFault, WebClient};
use super::guard::{Guard, bare};
use super::lists::Lists;
use super::robots::{self, RobotsAnswer, Rules};
use super::search::contract::{Hit, Query, SearchEngine};
use super::search::fault::SearchFault;
use super::{addresses, redirect};
use crate::documents::helper::Helper;
use crate::domain::usage::Usage;
use crate::model::chat::ModelError;

/// The use of one hosted search.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SearchUsage {
    /// Tokens that it took.
    pub usage: Usage,
    /// Searches that it made.
    pub searches: u64,
}

/// Everything that answers a run's requests to the web.
pub struct Web {
    pub(super) client: WebClient,
    pub(super) guard: Guard,
    pub(super) lists: Lists,
    pub(super) helper: Helper,
    engine: Arc<dyn SearchEngine>,
    /// Whether a page that moved to another host is followed there. Where each
    /// host needs an approval of its own, it is not.
    pub(super) across: bool,
    robots: Mutex<HashMap<String, Arc<OnceCell<Rules>>>>,
    /// The status of each page that was opened, by its key.
    opened: Mutex<BTreeMap<String, u16>>,
    /// What the last hosted search took.
    took: Mutex<Option<SearchUsage>>,
}

/// The parts of a web.
pub struct WebParts {
    pub client: WebClient,
    pub guard: Guard,
    pub lists: Lists,
    pub helper: Helper,
    pub engine: Arc<dyn SearchEngine>,
    pub across: bool,
}

impl Web {
    pub fn new(parts: WebParts) -> Self {
        Self {
            client: parts.client,
            guard: parts.guard,
            lists: parts.lists,
            helper: parts.helper,
            engine: parts.engine,
            across: parts.across,
            robots: Mutex::default(),
            opened: Mutex::default(),
            took: Mutex::default(),
        }
    }

    /// What the operator calls the engine.
    pub fn engine_name(&self) -> &str {
        self.engine.name()
    }

    /// The use of the last hosted search, once.
    pub fn take_usage(&self) -> Option<SearchUsage> {
        self.took.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    /// The host that queries go to.
    pub fn engine_host(&self) -> &str {
        self.engine.host()
    }

    /// Whether the operator's settings open a host that is not public. A name is
    /// checked again by its addresses, so any name may pass here once something is open.
    pub fn opens_host(&self, host: &str) -> bool {
        match bare(host).parse() {
            Ok(address) => self.guard.opened(address),
            Err(_) => self.guard.opens_anything(),
        }
    }

    pub(super) async fn search(&self, query: &str, limit: u32) -> Result<String, ModelError> {
        let asked = Query {
            text: query.to_owned(),
            limit,
        };
        let found = match self.engine.search(&asked).await {
            Ok(found) => found,
            Err(SearchFault::Misconfigured(why)) => return Err(ModelError::Misconfigured(why)),
            Err(SearchFault::Failed(why)) => {
                let answer =
                    json!({ "query": query, "engine": self.engine.name(), "failed": why, "results": [] });
                return Ok(pretty(&answer));
            }
        };
        let took = found.usage.map(|usage| SearchUsage {
            usage,
            searches: found.searches,
        });
        *self.took.lock().unwrap_or_else(PoisonError::into_inner) = took;
        let all = found.hits.len();
        let kept: Vec<Hit> = found
            .hits
            .into_iter()
            .filter(|hit| !self.lists.withholds(&hit.url))
            .collect();
        let withheld = all - kept.len();
        let results: Vec<Value> = kept.into_iter().map(|hit| self.shown(&hit)).collect();
        let mut answer = json!({ "query": query, "engine": self.engine.name(), "results": results });
        if !found.notes.is_empty() {
            answer["notes"] = json!(found.notes);
        }
        if withheld > 0 {
            answer["withheld"] = json!(withheld);
        }
        Ok(pretty(&answer))
    }

    fn shown(&self, hit: &Hit) -> Value {
        let known = addresses::key(&hit.url).and_then(|key| self.lock().get(&key).copied());
        let mut shown = json!({ "url": hit.url, "title": hit.title, "date": hit.date });
        shown["status"] = known.map_or(json!("not opened"), |status| json!(status));
        shown["excerpt"] = json!(hit.excerpt);
        shown
    }

    /// Keeps the status of a page that was opened.
    pub(super) fn note(&self, url: &Url, status: u16) {
        if let Some(key) = addresses::key(url.as_str()) {
            self.lock().insert(key, status);
        }
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, BTreeMap<String, u16>> {
        self.opened.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A site's rules for a page, from its `robots.txt`, which is fetched once for each site.
    pub(super) async fn robots(&self, url: &Url) -> Result<RobotsAnswer, FetchFault> {
        let origin = url.origin().ascii_serialization();
        let cell = {
            let mut known = self.robots.lock().unwrap_or_else(PoisonError::into_inner);
            known.entry(origin).or_default().clone()
        };
        let rules = cell.get_or_try_init(|| self.rules(url)).await?;
        Ok(rules.answer(url))
    }

    async fn rules(&self, url: &Url) -> Result<Rules, FetchFault> {
        let mut at = url.clone();
        at.set_path("/robots.txt");
        at.set_query(None);
        at.set_fragment(None);
        // Section 2.3.1.2 of the RFC has five redirects followed; ours stay on the host.
        for _ in 0..5 {
            let reply = self.client.ask(Method::GET, &at, None, robots::MOST).await?;
            match redirect::location(&at, &reply) {
                Some(next) if next.host_str() == at.host_str() => at = next,
                Some(_) => return Ok(Rules::open()),
                None => return Ok(Rules::from_response(reply.status, &reply.body)),
            }
        }
        Ok(Rules::open())
    }
}

/// JSON as the model and a journal's reader see it.
pub(super) fn pretty(value: &Value) -> String {
    serde_json::to_string_pretty(value).unwrap_or_default()
}
