//! Episodes over HTTP, by the contract of OpenEnv: a WebSocket for each episode, and the same
//! acts as requests.

use std::collections::{BTreeMap, VecDeque};
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::extract::ws::{Message, Utf8Bytes, WebSocket, WebSocketUpgrade};
use axum::extract::{Query, Request, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Json, Router};
use serde::Deserialize;
use serde_json::{Map, Value, json};
use tokio::sync::Mutex;
use tokio::time::{Instant, sleep, timeout};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::bearer::is_same;
use super::episode::{Episode, EpisodeAction, EpisodeError, EpisodeReply, PATIENCE};
use super::pool::{EpisodePool, ResetError};
use crate::model::proxy::admission::is_by_loopback;

/// The largest message of a client, in bytes.
const LARGEST: usize = 1 << 20;

/// Most messages that a client sends while another is answered.
const EARLY: usize = 16;

/// How long clients of OpenEnv wait for an answer.
const CLIENT_PATIENCE: Duration = Duration::from_secs(60);
/// How much longer than the seconds of its action a client is taken to wait.
const SLACK: Duration = Duration::from_secs(15);

/// How long a client may leave an episode alone.
pub const IDLE: Duration = Duration::from_secs(1800);

/// The tasks that are served with their pools, and the token of those who may ask.
pub struct Served {
    /// The pool of each task, by its name; the first is taken where a reset names none.
    pub pools: Vec<ServedTask>,
    /// What a client has to know; `None`: every program that reaches the address is let in.
    pub token: Option<String>,
    /// The address that is listened at, if only programs of this machine reach it.
    pub loopback: Option<SocketAddr>,
    /// Episodes that were begun by request, by their ids.
    pub episodes: Mutex<BTreeMap<String, Arc<Mutex<Episode>>>>,
    /// The clients that are connected, each with its episode, and what is under way for others.
    pub tasks: TaskTracker,
    /// How long a client may leave an episode alone.
    pub idle: Duration,
    /// Nothing more is served.
    pub over: CancellationToken,
}

impl Served {
    /// Ends every episode that a client has begun.
    pub async fn end(&self) {
        self.over.cancel();
        self.tasks.close();
        self.tasks.wait().await;
        let under_way = std::mem::take(&mut *self.episodes.lock().await);
        for episode in under_way.into_values().filter_map(Arc::into_inner) {
            episode.into_inner().end().await;
        }
    }
}

/// A task that is served.
pub struct ServedTask {
    pub task: String,
    pub questions: Vec<String>,
    pub pool: Arc<EpisodePool>,
}

/// A fault of a request, by the codes of the contract.
#[derive(Debug)]
struct Fault {
    code: &'static str,
    message: String,
}

impl Fault {
    fn new(code: &'static str, message: impl Into<String>) -> Self {
        Self {
            code,
            message: message.into(),
        }
    }

    fn body(&self) -> Value {
        json!({ "type": "error", "data": { "message": self.message, "code": self.code } })
    }
}

impl From<ResetError> for Fault {
    fn from(error: ResetError) -> Self {
        let code = match error {
            ResetError::Full { .. } => "CAPACITY_REACHED",
            ResetError::Episode(_) => "FACTORY_ERROR",
        };
        Self::new(code, error.to_string())
    }
}

impl From<EpisodeError> for Fault {
    fn from(error: EpisodeError) -> Self {
        let code = match error {
            EpisodeError::Over => "SESSION_ERROR",
            EpisodeError::Step { .. } => "VALIDATION_ERROR",
            _ => "EXECUTION_ERROR",
        };
        Self::new(code, error.to_string())
    }
}

type Arguments = Query<BTreeMap<String, String>>;

/// A message of a client.
#[derive(Debug, Deserialize)]
struct Asked {
    #[serde(rename = "type")]
    kind: String,
    #[serde(default)]
    data: Value,
}

