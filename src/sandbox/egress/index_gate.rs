//! A package index in front of which the proxy stands: who asks through it never sees its password, nor
//! what it lists of later days than one.

use std::time::Duration;

use bytes::Bytes;
use http_body_util::combinators::BoxBody;
use http_body_util::{BodyExt as _, Full};
use jiff::Timestamp;
use reqwest::header::{
    ACCEPT, ACCEPT_RANGES, CACHE_CONTROL, CONTENT_LENGTH, CONTENT_RANGE, CONTENT_TYPE, ETAG, HeaderMap,
    HeaderName, HeaderValue, IF_MODIFIED_SINCE, IF_NONE_MATCH, LAST_MODIFIED, RANGE,
};
use reqwest::{Client, Method, StatusCode, Url};

use super::dated_page::{DatedPage, JSON, UndatedPage};
use crate::domain::digest::Digest;
use crate::domain::format;

/// How long an index may take to begin its answer.
const ANSWER: Duration = Duration::from_secs(120);
/// The longest page of links, in bytes.
const PAGE: usize = 64 << 20;

/// One index, under a name that only the proxy knows.
#[derive(Clone)]
pub struct IndexGate {
    /// The name, such as `index-0-1f2e3d4c.invalid`: another index has another name, so that a
    /// cache that knows indexes by their addresses never takes one for the other.
    pub name: String,
    /// The address that leads to it.
    pub inside: String,
    origin: Url,
    user: String,
    password: Option<String>,
    /// The instant behind which nothing is listed.
    until: Option<Timestamp>,
    client: Client,
}

/// Headers of a request that an index is told.
const TOLD: [HeaderName; 4] = [ACCEPT, RANGE, IF_NONE_MATCH, IF_MODIFIED_SINCE];
/// Headers of an answer that are handed on.
const HANDED_ON: [HeaderName; 6] = [
    CONTENT_TYPE,
    CONTENT_RANGE,
    ACCEPT_RANGES,
    ETAG,
    LAST_MODIFIED,
    CACHE_CONTROL,
];

/// An index's answer.
pub struct IndexAnswer {
    pub status: StatusCode,
    pub headers: HeaderMap,
    pub body: BoxBody<Bytes, Box<dyn std::error::Error + Send + Sync>>,
}

/// The error of an index that gives no answer.
#[derive(Debug, thiserror::Error)]
pub enum IndexError {
    #[error("{0} is closed: an index is only read")]
    Method(String),
    #[error("the path cannot be read")]
    Path,
    #[error("the path leads away from the index")]
    LeadsAway,
    #[error("the index does not answer")]
    Silent,
    #[error("the index cannot be reached: {0}")]
    OutOfReach(reqwest::Error),
    #[error("the index broke off: {0}")]
    BrokeOff(reqwest::Error),
    #[error("a page of more than {PAGE} bytes is no list of packages")]
    TooLong,
    #[error(transparent)]
    Undated(#[from] UndatedPage),
}

impl IndexGate {
    /// Puts a gate before an address with a user or password in it; `None` for one without.
    pub fn before(address: &Url, number: usize, client: &Client) -> Option<Self> {
        if address.username().is_empty() && address.password().is_none() {
            return None;
        }
        Self::named(address, client, |public| {
            format!("index-{number}-{}.invalid", public.short())
        })
    }

    /// Puts a gate before an index that lists what was there at the end of a day; `None` for an address that is
    /// none of http.
    pub fn of_day(address: &Url, until: Timestamp, client: &Client) -> Option<Self> {
        let day = format::day(until);
        let gate = Self::named(address, client, |public| {
            format!("index-of-{day}-{}.invalid", public.short())
        })?;
        Some(Self {
            until: Some(until),
            ..gate
        })
    }

    /// A gate with the name that is made of the digest of what may be seen of the address.
    fn named(address: &Url, client: &Client, name: impl Fn(Digest) -> String) -> Option<Self> {
        let public = (
            address.username(),
            address.host_str(),
            address.port(),
            address.path(),
        );
        let name = name(Digest::compute_json(&public));
        let mut origin = address.clone();
        let (user, password) = (
            address.username().to_owned(),
            address.password().map(str::to_owned),
        );
        origin.set_username("").ok()?;
        origin.set_password(None).ok()?;
        let query = address
            .query()
            .map_or_else(String::new, |query| format!("?{query}"));
        let inside = format!("http://{name}{}{query}", address.path());
        Some(Self {
            name,
            inside,
            origin: origin.join("/").ok()?,
            user,
            password,
            until: None,
            client: client.clone(),
        })
    }

