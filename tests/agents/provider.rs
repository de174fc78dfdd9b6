//! A provider on loopback that has its client run commands, in any dialect.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};

use serde_json::{Value, json};

use crate::support::dialects::{CANARY, Dialect, Said, called, said};

/// The dialect of a program, as it is called.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Speaks {
    Chat,
    Responses,
    Messages,
    Gemini,
}

impl Speaks {
    /// The word that the fake agent knows it by.
    pub fn word(self) -> &'static str {
        match self {
            Self::Chat => "chat",
            Self::Responses => "responses",
            Self::Messages => "messages",
            Self::Gemini => "gemini",
        }
    }

    /// The option `--dialect`.
    pub fn option(self) -> &'static str {
        match self {
            Self::Chat => "chat-completions",
            Self::Responses => "responses",
            Self::Messages => "messages",
            Self::Gemini => "generate-content",
        }
    }
}

/// A request as it arrived.
#[derive(Debug, Clone)]
pub struct Arrived {
    /// The first line and the headers, in lower case.
    pub head: String,
    pub body: Value,
}

pub struct Provider {
    pub port: u16,
    /// The port at which its clients ask: its own, or that of a gateway before it.
    pub asked_at: u16,
    arrived: Arc<Mutex<Vec<Arrived>>>,
}

/// The act that a provider has its client do.
pub enum Reply {
    /// Run a command.
    Run(String),
    /// Take this for the answer.
    Say(String),
    /// Be turned down with a status and a body.
    Refuse(u16, String),
}

/// The reply to a request, by its body and by the commands that have come to something.
pub type Script = dyn Fn(&Value, usize) -> Reply + Send + Sync;

impl Provider {
    /// Has its client run each of the commands, and then be done.
    pub fn start(speaks: Speaks, commands: Vec<String>) -> Self {
        Self::scripted(
            speaks,
            Arc::new(move |_, done| match commands.get(done) {
                Some(command) => Reply::Run(command.clone()),
                None => Reply::Say("I am done.".to_owned()),
            }),
        )
    }

    /// Has its client do what a script says.
    pub fn scripted(speaks: Speaks, script: Arc<Script>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let arrived: Arc<Mutex<Vec<Arrived>>> = Arc::default();
        let kept = arrived.clone();
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (kept, script) = (kept.clone(), script.clone());
                // Whoever was killed is answered in vain.
                std::thread::spawn(move || serve(stream, speaks, script.as_ref(), &kept));
            }
        });
        Self {
            port,
            asked_at: port,
            arrived,
        }
    }

    pub fn arrived(&self) -> Vec<Arrived> {
        self.arrived.lock().unwrap().clone()
    }

    /// The name of its model, and what has it asked here.
    pub fn model(&self, speaks: Speaks) -> (String, Vec<(&'static str, String)>) {
        let at = |path: &str| format!("http://127.0.0.1:{}{path}", self.asked_at);
        let key = CANARY.to_owned();
        match speaks {
            Speaks::Chat => (
                format!("openai-api/127.0.0.1:{}/v1/scripted", self.asked_at),
                vec![("REPRISE_MODEL_KEY", key)],
            ),
            Speaks::Responses => (
                "openai/gpt-5".to_owned(),
                vec![("OPENAI_API_KEY", key), ("OPENAI_BASE_URL", at("/v1"))],
            ),
            Speaks::Messages => (
                "anthropic/claude-sonnet-4-5".to_owned(),
                vec![("ANTHROPIC_API_KEY", key), ("ANTHROPIC_BASE_URL", at("/v1"))],
            ),
            Speaks::Gemini => (
                "gemini/gemini-2.5-pro".to_owned(),
                vec![("GEMINI_API_KEY", key), ("GEMINI_BASE_URL", at("/v1beta/openai"))],
            ),
        }
    }
}

/// The commands that have come to something, by the requests of each dialect.
fn results(speaks: Speaks, body: &Value) -> usize {
    let list = |name: &str| body[name].as_array().cloned().unwrap_or_default();
    match speaks {
        Speaks::Chat => list("messages")
            .iter()
            .filter(|one| one["role"] == "tool")
            .count(),
        Speaks::Responses => list("input")
            .iter()
            .filter(|one| one["type"] == "function_call_output")
            .count(),
        Speaks::Messages => list("messages")
            .iter()
            .filter(|one| one["content"][0]["type"] == "tool_result")
            .count(),
        Speaks::Gemini => list("contents")
            .iter()
            .filter(|one| one["parts"][0]["functionResponse"].is_object())
            .count(),
    }
}

fn serve(stream: TcpStream, speaks: Speaks, script: &Script, kept: &Mutex<Vec<Arrived>>) -> Option<()> {
    let mut reader = BufReader::new(stream);
    let (mut head, mut length) = (String::new(), 0);
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line).ok()? <= 2 {
            break;
        }
        line.make_ascii_lowercase();
        if let Some(said) = line.strip_prefix("content-length:") {
            length = said.trim().parse().ok()?;
        }
        head.push_str(&line);
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    let body: Value = serde_json::from_slice(&body).ok()?;
    let streamed = body["stream"] == true || head.contains("streamgeneratecontent");
    let done = results(speaks, &body);
    let reply = script(&body, done);
    kept.lock().unwrap().push(Arrived { head, body });
    let answer = match reply {
        Reply::Run(command) => called(&[(
            &format!("call_{done}"),
            "bash",
            &json!({ "command": command }).to_string(),
        )]),
        Reply::Say(text) => said(&text),
        Reply::Refuse(status, body) => return write(&mut reader, status, "application/json", &body),
    };
    let answer = Said {
        tokens: (1000, 400, 10),
        ..answer
    };
    let text = written(speaks, &answer, streamed);
    let kind = if streamed {
        "text/event-stream"
    } else {
        "application/json"
    };
    write(&mut reader, 200, kind, &text)
}

fn write(reader: &mut BufReader<TcpStream>, status: u16, kind: &str, text: &str) -> Option<()> {
    let head = format!(
        "HTTP/1.1 {status} Said\r\ncontent-type: {kind}\r\nconnection: close\r\ncontent-length: {}\r\n\r\n",
        text.len()
    );
    reader.get_mut().write_all((head + text).as_bytes()).ok()
}

fn written(speaks: Speaks, answer: &Said, streamed: bool) -> String {
    let dialect = match speaks {
        Speaks::Chat => Dialect::Chat,
        Speaks::Responses => Dialect::Responses,
        Speaks::Messages => Dialect::Messages,
        Speaks::Gemini => return gemini(answer, streamed),
    };
    match streamed {
        true => dialect.events(answer).concat(),
        false => dialect.body(answer).to_string(),
    }
}

fn gemini(answer: &Said, streamed: bool) -> String {
    let part = match answer.calls.first() {
        Some((_, name, arguments)) => {
            let args: Value = serde_json::from_str(arguments).unwrap();
            json!({"functionCall": {"name": name, "args": args}, "thoughtSignature": "c2lnbmVk"})
        }
        None => json!({ "text": answer.text }),
    };
    let (input, cached, output) = answer.tokens;
    let whole = json!({
        "candidates": [{"content": {"role": "model", "parts": [part]}, "finishReason": "STOP"}],
        "usageMetadata": {"promptTokenCount": input, "cachedContentTokenCount": cached,
                          "candidatesTokenCount": output, "totalTokenCount": input + output},
    });
    match streamed {
        true => format!("data: {whole}\r\n\r\n"),
        false => whole.to_string(),
    }
}
