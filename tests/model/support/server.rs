//! A provider on loopback that answers from a script, one reply a request.

use std::net::SocketAddr;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::Value;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;

/// The server's reply to one request.
#[derive(Debug, Clone)]
pub enum Reply {
    /// A whole answer.
    Whole {
        status: u16,
        headers: Vec<(String, String)>,
        body: String,
    },
    /// Closes the connection without a word.
    Hangs,
    /// Closes the connection after part of the promised body.
    Breaks(String),
    /// Says nothing until the client goes away.
    Silent,
    /// Sends the head and part of the body, and then nothing.
    Stalls(String),
    /// Sends a byte at a time, for ever, with a pause.
    Drips(Duration),
    /// Sends more than anybody wants.
    Floods(usize),
    /// Sends a chunked event stream in the given pieces, then ends it.
    Streams(Vec<Vec<u8>>),
    /// Sends pieces of an event stream, and then closes the connection.
    StreamBreaks(Vec<Vec<u8>>),
    /// Sends pieces of an event stream, and then nothing.
    StreamStalls(Vec<Vec<u8>>),
}

/// The answers of a server, by request.
pub type Answerer = Arc<dyn Fn(usize, &Seen) -> Reply + Send + Sync>;

/// A JSON answer with status 200.
pub fn json(body: Value) -> Reply {
    reply(200, "application/json", &body.to_string())
}

/// A whole answer of a type.
pub fn reply(status: u16, kind: &str, body: &str) -> Reply {
    Reply::Whole {
        status,
        headers: vec![("content-type".into(), kind.into())],
        body: body.into(),
    }
}

/// A request as the server saw it.
#[derive(Debug, Clone)]
pub struct Seen {
    pub head: String,
    pub body: Value,
    /// The body as it came.
    pub bytes: Vec<u8>,
    /// Which connection it came on, from 0.
    pub connection: usize,
}

/// The server; it ends with the test's runtime.
pub struct Server {
    pub address: SocketAddr,
    /// Whether an answer is due and does not come.
    pub silent: watch::Sender<bool>,
    seen: Arc<Mutex<Vec<Seen>>>,
    open: watch::Receiver<usize>,
}

/// The state that the server's tasks share.
struct Shared {
    answer: Answerer,
    silent: watch::Sender<bool>,
    /// `None` where nobody looks and there are too many.
    seen: Option<Arc<Mutex<Vec<Seen>>>>,
    asked: Mutex<usize>,
    open: watch::Sender<usize>,
}

impl Server {
    /// Starts on a free port; after the script its last reply is repeated.
    pub async fn start(script: Vec<Reply>) -> Self {
        let last = script.len() - 1;
        Self::with(Arc::new(move |index, _| script[index.min(last)].clone()), true).await
    }

    /// Answers by what it is asked, and keeps nothing of it.
    pub async fn answering(answer: Answerer) -> Self {
        Self::with(answer, false).await
    }

    async fn with(answer: Answerer, keeps: bool) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let seen = Arc::new(Mutex::new(Vec::new()));
        let silent = watch::Sender::new(false);
        let (count, open) = watch::channel(0);
        let shared = Arc::new(Shared {
            answer,
            silent: silent.clone(),
            seen: keeps.then(|| seen.clone()),
            asked: Mutex::new(0),
            open: count,
        });
        tokio::spawn(async move {
            for connection in 0.. {
                let (stream, _) = listener.accept().await.unwrap();
                let shared = shared.clone();
                tokio::spawn(async move {
                    shared.open.send_modify(|open| *open += 1);
                    serve(stream, connection, &shared).await;
                    shared.open.send_modify(|open| *open -= 1);
                });
            }
        });
        Self {
            address,
            silent,
            seen,
            open,
        }
    }

    /// No server, at an address that had one.
    pub fn nowhere(address: SocketAddr) -> Self {
        Self {
            address,
            silent: watch::Sender::new(false),
            seen: Arc::default(),
            open: watch::channel(0).1,
        }
    }

    pub fn seen(&self) -> Vec<Seen> {
        self.seen.lock().unwrap().clone()
    }

    /// Returns when no connection is open.
    pub async fn abandoned(&mut self) {
        self.open.wait_for(|open| *open == 0).await.unwrap();
    }
}

