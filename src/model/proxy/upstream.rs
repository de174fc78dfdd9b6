//! The run's model as the proxy asks it: in every dialect that its provider speaks.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use reqwest::Url;
use reqwest::header::{CONTENT_TYPE, HeaderMap, HeaderName};

use crate::domain::clock::Clock;
use crate::domain::conversation::Position;
use crate::domain::proxy_dialect::ProxyDialect;
use crate::domain::stage::Stage;
use crate::domain::waiting::Waiting;
use crate::model::attempt::{AttemptFault, FailedAttempt};
use crate::model::broken_off::AttemptWatch;
use crate::model::chat::ModelError;
use crate::model::connection::Connection;
use crate::model::dialect::Contact;
use crate::model::exchange::{Exchange, RawAnswer};
use crate::model::http::{appended, chain};
use crate::model::key::no_key;
use crate::model::layers::concurrency::Gate;
use crate::model::layers::retry::{Attempts, OnWait, RetryPolicy, Wait};
use crate::model::layers::timer::Timer;
use crate::model::provider_error;
use crate::model::providers;
use crate::model::proxy::answer_reading::{self, ProviderAnswer};
use crate::model::proxy::call_budget::CallAllowance;
use crate::model::proxy::call_failure::CallFailure;
use crate::model::proxy::proxied_call::ProxiedCall;
use crate::model::proxy::proxy_dialect::assembly;

/// The waits and bounds of calls.
#[derive(Clone)]
pub struct UpstreamBounds {
    /// The stage that asks.
    pub stage: Stage,
    /// Shared by every run that asks the same provider.
    pub gate: Arc<Gate>,
    pub retry: RetryPolicy,
    pub timer: Arc<dyn Timer>,
    pub on_wait: OnWait,
}

/// One model, and where it is asked in each dialect that its provider speaks.
pub struct Upstream {
    exchange: Exchange,
    contacts: Vec<DialectContact>,
    /// The model as the provider knows it.
    model: String,
    bounds: UpstreamBounds,
}

struct DialectContact {
    dialect: ProxyDialect,
    address: Url,
    headers: HeaderMap,
}

impl Upstream {
    /// A model at its connection.
    ///
    /// # Errors
    /// A key that is absent, or an address that cannot be asked.
    pub fn new(
        connection: &Connection,
        clock: Arc<dyn Clock>,
        bounds: UpstreamBounds,
    ) -> Result<Self, ModelError> {
        Ok(Self {
            exchange: Exchange {
                signs: bounds.gate.signs.clone(),
                ..Exchange::new(&connection.endpoint, clock)?
            },
            contacts: contacts(connection)?,
            model: connection.model.clone(),
            bounds,
        })
    }

    /// Whether the model can be asked in a dialect.
    pub fn speaks(&self, dialect: ProxyDialect) -> bool {
        self.contacts.iter().any(|contact| contact.dialect == dialect)
    }

    /// The dialects that the model can be asked in, in words.
    pub fn spoken(&self) -> String {
        let names: Vec<&str> = self
            .contacts
            .iter()
            .map(|contact| contact.dialect.name())
            .collect();
        names.join(" and ")
    }

