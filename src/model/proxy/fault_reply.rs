//! Errors as each dialect writes them, with the status at which its clients stop.
//!
//! Which status that is was measured with the clients: a 402 stops those of Messages and
//! generateContent and is asked again by others, a 401 of type `authentication_error` stops those of
//! chat completions, a 400 those of Responses.

use serde_json::{Value, json};

use crate::domain::proxy_dialect::ProxyDialect;

/// An error as it goes out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FaultReply {
    pub status: u16,
    pub body: Vec<u8>,
}

impl FaultReply {
    /// A cap is reached.
    pub fn spent(dialect: ProxyDialect, words: &str) -> Self {
        match dialect {
            ProxyDialect::ChatCompletions => Self::ending(dialect, words),
            ProxyDialect::Responses => Self::new(
                400,
                json!({"error": {"message": words, "type": "invalid_request_error", "code": "budget_exhausted", "param": null}}),
            ),
            ProxyDialect::Messages => Self::new(402, messages("billing_error", words)),
            ProxyDialect::GenerateContent => Self::new(402, gemini(402, "FAILED_PRECONDITION", words)),
        }
    }

    /// No other attempt will fare better.
    pub fn ending(dialect: ProxyDialect, words: &str) -> Self {
        match dialect {
            ProxyDialect::ChatCompletions => Self::new(401, openai("authentication_error", words)),
            ProxyDialect::Responses => Self::invalid(dialect, words),
            ProxyDialect::Messages => Self::invalid(dialect, words),
            ProxyDialect::GenerateContent => Self::invalid(dialect, words),
        }
    }

    /// The request is wrong.
    pub fn invalid(dialect: ProxyDialect, words: &str) -> Self {
        let status = 400;
        let body = match dialect {
            ProxyDialect::ChatCompletions | ProxyDialect::Responses => openai("invalid_request_error", words),
            ProxyDialect::Messages => messages("invalid_request_error", words),
            ProxyDialect::GenerateContent => gemini(status, "INVALID_ARGUMENT", words),
        };
        Self::new(status, body)
    }

    /// There is nothing at the address.
    pub fn missing(words: &str) -> Self {
        Self::new(404, openai("not_found_error", words))
    }

    /// Nobody who may ask.
    pub fn forbidden(words: &str) -> Self {
        Self::new(403, openai("permission_error", words))
    }

    fn new(status: u16, body: Value) -> Self {
        Self {
            status,
            body: body.to_string().into_bytes(),
        }
    }
}

/// An error within a stream that has begun; `None` where clients would take it for the end of a good
/// answer, so that the connection has to break.
pub fn event(dialect: ProxyDialect, words: &str) -> Option<String> {
    Some(match dialect {
        ProxyDialect::ChatCompletions => format!("data: {}\n\n", openai("authentication_error", words)),
        ProxyDialect::Responses => {
            let error = json!({"code": "insufficient_quota", "message": words});
            let response = json!({"object": "response", "status": "failed", "error": error, "output": []});
            let failed = json!({"type": "response.failed", "sequence_number": 0, "response": response});
            format!("event: response.failed\ndata: {failed}\n\n")
        }
        ProxyDialect::Messages => {
            format!(
                "event: error\ndata: {}\n\n",
                messages("invalid_request_error", words)
            )
        }
        ProxyDialect::GenerateContent => return None,
    })
}

fn openai(kind: &str, words: &str) -> Value {
    json!({"error": {"message": words, "type": kind, "code": null, "param": null}})
}

fn messages(kind: &str, words: &str) -> Value {
    json!({"type": "error", "error": {"type": kind, "message": words}})
}

fn gemini(code: u16, status: &str, words: &str) -> Value {
    json!({"error": {"code": code, "status": status, "message": words}})
}
