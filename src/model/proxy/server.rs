//! The proxy's listener.

use std::convert::Infallible;
use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use axum::body::{Body, Bytes, HttpBody as _, to_bytes};
use axum::extract::Request;
use axum::http::request::Parts;
use axum::http::{HeaderMap, Method, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::serve::Listener;
use futures::StreamExt as _;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use serde_json::json;
use tokio::net::{TcpListener, UnixListener};
use tokio::sync::{Semaphore, watch};
use tokio::task::JoinHandle;
use tokio::time::timeout;

use crate::domain::proxy_dialect::ProxyDialect;
use crate::model::proxy::admission::{Admission, RunToken};
use crate::model::proxy::answer_reading::ProviderAnswer;
use crate::model::proxy::asked_command::{self, AskedCommand};
use crate::model::proxy::call_budget::CallBudget;
use crate::model::proxy::call_engine::{CallEngine, EndedCall};
use crate::model::proxy::call_failure::CallFailure;
use crate::model::proxy::call_table::{CallKey, CallPlace, CallTable, SharedEnd};
use crate::model::proxy::client_request::{ClientRequest, RequestRules};
use crate::model::proxy::fault_reply::FaultReply;
use crate::model::proxy::proxied_call::ProxiedCall;
use crate::model::proxy::proxy_dialect::{PathModel, ProxyRoute};
use crate::model::proxy::serving::{self, AnswerManner, Patience};
use crate::model::proxy::upstream::Upstream;

/// The largest request, in bytes: pictures travel in it.
const LARGEST: usize = 64 << 20;
/// Most requests that are read at once.
const MOST_READ: usize = 8;
/// Most mebibytes of requests that are under way at once.
const MOST_HELD: usize = 512;
/// The longest that a request may take to arrive.
const ARRIVAL: Duration = Duration::from_secs(120);
/// Most connections at once, each of which is an open file of this process. More wait with the system.
pub const MOST_CONNECTIONS: usize = 256;

/// The parts of one run's proxy.
pub struct ProxyParts {
    /// `None` where the engine answers every call itself, out of a recording.
    pub upstream: Option<Arc<Upstream>>,
    pub engine: Arc<dyn CallEngine>,
    pub budget: Arc<CallBudget>,
    pub rules: RequestRules,
    pub token: RunToken,
    pub patience: Patience,
}

/// A proxy that listens. It ends when this is dropped; calls under way are carried to their end by the
/// engine's own rules.
#[derive(Debug)]
pub struct ProxyServer {
    /// `None` where it listens on a socket.
    pub address: Option<SocketAddr>,
    over: watch::Sender<bool>,
    task: JoinHandle<()>,
}

impl Drop for ProxyServer {
    fn drop(&mut self) {
        self.over.send_replace(true);
        self.task.abort();
    }
}

struct Shared {
    parts: ProxyParts,
    admission: Admission,
    calls: CallTable,
    count: AtomicU64,
    reading: Semaphore,
    /// Bounds the memory that a run's requests take, in mebibytes.
    held: Semaphore,
    over: watch::Receiver<bool>,
}

impl ProxyServer {
    /// Listens on a free port of this machine.
    ///
    /// # Errors
    /// No port that can be listened on.
    pub async fn on_loopback(parts: ProxyParts) -> io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
        let address = listener.local_addr()?;
        Ok(Self::on(listener, parts, Some(address)))
    }

    /// Listens on a socket, whose folder says who reaches it.
    ///
    /// # Errors
    /// A path that is taken, too long, or in a folder that cannot be written.
    pub fn on_socket(parts: ProxyParts, path: &Path) -> io::Result<Self> {
        Ok(Self::on(UnixListener::bind(path)?, parts, None))
    }

    fn on(listener: impl Listener, parts: ProxyParts, address: Option<SocketAddr>) -> Self {
        let (sender, over) = watch::channel(false);
        let shared = Arc::new(Shared {
            admission: Admission {
                token: parts.token.clone(),
                port: address.map(|address| address.port()),
            },
            parts,
            calls: CallTable::default(),
            count: AtomicU64::new(0),
            reading: Semaphore::new(MOST_READ),
            held: Semaphore::new(MOST_HELD),
            over,
        });
        Self {
            address,
            over: sender,
            task: tokio::spawn(serve(listener, shared)),
        }
    }
}

