//! The conversation as every provider understands it.

use std::sync::Arc;

use async_trait::async_trait;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::domain::conversation::{ChatResponse, Position, ToolCall};
use crate::domain::digest::Digest;
use crate::domain::picture::Picture;
use crate::domain::reasoning::Reasoning;
use crate::model::attempt::FailedAttempt;
use crate::model::refusal::Refusal;
use crate::model::response_schema::ResponseSchema;
use crate::policy::limits::Reached;

/// One message of a conversation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "role", rename_all = "lowercase")]
pub enum Message {
    System {
        text: Arc<str>,
    },
    User {
        text: Arc<str>,
    },
    /// The user's, too: a text that is about a picture.
    Pictured {
        text: Arc<str>,
        picture: Picture,
    },
    Assistant {
        text: Arc<str>,
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        calls: Vec<ToolCall>,
        /// What the provider wants back beside them. Skipped, so that no digest
        /// of a request depends on who answered.
        #[serde(skip)]
        thoughts: Option<Arc<Reasoning>>,
    },
    Tool {
        call: String,
        name: String,
        text: Arc<str>,
        /// What a recording compares instead of `text`, where `text` holds
        /// things that differ between machines (paths, interpreter traces).
        #[serde(default, skip_serializing_if = "Option::is_none")]
        stable: Option<Arc<str>>,
    },
}

/// A tool as it is offered to a model.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ToolSpec {
    pub name: String,
    pub description: String,
    /// JSON Schema of the arguments.
    pub parameters: Value,
}

/// Everything a provider needs for one answer.
#[derive(Debug, Clone, PartialEq)]
pub struct ChatRequest {
    pub position: Position,
    pub messages: Vec<Message>,
    pub tools: Arc<[ToolSpec]>,
    /// Most completion tokens to be produced.
    pub max_output_tokens: Option<u32>,
    /// The form of an answer that is no call.
    pub form: Option<Arc<ResponseSchema>>,
}

impl ChatRequest {
    /// The same for every request of a conversation, and for another run of it:
    /// a digest of its tools and first two messages, by which a provider finds
    /// the machine that has their beginning cached. 64 characters, the most that
    /// are taken.
    pub fn cache_key(&self) -> String {
        let opening = &self.messages[..self.messages.len().min(2)];
        Digest::compute_json(&(&self.tools, opening)).hex()
    }
}

/// The error of a model call without an answer.
#[derive(Debug, thiserror::Error)]
pub enum ModelError {
    /// The request is not the one that was recorded.
    #[error("{0}")]
    Drift(String),
    /// The provider says that the request is wrong or not allowed; trying again is useless.
    #[error("{provider} refused the request ({status}): {message}{}", .why.remark())]
    Rejected {
        provider: String,
        status: u16,
        why: Refusal,
        message: String,
    },
    /// One attempt failed in a way that another may not. The retry layer turns
    /// it into `Unavailable` when there is no use in trying further.
    #[error(transparent)]
    Attempt(#[from] Box<FailedAttempt>),
    /// The provider could not be reached or failed, after every retry.
    #[error("{provider} did not answer: {message}")]
    Unavailable { provider: String, message: String },
    /// A cap of the operator's does not allow the call; nothing was asked.
    #[error("{0}")]
    Spent(Reached),
    /// The model is a person, who has something to do before it goes on: whole sentences.
    #[error("{0}")]
    AwaitsPerson(String),
    /// The model's settings are unusable: no key, no recording, an unknown name.
    #[error("{0}")]
    Misconfigured(String),
}

impl From<FailedAttempt> for ModelError {
    fn from(failed: FailedAttempt) -> Self {
        Self::Attempt(Box::new(failed))
    }
}

/// Something that answers conversations.
#[async_trait]
pub trait ChatModel: Send + Sync {
    /// The model's full name, such as `recorded:python` or `openai/gpt-5`.
    fn name(&self) -> &str;

    /// Whether the model takes native tool calls; else the text protocol is used.
    fn calls_tools(&self) -> bool {
        true
    }

    /// The name of the person who answers, where it is one.
    fn author(&self) -> Option<&str> {
        None
    }

    /// Where the answers come from, if they are replayed, such as `written by hand`.
    fn origin(&self) -> Option<&str> {
        None
    }

    /// Answers one request.
    async fn chat(&self, request: &ChatRequest) -> Result<ChatResponse, ModelError>;
}
