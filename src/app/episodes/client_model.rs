//! A client in the place of a run's model.

use async_trait::async_trait;
use serde_json::Value;
use tokio::sync::Mutex;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender};

use crate::domain::conversation::{ChatResponse, Finish, ToolCall};
use crate::domain::usage::Usage;
use crate::model::chat::{ChatModel, ChatRequest, Message, ModelError};

/// The name of the model.
pub const NAME: &str = "client";

/// Asks a client, and waits until it answers.
pub struct ClientModel {
    asked: UnboundedSender<String>,
    answers: Mutex<UnboundedReceiver<ClientCall>>,
}

/// A call of a tool by the client.
#[derive(Debug, Clone, PartialEq)]
pub struct ClientCall {
    pub tool: &'static str,
    pub arguments: Value,
}

impl ClientModel {
    pub fn new(asked: UnboundedSender<String>, answers: UnboundedReceiver<ClientCall>) -> Self {
        Self {
            asked,
            answers: Mutex::new(answers),
        }
    }
}

/// Whatever was said since the client last answered, but for the system's own words.
fn said(messages: &[Message]) -> String {
    let is_answer = |message: &Message| matches!(message, Message::Assistant { .. });
    let since = messages.iter().rposition(is_answer).map_or(0, |place| place + 1);
    let texts = messages[since..].iter().filter_map(|message| match message {
        Message::User { text } | Message::Pictured { text, .. } | Message::Tool { text, .. } => {
            Some(text.as_ref())
        }
        Message::System { .. } | Message::Assistant { .. } => None,
    });
    texts.collect::<Vec<_>>().join("\n\n")
}

#[async_trait]
impl ChatModel for ClientModel {
    fn name(&self) -> &str {
        NAME
    }

    async fn chat(&self, request: &ChatRequest) -> Result<ChatResponse, ModelError> {
        let gone = || ModelError::Unavailable {
            provider: "the client".to_owned(),
            message: "it has left the episode".to_owned(),
        };
        let mut answers = self.answers.lock().await;
        self.asked.send(said(&request.messages)).map_err(|_| gone())?;
        let call = answers.recv().await.ok_or_else(gone)?;
        Ok(ChatResponse {
            text: String::new(),
            calls: vec![ToolCall {
                id: format!("call-{}", request.position.turn),
                name: call.tool.to_owned(),
                arguments: call.arguments.to_string(),
            }],
            finish: Finish::Stop,
            usage: Usage::default(),
            thoughts: None,
        })
    }
}