/// Serves connections until the task ends. A client that opens many, or leaves heads half sent, uses up its own
/// places and not the open files of the process, which other runs need.
async fn serve(mut listener: impl Listener, shared: Arc<Shared>) {
    let places = Arc::new(Semaphore::new(MOST_CONNECTIONS));
    while let Ok(place) = places.clone().acquire_owned().await {
        let (stream, _) = listener.accept().await;
        let shared = shared.clone();
        let head = shared.parts.patience.head;
        tokio::spawn(async move {
            let service = service_fn(move |request: hyper::Request<_>| {
                let shared = shared.clone();
                async move { Ok::<_, Infallible>(handle(&shared, request.map(Body::new)).await) }
            });
            // A client that breaks off or sends no HTTP ends its own connection only.
            let _ = http1::Builder::new()
                .timer(TokioTimer::new())
                .header_read_timeout(head)
                .serve_connection(TokioIo::new(stream), service)
                .await;
            drop(place);
        });
    }
}

async fn handle(shared: &Arc<Shared>, request: Request) -> Response {
    let (head, body) = request.into_parts();
    match shared.route(&head) {
        Ok(ProxyRoute::Call { dialect, named }) => shared.call(dialect, named, head, body).await,
        Ok(ProxyRoute::Count { dialect }) => shared.count_tokens(dialect, &head, body).await,
        Ok(ProxyRoute::Models) => shared.models(),
        Ok(ProxyRoute::Command) => shared.command(body).await,
        Ok(ProxyRoute::Unknown) => StatusCode::NOT_FOUND.into_response(),
        Err(reply) => {
            read_off(body).await;
            *reply
        }
    }
}

/// Takes a body that nobody wants: who is answered while it still sends finds a closed connection in place of
/// the answer.
async fn read_off(body: Body) {
    let mut pieces = body.into_data_stream();
    let _ = timeout(ARRIVAL, async { while let Some(Ok(_)) = pieces.next().await {} }).await;
}

impl Shared {
    /// Where a request leads, by its head, or why it leads nowhere.
    fn route(&self, head: &Parts) -> Result<ProxyRoute, Box<Response>> {
        if let Err(refusal) = self.admission.check(&head.uri, &head.headers) {
            return Err(Box::new(self.turn_away(&refusal.to_string())));
        }
        if *self.over.borrow() {
            return Err(Box::new(self.turn_away("The run is over.")));
        }
        if head.headers.contains_key(header::UPGRADE) {
            return Err(Box::new(StatusCode::UPGRADE_REQUIRED.into_response()));
        }
        let route = ProxyRoute::of(&head.method, head.uri.path());
        if let ProxyRoute::Call { dialect, .. } = route {
            self.ensure_spoken(dialect)?;
        }
        if matches!(route, ProxyRoute::Unknown) && head.method != Method::HEAD {
            let why = format!(
                "There is nothing at {} {}: this proxy answers calls of a model, and lists it.",
                head.method,
                head.uri.path()
            );
            return Err(Box::new(serving::fault(&FaultReply::missing(&why))));
        }
        Ok(route)
    }

    fn turn_away(&self, why: &str) -> Response {
        self.parts.engine.turned_away(why);
        serving::fault(&FaultReply::forbidden(why))
    }

    fn ensure_spoken(&self, dialect: ProxyDialect) -> Result<(), Box<Response>> {
        match &self.parts.upstream {
            Some(upstream) if !upstream.speaks(dialect) => {
                let why = upstream.refusal(dialect);
                self.parts.engine.turned_away(&why);
                Err(Box::new(serving::fault(&FaultReply::ending(dialect, &why))))
            }
            _ => Ok(()),
        }
    }

    async fn call(
        self: &Arc<Self>,
        dialect: ProxyDialect,
        named: Option<PathModel>,
        head: Parts,
        body: Body,
    ) -> Response {
        let body = match self.read(dialect, &head.headers, body).await {
            Ok(body) => body,
            Err(reply) => return serving::fault(&reply),
        };
        let says_first = head
            .headers
            .get("x-stainless-retry-count")
            .is_some_and(|count| count == "0");
        let request = ClientRequest {
            dialect,
            named,
            headers: head.headers,
            body,
        };
        let number = self.count.load(Ordering::SeqCst) + 1;
        let call = match request.prepared(&self.parts.rules, number) {
            Ok(call) => call,
            Err(fault) => {
                self.parts.engine.turned_away(&fault.to_string());
                return serving::fault(&FaultReply::invalid(dialect, &fault.to_string()));
            }
        };
        let manner = AnswerManner {
            dialect,
            streamed: call.streamed,
        };
        let end = self.begun(call, says_first);
        serving::response(end, manner, self.parts.patience).await
    }

