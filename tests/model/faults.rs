//! Every fault in every dialect, whole and streamed: each ends in an answer or
//! in a named cause. The table is a snapshot; `--nocapture` prints it.
//!
//! Time is virtual: it passes where the server falls silent, and between attempts.

use std::fmt::Write as _;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use reprise::domain::conversation::{ChatResponse, Finish};
use reprise::model::attempt::AttemptFault;
use reprise::model::chat::{ChatModel, ChatRequest, ModelError};
use reprise::model::layers::retry::{Retry, RetryPolicy};
use reprise::model::layers::timer::Timer as _;
use reprise::model::timeouts::AttemptBudget;
use serde_json::{Value, json};
use tokio::sync::watch;

use crate::support::dialects::{DIALECTS, Dialect, End, PATIENT, Said, called, said};
use crate::support::faulty::{NoTime, VirtualTime};
use crate::support::requests::ask;
use crate::support::server::{Reply, Server, json as answered, reply};

/// The way that one cell is asked in.
#[derive(Debug, Clone, Copy)]
struct Way {
    dialect: Dialect,
    streamed: bool,
}

/// The server's fault in one row; `None` where the way cannot meet it.
type Fault = fn(Way) -> Option<Reply>;

pub const BUDGET: AttemptBudget = AttemptBudget {
    total: Duration::from_secs(600),
    stall: Duration::from_secs(120),
    ..PATIENT
};

const POLICY: RetryPolicy = RetryPolicy {
    attempts: 3,
    total: Duration::from_secs(1800),
    first_wait: Duration::from_secs(1),
    longest_wait: Duration::from_secs(60),
    longest_asked: Duration::from_secs(300),
    seed: Some(1),
};

fn error(way: Way, status: u16, kind: &str, message: &str) -> Option<Reply> {
    let body = match way.dialect {
        Dialect::Chat | Dialect::Responses => {
            json!({"error": {"message": message, "type": kind, "param": null, "code": kind}})
        }
        Dialect::Messages => json!({"type": "error", "error": {"type": kind, "message": message}}),
    };
    Some(reply(status, "application/json", &body.to_string()))
}

fn headed(status: u16, header: (&str, &str), body: &str) -> Option<Reply> {
    Some(Reply::Whole {
        status,
        headers: vec![
            ("content-type".into(), "text/html".into()),
            (header.0.into(), header.1.into()),
        ],
        body: body.into(),
    })
}

fn spoken(way: Way, said: &Said) -> Option<Reply> {
    Some(way.dialect.reply(said, way.streamed))
}

/// The beginning of a stream: all but its last three events.
fn begun(way: Way) -> Option<Vec<Vec<u8>>> {
    let events = way.dialect.events(&said("half of an answer that goes on"));
    let kept = events.len() - 3;
    way.streamed
        .then(|| events.into_iter().take(kept).map(String::into_bytes).collect())
}

fn with_event(way: Way, event: &str) -> Option<Reply> {
    let mut events = begun(way)?;
    events.push(event.as_bytes().to_vec());
    Some(Reply::Streams(events))
}

fn ended(end: End) -> Said {
    Said { end, ..said("words") }
}

