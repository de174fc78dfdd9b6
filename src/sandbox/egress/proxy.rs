//! A forward proxy for a few named hosts, over http and https.

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use bytes::Bytes;
use http_body_util::combinators::BoxBody;
use http_body_util::{BodyExt as _, Full};
use hyper::body::Incoming;
use hyper::header::{CONNECTION, HOST, HeaderValue};
use hyper::service::service_fn;
use hyper::{Method, Request, Response, StatusCode, Uri};
use hyper_util::rt::TokioIo;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream, UnixListener};
use tokio::sync::Semaphore;
use tokio::time::{Duration, timeout};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::allowed::Allowed;
use super::index_gate::{IndexAnswer, IndexError, IndexGate};
use super::traffic::{Traffic, counted};
use super::upstream::Upstream;
use crate::addresses::resolver::Resolve;

/// Connections at once; more wait.
const CONNECTIONS: usize = 64;
/// How long a connection to a host may take to come about.
const CONNECTING: Duration = Duration::from_secs(30);
/// How long a client may take over a request's head.
const HEAD: Duration = Duration::from_secs(30);

type Body = BoxBody<Bytes, Box<dyn std::error::Error + Send + Sync>>;

/// A connection, whatever it came over.
trait Connection: AsyncRead + AsyncWrite + Send + Unpin {}

impl<T: AsyncRead + AsyncWrite + Send + Unpin> Connection for T {}

/// The listener of a proxy.
pub enum ProxyListener {
    Tcp(TcpListener),
    Unix(UnixListener),
}

impl From<TcpListener> for ProxyListener {
    fn from(listener: TcpListener) -> Self {
        Self::Tcp(listener)
    }
}

impl From<UnixListener> for ProxyListener {
    fn from(listener: UnixListener) -> Self {
        Self::Unix(listener)
    }
}

impl ProxyListener {
    async fn accept(&self) -> std::io::Result<Box<dyn Connection>> {
        Ok(match self {
            Self::Tcp(listener) => Box::new(listener.accept().await?.0),
            Self::Unix(listener) => Box::new(listener.accept().await?.0),
        })
    }
}

/// A proxy that can be served on any listener.
#[derive(Clone)]
pub struct Proxy {
    allowed: Arc<Allowed>,
    resolve: Arc<dyn Resolve>,
    upstream: Option<Arc<Upstream>>,
    gates: Arc<BTreeMap<String, IndexGate>>,
    traffic: Arc<Mutex<Traffic>>,
    over: CancellationToken,
}

impl Proxy {
    pub fn new(allowed: Allowed, resolve: Arc<dyn Resolve>) -> Self {
        Self {
            allowed: Arc::new(allowed),
            resolve,
            upstream: None,
            gates: Arc::default(),
            traffic: Arc::default(),
            over: CancellationToken::new(),
        }
    }

    /// The same, behind the operator's own proxy.
    pub fn with_upstream(mut self, upstream: Option<Upstream>) -> Self {
        self.upstream = upstream.map(Arc::new);
        self
    }

    /// The same, with gates before indexes that want a password.
    pub fn with_gates(mut self, gates: Vec<IndexGate>) -> Self {
        self.gates = Arc::new(gates.into_iter().map(|gate| (gate.name.clone(), gate)).collect());
        self
    }

    /// Ends every connection.
    pub fn stop(&self) {
        self.over.cancel();
    }

    /// What went through so far.
    pub fn traffic(&self) -> MutexGuard<'_, Traffic> {
        self.traffic.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Answers until it is stopped; what is under way ends with it.
    pub async fn serve(self, listener: impl Into<ProxyListener>) {
        let listener = listener.into();
        let places = Arc::new(Semaphore::new(CONNECTIONS));
        let mut connections = tokio::task::JoinSet::new();
        loop {
            let Ok(place) = Arc::clone(&places).acquire_owned().await else {
                return;
            };
            while connections.try_join_next().is_some() {}
            let accepted = tokio::select! {
                () = self.over.cancelled() => return,
                accepted = listener.accept() => accepted,
            };
            let Ok(stream) = accepted else {
                tokio::time::sleep(Duration::from_millis(100)).await;
                continue;
            };
            let proxy = self.clone();
            connections.spawn(async move {
                let tunnels = TaskTracker::new();
                let inside = tunnels.clone();
                let service = service_fn(move |request| proxy.clone().answer(request, inside.clone()));
                let served = hyper::server::conn::http1::Builder::new()
                    .timer(hyper_util::rt::TokioTimer::new())
                    .header_read_timeout(HEAD)
                    .serve_connection(TokioIo::new(stream), service)
                    .with_upgrades()
                    .await;
                // A client that speaks no http gets no further than this.
                drop(served);
                tunnels.close();
                tunnels.wait().await;
                drop(place);
            });
        }
    }

