//! Answers on their way to clients, with signs of life while they are waited for.

use std::io;
use std::time::Duration;

use axum::body::{Body, Bytes};
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::Response;
use futures::stream;
use tokio::sync::watch;
use tokio::time::{Instant, sleep_until, timeout};

use crate::domain::proxy_dialect::ProxyDialect;
use crate::model::proxy::call_table::SharedEnd;
use crate::model::proxy::fault_reply::{self, FaultReply};

/// The waits of a client.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Patience {
    /// How long nothing is said, so that an error has its own status.
    pub silent: Duration,
    /// How far apart signs of life are from then on.
    pub sign: Duration,
    /// The longest that a connection may stay without the whole head of a request.
    pub head: Duration,
}

impl Default for Patience {
    fn default() -> Self {
        Self {
            silent: Duration::from_secs(60),
            sign: Duration::from_secs(5),
            head: Duration::from_secs(60),
        }
    }
}

/// The manner of an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AnswerManner {
    pub dialect: ProxyDialect,
    pub streamed: bool,
}

impl AnswerManner {
    /// A sign of life: an event that says nothing, or a space before a document.
    fn sign(self) -> &'static str {
        match (self.streamed, self.dialect) {
            (false, _) => " ",
            (true, ProxyDialect::Messages) => "event: ping\ndata: {\"type\": \"ping\"}\n\n",
            (true, _) => ": waiting\n\n",
        }
    }

    fn kind(self) -> HeaderValue {
        HeaderValue::from_static(match self.streamed {
            true => "text/event-stream",
            false => "application/json",
        })
    }
}

/// The response to a call, once it has ended or has taken long.
pub async fn response(
    mut end: watch::Receiver<Option<SharedEnd>>,
    manner: AnswerManner,
    patience: Patience,
) -> Response {
    match timeout(patience.silent, ended(&mut end)).await {
        Ok(Some(end)) => whole(&end, manner),
        Ok(None) => fault(&FaultReply::ending(manner.dialect, GONE)),
        Err(_) => waiting(end, manner, patience),
    }
}

/// The words for a call that nobody will end.
const GONE: &str = "The run is over, and this call with it.";

async fn ended(end: &mut watch::Receiver<Option<SharedEnd>>) -> Option<SharedEnd> {
    let found = end.wait_for(Option::is_some).await.ok()?;
    found.clone()
}

fn whole(end: &SharedEnd, manner: AnswerManner) -> Response {
    match &**end {
        Ok(answer) => {
            let mut response = Response::new(Body::from(answer.body.clone()));
            response.headers_mut().insert(header::CONTENT_TYPE, manner.kind());
            response
        }
        Err(failure) => fault(&failure.reply(manner.dialect)),
    }
}

/// An error with its status, and the word that nobody should ask again.
pub fn fault(reply: &FaultReply) -> Response {
    let mut response = Response::new(Body::from(reply.body.clone()));
    *response.status_mut() = StatusCode::from_u16(reply.status).unwrap_or(StatusCode::BAD_GATEWAY);
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
    headers.insert("x-should-retry", HeaderValue::from_static("false"));
    response
}

/// A wait that has begun to be answered.
struct OpenAnswer {
    end: watch::Receiver<Option<SharedEnd>>,
    manner: AnswerManner,
    patience: Patience,
    is_over: bool,
}

/// A response that has begun before its answer: its status can no longer say that something failed.
fn waiting(end: watch::Receiver<Option<SharedEnd>>, manner: AnswerManner, patience: Patience) -> Response {
    let open = OpenAnswer {
        end,
        manner,
        patience,
        is_over: false,
    };
    let pieces = stream::unfold(open, |mut open| async move {
        if open.is_over {
            return None;
        }
        let piece = open.next().await;
        Some((piece, open))
    });
    let mut response = Response::new(Body::from_stream(pieces));
    response.headers_mut().insert(header::CONTENT_TYPE, manner.kind());
    response
}

impl OpenAnswer {
    async fn next(&mut self) -> io::Result<Bytes> {
        let until = Instant::now() + self.patience.sign;
        let end = tokio::select! {
            biased;
            end = ended(&mut self.end) => end,
            () = sleep_until(until) => return Ok(Bytes::from_static(self.manner.sign().as_bytes())),
        };
        self.is_over = true;
        let words = match end.as_deref() {
            Some(Ok(answer)) => return Ok(answer.body.clone()),
            Some(Err(failure)) => failure.to_string(),
            None => GONE.to_owned(),
        };
        let event = fault_reply::event(self.manner.dialect, &words).filter(|_| self.manner.streamed);
        // A connection that breaks is no answer; a good end would be taken for one.
        event.map(Bytes::from).ok_or_else(|| io::Error::other(words))
    }
}