/// The routes; those that begin or touch an episode are behind the token.
pub fn router(served: Arc<Served>) -> Router {
    let episodes = Router::new()
        .route("/ws", get(socket))
        .route("/reset", post(reset))
        .route("/step", post(step))
        .route("/submit", post(submit))
        .route("/state", get(state))
        .route("/close", post(close))
        .route_layer(from_fn_with_state(Arc::clone(&served), admit));
    Router::new()
        .route("/health", get(|| async { Json(json!({ "status": "healthy" })) }))
        .route("/schema", get(|| async { Json(schema()) }))
        .route("/metadata", get(metadata))
        .merge(episodes)
        .with_state(served)
}

fn schema() -> Value {
    json!({
        "action": {
            "type": "object",
            "description": "Exactly one of `command`, `control` and `report`.",
            "properties": {
                "command": { "type": "string", "description": "A command for the lasting shell." },
                "control": { "type": "string", "enum": ["wait", "interrupt", "kill"] },
                "seconds": { "type": "integer", "minimum": 1, "maximum": 3600, "default": PATIENCE,
                    "description": "How long the command is waited for; one that still runs is told as such." },
                "report": { "type": "object", "description": "An answer for each question, by its text." },
            },
            "additionalProperties": true,
        },
        "observation": {
            "type": "object",
            "properties": { "text": { "type": "string" }, "questions": { "type": "array" }, "task_id": { "type": "string" },
                "step": { "type": "integer", "description": "The step that this is the reply to. `step` in the data of a \
                    step names it: the next one is done, and the reply to the last one is given again." } },
            "required": ["text"],
        },
        "state": {
            "type": "object",
            "properties": { "episode_id": { "type": "string" }, "step_count": { "type": "integer" }, "done": { "type": "boolean" } },
        },
    })
}

async fn metadata(State(served): State<Arc<Served>>) -> Json<Value> {
    let tasks: Vec<&str> = served.pools.iter().map(|one| one.task.as_str()).collect();
    let mut pools = Map::new();
    for one in &served.pools {
        pools.insert(one.task.clone(), one.pool.told().await);
    }
    Json(json!({
        "name": "reprise-capsules",
        "description": "Capsules of CORE-Bench as episodes: commands in a lasting shell, and one report for a reward of 0 or 1.",
        "version": env!("CARGO_PKG_VERSION"),
        "tasks": tasks,
        "pools": pools,
    }))
}

/// Turns away whoever does not know the token, which stands in the header or the address.
async fn admit(
    State(served): State<Arc<Served>>,
    Query(query): Arguments,
    request: Request,
    next: Next,
) -> Response {
    let bearer = request
        .headers()
        .get(header::AUTHORIZATION)
        .and_then(|value| value.to_str().ok())
        .and_then(|value| value.strip_prefix("Bearer "));
    let given = bearer.or_else(|| query.get("token").map(String::as_str));
    let (is_let_in, why) = match &served.token {
        Some(token) => (
            given.is_some_and(|given| is_same(given, token)),
            "give the token that `capsule serve` printed, as `Authorization: Bearer TOKEN`",
        ),
        None => (
            is_of_a_program(request.headers(), served.loopback),
            "without a token, only programs are let in, by the address that `capsule serve` printed, and no web page",
        ),
    };
    if is_let_in {
        return next.run(request).await;
    }
    let fault = Fault::new("SESSION_ERROR", why);
    (StatusCode::UNAUTHORIZED, Json(fault.body())).into_response()
}

/// Whether a request does not come from a web page: a browser names the page in `Origin`, or, if the page's name leads here, that
/// name in `Host`.
fn is_of_a_program(headers: &HeaderMap, loopback: Option<SocketAddr>) -> bool {
    !headers.contains_key(header::ORIGIN)
        && loopback.is_none_or(|here| is_by_loopback(headers, Some(here.port())))
}

