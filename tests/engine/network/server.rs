//! A server on loopback that answers as a test says, and what a test asks with.

use std::collections::{BTreeMap, VecDeque};
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{IpAddr, Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use jiff::Timestamp;
use reprise::addresses::resolver::Resolve;
use reprise::documents::helper::Helper;
use reprise::domain::clock::FixedClock;
use reprise::model::layers::timer::Timer;
use reprise::network::client::{RequestBounds, WebClient};
use reprise::network::guard::Guard;
use reprise::network::lists::Lists;
use reprise::network::rate_limit::Pace;
use reprise::network::search::contract::{Hit, Query, SearchEngine, SearchHits};
use reprise::network::search::fault::SearchFault;
use reprise::network::web::{Web, WebParts};
use reprise::study::manifest::WebTable;

/// A request as it came in.
#[derive(Debug, Clone, Default)]
pub struct Asked {
    pub method: String,
    pub target: String,
    pub headers: BTreeMap<String, String>,
    pub body: String,
}

/// The server's answer to a request.
pub enum Answer {
    Whole(u16, Vec<(&'static str, String)>, Vec<u8>),
    /// Bytes as they are, then the end.
    Raw(Vec<u8>),
    /// A body without end.
    Endless,
    /// Silence until the client goes.
    Never,
}

pub fn page(body: &str) -> Answer {
    Answer::Whole(200, vec![("Content-Type", "text/html".to_owned())], body.into())
}

pub fn status(status: u16, headers: &[(&'static str, &str)]) -> Answer {
    let headers = headers
        .iter()
        .map(|(name, value)| (*name, (*value).to_owned()))
        .collect();
    Answer::Whole(
        status,
        headers,
        b"<html><title>Problem</title>problem</html>".to_vec(),
    )
}

type Script = Arc<dyn Fn(&Asked) -> Answer + Send + Sync>;

/// A server that runs until the test process ends.
pub struct Server {
    pub address: SocketAddr,
    asked: Arc<Mutex<Vec<Asked>>>,
}

impl Server {
    pub fn start(script: impl Fn(&Asked) -> Answer + Send + Sync + 'static) -> Self {
        Self::at(SocketAddr::from((Ipv4Addr::LOCALHOST, 0)), script).unwrap()
    }

    pub fn at(
        address: SocketAddr,
        script: impl Fn(&Asked) -> Answer + Send + Sync + 'static,
    ) -> std::io::Result<Self> {
        let listener = TcpListener::bind(address)?;
        let server = Self {
            address: listener.local_addr()?,
            asked: Arc::default(),
        };
        let (asked, script): (_, Script) = (server.asked.clone(), Arc::new(script));
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (asked, script) = (asked.clone(), script.clone());
                std::thread::spawn(move || serve(stream, &asked, &script));
            }
        });
        Ok(server)
    }

    pub fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    pub fn asked(&self) -> Vec<Asked> {
        self.asked.lock().unwrap().clone()
    }

    /// The targets that were asked for, in order.
    pub fn targets(&self) -> Vec<String> {
        self.asked().into_iter().map(|one| one.target).collect()
    }
}

fn serve(stream: TcpStream, asked: &Mutex<Vec<Asked>>, script: &Script) {
    let mut reader = BufReader::new(stream.try_clone().unwrap());
    let mut line = String::new();
    if reader.read_line(&mut line).is_err() || line.is_empty() {
        return;
    }
    let mut words = line.split_whitespace().map(str::to_owned);
    let mut request = Asked {
        method: words.next().unwrap_or_default(),
        target: words.next().unwrap_or_default(),
        ..Asked::default()
    };
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line).is_err() || line.trim().is_empty() {
            break;
        }
        if let Some((name, value)) = line.split_once(':') {
            request
                .headers
                .insert(name.trim().to_ascii_lowercase(), value.trim().to_owned());
        }
    }
    let length = request
        .headers
        .get("content-length")
        .and_then(|text| text.parse().ok());
    let mut body = vec![0; length.unwrap_or(0)];
    let _ = reader.read_exact(&mut body);
    request.body = String::from_utf8_lossy(&body).into_owned();
    let answer = script(&request);
    let is_head = request.method == "HEAD";
    asked.lock().unwrap().push(request);
    answer_with(stream, reader, answer, is_head);
}

