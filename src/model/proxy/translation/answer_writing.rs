//! The writing of an answer in a client's dialect.

use super::served_answer::ServedAnswer;
use super::{chat_answer, generate_content_answer, messages_answer, responses_answer};
use crate::domain::proxy_dialect::ProxyDialect;

/// The bytes of an answer: a document, or a stream of events.
pub fn written(answer: &ServedAnswer<'_>, dialect: ProxyDialect, streamed: bool) -> String {
    match (dialect, streamed) {
        (ProxyDialect::Responses, false) => responses_answer::document(answer).to_string(),
        (ProxyDialect::Responses, true) => responses_answer::stream(answer),
        (ProxyDialect::Messages, false) => messages_answer::document(answer),
        (ProxyDialect::Messages, true) => messages_answer::stream(answer),
        (ProxyDialect::ChatCompletions, false) => chat_answer::document(answer).to_string(),
        (ProxyDialect::ChatCompletions, true) => chat_answer::stream(answer),
        (ProxyDialect::GenerateContent, false) => generate_content_answer::document(answer),
        (ProxyDialect::GenerateContent, true) => generate_content_answer::stream(answer),
    }
}