/// Looks up the pool that a reset asks for.
fn pool<'a>(served: &'a Served, data: &Value) -> Result<&'a ServedTask, Fault> {
    match data["task_id"].as_str() {
        None => served
            .pools
            .first()
            .ok_or_else(|| Fault::new("FACTORY_ERROR", "no task is served")),
        Some(task) => served.pools.iter().find(|one| one.task == task).ok_or_else(|| {
            let known: Vec<&str> = served.pools.iter().map(|one| one.task.as_str()).collect();
            Fault::new(
                "VALIDATION_ERROR",
                format!("`task_id` is {task}, and {} are served", known.join(", ")),
            )
        }),
    }
}

fn action(data: &Value) -> Result<EpisodeAction, Fault> {
    let wrong = |why: &str| Err(Fault::new("VALIDATION_ERROR", why));
    let seconds = data["seconds"].as_u64();
    match (&data["command"], &data["control"], &data["report"]) {
        (Value::String(command), Value::Null, Value::Null) => Ok(EpisodeAction::Command {
            command: command.clone(),
            seconds,
        }),
        (Value::Null, Value::String(control), Value::Null) => Ok(EpisodeAction::Control {
            control: control.clone(),
            seconds,
        }),
        (Value::Null, Value::Null, report @ Value::Object(_)) => Ok(EpisodeAction::Report(report.clone())),
        _ => wrong(
            "an action is an object with exactly one of `command` (a text), `control` (a text) and `report` (an object)",
        ),
    }
}

fn begun(task: &ServedTask, episode: &Episode) -> Value {
    json!({
        "observation": { "text": episode.prompt, "questions": task.questions, "task_id": task.task, "episode_id": episode.id,
            "ready_ms": episode.ready_ms },
        "reward": null,
        "done": false,
    })
}

fn observed(reply: &EpisodeReply) -> Value {
    json!({ "observation": { "text": reply.text, "step": reply.step }, "reward": reply.reward, "done": reply.is_done() })
}

fn standing(episode: &Episode) -> Value {
    json!({ "episode_id": episode.id, "step_count": episode.steps, "done": episode.is_over() })
}

async fn socket(State(served): State<Arc<Served>>, upgrade: WebSocketUpgrade) -> Response {
    upgrade.max_message_size(LARGEST).on_upgrade(move |socket| {
        let client = Arc::clone(&served);
        async move {
            // Not waited for by the connection: it is the server's to end.
            let _ = served.tasks.spawn(converse(client, socket)).await;
        }
    })
}

/// The messages of a client. They are read while one of them is answered as well, since that is what answers the
/// pings by which a client tells that its server lives.
struct Messages {
    socket: WebSocket,
    /// Those that came while another was answered.
    early: VecDeque<Utf8Bytes>,
}

impl Messages {
    /// The next text; `None` once the client has gone.
    async fn next(&mut self) -> Option<Utf8Bytes> {
        match self.early.pop_front() {
            Some(text) => Some(text),
            None => self.arriving().await,
        }
    }

    async fn arriving(&mut self) -> Option<Utf8Bytes> {
        loop {
            match self.socket.recv().await? {
                Ok(Message::Text(text)) => return Some(text),
                Ok(Message::Close(_)) | Err(_) => return None,
                Ok(_) => {}
            }
        }
    }

    /// Carries work to its end; `None` where the client goes first, or says too much meanwhile.
    async fn meanwhile<W: Future>(&mut self, work: W) -> Option<W::Output> {
        tokio::pin!(work);
        loop {
            let text = tokio::select! {
                done = &mut work => return Some(done),
                text = self.arriving() => text?,
            };
            if self.early.len() >= EARLY {
                return None;
            }
            self.early.push_back(text);
        }
    }
}

