//! One request and its answer, within a budget.

use std::error::Error;
use std::io;
use std::sync::Arc;
use std::time::Duration;

use axum::body::Bytes;
use reqwest::header::{CONTENT_TYPE, HeaderMap};
use reqwest::{Request, Response};
use serde::de::IgnoredAny;
use serde_json::Value;

use crate::domain::clock::Clock;
use crate::domain::conversation::Position;
use crate::model::attempt::{AttemptFault, FailedAttempt};
use crate::model::broken_off::AttemptWatch;
use crate::model::chat::ModelError;
use crate::model::dialect::Dialect;
use crate::model::endpoint::Endpoint;
use crate::model::http::{self, chain, excerpt, is_distrust, retry_after};
use crate::model::key::Key;
use crate::model::layers::timer::{RealTime, Timer};
use crate::model::loopback::is_loopback;
use crate::model::masking::Masking;
use crate::model::progress::{OnProgress, Progress};
use crate::model::provider_error;
use crate::model::signs_of_life::SignsOfLife;
use crate::model::sse::{AnswerSize, Assembly, Decoder, Event, StreamFault};
use crate::model::timeouts::AttemptBudget;

/// How long the end of a stream is waited for once its answer is complete, so
/// that the connection can be used again.
const LAST_WORDS: Duration = Duration::from_millis(500);

/// The exchange of requests with a provider. Clones share connections.
#[derive(Clone)]
pub struct Exchange {
    /// The provider's name in errors.
    pub provider: Arc<str>,
    pub http: reqwest::Client,
    pub clock: Arc<dyn Clock>,
    /// What the budget's times are measured by.
    pub timer: Arc<dyn Timer>,
    pub budget: AttemptBudget,
    pub signs: SignsOfLife,
    /// Masked wherever an answer echoes it.
    pub key: Option<Key>,
}

/// An answer as it arrived, whatever its status, with the key taken out.
#[derive(Debug)]
pub struct RawAnswer {
    pub status: u16,
    /// How long the provider asks to be left alone.
    pub wait: Option<Duration>,
    pub body: Vec<u8>,
    /// The document that a stream amounts to; `None`: the answer was no stream.
    pub document: Option<Value>,
}

/// The reading of a streamed answer: its dialect, its position and who is told of its progress.
#[derive(Clone)]
pub struct Streaming {
    pub position: Position,
    pub dialect: Arc<dyn Dialect>,
    pub on_progress: OnProgress,
}

impl Exchange {
    /// An exchange with connections of its own.
    ///
    /// # Errors
    /// An address that cannot be asked, or certificates of the system that cannot be read.
    pub fn new(reach: &Endpoint, clock: Arc<dyn Clock>) -> Result<Self, ModelError> {
        Ok(Self {
            provider: reach.provider.prefix.into(),
            http: http::client(&reach.base, &reach.budget)?,
            clock,
            timer: Arc::new(RealTime::default()),
            budget: reach.budget,
            signs: SignsOfLife::default(),
            key: reach.key.clone(),
        })
    }

    /// Sends a request once, and reads the answer whole. What comes back has a
    /// good status and is JSON; a stream has become the document it amounts to.
    ///
    /// # Errors
    /// No answer within the budget, a connection that fails or cannot be trusted, a status that is none
    /// of success, or an answer that is too large or no JSON.
    pub async fn send(
        &self,
        request: Request,
        streaming: Option<&Streaming>,
        watch: &mut AttemptWatch<'_>,
    ) -> Result<Vec<u8>, ModelError> {
        let response = self.execute(request, watch).await?;
        self.complete(self.sent(response, streaming, watch)).await
    }

    async fn sent(
        &self,
        response: Response,
        streaming: Option<&Streaming>,
        watch: &mut AttemptWatch<'_>,
    ) -> Result<Vec<u8>, ModelError> {
        let status = response.status();
        let wait = retry_after(response.headers(), self.clock.now());
        if let Some(streaming) = streaming
            && status.is_success()
            && is_stream(response.headers())
        {
            return self.streamed(response, streaming, watch).await;
        }
        let body = self.body(response, watch).await?;
        if !status.is_success() {
            return Err(provider_error::from_status(
                &self.provider,
                status.as_u16(),
                &body,
                wait,
            ));
        }
        if let Err(error) = serde_json::from_slice::<IgnoredAny>(&body) {
            let said = if body.is_empty() {
                "the answer is empty".to_owned()
            } else {
                format!("the answer is not JSON ({error}): {}", excerpt(&body))
            };
            return Err(self.failed(AttemptFault::Malformed, said));
        }
        Ok(body)
    }