async fn serve(mut stream: TcpStream, connection: usize, shared: &Shared) {
    let mut buffer = Vec::new();
    while let Some((head, bytes)) = read_request(&mut stream, &mut buffer).await {
        let Ok(body) = serde_json::from_slice(&bytes) else {
            return;
        };
        let seen = Seen {
            head,
            body,
            bytes,
            connection,
        };
        let index = {
            let mut asked = shared.asked.lock().unwrap();
            *asked += 1;
            *asked - 1
        };
        let reply = (shared.answer)(index, &seen);
        if let Some(log) = &shared.seen {
            log.lock().unwrap().push(seen);
        }
        if answer(&mut stream, reply, &shared.silent).await.is_none() {
            return;
        }
    }
}

async fn read_request(stream: &mut TcpStream, buffer: &mut Vec<u8>) -> Option<(String, Vec<u8>)> {
    let end = loop {
        if let Some(at) = buffer.windows(4).position(|window| window == b"\r\n\r\n") {
            break at + 4;
        }
        more(stream, buffer).await?;
    };
    let head = String::from_utf8(buffer[..end].to_vec()).ok()?;
    let length: usize = head
        .lines()
        .find_map(|line| {
            line.to_ascii_lowercase()
                .strip_prefix("content-length:")
                .map(|length| length.trim().parse().unwrap())
        })
        .unwrap_or(0);
    while buffer.len() < end + length {
        more(stream, buffer).await?;
    }
    let body = buffer[end..end + length].to_vec();
    buffer.drain(..end + length);
    Some((head, body))
}

async fn more(stream: &mut TcpStream, buffer: &mut Vec<u8>) -> Option<()> {
    let mut chunk = [0; 16 << 10];
    let read = stream.read(&mut chunk).await.ok()?;
    buffer.extend_from_slice(&chunk[..read]);
    (read > 0).then_some(())
}

/// Whether the connection can go on is `Some`.
async fn answer(stream: &mut TcpStream, reply: Reply, silent: &watch::Sender<bool>) -> Option<()> {
    match reply {
        Reply::Whole {
            status,
            headers,
            body,
        } => {
            let mut head = format!("HTTP/1.1 {status} X\r\ncontent-length: {}\r\n", body.len());
            for (name, value) in headers {
                head.push_str(&format!("{name}: {value}\r\n"));
            }
            send(stream, format!("{head}\r\n{body}").as_bytes()).await
        }
        Reply::Hangs => None,
        Reply::Breaks(part) => {
            promise(stream, part.len() + 100).await?;
            send(stream, part.as_bytes()).await?;
            None
        }
        Reply::Silent => {
            silent.send_replace(true);
            gone(stream).await
        }
        Reply::Stalls(part) => {
            promise(stream, part.len() + 100).await?;
            send(stream, part.as_bytes()).await?;
            silent.send_replace(true);
            gone(stream).await
        }
        Reply::Drips(pause) => {
            promise(stream, 1 << 20).await?;
            loop {
                send(stream, b" ").await?;
                silent.send_replace(true);
                tokio::time::sleep(pause).await;
            }
        }
        Reply::Floods(bytes) => {
            promise(stream, bytes).await?;
            for _ in 0..bytes / 1024 {
                send(stream, &[b' '; 1024]).await?;
            }
            None
        }
        Reply::Streams(pieces) => {
            send_pieces(stream, &pieces).await?;
            send(stream, b"0\r\n\r\n").await
        }
        Reply::StreamBreaks(pieces) => {
            send_pieces(stream, &pieces).await?;
            None
        }
        Reply::StreamStalls(pieces) => {
            send_pieces(stream, &pieces).await?;
            silent.send_replace(true);
            gone(stream).await
        }
    }
}

async fn send_pieces(stream: &mut TcpStream, pieces: &[Vec<u8>]) -> Option<()> {
    send(
        stream,
        b"HTTP/1.1 200 X\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n",
    )
    .await?;
    for piece in pieces.iter().filter(|piece| !piece.is_empty()) {
        send(stream, format!("{:x}\r\n", piece.len()).as_bytes()).await?;
        send(stream, piece).await?;
        send(stream, b"\r\n").await?;
    }
    Some(())
}

async fn promise(stream: &mut TcpStream, length: usize) -> Option<()> {
    let head =
        format!("HTTP/1.1 200 X\r\ncontent-type: application/json\r\ncontent-length: {length}\r\n\r\n");
    send(stream, head.as_bytes()).await
}

async fn send(stream: &mut TcpStream, bytes: &[u8]) -> Option<()> {
    stream.write_all(bytes).await.ok()
}

/// Waits for the client to go away.
async fn gone(stream: &mut TcpStream) -> Option<()> {
    let mut rest = [0; 1024];
    while stream.read(&mut rest).await.ok()? > 0 {}
    None
}