    async fn answer(
        self,
        request: Request<Incoming>,
        tunnels: TaskTracker,
    ) -> Result<Response<Body>, Infallible> {
        let tunnel = request.method() == Method::CONNECT;
        let target = target(request.uri(), tunnel);
        let Some((host, port)) = target else {
            return Ok(refuse(StatusCode::BAD_REQUEST, "give a whole http address"));
        };
        if let Some(gate) = self.gates.get(&host).filter(|_| !tunnel) {
            self.traffic().pass(&host);
            return Ok(through(gate, &request)
                .await
                .unwrap_or_else(|why| refuse(StatusCode::BAD_GATEWAY, &why.to_string())));
        }
        if let Err(why) = self.allowed.check(&host, port) {
            self.traffic().refuse(&host);
            return Ok(refuse(StatusCode::FORBIDDEN, &why.to_string()));
        }
        let stream = match self.connect(&host, port).await {
            Ok(stream) => stream,
            Err(why) => return Ok(refuse(StatusCode::BAD_GATEWAY, &why.to_string())),
        };
        let counts = self.traffic().pass(&host);
        let mut stream = counted(stream, counts);
        if tunnel {
            tunnels.spawn(async move {
                if let Ok(client) = hyper::upgrade::on(request).await {
                    let mut client = TokioIo::new(client);
                    // Either side may break off; nothing is to be told to anybody.
                    tokio::select! {
                        () = self.over.cancelled() => {}
                        _ = tokio::io::copy_bidirectional(&mut client, &mut stream) => {}
                    }
                }
            });
            return Ok(Response::new(empty()));
        }
        Ok(forward(request, stream, &host, &tunnels, self.over.clone())
            .await
            .unwrap_or_else(|error| refuse(StatusCode::BAD_GATEWAY, &format!("{host}: {error}"))))
    }

    async fn connect(&self, host: &str, port: u16) -> Result<TcpStream, NoConnection> {
        if let Some(upstream) = self.upstream.as_ref().filter(|upstream| upstream.serves(host)) {
            return match timeout(CONNECTING, upstream.tunnel(host, port)).await {
                Ok(tunnel) => tunnel.map_err(|error| NoConnection::OutOfReach(host.to_owned(), error)),
                Err(_) => Err(NoConnection::UpstreamSilent(host.to_owned())),
            };
        }
        let addresses = self
            .resolve
            .addresses(host, port)
            .await
            .map_err(|error| NoConnection::Unresolved(host.to_owned(), error))?;
        let mut why = NoConnection::NoAddress(host.to_owned());
        for address in addresses {
            match timeout(CONNECTING, TcpStream::connect(address)).await {
                Ok(Ok(stream)) => return Ok(stream),
                Ok(Err(error)) => why = NoConnection::OutOfReach(host.to_owned(), error),
                Err(_) => why = NoConnection::Silent(host.to_owned()),
            }
        }
        Err(why)
    }
}

/// The error of a connection to an approved host.
#[derive(Debug, thiserror::Error)]
enum NoConnection {
    #[error("{0} cannot be resolved: {1}")]
    Unresolved(String, io::Error),
    #[error("{0} has no public address")]
    NoAddress(String),
    #[error("{0} cannot be reached: {1}")]
    OutOfReach(String, io::Error),
    #[error("{0} does not answer")]
    Silent(String),
    #[error("the operator's proxy does not answer for {0}")]
    UpstreamSilent(String),
}

/// Host and port of a request to a proxy.
fn target(uri: &Uri, tunnel: bool) -> Option<(String, u16)> {
    let host = uri.host().filter(|host| !host.is_empty())?.to_owned();
    match (tunnel, uri.scheme_str()) {
        (true, _) => Some((host, uri.port_u16()?)),
        (false, Some("http")) => Some((host, uri.port_u16().unwrap_or(80))),
        _ => None,
    }
}

/// Asks an index with its password.
async fn through(gate: &IndexGate, request: &Request<Incoming>) -> Result<Response<Body>, IndexError> {
    let path = request.uri().path_and_query().map_or("/", |path| path.as_str());
    let IndexAnswer {
        status,
        headers,
        body,
    } = gate
        .fetch(request.method().as_str(), path, request.headers())
        .await?;
    let mut response = Response::new(body);
    *response.status_mut() = status;
    *response.headers_mut() = headers;
    Ok(response)
}

/// Sends one plain request on, in the form that an origin server expects.
async fn forward(
    mut request: Request<Incoming>,
    stream: impl AsyncRead + AsyncWrite + Send + Unpin + 'static,
    host: &str,
    tunnels: &TaskTracker,
    over: CancellationToken,
) -> Result<Response<Body>, hyper::Error> {
    let (mut sender, connection) = hyper::client::conn::http1::handshake(TokioIo::new(stream)).await?;
    tunnels.spawn(async move {
        // An origin that breaks off shows in the answer's body.
        tokio::select! {
            () = over.cancelled() => {}
            _ = connection => {}
        }
    });
    let path = request
        .uri()
        .path_and_query()
        .map_or("/", |path| path.as_str())
        .to_owned();
    if let Ok(path) = path.parse() {
        *request.uri_mut() = path;
    }
    let headers = request.headers_mut();
    // The host that was checked, whatever the client wrote.
    if let Ok(value) = HeaderValue::from_str(host) {
        headers.insert(HOST, value);
    }
    for name in ["proxy-connection", "proxy-authorization"] {
        headers.remove(name);
    }
    headers.insert(CONNECTION, HeaderValue::from_static("close"));
    let answer = sender.send_request(request).await?;
    Ok(answer.map(|body| body.map_err(Into::into).boxed()))
}