    /// Sends a request once, and reads the answer whole without a judgement of its status. A good
    /// answer that is a stream goes through `assembly` as well.
    ///
    /// # Errors
    /// No answer within the budget, a connection that fails or cannot be trusted, an answer that is
    /// too large, or a stream that ends before its answer.
    pub async fn raw(
        &self,
        request: Request,
        assembly: Box<dyn Assembly>,
        watch: &mut AttemptWatch<'_>,
    ) -> Result<RawAnswer, ModelError> {
        let response = self.execute(request, watch).await?;
        self.complete(self.sent_raw(response, assembly, watch)).await
    }

    async fn sent_raw(
        &self,
        response: Response,
        assembly: Box<dyn Assembly>,
        watch: &mut AttemptWatch<'_>,
    ) -> Result<RawAnswer, ModelError> {
        let status = response.status();
        let wait = retry_after(response.headers(), self.clock.now());
        let streams = status.is_success() && is_stream(response.headers());
        let (body, document) = match streams {
            true => self.raw_stream(response, assembly, watch).await?,
            false => (self.body(response, watch).await?, None),
        };
        Ok(RawAnswer {
            status: status.as_u16(),
            wait,
            body,
            document,
        })
    }

    /// An answer whose head has arrived, within the time that it may take from there on.
    async fn complete<T>(
        &self,
        answer: impl Future<Output = Result<T, ModelError>>,
    ) -> Result<T, ModelError> {
        let limit = self.budget.total;
        let late = || format!("the answer was not complete after {} s", limit.as_secs_f64());
        self.within(limit, answer)
            .await
            .unwrap_or_else(|| Err(self.failed(AttemptFault::TimedOut, late())))
    }

    /// Sends a request, and waits for the head of its answer: as long as the server answers others, it may stand in
    /// a queue.
    async fn execute(&self, request: Request, watch: &mut AttemptWatch<'_>) -> Result<Response, ModelError> {
        watch.sent();
        let limit = self.budget.begin;
        let executed = self.http.execute(request);
        tokio::pin!(executed);
        let response = loop {
            let before = self.signs.count();
            if let Some(response) = self.within(limit, &mut executed).await {
                break response;
            }
            if self.signs.count() == before {
                let late = format!("the answer did not begin within {} s", limit.as_secs_f64());
                return Err(self.failed(AttemptFault::TimedOut, late));
            }
        };
        let response = response.map_err(|error| {
            if error.is_connect() {
                watch.over();
            }
            self.broken(&error)
        })?;
        self.signs.note();
        if !response.status().is_success() {
            watch.over();
        }
        Ok(response)
    }

    async fn raw_stream(
        &self,
        mut response: Response,
        mut assembly: Box<dyn Assembly>,
        watch: &mut AttemptWatch<'_>,
    ) -> Result<(Vec<u8>, Option<Value>), ModelError> {
        let mut decoder = Decoder::default();
        let mut body = Vec::new();
        loop {
            let next = if assembly.is_done() {
                // What is complete needs no more, and a server may keep the connection open.
                let rest = self.within(LAST_WORDS.min(self.budget.stall), response.chunk());
                rest.await.and_then(Result::ok).flatten()
            } else {
                self.chunk(&mut response).await?
            };
            let Some(chunk) = next else { break };
            self.bounded(body.len() + chunk.len())?;
            body.extend_from_slice(&chunk);
            let mut fault = Ok(());
            decoder.feed(&chunk, |event| {
                watch.document(&event.data);
                if fault.is_ok() {
                    fault = assembly.take(self.masked_event(event));
                }
            });
            watch.arrived(assembly.progress().bytes);
            fault.map_err(|fault| self.stream_fault(fault))?;
        }
        watch.is_whole();
        let document = assembly.finish().map_err(|fault| self.stream_fault(fault))?;
        Ok((self.masking().bytes(body), Some(document)))
    }

    async fn body(
        &self,
        mut response: Response,
        watch: &mut AttemptWatch<'_>,
    ) -> Result<Vec<u8>, ModelError> {
        let mut body = Vec::new();
        while let Some(chunk) = self.chunk(&mut response).await? {
            self.bounded(body.len() + chunk.len())?;
            body.extend_from_slice(&chunk);
            watch.arrived(body.len());
        }
        watch.is_whole();
        if let Ok(text) = std::str::from_utf8(&body) {
            watch.document(text);
        }
        Ok(self.masking().bytes(body))
    }

