//! A key taken out of everything that comes back from whoever was sent it.

use std::sync::Arc;

use serde_json::Value;

use crate::domain::conversation::{ChatResponse, ToolCall};
use crate::model::attempt::FailedAttempt;
use crate::model::chat::ModelError;
use crate::model::key::Key;
use crate::model::stream_masking;

/// Masks the key that was sent, where there was one.
#[derive(Debug, Clone, Copy)]
pub struct Masking<'a> {
    pub key: Option<&'a Key>,
}

impl Masking<'_> {
    /// Bytes as they arrived.
    pub fn bytes(self, bytes: Vec<u8>) -> Vec<u8> {
        match self.key.and_then(|key| key.masked(&bytes)) {
            Some(masked) => masked,
            None => bytes,
        }
    }

    /// A stream of events without a key that they hold in pieces; `None` where they hold none.
    pub fn stream(self, stream: &[u8]) -> Option<Vec<u8>> {
        stream_masking::masked(stream, self.key?)
    }

    /// A text, as it is after every decoding.
    pub fn text(self, text: String) -> String {
        match self.key.and_then(|key| key.masked(text.as_bytes())) {
            Some(masked) => String::from_utf8_lossy(&masked).into_owned(),
            None => text,
        }
    }

    /// Every text of a document, the names of its fields included.
    pub fn document(self, document: Value) -> Value {
        match document {
            Value::String(text) => Value::String(self.text(text)),
            Value::Array(items) => items.into_iter().map(|item| self.document(item)).collect(),
            Value::Object(fields) => fields
                .into_iter()
                .map(|(name, value)| (self.text(name), self.document(value)))
                .collect(),
            other => other,
        }
    }

    /// An answer, with its calls and thoughts.
    pub fn response(self, response: ChatResponse) -> ChatResponse {
        let thoughts = response.thoughts.map(|mut thoughts| {
            for thought in &mut Arc::make_mut(&mut thoughts).items {
                thought.item = self.document(std::mem::take(&mut thought.item));
            }
            thoughts
        });
        let calls = response.calls.into_iter().map(|call| ToolCall {
            id: self.text(call.id),
            name: self.text(call.name),
            arguments: self.text(call.arguments),
        });
        ChatResponse {
            text: self.text(response.text),
            calls: calls.collect(),
            thoughts,
            ..response
        }
    }

    /// An error that may quote an answer.
    pub fn error(self, error: ModelError) -> ModelError {
        match error {
            ModelError::Drift(message) => ModelError::Drift(self.text(message)),
            ModelError::Rejected {
                provider,
                status,
                why,
                message,
            } => ModelError::Rejected {
                provider,
                status,
                why,
                message: self.text(message),
            },
            ModelError::Attempt(failed) => {
                let message = self.text(failed.message.clone());
                FailedAttempt { message, ..*failed }.into()
            }
            ModelError::Unavailable { provider, message } => ModelError::Unavailable {
                provider,
                message: self.text(message),
            },
            ModelError::Misconfigured(message) => ModelError::Misconfigured(self.text(message)),
            ours @ (ModelError::Spent(_) | ModelError::AwaitsPerson(_)) => ours,
        }
    }
}
