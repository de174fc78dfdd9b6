//! The operator's own proxy, behind ours.

use std::io;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use reqwest::Url;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

use crate::domain::excerpt;

/// Settings that make up the way to the operator's own proxy, the first that is set.
pub const UPSTREAM_SETTINGS: [&str; 7] = [
    "PIP_PROXY",
    "HTTPS_PROXY",
    "https_proxy",
    "HTTP_PROXY",
    "http_proxy",
    "ALL_PROXY",
    "all_proxy",
];

/// The longest answer to a request for a tunnel, in bytes.
const HEAD: usize = 8 << 10;

/// A proxy that reaches hosts for us, and its password.
#[derive(Clone)]
pub struct Upstream {
    host: String,
    port: u16,
    authorization: Option<String>,
    /// Hosts that are reached without it, and the ends of others' names.
    direct: Vec<String>,
}

/// The error of an operator's proxy that cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum UpstreamError {
    #[error("the operator's proxy has no address that can be read")]
    Address,
    #[error("the operator's proxy is one of {0}, and only those of http are spoken: name one")]
    Scheme(String),
    #[error("the operator's proxy has no host")]
    Host,
}

impl Upstream {
    /// Reads an address such as `http://user:password@proxy:3128`, and a list of hosts that are
    /// reached without it.
    ///
    /// # Errors
    /// An address that is none, or of a kind that is not spoken.
    pub fn parse(address: &str, no_proxy: &str) -> Result<Self, UpstreamError> {
        let whole = if address.contains("://") {
            address.to_owned()
        } else {
            format!("http://{address}")
        };
        let url = Url::parse(&whole).map_err(|_| UpstreamError::Address)?;
        if url.scheme() != "http" {
            return Err(UpstreamError::Scheme(url.scheme().to_owned()));
        }
        let host = url.host_str().ok_or(UpstreamError::Host)?.to_owned();
        let decoded = |text: &str| percent_decode(text);
        let authorization = (!url.username().is_empty() || url.password().is_some()).then(|| {
            let pair = format!(
                "{}:{}",
                decoded(url.username()),
                decoded(url.password().unwrap_or_default())
            );
            format!("Basic {}", STANDARD.encode(pair))
        });
        let direct = no_proxy
            .split(',')
            .map(|host| host.trim().trim_start_matches('.').to_ascii_lowercase())
            .filter(|host| !host.is_empty())
            .collect();
        Ok(Self {
            host,
            port: url.port_or_known_default().unwrap_or(80),
            authorization,
            direct,
        })
    }

    /// Whether a host is reached through it.
    pub fn serves(&self, host: &str) -> bool {
        let host = host.to_ascii_lowercase();
        let is_direct = |end: &String| {
            end == "*"
                || host == *end
                || host
                    .strip_suffix(end.as_str())
                    .is_some_and(|rest| rest.ends_with('.'))
        };
        !self.direct.iter().any(is_direct)
    }

    /// Opens a tunnel to a host.
    ///
    /// # Errors
    /// A proxy that cannot be reached, or that refuses.
    pub async fn tunnel(&self, host: &str, port: u16) -> io::Result<TcpStream> {
        let mut stream = TcpStream::connect((self.host.as_str(), self.port)).await?;
        let authorization = self
            .authorization
            .as_ref()
            .map_or_else(String::new, |value| format!("Proxy-Authorization: {value}\r\n"));
        let request = format!("CONNECT {host}:{port} HTTP/1.1\r\nHost: {host}:{port}\r\n{authorization}\r\n");
        stream.write_all(request.as_bytes()).await?;
        let mut head = Vec::new();
        while !head.ends_with(b"\r\n\r\n") {
            if head.len() >= HEAD {
                return Err(io::Error::other("the operator's proxy gives no answer that ends"));
            }
            // A byte at a time: what follows the head is the tunnel's.
            head.push(stream.read_u8().await?);
        }
        let line = String::from_utf8_lossy(&head);
        let line = excerpt::first_line(&line);
        if line.split(' ').nth(1) == Some("200") {
            Ok(stream)
        } else {
            let said: String = line
                .chars()
                .filter(|letter| !letter.is_control())
                .take(100)
                .collect();
            Err(io::Error::other(format!("the operator's proxy refuses: {said}")))
        }
    }
}

pub(super) fn percent_decode(text: &str) -> String {
    let mut bytes = Vec::new();
    let mut rest = text.as_bytes();
    while let Some((first, after)) = rest.split_first() {
        let code = after.get(..2).and_then(|code| std::str::from_utf8(code).ok());
        match code
            .and_then(|code| u8::from_str_radix(code, 16).ok())
            .filter(|_| *first == b'%')
        {
            Some(byte) => {
                bytes.push(byte);
                rest = &after[2..];
            }
            None => {
                bytes.push(*first);
                rest = after;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use tokio::net::TcpListener;

    use super::*;

    #[test]
    fn hosts_of_the_operators_list_are_reached_directly() {
        let upstream = Upstream::parse("proxy.example.org:3128", "localhost, .corp.example").unwrap();
        assert!(upstream.serves("pypi.org") && upstream.serves("evilcorp.example"));
        assert!(!upstream.serves("localhost") && !upstream.serves("pypi.corp.example"));
        assert!(!Upstream::parse("http://p", "*").unwrap().serves("pypi.org"));
        let error = Upstream::parse("socks5://p:1080", "").err().unwrap().to_string();
        assert!(error.contains("socks5"), "{error}");
    }

    #[tokio::test]
    async fn the_password_goes_to_the_operators_proxy_and_bytes_through_it() {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let at = listener.local_addr().unwrap();
        let asked = tokio::spawn(async move {
            let (mut stream, _) = listener.accept().await.unwrap();
            let mut head = vec![0; 4096];
            let read = stream.read(&mut head).await.unwrap();
            stream
                .write_all(b"HTTP/1.1 200 Connected\r\n\r\nhello")
                .await
                .unwrap();
            String::from_utf8_lossy(&head[..read]).into_owned()
        });
        let upstream = Upstream::parse(&format!("http://me:p%40ss@{at}"), "").unwrap();
        let mut stream = upstream.tunnel("pypi.org", 443).await.unwrap();
        let mut text = [0; 5];
        stream.read_exact(&mut text).await.unwrap();
        assert_eq!(&text, b"hello");
        let asked = asked.await.unwrap();
        assert!(asked.starts_with("CONNECT pypi.org:443 "), "{asked}");
        assert!(asked.contains(&STANDARD.encode("me:p@ss")), "{asked}");
    }
}