/// One client, one episode at a time.
async fn converse(served: Arc<Served>, socket: WebSocket) {
    let mut episode: Option<Episode> = None;
    let mut messages = Messages {
        socket,
        early: VecDeque::new(),
    };
    let mut is_undelivered = false;
    loop {
        let text = tokio::select! {
            text = timeout(served.idle, messages.next()) => text.ok().flatten(),
            () = served.over.cancelled() => None,
        };
        let Some(text) = text else { break };
        let begun = Instant::now();
        let (answer, longest) = match serde_json::from_str::<Asked>(&text) {
            Err(error) => (
                Fault::new("INVALID_JSON", error.to_string()).body(),
                Duration::MAX,
            ),
            Ok(asked) if asked.kind == "close" => break,
            // A step that the client does not name is to what it knows, and it does not know the last reply.
            Ok(asked) if is_undelivered && asked.kind == "step" && asked.data["step"].is_null() => {
                if let Some(episode) = episode.take() {
                    episode.end().await;
                }
                let why = "another message came before the reply to the last step, so that the episode has ended: begin \
                           one by `reset`, and give `seconds` below the time that the client waits";
                (Fault::new("SESSION_ERROR", why).body(), Duration::MAX)
            }
            Ok(asked) => {
                let answered = tokio::select! {
                    answered = messages.meanwhile(answer(&served, &mut episode, &asked)) => answered,
                    () = served.over.cancelled() => None,
                };
                let Some(answer) = answered else { break };
                (answer.unwrap_or_else(|fault| fault.body()), longest_wait(&asked))
            }
        };
        // The client would take what comes now for the answer to what it asked since.
        is_undelivered = !messages.early.is_empty();
        if is_undelivered {
            continue;
        }
        // It may have given up, and would take what comes now for the answer to what it asks next.
        if begun.elapsed() > longest {
            break;
        }
        let answer = Message::Text(answer.to_string().into());
        if messages.socket.send(answer).await.is_err() {
            break;
        }
    }
    if let Some(episode) = episode {
        episode.end().await;
    }
}

/// The longest that a client is taken to wait for an answer.
fn longest_wait(asked: &Asked) -> Duration {
    match (asked.kind.as_str(), asked.data["seconds"].as_u64()) {
        ("step", None) => CLIENT_PATIENCE,
        ("step", Some(seconds)) => CLIENT_PATIENCE.max(Duration::from_secs(seconds).saturating_add(SLACK)),
        // However long an episode takes to be ready.
        _ => Duration::MAX,
    }
}

async fn answer(served: &Served, episode: &mut Option<Episode>, asked: &Asked) -> Result<Value, Fault> {
    let none = || Fault::new("SESSION_ERROR", "there is no episode: begin one by `reset`");
    match asked.kind.as_str() {
        "reset" => {
            if let Some(before) = episode.take() {
                before.end().await;
            }
            let task = pool(served, &asked.data)?;
            let begun_episode = task.pool.take().await?;
            let data = begun(task, &begun_episode);
            *episode = Some(begun_episode);
            Ok(json!({ "type": "observation", "data": data }))
        }
        "step" => {
            let action = action(&asked.data)?;
            let number = asked.data["step"].as_u64();
            let reply = episode.as_mut().ok_or_else(none)?.step(action, number).await?;
            Ok(json!({ "type": "observation", "data": observed(&reply) }))
        }
        "state" => {
            let episode = episode.as_ref().ok_or_else(none)?;
            Ok(json!({ "type": "state", "data": standing(episode) }))
        }
        other => Err(Fault::new(
            "UNKNOWN_TYPE",
            format!("`{other}` is none of reset, step, state and close"),
        )),
    }
}

/// The answer to a request, or its fault with the status that fits.
fn respond(result: Result<Value, Fault>) -> Response {
    match result {
        Ok(value) => Json(value).into_response(),
        Err(fault) => {
            let status = match fault.code {
                "CAPACITY_REACHED" => StatusCode::SERVICE_UNAVAILABLE,
                "VALIDATION_ERROR" | "INVALID_JSON" => StatusCode::UNPROCESSABLE_ENTITY,
                "SESSION_ERROR" => StatusCode::CONFLICT,
                _ => StatusCode::INTERNAL_SERVER_ERROR,
            };
            (status, Json(fault.body())).into_response()
        }
    }
}