    /// Asks, again where that may help, and reads the answer whole.
    ///
    /// # Errors
    /// No answer after all attempts, a refusal of the provider's, or an answer that is none.
    pub async fn ask(
        &self,
        call: &ProxiedCall,
        allowance: &CallAllowance,
    ) -> Result<ProviderAnswer, CallFailure> {
        let dialect = call.dialect;
        let contact = (self.contacts.iter()).find(|contact| contact.dialect == dialect);
        let contact = contact
            .ok_or_else(|| CallFailure::Unanswered(ModelError::Misconfigured(self.refusal(call.dialect))))?;
        let unusable = |why: String| CallFailure::Unanswered(ModelError::Misconfigured(why));
        let body = call
            .limited(allowance.output)
            .map_err(|fault| unusable(fault.to_string()))?;
        let mut address = contact.address.clone();
        if dialect == ProxyDialect::GenerateContent {
            self.name_in(&mut address, call.streamed);
        }
        let mut headers = call.headers.clone();
        for (name, value) in &contact.headers {
            // The version of the interface is the client's, and the key is ours.
            if name.as_str() != "anthropic-version" || !headers.contains_key(name) {
                headers.insert(name, value.clone());
            }
        }
        let (waited, retries) = (AtomicU64::new(0), AtomicU64::new(0));
        let position = self.position(call);
        let on_wait = |wait: &Wait| {
            waited.fetch_add(milliseconds(wait.duration), Ordering::Relaxed);
            retries.fetch_add(1, Ordering::Relaxed);
            (self.bounds.on_wait)(wait);
        };
        let on_held = |wait| {
            waited.fetch_add(milliseconds(wait), Ordering::Relaxed);
        };
        let attempts = Attempts {
            policy: self.bounds.retry,
            timer: &*self.bounds.timer,
            position,
            on_wait: &on_wait,
        };
        let asked = attempts.repeat(async || {
            if let Err(reached) = allowance.ensure_afforded() {
                return Ok(Err(CallFailure::Spent(reached)));
            }
            let request = self.exchange.http.post(address.clone());
            let request = request
                .headers(headers.clone())
                .header(CONTENT_TYPE, "application/json")
                .body(body.clone());
            let attempt = self.attempt(call, request, allowance);
            self.bounds.gate.pass(on_held, attempt).await
        });
        let masking = self.exchange.masking();
        let answer = asked
            .await
            .map_err(|error| CallFailure::Unanswered(masking.error(error)))?;
        let mut answer = answer?;
        answer.waiting = Waiting {
            ms: waited.into_inner(),
            retries: u32::try_from(retries.into_inner()).unwrap_or(u32::MAX),
            lost: allowance.lost(),
        };
        Ok(answer)
    }

    /// Why a dialect is refused, and the way out.
    pub fn refusal(&self, dialect: ProxyDialect) -> String {
        format!(
            "This run's model is asked in {}, and not in {}: put a gateway that translates, such as LiteLLM on loopback, before the model, and name the model at the gateway with {}.",
            self.spoken(),
            dialect.name(),
            at_gateway(dialect)
        )
    }

    /// One attempt. A refusal that no other attempt mends is an answer of its own, so that its body is
    /// not lost.
    async fn attempt(
        &self,
        call: &ProxiedCall,
        request: reqwest::RequestBuilder,
        allowance: &CallAllowance,
    ) -> Result<Result<ProviderAnswer, CallFailure>, ModelError> {
        let request = request.build().map_err(|error| {
            ModelError::Misconfigured(format!("The request cannot be made: {}.", chain(&error)))
        })?;
        let report = |broken_off| allowance.lose(call, broken_off);
        let mut watch = AttemptWatch::new(&report);
        let raw = self
            .exchange
            .raw(request, assembly(call.dialect), &mut watch)
            .await?;
        if !(200..300).contains(&raw.status) {
            return match self.failed(&raw) {
                error @ ModelError::Attempt(_) => Err(error),
                error => {
                    let error = self.exchange.masking().error(error);
                    Ok(Err(CallFailure::Refused {
                        status: raw.status,
                        body: raw.body,
                        error,
                    }))
                }
            };
        }
        let provider = &*self.exchange.provider;
        let document = answer_reading::document(provider, &raw, call.streamed)?;
        let read = answer_reading::read(call.dialect, provider, self.position(call), &document)?;
        let masking = self.exchange.masking();
        let response = masking.response(read.clone());
        let masked = call.streamed.then(|| masking.stream(&raw.body)).flatten();
        if response != read && masked.is_none() {
            let why = "the answer holds the key that was sent, in pieces";
            return Err(FailedAttempt::new(provider, AttemptFault::Malformed, why).into());
        }
        watch.over();
        let body = match call.hides_usage {
            true => answer_reading::without_usage_chunk(masked.as_ref().unwrap_or(&raw.body)),
            false => masked.unwrap_or(raw.body),
        };
        Ok(Ok(ProviderAnswer {
            body: body.into(),
            streamed: call.streamed,
            response,
            waiting: Waiting::default(),
        }))
    }

