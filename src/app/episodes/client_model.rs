//! A client in the place of a run's model.

use async_trait::async_trait;
use serde_json::Value;
use tokio::sync::Mutex;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender};

use crate::domain::conversation::{ChatResponse, Finish, Position, ToolCall};
use crate::domain::usage::Usage;
use crate::model::chat::{ChatModel, ChatRequest, Message, ModelError};
use crate::model::name::CLIENT;
use crate::tools::submit;

/// Asks a client, and waits until it answers.
pub struct ClientModel {
    asked: UnboundedSender<ClientTurn>,
    answers: Mutex<UnboundedReceiver<ClientCall>>,
}

/// The turn of a client: what it is told before it is waited for.
#[derive(Debug, Clone, PartialEq)]
pub struct ClientTurn {
    pub position: Position,
    /// The task of the stage, in words.
    pub task: String,
    /// Whatever was said since the client last answered; at first, the task.
    pub said: String,
}

/// A call of a tool by the client.
#[derive(Debug, Clone, PartialEq)]
pub struct ClientCall {
    pub tool: String,
    pub arguments: Value,
}

impl ClientModel {
    pub fn new(asked: UnboundedSender<ClientTurn>, answers: UnboundedReceiver<ClientCall>) -> Self {
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
    let texts: Vec<&str> = messages[since..].iter().filter_map(text).collect();
    texts.join("\n\n")
}

fn text(message: &Message) -> Option<&str> {
    match message {
        Message::User { text } | Message::Pictured { text, .. } | Message::Tool { text, .. } => {
            Some(text.as_ref())
        }
        Message::System { .. } | Message::Assistant { .. } => None,
    }
}

fn called(position: Position, call: ClientCall) -> ToolCall {
    ToolCall {
        id: format!("call-{}", position.turn),
        name: call.tool,
        arguments: call.arguments.to_string(),
    }
}

#[async_trait]
impl ChatModel for ClientModel {
    fn name(&self) -> &str {
        CLIENT
    }

    async fn chat(&self, request: &ChatRequest) -> Result<ChatResponse, ModelError> {
        let gone = || ModelError::Unavailable {
            provider: "the client".to_owned(),
            message: "it has left the run".to_owned(),
        };
        let mut answers = self.answers.lock().await;
        let turn = ClientTurn {
            position: request.position,
            task: request
                .messages
                .iter()
                .find_map(text)
                .unwrap_or_default()
                .to_owned(),
            said: said(&request.messages),
        };
        self.asked.send(turn).map_err(|_| gone())?;
        let call = answers.recv().await.ok_or_else(gone)?;
        let offers = |name: &str| request.tools.iter().any(|tool| tool.name == name);
        // Where a stage has no tool for it, the answer is what is said.
        let answer =
            submit::answers(&call.arguments).filter(|_| call.tool == submit::NAME && !offers(submit::NAME));
        let (text, calls) = match answer {
            Some(answer) => (answer.to_string(), Vec::new()),
            None => (String::new(), vec![called(request.position, call)]),
        };
        Ok(ChatResponse {
            text,
            calls,
            finish: Finish::Stop,
            usage: Usage::default(),
            thoughts: None,
        })
    }
}