fn refuse(status: StatusCode, why: &str) -> Response<Body> {
    let text = Full::new(Bytes::from(format!("The sandbox's proxy: {why}.\n")));
    let mut response = Response::new(text.map_err(|never| match never {}).boxed());
    *response.status_mut() = status;
    response
}

fn empty() -> Body {
    Full::new(Bytes::new()).map_err(|never| match never {}).boxed()
}

#[cfg(test)]
mod tests {
    use std::net::SocketAddr;

    use async_trait::async_trait;
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

    use super::*;

    /// Leads every name to one address.
    struct To(SocketAddr);

    #[async_trait]
    impl Resolve for To {
        async fn addresses(&self, _: &str, _: u16) -> std::io::Result<Vec<SocketAddr>> {
            Ok(vec![self.0])
        }
    }

    /// An origin that answers every connection with what it was sent, and a proxy before it.
    async fn proxy() -> (SocketAddr, Proxy) {
        let origin = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = origin.local_addr().unwrap();
        tokio::spawn(async move {
            while let Ok((mut stream, _)) = origin.accept().await {
                let mut head = vec![0; 4096];
                let read = stream.read(&mut head).await.unwrap();
                let body = String::from_utf8_lossy(&head[..read]).into_owned();
                let answer = format!(
                    "HTTP/1.1 200 OK\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{body}",
                    body.len()
                );
                stream.write_all(answer.as_bytes()).await.unwrap();
            }
        });
        let proxy = Proxy::new(
            Allowed::new(&["data.example.org".to_owned()]),
            Arc::new(To(address)),
        );
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let at = listener.local_addr().unwrap();
        tokio::spawn(proxy.clone().serve(listener));
        (at, proxy)
    }

    async fn say(to: SocketAddr, text: &str) -> String {
        let mut stream = TcpStream::connect(to).await.unwrap();
        stream.write_all(text.as_bytes()).await.unwrap();
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).await.unwrap();
        String::from_utf8_lossy(&answer).into_owned()
    }

    #[tokio::test]
    async fn an_approved_host_is_reached_and_no_other() {
        let (at, proxy) = proxy().await;
        let good = say(
            at,
            "GET http://data.example.org/a.csv?x=1 HTTP/1.1\r\nHost: evil.org\r\n\
             Proxy-Authorization: secret\r\nConnection: close\r\n\r\n",
        )
        .await;
        assert!(good.starts_with("HTTP/1.1 200"), "{good}");
        assert!(good.contains("GET /a.csv?x=1 HTTP/1.1"), "{good}");
        assert!(
            good.contains("host: data.example.org") && !good.contains("evil.org"),
            "{good}"
        );
        assert!(!good.contains("secret"), "{good}");
        for bad in [
            "GET http://evil.org/ HTTP/1.1\r\nHost: data.example.org\r\nConnection: close\r\n\r\n",
            "GET http://data.example.org:22/ HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n",
            "CONNECT 169.254.169.254:80 HTTP/1.1\r\nHost: data.example.org\r\nConnection: close\r\n\r\n",
        ] {
            let answer = say(at, bad).await;
            assert!(answer.starts_with("HTTP/1.1 403"), "{bad}: {answer}");
        }
        let plain = say(
            at,
            "GET / HTTP/1.1\r\nHost: data.example.org\r\nConnection: close\r\n\r\n",
        )
        .await;
        assert!(plain.starts_with("HTTP/1.1 400"), "{plain}");
        let traffic = proxy.traffic();
        assert!(
            traffic.passed["data.example.org"]
                .to_string()
                .starts_with("1 connection, "),
            "{traffic:?}"
        );
        assert_eq!(traffic.refused.len(), 3);
    }

    #[tokio::test]
    async fn a_tunnel_carries_bytes_to_the_approved_host() {
        let (at, proxy) = proxy().await;
        let answer = say(
            at,
            "CONNECT data.example.org:443 HTTP/1.1\r\nHost: data.example.org\r\n\r\nhello",
        )
        .await;
        assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
        assert!(answer.ends_with("hello"), "{answer}");
        // The origin answers with a head before what it was sent.
        let received = answer.split_once("\r\n\r\n").unwrap().1.len();
        assert_eq!(
            proxy.traffic().passed["data.example.org"].to_string(),
            format!("1 connection, {received} bytes received, 5 sent")
        );
    }

    #[tokio::test]
    async fn noise_ends_its_own_connection_only() {
        let (at, _) = proxy().await;
        say(at, "\u{0}\u{1}\u{2}\r\n\r\n").await;
        let answer = say(
            at,
            "GET http://data.example.org/ HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n",
        )
        .await;
        assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
    }
}
