//! The transport below every engine.

use std::sync::Arc;
use std::time::Duration;

use reqwest::header::HeaderMap;
use reqwest::{RequestBuilder, Response, Url};
use serde_json::Value;

use super::fault::SearchFault;
use crate::domain::clock::Clock;
use crate::model::http::{chain, client, excerpt, retry_after};
use crate::model::key::Key;
use crate::model::layers::timer::Timer;
use crate::model::masking::Masking;
use crate::model::timeouts::AttemptBudget;

/// Bytes of an answer.
const MOST: usize = 4 << 20;
/// How often a query is sent.
const ATTEMPTS: u32 = 3;
/// The longest pause that an engine may ask for.
const LONGEST: Duration = Duration::from_secs(20);
/// One answer, hosted searches included.
const ANSWER: Duration = Duration::from_secs(120);

/// An engine's address, its key, and how long to wait for it.
pub struct SearchEndpoint {
    /// What the operator calls the engine.
    pub name: String,
    pub base: Url,
    pub key: Option<Key>,
    http: reqwest::Client,
    timer: Arc<dyn Timer>,
    clock: Arc<dyn Clock>,
}

impl SearchEndpoint {
    /// An engine at `base`.
    ///
    /// # Errors
    /// An address that cannot be asked.
    pub fn new(
        name: String,
        base: Url,
        key: Option<Key>,
        timer: Arc<dyn Timer>,
        clock: Arc<dyn Clock>,
    ) -> Result<Self, SearchFault> {
        let http = client(&base, &AttemptBudget::default())
            .map_err(|error| SearchFault::Misconfigured(error.to_string()))?;
        Ok(Self {
            name,
            base,
            key,
            http,
            timer,
            clock,
        })
    }

    /// The address below the base.
    pub fn at(&self, path: &str) -> Url {
        let mut url = self.base.clone();
        url.set_path(&format!("{}/{path}", self.base.path().trim_end_matches('/')));
        url
    }

    pub fn http(&self) -> &reqwest::Client {
        &self.http
    }

    /// The key as a header's value; empty where there is none.
    pub fn secret(&self) -> &str {
        self.key.as_ref().map_or("", Key::expose)
    }

    /// Sends a request until it is answered, and reads the answer as JSON.
    ///
    /// # Errors
    /// Settings that the engine refuses, or no usable answer after every attempt.
    pub async fn send(&self, request: impl Fn() -> RequestBuilder) -> Result<Value, SearchFault> {
        let mut attempt = 1;
        loop {
            let wait = match self.once(request()).await {
                Ok(answer) => return Ok(answer),
                Err((fault @ SearchFault::Misconfigured(_), _)) => return Err(fault),
                Err((fault, None)) => return Err(fault),
                Err((fault, Some(wait))) if attempt >= ATTEMPTS || wait > LONGEST => return Err(fault),
                Err((_, Some(wait))) => wait,
            };
            self.timer.wait(wait).await;
            attempt += 1;
        }
    }

    async fn once(&self, request: RequestBuilder) -> Result<Value, (SearchFault, Option<Duration>)> {
        let pause = Some(Duration::from_secs(2));
        let failed = |why: String| SearchFault::Failed(format!("The search engine {} {why}", self.name));
        let exchanged = tokio::time::timeout(ANSWER, async {
            let response = request.send().await.map_err(|error| {
                (
                    failed(format!("cannot be reached: {}.", chain(&error.without_url()))),
                    pause,
                )
            })?;
            let (status, headers) = (response.status().as_u16(), response.headers().clone());
            let body = read(response).await.map_err(|why| (failed(why), pause))?;
            Ok((status, headers, body))
        });
        let (status, headers, body): (u16, HeaderMap, Vec<u8>) = exchanged.await.map_err(|_| {
            (
                failed(format!("did not answer within {} s.", ANSWER.as_secs())),
                None,
            )
        })??;
        let masking = Masking {
            key: self.key.as_ref(),
        };
        let body = masking.bytes(body);
        let said = || excerpt(&body);
        match status {
            200..=299 => serde_json::from_slice(&body)
                .map(|answer| masking.document(answer))
                .map_err(|_| (failed(format!("gave no JSON: {}.", said())), None)),
            401..=403 => Err((
                SearchFault::Misconfigured(format!(
                    "The search engine {} refuses (status {status}): {}. Check its key and plan, and for SearXNG \
                     that `json` is among `search.formats` of its settings.",
                    self.name,
                    said()
                )),
                None,
            )),
            408 | 429 | 500..=599 => {
                let wait = retry_after(&headers, self.clock.now());
                Err((
                    failed(format!("answered with status {status}: {}.", said())),
                    wait.or(pause),
                ))
            }
            _ => Err((
                failed(format!("answered with status {status}: {}.", said())),
                None,
            )),
        }
    }
}

async fn read(mut response: Response) -> Result<Vec<u8>, String> {
    let mut body = Vec::new();
    while let Some(chunk) = response
        .chunk()
        .await
        .map_err(|error| format!("broke off: {}.", chain(&error.without_url())))?
    {
        if body.len() + chunk.len() > MOST {
            return Err(format!("gave more than {MOST} bytes."));
        }
        body.extend_from_slice(&chunk);
    }
    Ok(body)
}
