//! A question to the daemon whose answer the client's own types are too strict
//! for: Podman has states that Docker lacks.

use std::io;
use std::str::FromStr;

use http_body_util::{BodyExt as _, Empty, Limited};
use hyper::StatusCode;
use hyper::body::Bytes;
use hyper::client::conn::http1::handshake;
use hyper_util::rt::TokioIo;
use reqwest::Url;
use serde::de::DeserializeOwned;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpStream, UnixStream};

/// The most bytes that an answer may have.
const MOST: usize = 64 << 20;

/// A question that the daemon did not answer, or not as it is understood.
#[derive(Debug, thiserror::Error)]
pub enum UnansweredQuestion {
    /// The path that was asked for is none.
    #[error(transparent)]
    Path(<Url as FromStr>::Err),
    #[error(transparent)]
    Request(hyper::http::Error),
    /// Nothing listens at the address.
    #[error(transparent)]
    Connection(io::Error),
    #[error(transparent)]
    Http(hyper::Error),
    #[error("the daemon closed the connection")]
    Closed,
    /// An answer that breaks off or is too long.
    #[error(transparent)]
    Body(Box<dyn std::error::Error + Send + Sync>),
    #[error("{status}: {body}")]
    Refused { status: StatusCode, body: String },
    #[error(transparent)]
    Answer(serde_json::Error),
}

/// Asks the daemon at an address (`unix://PATH` or `tcp://HOST:PORT`).
///
/// # Errors
/// A daemon that cannot be reached, refuses, or answers with something else.
pub async fn get<T: DeserializeOwned>(
    address: &str,
    path: &str,
    parameters: &[(&str, &str)],
) -> Result<T, UnansweredQuestion> {
    let url = Url::parse_with_params(&format!("http://daemon{path}"), parameters)
        .map_err(UnansweredQuestion::Path)?;
    if let Some(socket) = address.strip_prefix("unix://") {
        let stream = UnixStream::connect(socket)
            .await
            .map_err(UnansweredQuestion::Connection)?;
        return ask(stream, &url).await;
    }
    let host = address.trim_start_matches("tcp://").trim_start_matches("http://");
    let stream = TcpStream::connect(host.trim_end_matches('/'))
        .await
        .map_err(UnansweredQuestion::Connection)?;
    ask(stream, &url).await
}

async fn ask<T: DeserializeOwned>(
    stream: impl AsyncRead + AsyncWrite + Unpin + Send + 'static,
    url: &Url,
) -> Result<T, UnansweredQuestion> {
    let (mut sender, connection) = handshake(TokioIo::new(stream))
        .await
        .map_err(UnansweredQuestion::Http)?;
    let asked = async {
        let request = hyper::Request::get(format!("{}?{}", url.path(), url.query().unwrap_or_default()))
            .header("Host", "daemon")
            .body(Empty::<Bytes>::new())
            .map_err(UnansweredQuestion::Request)?;
        let answer = sender
            .send_request(request)
            .await
            .map_err(UnansweredQuestion::Http)?;
        let status = answer.status();
        let body = Limited::new(answer.into_body(), MOST)
            .collect()
            .await
            .map_err(UnansweredQuestion::Body)?
            .to_bytes();
        if !status.is_success() {
            let body = String::from_utf8_lossy(&body).into_owned();
            return Err(UnansweredQuestion::Refused { status, body });
        }
        serde_json::from_slice(&body).map_err(UnansweredQuestion::Answer)
    };
    tokio::select! {
        answer = asked => answer,
        // The connection is driven here; once it is over, nothing more can be answered.
        broken = connection => Err(match broken {
            Ok(()) => UnansweredQuestion::Closed,
            Err(error) => UnansweredQuestion::Http(error),
        }),
    }
}