    /// Fetches what is asked for, with the password. Links of a page that lead to the index
    /// lead to the gate.
    ///
    /// # Errors
    /// An index that cannot be reached, a page that does not end, or a request that
    /// does more than read.
    pub async fn fetch(
        &self,
        method: &str,
        path: &str,
        headers: &HeaderMap,
    ) -> Result<IndexAnswer, IndexError> {
        let method = match method {
            "GET" => Method::GET,
            "HEAD" => Method::HEAD,
            other => return Err(IndexError::Method(other.to_owned())),
        };
        let url = self.origin.join(path).map_err(|_| IndexError::Path)?;
        if url.origin() != self.origin.origin() {
            return Err(IndexError::LeadsAway);
        }
        let mut request = self.client.request(method, url);
        if !self.user.is_empty() || self.password.is_some() {
            request = request.basic_auth(decoded(&self.user), self.password.as_deref().map(decoded));
        }
        // A page is cut to its day, whatever of it who asks has or wants; files lie behind names of their own.
        let is_page_of_day =
            self.until.is_some() && path.split('?').next().is_some_and(|path| path.ends_with('/'));
        match is_page_of_day {
            true => request = request.header(ACCEPT, JSON),
            false => {
                for (name, value) in chosen(headers, &TOLD) {
                    request = request.header(name, value);
                }
            }
        }
        let answer = tokio::time::timeout(ANSWER, request.send());
        let answer = answer
            .await
            .map_err(|_| IndexError::Silent)?
            .map_err(|error| IndexError::OutOfReach(error.without_url()))?;
        let status = answer.status();
        let wants_json = (headers.get_all(ACCEPT).iter())
            .any(|accepted| accepted.to_str().is_ok_and(|accepted| accepted.contains(JSON)));
        let mut headers: HeaderMap = chosen(answer.headers(), &HANDED_ON).collect();
        let is_page = headers
            .get(CONTENT_TYPE)
            .and_then(|kind| kind.to_str().ok())
            .is_some_and(|kind| kind.contains("html") || kind.contains("json"));
        if !is_page {
            headers.extend(chosen(answer.headers(), &[CONTENT_LENGTH]));
            let body = reqwest::Body::from(answer).map_err(Into::into).boxed();
            return Ok(IndexAnswer {
                status,
                headers,
                body,
            });
        }
        let mut answer = answer;
        let mut page = Vec::new();
        while let Some(piece) = answer
            .chunk()
            .await
            .map_err(|error| IndexError::BrokeOff(error.without_url()))?
        {
            page.extend_from_slice(&piece);
            if page.len() > PAGE {
                return Err(IndexError::TooLong);
            }
        }
        let page = match self.until.filter(|_| status.is_success()) {
            None => String::from_utf8_lossy(&page).into_owned(),
            Some(until) => {
                let dated = DatedPage::parse(&page, until)?;
                headers = HeaderMap::new();
                let kind = if wants_json { JSON } else { "text/html" };
                headers.insert(CONTENT_TYPE, HeaderValue::from_static(kind));
                if wants_json { dated.json() } else { dated.html() }
            }
        };
        let page = self.led_to_the_gate(&page);
        let body = Full::new(Bytes::from(page))
            .map_err(|never| match never {})
            .boxed();
        Ok(IndexAnswer {
            status,
            headers,
            body,
        })
    }

    fn led_to_the_gate(&self, page: &str) -> String {
        let origin = self.origin.as_str();
        page.replace(origin, &format!("http://{}/", self.name))
    }
}

/// The headers of these names that are there.
fn chosen(
    headers: &HeaderMap,
    names: &'static [HeaderName],
) -> impl Iterator<Item = (HeaderName, HeaderValue)> {
    let found = names
        .iter()
        .filter_map(|name| Some((name.clone(), headers.get(name)?.clone())));
    found.collect::<Vec<_>>().into_iter()
}

fn decoded(text: &str) -> String {
    super::upstream::percent_decode(text)
}