    fn failed(&self, raw: &RawAnswer) -> ModelError {
        provider_error::from_status(&self.exchange.provider, raw.status, &raw.body, raw.wait)
    }

    fn position(&self, call: &ProxiedCall) -> Position {
        Position {
            stage: self.bounds.stage,
            turn: u32::try_from(call.number.saturating_sub(1)).unwrap_or(u32::MAX),
        }
    }

    /// The address of generateContent, which names the model and how the answer comes.
    fn name_in(&self, address: &mut Url, streamed: bool) {
        let act = if streamed {
            "streamGenerateContent"
        } else {
            "generateContent"
        };
        if let Ok(mut segments) = address.path_segments_mut() {
            segments.push(&format!("{}:{act}", self.model));
        }
        if streamed {
            address.set_query(Some("alt=sse"));
        }
    }
}

/// How a model is named that a gateway on loopback answers for in a dialect.
fn at_gateway(dialect: ProxyDialect) -> &'static str {
    match dialect {
        ProxyDialect::ChatCompletions => "--model openai-api/127.0.0.1:4000/v1/NAME",
        ProxyDialect::Responses => "--model openai/NAME and OPENAI_BASE_URL=http://127.0.0.1:4000/v1",
        ProxyDialect::Messages => "--model anthropic/NAME and ANTHROPIC_BASE_URL=http://127.0.0.1:4000/v1",
        ProxyDialect::GenerateContent => {
            "--model gemini/NAME and GEMINI_BASE_URL=http://127.0.0.1:4000/v1beta/openai"
        }
    }
}

/// The addresses of a provider, by the dialects that it speaks.
fn contacts(connection: &Connection) -> Result<Vec<DialectContact>, ModelError> {
    let provider = connection.endpoint.provider;
    if *provider == providers::anthropic::ANTHROPIC {
        let contact = providers::connect(connection.clone())?.contact().clone();
        return Ok(vec![DialectContact::new(ProxyDialect::Messages, contact)]);
    }
    let through = |responses| {
        let mut connection = connection.clone();
        connection.capabilities.responses = Some(responses);
        Ok::<Contact, ModelError>(providers::connect(connection)?.contact().clone())
    };
    let mut all = vec![DialectContact::new(
        ProxyDialect::ChatCompletions,
        through(false)?,
    )];
    let has_responses = connection.capabilities.responses == Some(true);
    if has_responses || *provider == providers::openai::OPENAI {
        all.push(DialectContact::new(ProxyDialect::Responses, through(true)?));
    }
    if *provider == providers::gemini::GEMINI {
        all.push(generate_content(connection)?);
    }
    Ok(all)
}

/// Gemini's own interface, beside the compatible one.
fn generate_content(connection: &Connection) -> Result<DialectContact, ModelError> {
    let endpoint = &connection.endpoint;
    let key = endpoint.key.as_ref().ok_or_else(|| no_key(endpoint.provider))?;
    let base = endpoint.base.as_str().trim_end_matches('/');
    let mut headers = HeaderMap::new();
    headers.insert(
        HeaderName::from_static("x-goog-api-key"),
        key.header("", endpoint.provider)?,
    );
    Ok(DialectContact {
        dialect: ProxyDialect::GenerateContent,
        address: appended(base.trim_end_matches("/openai"), "/models")?,
        headers,
    })
}

impl DialectContact {
    fn new(dialect: ProxyDialect, contact: Contact) -> Self {
        Self {
            dialect,
            address: contact.address,
            headers: contact.headers,
        }
    }
}

fn milliseconds(wait: Duration) -> u64 {
    u64::try_from(wait.as_millis()).unwrap_or(u64::MAX)
}
