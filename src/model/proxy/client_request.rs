//! A client's request as it may be sent on.

use axum::body::Bytes;
use reqwest::header::{HeaderMap, HeaderName, HeaderValue};
use serde_json::Value;

use crate::domain::digest::Digest;
use crate::domain::excerpt;
use crate::domain::proxy_dialect::ProxyDialect;
use crate::model::proxy::address_removal;
use crate::model::proxy::hosted_tools::without_hosted;
use crate::model::proxy::known_fields::is_known;
use crate::model::proxy::object_text::{FieldChanges, ObjectFault, ObjectText};
use crate::model::proxy::proxied_call::{OutputLimit, ProxiedCall};
use crate::model::proxy::proxy_dialect::PathModel;

/// Headers that are sent on: what a request means depends on them. Any other is taken out, so that
/// no number of an installation, a session or a person leaves with a call.
const FORWARDED: [&str; 3] = ["anthropic-beta", "anthropic-version", "openai-beta"];
/// Beginnings of the names of betas that are sent on: they concern the answer alone. Others choose another price, or have
/// the provider run code or reach the network.
const BETAS: [&str; 11] = [
    "claude-code-",
    "computer-use-",
    "context-management-",
    "extended-cache-ttl-",
    "fine-grained-tool-streaming-",
    "interleaved-thinking-",
    "output-128k-",
    "prompt-caching-",
    "responses=",
    "structured-outputs-",
    "token-efficient-tools-",
];
/// Headers that are of this connection alone, and not counted as taken out.
const OWN: [&str; 12] = [
    "host",
    "content-length",
    "content-type",
    "connection",
    "accept",
    "accept-encoding",
    "authorization",
    "x-api-key",
    "x-goog-api-key",
    "api-key",
    "transfer-encoding",
    "keep-alive",
];
/// Fields that have the provider reach the network or run code, beside tools.
const HOSTED: [&str; 5] = [
    "web_search_options",
    "mcp_servers",
    "container",
    "search_parameters",
    "enable_search",
];
/// Most fields that are named of those that were taken out, and most characters of one.
const NAMED: usize = 20;
const NAME: usize = 60;
/// Fields whose worth stands at the provider, where nobody here can see or price it.
const ELSEWHERE: [&str; 5] = [
    "previous_response_id",
    "conversation",
    "prompt",
    "cachedContent",
    "cached_content",
];

/// The rules of one run's requests.
#[derive(Debug, Clone)]
pub struct RequestRules {
    /// The names by which clients may call the model.
    pub names: Vec<String>,
    /// The model as the provider knows it.
    pub model: String,
    /// Whether the task allows tools that the provider runs.
    pub hosted_tools: bool,
    /// The field with the limit of chat completions, where a request has none.
    pub chat_limit: &'static str,
    /// The tokens that an answer may take where a request sets no limit.
    pub planned: u64,
}

/// A request that is not sent on.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RequestFault {
    #[error("The request cannot be sent on: {0}.")]
    Body(#[from] ObjectFault),
    #[error("The request cannot be sent on: {0}.")]
    Text(String),
    #[error("This run serves no model `{asked}`: ask for {known}.")]
    Model { asked: String, known: String },
    #[error(
        "`{0}` cannot be sent on: what it stands for is kept at the provider, where this run can neither record nor price it. Send the whole conversation with each request."
    )]
    Elsewhere(&'static str),
    #[error(
        "`{0}` cannot be sent on: one request has one answer here, which is recorded before it is served."
    )]
    Several(&'static str),
    #[error(
        "`stream` cannot be sent on as {0}: give true or false, so that it is known how the answer comes."
    )]
    Stream(String),
}

/// A request as it came.
#[derive(Debug, Clone)]
pub struct ClientRequest {
    pub dialect: ProxyDialect,
    pub named: Option<PathModel>,
    pub headers: HeaderMap,
    pub body: Bytes,
}

