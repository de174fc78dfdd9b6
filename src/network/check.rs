//! Checks of proposed addresses: their status, and their dates.

use std::time::Duration;

use futures::StreamExt as _;
use futures::future::BoxFuture;
use reqwest::{Method, Url};
use serde::{Deserialize, Serialize};
use serde_json::json;
use tokio::time::{Instant, timeout_at};

use super::addresses::{asked, canonical};
use super::client::FetchFault;
use super::fetch::{Arrived, travel};
use super::guard::AddressRefusal;
use super::one_line::one_line;
use super::page::last_modified;
use super::web::{Web, pretty};

/// Addresses that are checked, and how many at a time.
const MOST: usize = 40;
const AT_ONCE: usize = 4;
/// For all of them together.
const TOTAL: Duration = Duration::from_secs(180);
/// Bytes that are read of a page that answers no question about its head.
const GLANCE: usize = 64 << 10;

/// The check of one proposed address.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Check {
    /// As it was proposed.
    pub url: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub canonical: Option<String>,
    /// Where it led, if elsewhere.
    #[serde(default, rename = "final", skip_serializing_if = "Option::is_none")]
    pub arrived: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status: Option<u16>,
    /// When the page was changed, as its server says.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub date: Option<String>,
    /// Why there is no status.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub problem: Option<String>,
    /// Whether the name system knows no such host.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub unknown_host: bool,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub withheld: bool,
}

#[derive(Serialize, Deserialize)]
struct Checks {
    checked: Vec<Check>,
}

impl Check {
    /// An address that nobody asked.
    pub fn unasked(url: &str, why: &str) -> Self {
        Self {
            url: url.to_owned(),
            canonical: asked(url).map(String::from),
            problem: Some(why.to_owned()),
            ..Self::default()
        }
    }

    /// Whether nothing is there: the host is unknown, or says so itself.
    pub fn is_dead(&self) -> bool {
        matches!(self.status, Some(404 | 410)) || self.canonical.is_none() || self.unknown_host
    }

    /// Whether somebody answered for it, if only to ask for a login.
    pub fn answers(&self) -> bool {
        self.status.is_some_and(|status| {
            (200..400).contains(&status) || matches!(status, 401 | 402 | 403 | 405 | 429)
        })
    }

    /// What was found, in a few words.
    pub fn words(&self) -> String {
        match (self.status, &self.problem) {
            (Some(status), _) => format!("answered with status {status}"),
            (None, Some(why)) => why.clone(),
            (None, None) => "not checked".to_owned(),
        }
    }
}

/// Checks as they are journaled.
pub fn written(checked: Vec<Check>) -> String {
    pretty(&json!(Checks { checked }))
}

/// Checks out of the journal; none of a text that holds none.
pub fn read(text: &str) -> Vec<Check> {
    serde_json::from_str::<Checks>(text).map_or(Vec::new(), |checks| checks.checked)
}

/// Asks every address for its head, but for those on hosts that were refused.
pub async fn all(web: &Web, urls: &[String], refused: &[String]) -> String {
    let deadline = Instant::now() + TOTAL;
    let mut checks: Vec<BoxFuture<'_, Check>> = Vec::new();
    for (at, url) in urls.iter().enumerate() {
        checks.push(Box::pin(async move {
            if at >= MOST {
                return Check::unasked(url, &format!("not checked: only the first {MOST} are"));
            }
            if host(url).is_some_and(|host| refused.contains(&host)) {
                return Check::unasked(url, "not checked: reaching the host was refused");
            }
            let late = |_| Check::unasked(url, "not checked: there was no time left");
            timeout_at(deadline, one(web, url)).await.unwrap_or_else(late)
        }));
    }
    written(futures::stream::iter(checks).buffered(AT_ONCE).collect().await)
}

/// The host of a proposed address, as approvals name it.
pub fn host(proposed: &str) -> Option<String> {
    asked(proposed)?.host_str().map(str::to_ascii_lowercase)
}

async fn one(web: &Web, proposed: &str) -> Check {
    let Some(url) = asked(proposed) else {
        return Check::unasked(proposed, "it is no web address");
    };
    let total = web.client.bounds.total;
    let first = head_or_page(web, &url, Method::HEAD);
    match tokio::time::timeout(total, first).await {
        Ok(check) if check.answers() && check.status != Some(405) && check.status != Some(403) => {
            check.for_address(proposed)
        }
        Ok(check) if check.withheld || check.status.is_none() => check.for_address(proposed),
        // Some servers answer questions about a page worse than requests for it.
        _ => match tokio::time::timeout(total, head_or_page(web, &url, Method::GET)).await {
            Ok(check) => check.for_address(proposed),
            Err(_) => Check::unasked(
                proposed,
                &format!("it did not answer within {} s", total.as_secs()),
            ),
        },
    }
}

impl Check {
    fn for_address(self, proposed: &str) -> Self {
        Self {
            url: proposed.to_owned(),
            ..self
        }
    }
}

async fn head_or_page(web: &Web, url: &Url, method: Method) -> Check {
    let mut check = Check {
        canonical: Some(url.to_string()),
        ..Check::default()
    };
    match travel(web, url.clone(), method, GLANCE, &mut Vec::new()).await {
        Arrived::At(at, reply) => {
            web.note(url, reply.status);
            check.status = Some(reply.status);
            check.date = last_modified(&reply);
            let at = canonical(&at);
            check.arrived = (at != *url).then(|| one_line(at.as_str(), 2_000));
        }
        Arrived::Elsewhere(next, status) => {
            check.status = Some(status);
            check.arrived = Some(one_line(next.as_str(), 2_000));
        }
        Arrived::Withheld(_) => {
            check.withheld = true;
            check.problem = Some("withheld in this study".to_owned());
        }
        Arrived::Denied(_) => check.problem = Some("not checked: robots.txt does not allow it".to_owned()),
        Arrived::Failed(_, fault) => {
            check.unknown_host = matches!(fault, FetchFault::Refused(AddressRefusal::Unknown(..)));
            check.problem = Some(one_line(&fault.to_string(), 300));
        }
        Arrived::Astray(_, why) => check.problem = Some(why),
    }
    check
}
