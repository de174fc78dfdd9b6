//! `fetch_page`: one page, wherever it has moved to, as text with a head.
//!
//! The head is one `name: value` a line, up to the first empty line; nothing of
//! the page stands in it but on one line behind a name.

use reqwest::{Method, Url};

use super::client::{FetchFault, WebReply};
use super::one_line::one_line;
use super::page::{self, Page};
use super::redirect::location;
use super::web::Web;
use crate::tools::cut::{self, Keep, TextCap};

/// Redirects that are followed.
const MOST: usize = 10;
/// Of a page that was not found, this much is shown.
const ERROR_PAGE: TextCap = TextCap {
    lines: 20,
    characters: 1_000,
};
/// The line of a head that counts what a study withholds.
pub const WITHHELD: &str = "withheld: 1";

/// The end of a chain of redirects.
pub enum Arrived {
    At(Url, WebReply),
    /// On another host, where this run does not follow.
    Elsewhere(Url, u16),
    Withheld(Url),
    Denied(Url),
    Failed(Url, FetchFault),
    Astray(Url, String),
}

/// Asks for a page and follows it, each step checked like the first.
pub async fn travel(web: &Web, url: Url, method: Method, most: usize, steps: &mut Vec<String>) -> Arrived {
    let mut at = url;
    at.set_fragment(None);
    for _ in 0..=MOST {
        if web.lists.withholds(at.as_str()) {
            return Arrived::Withheld(at);
        }
        let apart = match web.robots(&at).await {
            Ok(answer) if answer.allowed => answer.apart,
            Ok(_) => return Arrived::Denied(at),
            Err(fault) => return Arrived::Failed(at, fault),
        };
        let reply = match web.client.ask(method.clone(), &at, apart, most).await {
            Ok(reply) => reply,
            Err(fault) => return Arrived::Failed(at, fault),
        };
        let Some(next) = location(&at, &reply) else {
            return Arrived::At(at, reply);
        };
        steps.push(format!("{} {}", reply.status, one_line(next.as_str(), 500)));
        if !matches!(next.scheme(), "http" | "https") || at.scheme() == "https" && next.scheme() == "http" {
            let why = format!(
                "it sends to {}, which is less safe than where it was",
                next.scheme()
            );
            return Arrived::Astray(at, why);
        }
        if next.host_str() != at.host_str() && !web.across {
            return Arrived::Elsewhere(next, reply.status);
        }
        at = next;
    }
    Arrived::Astray(at, format!("it was redirected more than {MOST} times"))
}

/// Fetches a page, within the total time.
pub async fn page(web: &Web, address: &str) -> String {
    let Ok(url) = Url::parse(address) else {
        return format!(
            "requested: {}\nfailed: it is no address\n",
            one_line(address, 500)
        );
    };
    let total = web.client.bounds.total;
    let mut steps = Vec::new();
    let work = async {
        let arrived = travel(web, url.clone(), Method::GET, usize::MAX, &mut steps).await;
        shown(web, &url, arrived).await
    };
    match tokio::time::timeout(total, work).await {
        Ok((head, text)) => {
            let redirects: String = steps.iter().map(|step| format!("redirect: {step}\n")).collect();
            format!("{head}{redirects}\n{text}")
        }
        Err(_) => format!(
            "requested: {url}\nfailed: {}\n\nThe page could not be fetched.",
            FetchFault::TooSlow(total.as_secs())
        ),
    }
}

async fn shown(web: &Web, requested: &Url, arrived: Arrived) -> (String, String) {
    let asked = format!("requested: {requested}\n");
    match arrived {
        Arrived::At(url, reply) => {
            web.note(&url, reply.status);
            web.note(requested, reply.status);
            if web.lists.is_reference(&reply.body) {
                return withheld(asked);
            }
            let helper = web.helper.clone();
            let status = reply.status;
            // Documents are read by another process, which is waited for.
            let read = tokio::task::spawn_blocking(move || page::read(&helper, &reply)).await;
            let page = read.unwrap_or_else(|_| Page {
                notes: vec!["The page could not be read.".to_owned()],
                ..Page::default()
            });
            (head(requested, &url, status, &page), body(status, page))
        }
        Arrived::Elsewhere(next, status) => (
            format!("{asked}status: {status}\nmoved: {}\n", one_line(next.as_str(), 2_000)),
            "The page has moved to another host. Fetch that address if you want it.".to_owned(),
        ),
        Arrived::Withheld(_) => withheld(asked),
        Arrived::Denied(url) => (
            format!("{asked}failed: robots.txt of {} does not allow it\n", url.host_str().unwrap_or_default()),
            "The site asks programs not to fetch this page. Look for the resource elsewhere, or name the address \
             with what is known of it."
                .to_owned(),
        ),
        Arrived::Failed(url, fault) => (
            format!("{asked}failed: {}\n", one_line(&format!("{url}: {fault}"), 600)),
            "The page could not be fetched.".to_owned(),
        ),
        Arrived::Astray(url, why) => (
            format!("{asked}failed: {}\n", one_line(&format!("{url}: {why}"), 600)),
            "The page was not followed.".to_owned(),
        ),
    }
}

fn withheld(asked: String) -> (String, String) {
    (
        format!("{asked}{WITHHELD}\n"),
        "This page is withheld in this study. Look for the resource elsewhere.".to_owned(),
    )
}

fn head(requested: &Url, url: &Url, status: u16, page: &Page) -> String {
    let mut head = format!("url: {url}\n");
    if requested != url {
        head.push_str(&format!("requested: {requested}\n"));
    }
    head.push_str(&format!("status: {status}\n"));
    for (name, value) in [("title", &page.title), ("date", &page.date)] {
        if let Some(value) = value {
            head.push_str(&format!("{name}: {}\n", one_line(value, 300)));
        }
    }
    head.push_str(&format!("content: {}\n", page.kind));
    for note in &page.notes {
        head.push_str(&format!("note: {}\n", one_line(note, 300)));
    }
    head
}

fn body(status: u16, page: Page) -> String {
    // What a page says begins behind the head's empty line, and may not end the head early.
    if (200..300).contains(&status) {
        let whole = "what is left out was not kept; a page further down the site, or a search, may show it";
        return cut::cut(&page.text, cut::RESULT, Keep::BothEnds, whole);
    }
    cut::cut(&page.text, ERROR_PAGE, Keep::Beginning, "it is an error page")
}