impl ClientRequest {
    /// The call that goes on in its place.
    ///
    /// # Errors
    /// A body that is none, another model, or something that can be neither recorded nor priced.
    pub fn prepared(self, rules: &RequestRules, number: u64) -> Result<ProxiedCall, RequestFault> {
        let text = std::str::from_utf8(&self.body).map_err(|error| RequestFault::Text(error.to_string()))?;
        let object = ObjectText::parse(text)?;
        self.check_model(&object, rules)?;
        check_answers(&object)?;
        let scan = address_removal::scan(text).map_err(|error| RequestFault::Text(error.to_string()))?;
        let mut edit = BodyEdit {
            dialect: self.dialect,
            object: &object,
            changes: FieldChanges::default(),
            removed: Vec::new(),
        };
        if self.named.is_none() {
            edit.changes
                .set("model", Value::from(rules.model.as_str()).to_string());
        }
        edit.strip(rules.hosted_tools);
        if !rules.hosted_tools {
            edit.strip_hosted(scan.may_hold_addresses);
        }
        let streamed = self.is_streamed(&object);
        let hides_usage = self.dialect == ProxyDialect::ChatCompletions && streamed && edit.count_stream();
        let (changes, removed) = (edit.changes, edit.removed);
        Ok(ProxiedCall {
            number,
            dialect: self.dialect,
            streamed,
            digest: Digest::compute(&self.body),
            body: object.changed(&changes).into(),
            limit: limit(self.dialect, &object, rules)?,
            removed,
            stripped: stripped(&self.headers),
            headers: forwarded(&self.headers),
            prompt_bytes: scan.bytes,
            hides_usage,
            asked: self.body,
        })
    }

    fn is_streamed(&self, object: &ObjectText<'_>) -> bool {
        match &self.named {
            Some(named) => named.streamed,
            None => object.get("stream") == Some("true"),
        }
    }

    fn check_model(&self, object: &ObjectText<'_>, rules: &RequestRules) -> Result<(), RequestFault> {
        let asked = match &self.named {
            Some(named) => Some(named.model.clone()),
            None => object.text("model"),
        };
        let asked = asked.unwrap_or_default();
        if rules.names.contains(&asked) {
            return Ok(());
        }
        Err(RequestFault::Model {
            asked,
            known: rules.names.join(" or "),
        })
    }
}

/// Refuses what gives several answers, or one that comes later.
fn check_answers(object: &ObjectText<'_>) -> Result<(), RequestFault> {
    if let Some(field) = ELSEWHERE.into_iter().find(|field| object.get(field).is_some()) {
        return Err(RequestFault::Elsewhere(field));
    }
    if let Some(value) = object
        .get("stream")
        .filter(|value| !matches!(*value, "true" | "false"))
    {
        return Err(RequestFault::Stream(excerpt::start(value, 20).to_owned()));
    }
    if object.get("background").is_some_and(|value| value != "false") {
        return Err(RequestFault::Several("background"));
    }
    if object.get("n").is_some_and(|value| value != "1") {
        return Err(RequestFault::Several("n"));
    }
    if CONFIGURATION.iter().all(|name| object.get(name).is_some()) {
        return Err(ObjectFault::Twice(CONFIGURATION[0].to_owned()).into());
    }
    let Some(inner) = object.get(configuration(object)) else {
        return Ok(());
    };
    let inner = ObjectText::parse(inner)?;
    let several = ["candidateCount", "candidate_count"];
    match several
        .into_iter()
        .find(|field| inner.get(field).is_some_and(|value| value != "1"))
    {
        Some(field) => Err(RequestFault::Several(field)),
        None => Ok(()),
    }
}

/// The names of the field with the settings of generateContent.
const CONFIGURATION: [&str; 2] = ["generationConfig", "generation_config"];

/// The field with the settings of generateContent, by the name that the request uses.
fn configuration(object: &ObjectText<'_>) -> &'static str {
    let [camel, snake] = CONFIGURATION;
    match object.get(snake) {
        Some(_) => snake,
        None => camel,
    }
}

/// The changes of one body.
struct BodyEdit<'a> {
    dialect: ProxyDialect,
    object: &'a ObjectText<'a>,
    changes: FieldChanges,
    removed: Vec<String>,
}