const FAULTS: [(&str, Fault); 41] = [
    ("status 408", |way| error(way, 408, "timeout", "too slow")),
    ("status 409", |way| error(way, 409, "conflict", "try again")),
    ("status 429", |way| {
        error(way, 429, "rate_limit_exceeded", "slow down")
    }),
    ("status 429, Retry-After 7", |_| {
        headed(429, ("retry-after", "7"), "")
    }),
    ("status 429, Retry-After as a date", |_| {
        headed(
            429,
            ("retry-after", "Thu, 01 Jan 1970 00:00:09 GMT"),
            "<h1>later</h1>",
        )
    }),
    ("status 429, Retry-After 3600", |_| {
        headed(429, ("retry-after", "3600"), "")
    }),
    ("status 429, no quota", |way| {
        error(way, 429, "insufficient_quota", "no money")
    }),
    ("status 500", |way| error(way, 500, "server_error", "oops")),
    ("status 502, HTML", |_| {
        Some(reply(502, "text/html", "<html><h1>Bad Gateway</h1></html>"))
    }),
    ("status 503, code a number", |_| {
        Some(reply(
            503,
            "application/json",
            r#"{"error": {"message": "later", "code": 17}}"#,
        ))
    }),
    ("status 529", |way| {
        error(way, 529, "overloaded_error", "overloaded")
    }),
    ("status 400", |way| {
        error(way, 400, "invalid_request_error", "no such parameter")
    }),
    ("status 401, expired key", |way| {
        error(way, 401, "authentication_error", "the key has expired")
    }),
    ("status 402, no credit", |way| {
        error(way, 402, "billing_error", "no credit")
    }),
    ("status 403", |way| {
        error(way, 403, "permission_error", "not for you")
    }),
    ("status 404, HTML", |_| {
        Some(reply(404, "text/html", "<h1>no such page</h1>"))
    }),
    ("exceeded context", |way| {
        error(
            way,
            400,
            "invalid_request_error",
            "prompt is too long: 9 tokens > 8 maximum context length",
        )
    }),
    ("filtered prompt", |way| {
        error(way, 400, "content_filter", "filtered")
    }),
    ("redirect", |_| {
        headed(307, ("location", "http://127.0.0.1:1/"), "")
    }),
    ("connection reset", |_| Some(Reply::Hangs)),
    ("body cut", |_| Some(Reply::Breaks("{\"choices\"".into()))),
    ("no answer", |_| Some(Reply::Silent)),
    ("body stands still", |_| Some(Reply::Stalls("{".into()))),
    ("body drips", |_| Some(Reply::Drips(Duration::from_millis(1)))),
    ("body without end", |_| Some(Reply::Floods(1 << 20))),
    ("malformed JSON", |_| {
        Some(reply(200, "application/json", "{\"choices\": ["))
    }),
    ("empty body", |_| Some(reply(200, "application/json", ""))),
    ("HTML with status 200", |_| {
        Some(reply(200, "text/html", "<p>sign in</p>"))
    }),
    ("another schema", |_| Some(answered(json!({"hello": 1})))),
    ("no choice", |way| Some(answered(empty(way.dialect)))),
    ("error with status 200", |_| {
        Some(answered(json!({"error": {"message": "busy", "code": 503}})))
    }),
    ("duplicated ids of calls", |way| {
        spoken(
            way,
            &called(&[("a", "read_file", "{}"), ("a", "read_file", "{\"path\":\"p\"}")]),
        )
    }),
    ("call without id", |way| {
        spoken(way, &called(&[("", "read_file", "{}")]))
    }),
    ("unheard reason to end", |way| spoken(way, &ended(End::Unheard))),
    ("cut at the length", |way| spoken(way, &ended(End::Length))),
    ("filtered answer", |way| spoken(way, &ended(End::Filtered))),
    ("stream cut", |way| Some(Reply::Streams(begun(way)?))),
    ("stream, connection reset", |way| {
        Some(Reply::StreamBreaks(begun(way)?))
    }),
    ("stream stands still", |way| {
        Some(Reply::StreamStalls(begun(way)?))
    }),
    ("stream, a part that is no JSON", |way| {
        with_event(way, "data: {\n\n")
    }),
    ("stream, error amid", |way| {
        with_event(
            way,
            "event: error\ndata: {\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\",\"message\":\"busy\"}}\n\n",
        )
    }),
];

/// An answer with nothing in it.
fn empty(dialect: Dialect) -> Value {
    match dialect {
        Dialect::Chat => json!({"choices": []}),
        Dialect::Responses => json!({"output": null}),
        Dialect::Messages => json!({"content": null}),
    }
}

/// Notes the fault of each attempt that passes through.
pub struct Noted {
    inner: Arc<dyn ChatModel>,
    silent: watch::Sender<bool>,
    faults: Mutex<Vec<AttemptFault>>,
}

impl Noted {
    pub fn new(server: &Server, inner: Arc<dyn ChatModel>) -> Arc<Self> {
        Arc::new(Self {
            inner,
            silent: server.silent.clone(),
            faults: Mutex::default(),
        })
    }
}