async fn reset(State(served): State<Arc<Served>>, body: Option<Json<Value>>) -> Response {
    let data = body.map_or(Value::Null, |Json(data)| data);
    let begin = async {
        let task = pool(&served, &data)?;
        let episode = task.pool.take().await?;
        let told = begun(task, &episode);
        let (id, kept) = (episode.id.clone(), Arc::new(Mutex::new(episode)));
        served.episodes.lock().await.insert(id.clone(), kept);
        served.tasks.spawn(end_when_idle(served.clone(), id));
        Ok(told)
    };
    respond(begin.await)
}

/// The episode that a request names.
async fn named(served: &Served, data: &Value) -> Result<Arc<Mutex<Episode>>, Fault> {
    let id = data["episode_id"]
        .as_str()
        .ok_or_else(|| Fault::new("VALIDATION_ERROR", "name the episode by `episode_id`"))?;
    let episodes = served.episodes.lock().await;
    let found = episodes.get(id).cloned();
    found.ok_or_else(|| Fault::new("SESSION_ERROR", format!("there is no episode {id}")))
}

/// Ends an episode that its client has left, so that another has its place.
async fn end_when_idle(served: Arc<Served>, id: String) {
    loop {
        let Some(kept) = served.episodes.lock().await.get(&id).cloned() else {
            return;
        };
        let left = served.idle.saturating_sub(kept.lock().await.idle());
        drop(kept);
        if left.is_zero() {
            remove(&served, &id).await;
            return;
        }
        tokio::select! {
            () = sleep(left) => {}
            () = served.over.cancelled() => return,
        }
    }
}

/// Ends an episode that was begun by request.
async fn remove(served: &Served, id: &str) {
    let removed = served.episodes.lock().await.remove(id);
    // A task that still has it drops it, which ends it as well.
    if let Some(episode) = removed.and_then(Arc::into_inner) {
        episode.into_inner().end().await;
    }
}

/// Carries a step to its end, whether or not its client waits for that: the next one would get its reply otherwise.
async fn acted(served: &Served, data: &Value, action: EpisodeAction) -> Result<Value, Fault> {
    let episode = named(served, data).await?;
    let (number, over) = (data["step"].as_u64(), served.over.clone());
    let stepping = served.tasks.spawn(async move {
        let mut episode = episode.lock().await;
        tokio::select! {
            reply = episode.step(action, number) => reply,
            () = over.cancelled() => Err(EpisodeError::Over),
        }
    });
    let reply = stepping.await;
    let reply = reply.map_err(|error| Fault::new("EXECUTION_ERROR", error.to_string()))??;
    Ok(observed(&reply))
}

async fn step(State(served): State<Arc<Served>>, Json(data): Json<Value>) -> Response {
    let step = async { acted(&served, &data, action(&data["action"])?).await };
    respond(step.await)
}

async fn submit(State(served): State<Arc<Served>>, Json(data): Json<Value>) -> Response {
    let report = json!({ "report": data["report"] });
    let submit = async { acted(&served, &data, action(&report)?).await };
    respond(submit.await)
}

async fn state(State(served): State<Arc<Served>>, Query(query): Arguments) -> Response {
    let data = json!({ "episode_id": query.get("episode_id") });
    let told = async {
        let episode = named(&served, &data).await?;
        let told = standing(&*episode.lock().await);
        Ok(told)
    };
    respond(told.await)
}