    /// The end of a call: of the one that is under way or was just answered, or of a new one.
    fn begun(
        self: &Arc<Self>,
        mut call: ProxiedCall,
        says_first: bool,
    ) -> watch::Receiver<Option<SharedEnd>> {
        let key = CallKey {
            dialect: call.dialect,
            streamed: call.streamed,
            digest: call.digest,
        };
        let (sender, end) = match self.calls.place(key, says_first) {
            CallPlace::Known { end, resends } => {
                self.parts.engine.resent(resends);
                return end;
            }
            CallPlace::Open(sender, end) => (sender, end),
        };
        call.number = self.count.fetch_add(1, Ordering::SeqCst) + 1;
        let shared = self.clone();
        let held = u32::try_from(call.asked.len() >> 20).unwrap_or(u32::MAX) + 1;
        // A client that goes away leaves its call: what the provider is paid for is recorded.
        tokio::spawn(async move {
            let _held = shared.held.acquire_many(held).await;
            let end = shared.made(&call).await;
            shared.calls.ended(&key, end.is_ok());
            sender.send_replace(Some(Arc::new(end)));
        });
        end
    }

    /// Makes a call: sets aside, asks, records.
    async fn made(&self, call: &ProxiedCall) -> Result<ProviderAnswer, CallFailure> {
        let engine = &self.parts.engine;
        let asked = match engine.reserve(call).await {
            Ok(allowance) => match engine.ask(call, &allowance, self.parts.upstream.as_deref()).await {
                Ok(answer) => Ok((answer, allowance)),
                Err(failure) => Err(failure),
            },
            Err(failure) => Err(failure),
        };
        match asked {
            Ok((mut answer, allowance)) => {
                let ended = EndedCall::Answered {
                    answer: &mut answer,
                    allowance,
                };
                engine.record(call, ended).await?;
                Ok(answer)
            }
            Err(failure) => {
                engine.record(call, EndedCall::Failed(&failure)).await?;
                Err(failure)
            }
        }
    }

    async fn read(
        &self,
        dialect: ProxyDialect,
        headers: &HeaderMap,
        body: Body,
    ) -> Result<Bytes, FaultReply> {
        let invalid = |why: &str| FaultReply::invalid(dialect, why);
        let too_large = format!("The request broke off, or is larger than {LARGEST} bytes.");
        if headers
            .get(header::CONTENT_ENCODING)
            .is_some_and(|coding| coding != "identity")
        {
            read_off(body).await;
            return Err(invalid("The request is compressed: send it as it is."));
        }
        if body.size_hint().lower() > LARGEST as u64 {
            read_off(body).await;
            return Err(invalid(&too_large));
        }
        let Ok(_reading) = self.reading.acquire().await else {
            return Err(invalid("The run is over."));
        };
        match timeout(ARRIVAL, to_bytes(body, LARGEST)).await {
            Ok(Ok(body)) => Ok(body),
            Ok(Err(_)) => Err(invalid(&too_large)),
            Err(_) => Err(invalid("The request did not arrive in time.")),
        }
    }

    /// The tokens of a request, as they are estimated before a call: no provider is asked for nothing.
    async fn count_tokens(&self, dialect: ProxyDialect, head: &Parts, body: Body) -> Response {
        let body = match self.read(dialect, &head.headers, body).await {
            Ok(body) => body,
            Err(reply) => return serving::fault(&reply),
        };
        let tokens = self.parts.budget.estimate(body.len() as u64);
        let counted = match dialect {
            ProxyDialect::GenerateContent => json!({ "totalTokens": tokens }),
            _ => json!({ "input_tokens": tokens }),
        };
        axum::Json(counted).into_response()
    }

    /// Holds a question until it is decided.
    async fn command(&self, body: Body) -> Response {
        let body = timeout(ARRIVAL, to_bytes(body, asked_command::LARGEST)).await;
        let asked = body.ok().and_then(Result::ok);
        match asked.and_then(|body| AskedCommand::parse(&body)) {
            Some(asked) => self.parts.engine.decide(asked).await.into_response(),
            None => StatusCode::BAD_REQUEST.into_response(),
        }
    }

    fn models(&self) -> Response {
        let names = self.parts.rules.names.iter();
        let all: Vec<_> = names
            .map(|name| json!({"id": name, "object": "model", "type": "model", "display_name": name, "name": format!("models/{name}")}))
            .collect();
        axum::Json(json!({"object": "list", "data": all, "models": all, "has_more": false})).into_response()
    }
}
