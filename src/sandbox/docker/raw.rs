//! A question to the daemon whose answer the client's own types are too strict
//! for: Podman has states that Docker lacks.

use http_body_util::{BodyExt as _, Empty, Limited};
use hyper::body::Bytes;
use hyper::client::conn::http1::handshake;
use hyper_util::rt::TokioIo;
use reqwest::Url;
use serde::de::DeserializeOwned;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpStream, UnixStream};

/// The most bytes that an answer may have.
const MOST: usize = 64 << 20;

/// Asks the daemon at an address (`unix://PATH` or `tcp://HOST:PORT`).
pub async fn get<T: DeserializeOwned>(
    address: &str,
    path: &str,
    parameters: &[(&str, &str)],
) -> Result<T, String> {
    let url = Url::parse_with_params(&format!("http://daemon{path}"), parameters)
        .map_err(|error| error.to_string())?;
    if let Some(socket) = address.strip_prefix("unix://") {
        let stream = UnixStream::connect(socket)
            .await
            .map_err(|error| error.to_string())?;
        return ask(stream, &url).await;
    }
    let host = address.trim_start_matches("tcp://").trim_start_matches("http://");
    let stream = TcpStream::connect(host.trim_end_matches('/'))
        .await
        .map_err(|error| error.to_string())?;
    ask(stream, &url).await
}

async fn ask<T: DeserializeOwned>(
    stream: impl AsyncRead + AsyncWrite + Unpin + Send + 'static,
    url: &Url,
) -> Result<T, String> {
    let (mut sender, connection) = handshake(TokioIo::new(stream))
        .await
        .map_err(|error| error.to_string())?;
    let asked = async {
        let request = hyper::Request::get(format!("{}?{}", url.path(), url.query().unwrap_or_default()))
            .header("Host", "daemon")
            .body(Empty::<Bytes>::new())
            .map_err(|error| error.to_string())?;
        let answer = sender
            .send_request(request)
            .await
            .map_err(|error| error.to_string())?;
        let status = answer.status();
        let body = Limited::new(answer.into_body(), MOST)
            .collect()
            .await
            .map_err(|error| error.to_string())?
            .to_bytes();
        if !status.is_success() {
            return Err(format!("{status}: {}", String::from_utf8_lossy(&body)));
        }
        serde_json::from_slice(&body).map_err(|error| error.to_string())
    };
    tokio::select! {
        answer = asked => answer,
        // The connection is driven here; once it is over, nothing more can be answered.
        broken = connection => Err(match broken {
            Ok(()) => "the daemon closed the connection".to_owned(),
            Err(error) => error.to_string(),
        }),
    }
}