fn answer_with(mut stream: TcpStream, mut reader: BufReader<TcpStream>, answer: Answer, is_head: bool) {
    // A client that has gone is no fault of the server's.
    let _ = match answer {
        Answer::Whole(status, headers, body) => {
            let mut head = format!("HTTP/1.1 {status} Scripted\r\nContent-Length: {}\r\n", body.len());
            for (name, value) in headers {
                head.push_str(&format!("{name}: {value}\r\n"));
            }
            head.push_str("Connection: close\r\n\r\n");
            let body = if is_head { &[][..] } else { &body };
            stream
                .write_all(head.as_bytes())
                .and_then(|()| stream.write_all(body))
        }
        Answer::Raw(bytes) => stream.write_all(&bytes),
        Answer::Endless => {
            let head = b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nConnection: close\r\n\r\n";
            let mut written = stream.write_all(head);
            while written.is_ok() {
                written = stream.write_all(&[b'x'; 4096]);
            }
            written
        }
        Answer::Never => reader.read(&mut [0]).map(drop),
    };
}

/// Waits for nothing, and remembers how long it would have.
#[derive(Default)]
pub struct Told(pub Mutex<Vec<u64>>);

#[async_trait]
impl Timer for Told {
    fn passed(&self) -> Duration {
        Duration::ZERO
    }

    async fn wait(&self, duration: Duration) {
        self.0.lock().unwrap().push(duration.as_secs());
    }
}

/// Answers lookups from a list; its last answer holds for ever.
pub struct Names(pub Mutex<VecDeque<IpAddr>>);

impl Names {
    pub fn new(addresses: &[&str]) -> Arc<Self> {
        Arc::new(Self(Mutex::new(
            addresses.iter().map(|text| text.parse().unwrap()).collect(),
        )))
    }
}

#[async_trait]
impl Resolve for Names {
    async fn addresses(&self, _: &str, port: u16) -> std::io::Result<Vec<SocketAddr>> {
        let mut left = self.0.lock().unwrap();
        let next = if left.len() > 1 {
            left.pop_front()
        } else {
            left.front().copied()
        };
        Ok(next
            .into_iter()
            .map(|address| SocketAddr::new(address, port))
            .collect())
    }
}

/// An engine that finds what a test says.
#[derive(Default)]
pub struct Finds(pub Vec<&'static str>);

#[async_trait]
impl SearchEngine for Finds {
    fn name(&self) -> &str {
        "scripted"
    }

    fn host(&self) -> &str {
        "search.example"
    }

    async fn search(&self, _: &Query) -> Result<SearchHits, SearchFault> {
        let hits = self.0.iter().map(|url| Hit {
            url: (*url).to_owned(),
            title: "A title".to_owned(),
            date: None,
            excerpt: String::new(),
        });
        Ok(SearchHits {
            hits: hits.collect(),
            ..SearchHits::default()
        })
    }
}

/// A test's changes of the usual web.
pub struct Setup {
    pub opened: Vec<&'static str>,
    pub names: Arc<Names>,
    pub bounds: RequestBounds,
    pub table: WebTable,
    pub reference: Option<&'static [u8]>,
    pub across: bool,
    pub engine: Finds,
    pub timer: Arc<Told>,
}

impl Default for Setup {
    fn default() -> Self {
        Self {
            opened: vec!["127.0.0.1"],
            names: Names::new(&["127.0.0.1"]),
            bounds: RequestBounds {
                apart: Duration::ZERO,
                ..RequestBounds::default()
            },
            table: WebTable::default(),
            reference: None,
            across: true,
            engine: Finds::default(),
            timer: Arc::default(),
        }
    }
}

impl Setup {
    pub fn web(self) -> Web {
        let opened = self
            .opened
            .iter()
            .map(|one| one.parse::<IpAddr>().unwrap().into());
        let guard = Guard::new(opened.collect(), self.names);
        let pace = Pace::new(self.bounds.apart, self.timer);
        let clock = Arc::new(FixedClock(Timestamp::UNIX_EPOCH));
        let client = WebClient::new(
            guard.clone(),
            pace,
            clock,
            self.bounds,
            Some("ask@example.org"),
            None,
        )
        .unwrap();
        let digests = self
            .reference
            .iter()
            .map(reprise::domain::digest::Digest::compute)
            .collect();
        Web::new(WebParts {
            client,
            guard,
            lists: Lists::new(&self.table, digests).unwrap(),
            helper: helper(),
            engine: Arc::new(self.engine),
            across: self.across,
        })
    }
}

/// The program as its own reader.
pub fn helper() -> Helper {
    Helper {
        program: PathBuf::from(env!("CARGO_BIN_EXE_reprise")),
        arguments: vec![reprise::documents::helper::VERB.into()],
    }
}
