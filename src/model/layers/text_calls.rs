//! Calls that were written as text, for providers that know native ones alone.

use std::sync::Arc;

use async_trait::async_trait;

use crate::domain::conversation::ChatResponse;
use crate::model::chat::{ChatModel, ChatRequest, Message, ModelError};

/// A model whose provider sees the observation of a written call as a message
/// of the user, and no tools where the model cannot call any.
pub struct TextCalls {
    inner: Arc<dyn ChatModel>,
}

impl TextCalls {
    pub fn new(inner: Arc<dyn ChatModel>) -> Self {
        Self { inner }
    }

    fn rewritten(&self, request: &ChatRequest) -> Option<ChatRequest> {
        let written = |message: &Message| matches!(message, Message::Tool { call, .. } if call.is_empty());
        let hides_tools = !self.inner.calls_tools() && !request.tools.is_empty();
        if !hides_tools && !request.messages.iter().any(written) {
            return None;
        }
        let mut request = request.clone();
        for message in request.messages.iter_mut().filter(|message| written(message)) {
            if let Message::Tool { name, text, .. } = message {
                *message = Message::User {
                    text: format!("Observation ({name}): {text}").into(),
                };
            }
        }
        if hides_tools {
            request.tools = Arc::new([]);
        }
        Some(request)
    }
}

#[async_trait]
impl ChatModel for TextCalls {
    fn name(&self) -> &str {
        self.inner.name()
    }

    fn calls_tools(&self) -> bool {
        self.inner.calls_tools()
    }

    async fn chat(&self, request: &ChatRequest) -> Result<ChatResponse, ModelError> {
        match self.rewritten(request) {
            Some(request) => self.inner.chat(&request).await,
            None => self.inner.chat(request).await,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use super::*;
    use crate::domain::conversation::{Finish, Position};
    use crate::domain::stage::Stage;
    use crate::model::chat::ToolSpec;

    #[derive(Default)]
    struct Seen {
        requests: Mutex<Vec<ChatRequest>>,
        native: bool,
    }

    #[async_trait]
    impl ChatModel for Seen {
        fn name(&self) -> &str {
            "seen"
        }

        fn calls_tools(&self) -> bool {
            self.native
        }

        async fn chat(&self, request: &ChatRequest) -> Result<ChatResponse, ModelError> {
            self.requests.lock().unwrap().push(request.clone());
            Ok(ChatResponse {
                text: String::new(),
                calls: vec![],
                finish: Finish::Stop,
                usage: Default::default(),
                thoughts: None,
            })
        }
    }

    fn request(call: &str) -> ChatRequest {
        ChatRequest {
            position: Position {
                stage: Stage::DESIGN,
                turn: 1,
            },
            messages: vec![Message::Tool {
                call: call.into(),
                name: "read_file".into(),
                text: "one".into(),
                stable: None,
            }],
            tools: Arc::new([ToolSpec {
                name: "read_file".into(),
                description: String::new(),
                parameters: serde_json::json!({}),
            }]),
            max_output_tokens: None,
            form: None,
        }
    }

    #[tokio::test]
    async fn written_calls_are_answered_as_text() {
        let inner = Arc::new(Seen::default());
        TextCalls::new(inner.clone()).chat(&request("")).await.unwrap();
        let seen = inner.requests.lock().unwrap()[0].clone();
        assert_eq!(
            seen.messages,
            [Message::User {
                text: "Observation (read_file): one".into()
            }]
        );
        assert!(seen.tools.is_empty());
        let native = Arc::new(Seen {
            native: true,
            ..Seen::default()
        });
        TextCalls::new(native.clone()).chat(&request("c1")).await.unwrap();
        assert_eq!(native.requests.lock().unwrap()[0], request("c1"));
    }
}