#[async_trait]
impl ChatModel for Noted {
    fn name(&self) -> &str {
        self.inner.name()
    }

    async fn chat(&self, request: &ChatRequest) -> Result<ChatResponse, ModelError> {
        self.silent.send_replace(false);
        let result = self.inner.chat(request).await;
        if let Err(ModelError::Attempt(failed)) = &result {
            self.faults.lock().unwrap().push(failed.fault);
        }
        result
    }
}

/// Where one cell ends.
async fn cell(way: Way, script: Vec<Reply>) -> String {
    let server = Server::start(script).await;
    let time = Arc::new(VirtualTime::default());
    let inner = way
        .dialect
        .model_in(server.address, BUDGET, way.streamed, time.clone());
    let noted = Noted::new(&server, inner);
    let waiting = Arc::new(NoTime::default());
    let retry = Retry::new(noted.clone(), POLICY, waiting.clone(), Arc::new(|_| {}));
    let request = ask(0, "x");
    let result = while_time_passes(&server, &time, retry.chat(&request)).await;
    let waited: Duration = waiting.waits.lock().unwrap().iter().sum();
    let spent = time.passed() + waited;
    let allowed = POLICY.total + BUDGET.total * POLICY.attempts;
    assert!(spent <= allowed, "{way:?}: {spent:?}");
    let faults = noted.faults.lock().unwrap().clone();
    let end = match result {
        Ok(response) => answer_words(&response),
        Err(ModelError::Rejected { why, status, .. }) => format!("refused ({why:?}, {status})"),
        Err(ModelError::Unavailable { .. }) => {
            let last = faults.last().expect("an attempt failed");
            format!("gave up on {last:?}")
        }
        Err(other) => panic!("{way:?} ends without a named cause: {other:?}"),
    };
    match server.seen().len() {
        1 => end,
        asked => format!("{end} #{asked}"),
    }
}

/// The outcome of `asked`; time passes while the server is silent.
pub async fn while_time_passes<T>(server: &Server, time: &VirtualTime, asked: impl Future<Output = T>) -> T {
    tokio::pin!(asked);
    loop {
        tokio::select! {
            biased;
            result = &mut asked => return result,
            () = silence(server) => time.advance(Duration::from_secs(31)),
        }
    }
}

/// Returns while the server owes an answer, when the rest has had its turn.
async fn silence(server: &Server) {
    let _ = server.silent.subscribe().wait_for(|silent| *silent).await;
    tokio::task::yield_now().await;
}

fn answer_words(response: &ChatResponse) -> String {
    let ids: std::collections::BTreeSet<_> = response.calls.iter().map(|call| &call.id).collect();
    assert_eq!(ids.len(), response.calls.len());
    assert!(ids.iter().all(|id| !id.is_empty()));
    let words = match response.finish {
        Finish::Stop => "answered",
        Finish::Length => "to be continued",
        Finish::Refused => "declined",
    };
    match response.calls.len() {
        0 => words.to_owned(),
        calls => format!("{words}, {calls} calls"),
    }
}

#[tokio::test]
async fn every_fault_in_every_dialect_ends_in_an_answer_or_a_named_cause() {
    let ways: Vec<Way> = DIALECTS
        .into_iter()
        .flat_map(|dialect| [false, true].map(|streamed| Way { dialect, streamed }))
        .collect();
    let mut table = String::from(
        "A fault once, then an answer | the fault for ever, three attempts allowed; #n: after n requests\n",
    );
    for (name, fault) in FAULTS {
        writeln!(table, "\n{name}").unwrap();
        for way in &ways {
            let Some(reply) = fault(*way) else { continue };
            let good = way.dialect.reply(&said("yes"), way.streamed);
            let once = cell(*way, vec![reply.clone(), good]).await;
            let always = cell(*way, vec![reply]).await;
            let streamed = if way.streamed { "streamed" } else { "whole" };
            writeln!(
                table,
                "  {:<10}{streamed:<9} {once} | {always}",
                format!("{:?}", way.dialect)
            )
            .unwrap();
        }
    }
    println!("{table}");
    insta::assert_snapshot!(table);
}
