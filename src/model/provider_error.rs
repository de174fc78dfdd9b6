//! Errors of a provider, read from the status or the document of its answer.

use std::time::Duration;

use serde_json::Value;

use crate::model::attempt::{AttemptFault, FailedAttempt};
use crate::model::chat::ModelError;
use crate::model::http::excerpt;
use crate::model::refusal::Refusal;

/// An answer with an error status.
///
/// 408, 409, 425, 429 and the 5xx are worth another attempt, unless an account
/// is out of money; everything else is final.
pub fn from_status(provider: &str, status: u16, body: &[u8], retry_after: Option<Duration>) -> ModelError {
    let parsed = serde_json::from_slice::<Value>(body).ok();
    let code = parsed.as_ref().and_then(error_code).unwrap_or_default();
    let message = match parsed.as_ref().and_then(error_message) {
        Some(said) => excerpt(said.as_bytes()),
        _ if (300..400).contains(&status) => {
            "it redirects elsewhere, which is not followed, since the key would go along: set the address that answers"
                .to_owned()
        }
        None if body.is_empty() => "it gave no reason".to_owned(),
        None => excerpt(body),
    };
    let why = Refusal::from_answer(status, &code, &message);
    let passing = matches!(status, 408 | 409 | 425 | 429 | 500..=599) && !matches!(status, 501 | 505);
    if passing && why != Refusal::Account {
        return ModelError::from(FailedAttempt {
            retry_after,
            ..FailedAttempt::new(
                provider,
                AttemptFault::Status(status),
                format!("status {status}: {message}"),
            )
        });
    }
    ModelError::Rejected {
        provider: provider.to_owned(),
        status,
        why,
        message,
    }
}

/// An error inside an answer whose status says that all is well.
///
/// Gateways put the status of the server behind them into the code; without
/// one, another attempt may fare better.
pub fn from_document(provider: &str, document: &Value) -> ModelError {
    let error = body(document);
    let status = error
        .get("code")
        .or_else(|| error.get("status"))
        .and_then(number)
        .filter(|status| (400..600).contains(status))
        .or_else(|| {
            ["code", "type"]
                .into_iter()
                .find_map(|field| status_of_name(error.get(field)?.as_str()?))
        });
    let body = document.to_string();
    from_status(provider, status.unwrap_or(500), body.as_bytes(), None)
}

/// The status that an error of this name comes with when it has one.
fn status_of_name(name: &str) -> Option<u16> {
    Some(match name {
        "invalid_request_error" | "context_length_exceeded" | "content_filter" => 400,
        "authentication_error" | "invalid_api_key" => 401,
        "billing_error" => 402,
        "permission_error" => 403,
        "not_found_error" | "model_not_found" => 404,
        "request_too_large" => 413,
        "rate_limit_error" | "rate_limit_exceeded" | "insufficient_quota" => 429,
        "overloaded_error" => 529,
        // A prompt or a picture that Responses cannot take, by a dozen names.
        name if name.starts_with("invalid_") || name.contains("image") => 400,
        _ => return None,
    })
}

/// Whether a document is an error, rather than an answer.
pub fn is_error(document: &Value) -> bool {
    let marked = document.get("object").and_then(Value::as_str) == Some("error");
    marked
        || document.get("error").is_some_and(|error| match error {
            Value::Null | Value::Bool(false) => false,
            Value::String(text) => !text.is_empty(),
            Value::Object(fields) => !fields.is_empty(),
            _ => true,
        })
}

/// The part that says what is wrong: under `error`, in a list of one, or all of it.
fn body(document: &Value) -> &Value {
    let document = document.get(0).unwrap_or(document);
    document
        .get("error")
        .filter(|error| error.is_object())
        .unwrap_or(document)
}

fn number(value: &Value) -> Option<u16> {
    match value {
        Value::Number(number) => number.as_u64().and_then(|number| u16::try_from(number).ok()),
        Value::String(text) => text.parse().ok(),
        _ => None,
    }
}

fn error_code(document: &Value) -> Option<String> {
    let error = body(document);
    ["/innererror/code", "/code", "/type"]
        .into_iter()
        .find_map(|field| error.pointer(field)?.as_str().map(str::to_owned))
}

