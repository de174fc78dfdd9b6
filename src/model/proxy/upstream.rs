//! The run's model as the proxy asks it: in every dialect that its provider speaks.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use reqwest::Url;
use reqwest::header::{CONTENT_TYPE, HeaderMap, HeaderName};

use crate::domain::call_translation::CallTranslation;
use crate::domain::clock::Clock;
use crate::domain::conversation::{ChatResponse, Position};
use crate::domain::digest::Digest;
use crate::domain::proxy_dialect::ProxyDialect;
use crate::domain::stage::Stage;
use crate::domain::waiting::Waiting;
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
use crate::model::proxy::call_failure::CallFailure;
use crate::model::proxy::fault_reply;
use crate::model::proxy::proxied_call::ProxiedCall;
use crate::model::proxy::proxy_dialect::assembly;
use crate::model::proxy::translation::answer_writing;
use crate::model::proxy::translation::request_body::{BodyTerms, TranslatedBody};
use crate::model::proxy::translation::served_answer::ServedAnswer;
use crate::model::proxy::translation::translate::TranslationRules;

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
    /// The model as our own client asks it.
    connection: Connection,
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
            exchange: Exchange::new(&connection.endpoint, clock)?,
            contacts: contacts(connection)?,
            connection: connection.clone(),
            bounds,
        })
    }

    /// The model as the provider knows it.
    pub fn model(&self) -> &str {
        &self.connection.model
    }

    /// The rules by which calls in other dialects are translated; `None` where a program's dialect needs
    /// no translation, or where there is none.
    pub fn translation(&self, from: Option<ProxyDialect>) -> Option<TranslationRules> {
        let dialects = CallTranslation {
            from,
            into: own_dialect(&self.connection),
            spoken: self.contacts.iter().map(|contact| contact.dialect).collect(),
        };
        let is_needed = from.is_none_or(|from| dialects.carries(from));
        is_needed.then_some(TranslationRules {
            dialects,
            efforts: self.connection.capabilities.reasoning_effort,
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
    pub async fn ask(&self, call: &ProxiedCall, output: Option<u64>) -> Result<ProviderAnswer, CallFailure> {
        let dialect = call.asked_in();
        let contact = (self.contacts.iter()).find(|contact| contact.dialect == dialect);
        let contact = contact
            .ok_or_else(|| CallFailure::Unanswered(ModelError::Misconfigured(self.refusal(call.dialect))))?;
        let unusable = |why: String| CallFailure::Unanswered(ModelError::Misconfigured(why));
        let translated = self.translated(call, output).map_err(CallFailure::Unanswered)?;
        let body = match &translated {
            Some(translated) => translated.body.clone().into(),
            None => call
                .limited(output)
                .map_err(|fault| unusable(fault.to_string()))?,
        };
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
        let asked = attempts.repeat(|| {
            let request = self.exchange.http.post(address.clone());
            let request = request
                .headers(headers.clone())
                .header(CONTENT_TYPE, "application/json")
                .body(body.clone());
            self.bounds
                .gate
                .pass(on_held, self.attempt(call, translated.as_ref(), request))
        });
        let masking = self.exchange.masking();
        let answer = asked
            .await
            .map_err(|error| CallFailure::Unanswered(masking.error(error)))?;
        let mut answer = answer?;
        answer.response = masking.response(answer.response);
        answer.waiting = Waiting {
            ms: waited.into_inner(),
            retries: u32::try_from(retries.into_inner()).unwrap_or(u32::MAX),
        };
        Ok(answer)
    }

    /// Why a dialect is refused, and the way out.
    pub fn refusal(&self, dialect: ProxyDialect) -> String {
        format!(
            "This run's model is asked in {}, and not in {}: calls are not translated unprompted, since that would lose what providers sign. Choose a program that speaks {}, a model whose provider speaks {}, or --translate, which refuses what it would lose.",
            self.spoken(),
            dialect.name(),
            self.spoken(),
            dialect.name()
        )
    }

    /// A translated call, ready to be sent; `None` of one that goes on as it came.
    fn translated(
        &self,
        call: &ProxiedCall,
        output: Option<u64>,
    ) -> Result<Option<TranslatedBody>, ModelError> {
        let Some(translation) = &call.translation else {
            return Ok(None);
        };
        let output = match (call.limit.asked, output) {
            (Some(asked), Some(most)) => Some(asked.min(most)),
            (asked, most) => asked.or(most),
        };
        let terms = BodyTerms {
            position: self.position(call),
            streamed: call.streamed,
            output,
        };
        TranslatedBody::new(translation, &self.connection, terms).map(Some)
    }

    /// The bytes of a translated answer, as its client is given them.
    fn served(&self, call: &ProxiedCall, response: &ChatResponse) -> String {
        let id = Digest::compute_json(&(call.number, call.digest)).hex();
        let answer = ServedAnswer {
            id: &id[..id.len().min(24)],
            model: &self.connection.model,
            created: self.exchange.clock.now().as_second(),
            response,
            counts_tokens: !call.hides_usage,
        };
        answer_writing::written(&answer, call.dialect, call.streamed)
    }

    /// One attempt. A refusal that no other attempt mends is an answer of its own, so that its body is
    /// not lost.
    async fn attempt(
        &self,
        call: &ProxiedCall,
        translated: Option<&TranslatedBody>,
        request: reqwest::RequestBuilder,
    ) -> Result<Result<ProviderAnswer, CallFailure>, ModelError> {
        let request = request.build().map_err(|error| {
            ModelError::Misconfigured(format!("The request cannot be made: {}.", chain(&error)))
        })?;
        let raw = self.exchange.raw(request, assembly(call.asked_in())).await?;
        if !(200..300).contains(&raw.status) {
            return match self.failed(&raw) {
                error @ ModelError::Attempt(_) => Err(error),
                error => {
                    let error = self.exchange.masking().error(error);
                    Ok(Err(CallFailure::Refused {
                        status: raw.status,
                        body: match (translated, &error) {
                            (Some(_), ModelError::Rejected { why, message, .. }) => {
                                fault_reply::carried(call.dialect, *why, message)
                            }
                            _ => raw.body,
                        },
                        error,
                    }))
                }
            };
        }
        let provider = &*self.exchange.provider;
        let document = answer_reading::document(provider, &raw, call.streamed)?;
        let (response, body) = match translated {
            Some(TranslatedBody { dialect, request, .. }) => {
                // Its ids are those of a conversation that some servers do not look at.
                let response = dialect.read(request, &document)?;
                let response = self.exchange.masking().response(response);
                let body = self.served(call, &response).into_bytes();
                (response, body)
            }
            None => {
                let response = answer_reading::read(call.dialect, provider, self.position(call), &document)?;
                let body = match call.hides_usage {
                    true => answer_reading::without_usage_chunk(&raw.body),
                    false => raw.body,
                };
                (response, body)
            }
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
            segments.push(&format!("{}:{act}", self.connection.model));
        }
        if streamed {
            address.set_query(Some("alt=sse"));
        }
    }
}

/// The dialect in which our own client asks a model.
fn own_dialect(connection: &Connection) -> ProxyDialect {
    if *connection.endpoint.provider == providers::anthropic::ANTHROPIC {
        return ProxyDialect::Messages;
    }
    match connection.capabilities.responses {
        Some(true) => ProxyDialect::Responses,
        _ => ProxyDialect::ChatCompletions,
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