impl BodyEdit<'_> {
    /// Takes out every field that is not known, such as those that tell who asks or choose another price or route.
    fn strip(&mut self, hosted_tools: bool) {
        let is_kept = |name: &str| is_known(self.dialect, name) || hosted_tools && HOSTED.contains(&name);
        let unknown = self.object.names().filter(|name| !is_kept(name));
        for name in unknown.filter(|name| self.object.get(name).is_some()) {
            self.changes.remove(name);
            if self.removed.len() < NAMED {
                self.removed.push(excerpt::start(name, NAME).to_owned());
            }
        }
    }

    /// Takes out what the provider would do itself.
    fn strip_hosted(&mut self, may_hold_addresses: bool) {
        if let Some(less) = (self.object.get("tools")).and_then(|tools| without_hosted(self.dialect, tools)) {
            let kinds = less.removed.iter().map(|kind| format!("tool {kind}"));
            self.removed.extend(kinds);
            match less.tools {
                Some(tools) => self.changes.set("tools", tools),
                None => {
                    self.changes.remove("tools");
                    for choice in ["tool_choice", "toolConfig", "tool_config"] {
                        self.changes.remove(choice);
                    }
                }
            }
        }
        if may_hold_addresses {
            self.strip_addresses();
        }
    }

    fn strip_addresses(&mut self) {
        for field in address_removal::fields(self.dialect) {
            let Some(mut value) = self
                .object
                .get(field)
                .and_then(|text| serde_json::from_str(text).ok())
            else {
                continue;
            };
            let count = address_removal::remove(self.dialect, &mut value);
            if count > 0 {
                self.changes.set(field, value.to_string());
                self.removed.push(format!("{count} addresses in {field}"));
            }
        }
    }

    /// Has the tokens of a stream counted; `true` where the client did not ask for that.
    fn count_stream(&mut self) -> bool {
        let options = self.object.get("stream_options").unwrap_or("{}");
        let Ok(options) = ObjectText::parse(options) else {
            return false;
        };
        if options.get("include_usage") == Some("true") {
            return false;
        }
        let mut counted = FieldChanges::default();
        counted.set("include_usage", "true");
        self.changes.set("stream_options", options.changed(&counted));
        true
    }
}

/// The limit on the answer, and where it stands.
fn limit(
    dialect: ProxyDialect,
    object: &ObjectText<'_>,
    rules: &RequestRules,
) -> Result<OutputLimit, RequestFault> {
    let known: &[&'static str] = match dialect {
        ProxyDialect::ChatCompletions => &["max_completion_tokens", "max_tokens"],
        ProxyDialect::Responses => &["max_output_tokens"],
        ProxyDialect::Messages => &["max_tokens"],
        ProxyDialect::GenerateContent => &["maxOutputTokens", "max_output_tokens"],
    };
    let within = (dialect == ProxyDialect::GenerateContent).then(|| configuration(object));
    let text = within.map_or(Some(""), |outer| object.get(outer));
    let inner = match (within, text) {
        (Some(_), Some(text)) => Some(ObjectText::parse(text)?),
        _ => None,
    };
    let holder = match within {
        Some(_) => inner.as_ref(),
        None => Some(object),
    };
    let set = |field: &&'static str| holder.and_then(|holder| holder.get(field)).is_some();
    let mut fields: Vec<&'static str> = known.iter().copied().filter(|field| set(field)).collect();
    let asked = fields.iter().filter_map(|field| holder?.number(field)).max();
    if fields.is_empty() {
        fields.push(match dialect {
            ProxyDialect::ChatCompletions => rules.chat_limit,
            _ => known[0],
        });
    }
    Ok(OutputLimit {
        asked,
        planned: asked.unwrap_or(rules.planned),
        least: thinking(object).map_or(1, |budget| budget.saturating_add(1)),
        fields,
        within,
    })
}

/// The tokens that Messages is told to think within.
fn thinking(object: &ObjectText<'_>) -> Option<u64> {
    ObjectText::parse(object.get("thinking")?)
        .ok()?
        .number("budget_tokens")
}

fn forwarded(headers: &HeaderMap) -> HeaderMap {
    let sent = |name: &HeaderName| FORWARDED.contains(&name.as_str());
    let kept = headers.iter().filter(|(name, _)| sent(name));
    kept.filter_map(|(name, value)| Some((name.clone(), sent_on(name, value)?)))
        .collect()
}

/// The value of a header as it is sent on.
fn sent_on(name: &HeaderName, value: &HeaderValue) -> Option<HeaderValue> {
    if !name.as_str().ends_with("-beta") {
        return Some(value.clone());
    }
    let is_known = |beta: &&str| BETAS.iter().any(|begin| beta.starts_with(begin));
    let known: Vec<&str> = value
        .to_str()
        .ok()?
        .split(',')
        .map(str::trim)
        .filter(is_known)
        .collect();
    HeaderValue::from_str(&known.join(","))
        .ok()
        .filter(|_| !known.is_empty())
}

fn stripped(headers: &HeaderMap) -> Vec<String> {
    let names = headers.keys().map(HeaderName::as_str);
    let gone = names.filter(|name| !FORWARDED.contains(name) && !OWN.contains(name));
    gone.map(str::to_owned).collect()
}
