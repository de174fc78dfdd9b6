//! A package index with a password, in front of which the proxy stands: who asks through it
//! never sees the password.

use std::time::Duration;

use bytes::Bytes;
use http_body_util::combinators::BoxBody;
use http_body_util::{BodyExt as _, Full};
use reqwest::{Client, Method, Url};

/// How long an index may take to begin its answer.
const ANSWER: Duration = Duration::from_secs(120);
/// The longest page of links, in bytes.
const PAGE: usize = 64 << 20;

/// One index, under a name that only the proxy knows.
#[derive(Clone)]
pub struct IndexGate {
    /// The name, such as `index-0.invalid`.
    pub name: String,
    origin: Url,
    user: String,
    password: Option<String>,
    client: Client,
}

/// An index's answer.
pub struct IndexAnswer {
    pub status: u16,
    /// The kind of its content, where it says it.
    pub kind: Option<String>,
    pub body: BoxBody<Bytes, Box<dyn std::error::Error + Send + Sync>>,
}

impl IndexGate {
    /// Puts a gate before an address with a user or password in it; `None` for one without.
    /// With it comes the address that leads to the gate.
    pub fn before(address: &Url, number: usize, client: &Client) -> Option<(Self, String)> {
        if address.username().is_empty() && address.password().is_none() {
            return None;
        }
        let name = format!("index-{number}.invalid");
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
        let gate = Self {
            name,
            origin: origin.join("/").ok()?,
            user,
            password,
            client: client.clone(),
        };
        Some((gate, inside))
    }

    /// Fetches what is asked for, with the password. Links of a page that lead to the index
    /// lead to the gate.
    ///
    /// # Errors
    /// In words: an index that cannot be reached, a page that does not end, or a request that
    /// does more than read.
    pub async fn fetch(&self, method: &str, path: &str, accept: Option<&str>) -> Result<IndexAnswer, String> {
        let method = match method {
            "GET" => Method::GET,
            "HEAD" => Method::HEAD,
            other => return Err(format!("{other} is closed: an index is only read")),
        };
        let url = self.origin.join(path).map_err(|_| "the path cannot be read")?;
        if url.origin() != self.origin.origin() {
            return Err("the path leads away from the index".to_owned());
        }
        let mut request = self
            .client
            .request(method, url)
            .basic_auth(decoded(&self.user), self.password.as_deref().map(decoded));
        if let Some(accept) = accept {
            request = request.header("accept", accept);
        }
        let answer = tokio::time::timeout(ANSWER, request.send());
        let answer = answer
            .await
            .map_err(|_| "the index does not answer".to_owned())?
            .map_err(|error| format!("the index cannot be reached: {}", error.without_url()))?;
        let status = answer.status().as_u16();
        let kind = answer
            .headers()
            .get("content-type")
            .and_then(|value| value.to_str().ok())
            .map(str::to_owned);
        let is_page = kind
            .as_deref()
            .is_some_and(|kind| kind.contains("html") || kind.contains("json"));
        if !is_page {
            let body = reqwest::Body::from(answer).map_err(Into::into).boxed();
            return Ok(IndexAnswer { status, kind, body });
        }
        let mut answer = answer;
        let mut page = Vec::new();
        while let Some(piece) = answer
            .chunk()
            .await
            .map_err(|error| format!("the index broke off: {}", error.without_url()))?
        {
            page.extend_from_slice(&piece);
            if page.len() > PAGE {
                return Err(format!("a page of more than {PAGE} bytes is no list of packages"));
            }
        }
        let page = self.led_to_the_gate(&String::from_utf8_lossy(&page));
        let body = Full::new(Bytes::from(page))
            .map_err(|never| match never {})
            .boxed();
        Ok(IndexAnswer { status, kind, body })
    }

    fn led_to_the_gate(&self, page: &str) -> String {
        let origin = self.origin.as_str();
        page.replace(origin, &format!("http://{}/", self.name))
    }
}

fn decoded(text: &str) -> String {
    super::upstream::percent_decode(text)
}
