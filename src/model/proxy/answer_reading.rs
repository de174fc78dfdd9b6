//! Answers of providers: held against their dialect before anything of them is served.

use axum::body::Bytes;
use serde_json::Value;

use crate::domain::conversation::{ChatResponse, Position};
use crate::domain::proxy_dialect::ProxyDialect;
use crate::domain::waiting::Waiting;
use crate::model::attempt::{AttemptFault, FailedAttempt};
use crate::model::chat::{ChatRequest, ModelError};
use crate::model::exchange::RawAnswer;
use crate::model::http::{chain, excerpt};
use crate::model::proxy::generate_content;
use crate::model::sse::{Decoder, Event};
use crate::model::{anthropic, openai, responses};

/// A whole answer.
#[derive(Debug, Clone)]
pub struct ProviderAnswer {
    /// The bytes that the client is given.
    pub body: Bytes,
    /// Whether they are a stream of events.
    pub streamed: bool,
    /// What was read of them: text, calls and tokens.
    pub response: ChatResponse,
    pub waiting: Waiting,
}

/// Reads the answer in a document, whatever the request was.
///
/// # Errors
/// An error in the place of an answer, or a document that holds none.
pub fn read(
    dialect: ProxyDialect,
    provider: &str,
    position: Position,
    document: &Value,
) -> Result<ChatResponse, ModelError> {
    // Its ids are those of the client's conversation, so that no earlier call matters.
    let request = ChatRequest {
        position,
        messages: Vec::new(),
        tools: [].into(),
        max_output_tokens: None,
        form: None,
    };
    match dialect {
        ProxyDialect::ChatCompletions => openai::answer::read(provider, &request, document),
        ProxyDialect::Responses => responses::answer::read(provider, &request, document),
        ProxyDialect::Messages => anthropic::answer::read(provider, &request, document),
        ProxyDialect::GenerateContent => generate_content::read(provider, document),
    }
}

/// The document of a good answer, which came as it was asked for.
///
/// # Errors
/// An answer that is no JSON, or no stream where one was asked for.
pub fn document(provider: &str, raw: &RawAnswer, streamed: bool) -> Result<Value, ModelError> {
    let malformed = |why: String| FailedAttempt::new(provider, AttemptFault::Malformed, why).into();
    if let Some(document) = &raw.document {
        return match streamed {
            true => Ok(document.clone()),
            false => Err(malformed("it streams an answer that was to be whole".to_owned())),
        };
    }
    if raw.body.is_empty() {
        return Err(malformed("the answer is empty".to_owned()));
    }
    let document: Value = serde_json::from_slice(&raw.body).map_err(|error| {
        let said = excerpt(&raw.body);
        malformed(format!("the answer is not JSON ({}): {said}", chain(&error)))
    })?;
    if streamed && !crate::model::provider_error::is_error(&document) {
        return Err(malformed(
            "it gives a whole answer where a stream was asked for".to_owned(),
        ));
    }
    Ok(document)
}

/// A stream of chat completions without the chunk that holds nothing but tokens.
pub fn without_usage_chunk(stream: &[u8]) -> Vec<u8> {
    let mut kept = Vec::with_capacity(stream.len());
    let mut rest = stream;
    while !rest.is_empty() {
        let end = event_end(rest);
        let (event, behind) = rest.split_at(end);
        if !is_usage_chunk(event) {
            kept.extend_from_slice(event);
        }
        rest = behind;
    }
    kept
}

/// The bytes of the first event, with the empty line that ends it.
fn event_end(stream: &[u8]) -> usize {
    let ends: [&[u8]; 2] = [b"\n\n", b"\r\n\r\n"];
    let found = ends.into_iter().filter_map(|end| {
        let at = memchr::memmem::find(stream, end)?;
        Some(at + end.len())
    });
    found.min().unwrap_or(stream.len())
}

fn is_usage_chunk(event: &[u8]) -> bool {
    let mut is_usage = false;
    Decoder::default().feed(event, |event: Event| {
        let document: Option<Value> = serde_json::from_str(&event.data).ok();
        is_usage = document.is_some_and(|document| {
            let choices = document.get("choices").and_then(Value::as_array);
            choices.is_some_and(Vec::is_empty) && document.get("usage").is_some_and(Value::is_object)
        });
    });
    is_usage
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_chunk_with_nothing_but_tokens_goes() {
        let text = "data: {\"choices\":[{\"delta\":{\"content\":\"x\"}}],\"usage\":null}\n\n";
        let usage = "data: {\"choices\":[],\"usage\":{\"prompt_tokens\":1}}\r\n\r\n";
        let filter = "data: {\"choices\":[],\"prompt_filter_results\":[]}\n\n";
        let end = "data: [DONE]\n\n";
        let stream = [filter, text, usage, end].concat();
        let kept = [filter, text, end].concat();
        assert_eq!(without_usage_chunk(stream.as_bytes()), kept.as_bytes());
        assert_eq!(without_usage_chunk(b""), b"");
    }
}