    async fn streamed(
        &self,
        mut response: Response,
        streaming: &Streaming,
        watch: &mut AttemptWatch<'_>,
    ) -> Result<Vec<u8>, ModelError> {
        let mut assembly = streaming.dialect.assembly();
        let mut decoder = Decoder::default();
        let mut read = 0_usize;
        while !assembly.is_done() {
            let Some(chunk) = self.chunk(&mut response).await? else {
                break;
            };
            read += chunk.len();
            self.bounded(read)?;
            let mut fault = Ok(());
            decoder.feed(&chunk, |event| {
                watch.document(&event.data);
                if fault.is_ok() {
                    fault = assembly.take(self.masked_event(event));
                }
            });
            let AnswerSize { bytes, calls } = assembly.progress();
            watch.arrived(bytes);
            fault.map_err(|fault| self.stream_fault(fault))?;
            (streaming.on_progress)(Progress {
                position: streaming.position,
                bytes,
                calls,
            });
        }
        watch.is_whole();
        if assembly.is_done() {
            self.within(LAST_WORDS.min(self.budget.stall), response.chunk())
                .await;
        }
        let document = assembly.finish().map_err(|fault| self.stream_fault(fault))?;
        let text = serde_json::to_vec(&document).map_err(|error| {
            self.failed(
                AttemptFault::Malformed,
                format!("the answer cannot be kept: {error}"),
            )
        })?;
        Ok(self.masking().bytes(text))
    }

    async fn chunk(&self, response: &mut Response) -> Result<Option<Bytes>, ModelError> {
        let chunk = self
            .within(self.budget.stall, response.chunk())
            .await
            .ok_or_else(|| {
                self.failed(
                    AttemptFault::TimedOut,
                    format!("the answer stood still for {} s", self.budget.stall.as_secs_f64()),
                )
            })?
            .map_err(|error| self.broken(&error))?;
        self.signs.note();
        Ok(chunk)
    }

    /// What `work` comes to; `None` when the time is over before that.
    async fn within<T>(&self, limit: Duration, work: impl Future<Output = T>) -> Option<T> {
        tokio::select! {
            biased;
            done = work => Some(done),
            () = self.timer.wait(limit) => None,
        }
    }

    fn bounded(&self, bytes: usize) -> Result<(), ModelError> {
        if bytes <= self.budget.bytes {
            return Ok(());
        }
        Err(self.failed(
            AttemptFault::Malformed,
            format!("the answer is larger than {} bytes", self.budget.bytes),
        ))
    }

    /// What takes the key out of whatever comes back.
    pub fn masking(&self) -> Masking<'_> {
        Masking {
            key: self.key.as_ref(),
        }
    }

    /// Before anything of the event is cut and quoted in a message.
    fn masked_event(&self, event: Event) -> Event {
        Event {
            data: self.masking().text(event.data),
            ..event
        }
    }

    fn stream_fault(&self, fault: StreamFault) -> ModelError {
        self.failed(fault.fault, fault.message)
    }

    fn broken(&self, error: &reqwest::Error) -> ModelError {
        if is_distrust(error) {
            return ModelError::Misconfigured(format!(
                "{} cannot be trusted: {}. If the address is right, add its certificate to the system's (SSL_CERT_FILE names the file).",
                self.provider,
                chain(error)
            ));
        }
        if let Some(message) = unreachable(error) {
            // One that answered before may be starting again, which takes it seconds.
            let fault = match self.signs.count() {
                0 => AttemptFault::Unreachable,
                _ => AttemptFault::Connection,
            };
            return self.failed(fault, message);
        }
        let fault = if error.is_timeout() {
            AttemptFault::TimedOut
        } else {
            AttemptFault::Connection
        };
        self.failed(fault, format!("the connection failed: {}", chain(error)))
    }

    /// A failed attempt in the provider's name.
    pub fn failed(&self, fault: AttemptFault, message: String) -> ModelError {
        FailedAttempt::new(&*self.provider, fault, message).into()
    }
}

/// Why no other attempt will find anybody, in a sentence.
fn unreachable(error: &reqwest::Error) -> Option<String> {
    let url = error.url().filter(|_| error.is_connect())?;
    let host = url.host_str()?;
    let causes = || std::iter::successors(error.source(), |cause| (*cause).source());
    let is_refused = |cause: &(dyn Error + 'static)| {
        let io = cause.downcast_ref::<io::Error>();
        io.is_some_and(|io| io.kind() == io::ErrorKind::ConnectionRefused)
    };
    if is_loopback(url) && causes().any(is_refused) {
        let port = url.port_or_known_default().unwrap_or_default();
        return Some(format!(
            "nothing listens at {host}:{port}. Is the model's server (such as llama.cpp, Ollama, vLLM or LM Studio) running there?"
        ));
    }
    // The resolver's errors have no type of their own that could be asked.
    let is_lookup = causes().any(|cause| cause.to_string().starts_with("dns error"));
    is_lookup
        .then(|| format!("the name {host} does not resolve: is the address right, and is there a network?"))
}

fn is_stream(headers: &HeaderMap) -> bool {
    headers
        .get(CONTENT_TYPE)
        .and_then(|kind| kind.to_str().ok())
        .is_some_and(|kind| {
            kind.trim_start()
                .to_ascii_lowercase()
                .starts_with("text/event-stream")
        })
}