fn error_message(document: &Value) -> Option<String> {
    let candidates = [
        body(document).get("message"),
        document.get("error"),
        document.get("message"),
        document.get("detail"),
        document.pointer("/detail/0/msg"),
    ];
    candidates
        .into_iter()
        .flatten()
        .find_map(Value::as_str)
        .map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn passing(error: &ModelError) -> bool {
        matches!(error, ModelError::Attempt(_))
    }

    #[test]
    fn what_may_pass_is_told_from_what_will_not() {
        for status in [408, 409, 429, 500, 502, 503, 504, 529] {
            assert!(passing(&from_status("p", status, b"", None)), "{status}");
        }
        for status in [302, 400, 401, 403, 404, 413, 422, 501] {
            assert!(!passing(&from_status("p", status, b"", None)), "{status}");
        }
        let quota = br#"{"error": {"message": "no money", "code": "insufficient_quota"}}"#;
        assert!(!passing(&from_status("p", 429, quota, None)));
        let whole = br#"{"error": {"message": "slow down", "code": 429}}"#;
        assert!(passing(&from_status("p", 429, whole, None)));
    }

    #[test]
    fn the_reason_is_found_wherever_servers_put_it() {
        let cases = [
            (r#"{"error": {"message": "why"}}"#, "why"),
            (r#"{"error": "why"}"#, "why"),
            (r#"{"object": "error", "message": "why"}"#, "why"),
            (r#"{"detail": "why"}"#, "why"),
            (r#"{"detail": [{"loc": [], "msg": "why"}]}"#, "why"),
            ("<html><title>why</title></html>", "why"),
            ("", "it gave no reason"),
        ];
        for (body, reason) in cases {
            let error = from_status("p", 400, body.as_bytes(), None).to_string();
            assert_eq!(error, format!("p refused the request (400): {reason}"));
        }
    }

    #[test]
    fn the_causes_that_somebody_can_mend_are_named() {
        use Refusal::{Account, Context, Filtered, Key, Missing, Request};
        // As the public references of OpenAI, Azure, Anthropic, Gemini, Mistral,
        // vLLM, llama.cpp and OpenRouter show them.
        let cases = [
            (
                400,
                r#"{"error": {"message": "This model's maximum context length is 8192 tokens.", "type": "invalid_request_error", "param": "messages", "code": "context_length_exceeded"}}"#,
                Context,
            ),
            (
                400,
                r#"{"error": {"message": "The response was filtered.", "code": "content_filter", "status": 400, "innererror": {"code": "ResponsibleAIPolicyViolation"}}}"#,
                Filtered,
            ),
            (
                400,
                r#"{"type": "error", "error": {"type": "invalid_request_error", "message": "prompt is too long: 210000 tokens > 200000 maximum"}}"#,
                Context,
            ),
            (
                400,
                r#"{"type": "error", "error": {"type": "invalid_request_error", "message": "Your credit balance is too low to access the Anthropic API."}}"#,
                Account,
            ),
            (
                401,
                r#"{"type": "error", "error": {"type": "authentication_error", "message": "invalid x-api-key"}}"#,
                Key,
            ),
            (
                400,
                r#"[{"error": {"code": 400, "message": "API key not valid. Please pass a valid API key.", "status": "INVALID_ARGUMENT"}}]"#,
                Key,
            ),
            (
                400,
                r#"{"object": "error", "message": "This model's maximum context length is 4096 tokens.", "type": "BadRequestError", "code": 400}"#,
                Context,
            ),
            (
                400,
                r#"{"error": {"code": 400, "message": "the request exceeds the available context size", "type": "exceed_context_size_error"}}"#,
                Context,
            ),
            (
                402,
                r#"{"error": {"code": 402, "message": "Insufficient credits"}}"#,
                Account,
            ),
            (
                429,
                r#"{"error": {"message": "You exceeded your current quota", "type": "insufficient_quota", "code": "insufficient_quota"}}"#,
                Account,
            ),
            (404, r#"{"error": "model 'x' not found"}"#, Missing),
            (
                422,
                r#"{"object": "error", "message": {"detail": []}, "type": "invalid_request_error"}"#,
                Request,
            ),
        ];
        for (status, body, expected) in cases {
            match from_status("p", status, body.as_bytes(), None) {
                ModelError::Rejected { why, .. } => assert_eq!(why, expected, "{body}"),
                other => panic!("{body}: {other:?}"),
            }
        }
    }

    #[test]
    fn an_error_with_a_good_status_keeps_its_code() {
        let rejected = from_document("p", &json!({"error": {"message": "m", "code": 404}}));
        assert!(matches!(rejected, ModelError::Rejected { status: 404, .. }));
        assert!(passing(&from_document(
            "p",
            &json!({"error": {"message": "m", "code": "odd"}})
        )));
        let quota = from_document(
            "p",
            &json!({"error": {"code": "insufficient_quota", "message": "m"}}),
        );
        assert!(matches!(quota, ModelError::Rejected { status: 429, .. }));
        let named = from_document(
            "p",
            &json!({"type": "error", "error": {"type": "invalid_request_error", "message": "m"}}),
        );
        assert!(matches!(named, ModelError::Rejected { status: 400, .. }));
        assert!(is_error(&json!({"error": "x"})) && is_error(&json!({"error": {"code": 1}})));
        assert!(!is_error(&json!({"error": null, "choices": []})) && !is_error(&json!([1])));
    }
}