async fn close(State(served): State<Arc<Served>>, Json(data): Json<Value>) -> Response {
    let close = async {
        let id = named(&served, &data).await?.lock().await.id.clone();
        remove(&served, &id).await;
        Ok(json!({ "closed": id }))
    };
    respond(close.await)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::episodes::episode::tests::{RunSide, episode};

    /// A server with one episode, and the episode's run.
    async fn served() -> (Arc<Served>, RunSide) {
        let (episode, run) = episode();
        let served = Served {
            pools: Vec::new(),
            token: None,
            loopback: None,
            episodes: Mutex::default(),
            tasks: TaskTracker::new(),
            idle: IDLE,
            over: CancellationToken::new(),
        };
        let (id, kept) = (episode.id.clone(), Arc::new(Mutex::new(episode)));
        served.episodes.lock().await.insert(id, kept);
        (Arc::new(served), run)
    }

    fn request(step: Option<u64>) -> (Value, EpisodeAction) {
        let data = json!({ "episode_id": "e-1", "step": step });
        (data, action(&json!({ "command": "ls" })).unwrap())
    }

    #[tokio::test]
    async fn a_client_that_gives_up_on_a_step_gets_no_later_reply_one_step_late() {
        let (served, mut run) = served().await;
        let (data, act) = request(None);
        let asking = served.clone();
        let given_up = tokio::spawn(async move { acted(&asking, &data, act).await.is_ok() });
        let call = run.calls.recv().await;
        assert!(call.is_some(), "the first step is under way");
        given_up.abort();
        assert!(given_up.await.is_err());
        let (data, act) = request(None);
        let answers = async {
            run.tell("first");
            run.calls.recv().await.unwrap();
            run.tell("second");
        };
        let (second, ()) = tokio::join!(acted(&served, &data, act), answers);
        let second = second.unwrap();
        assert_eq!(second["observation"], json!({ "text": "second", "step": 2 }));
        // Under its own number the last reply is given again, and no other.
        let (data, act) = request(Some(2));
        assert_eq!(acted(&served, &data, act).await.unwrap(), second);
        for number in [1, 4] {
            let (data, act) = request(Some(number));
            let fault = acted(&served, &data, act).await.unwrap_err();
            assert_eq!(fault.code, "VALIDATION_ERROR", "{}", fault.message);
        }
    }

    #[tokio::test]
    async fn an_episode_that_its_client_has_left_is_ended() {
        let (served, _run) = served().await;
        let mut served = Arc::into_inner(served).unwrap();
        served.idle = Duration::from_millis(5);
        let served = Arc::new(served);
        end_when_idle(served.clone(), "e-1".to_owned()).await;
        assert!(served.episodes.lock().await.is_empty());
    }

    #[test]
    fn a_client_waits_as_long_as_its_action_and_a_minute_at_least() {
        let wait = |kind: &str, data: Value| {
            longest_wait(&Asked {
                kind: kind.to_owned(),
                data,
            })
        };
        assert_eq!(wait("step", json!({ "command": "ls" })), CLIENT_PATIENCE);
        assert_eq!(wait("step", json!({ "seconds": 10 })), CLIENT_PATIENCE);
        assert_eq!(wait("step", json!({ "seconds": 300 })), Duration::from_secs(315));
        assert_eq!(wait("reset", json!({})), Duration::MAX);
    }

    #[test]
    fn a_page_and_a_forged_host_are_turned_away() {
        let here: SocketAddr = "127.0.0.1:8765".parse().unwrap();
        let is_let_in = |headers: &[(&'static str, &str)]| {
            let mut map = HeaderMap::new();
            for (name, value) in headers {
                map.insert(*name, value.parse().unwrap());
            }
            is_of_a_program(&map, Some(here))
        };
        assert!(is_let_in(&[("host", "127.0.0.1:8765")]) && is_let_in(&[("host", "localhost:8765")]));
        for bad in [
            &[("host", "evil.example:8765")][..],
            &[("host", "127.0.0.1:80")],
            &[],
            &[("host", "127.0.0.1:8765"), ("origin", "http://evil.example")],
        ] {
            assert!(!is_let_in(bad), "{bad:?}");
        }
        assert!(is_of_a_program(&HeaderMap::new(), None));
    }
}
