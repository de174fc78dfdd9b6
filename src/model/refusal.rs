//! Refusals of a provider: requests that no other attempt can save.

/// How servers without a code for it say that a conversation is too long.
const CONTEXT: [&str; 7] = [
    "context length",
    "context window",
    "context size",
    "context limit",
    "prompt is too long",
    "input is too long",
    "input token count",
];

/// The reason for which a request is turned down for good.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Refusal {
    /// The key is wrong, has expired, or may not do this.
    Key,
    /// The account has no money or no quota left.
    Account,
    /// There is no such model, or no such address.
    Missing,
    /// The conversation is longer than the model takes.
    Context,
    /// A filter of the provider's turned the text down.
    Filtered,
    /// Anything else that is wrong with the request.
    Request,
}

impl Refusal {
    /// What an error adds to the provider's own words: the cause and the way out.
    pub fn remark(self) -> &'static str {
        match self {
            Self::Key => ". The key is wrong, has expired or may not do this: set another one",
            Self::Account => ". The account has no credit or quota left: top it up, or choose another model",
            Self::Context => {
                ". The conversation is longer than the model takes: choose one with a larger context"
            }
            Self::Filtered => ". A content filter of the provider's turned the text down",
            Self::Missing | Self::Request => "",
        }
    }

    /// By the status, the provider's code for the error and its message.
    pub fn from_answer(status: u16, code: &str, message: &str) -> Self {
        let message = message.to_ascii_lowercase();
        let says = |parts: &[&str]| parts.iter().any(|part| message.contains(part));
        match (status, code) {
            (_, "insufficient_quota" | "billing_hard_limit_reached" | "billing_error") | (402, _) => {
                Self::Account
            }
            (_, "content_filter" | "content_policy_violation" | "ResponsibleAIPolicyViolation") => {
                Self::Filtered
            }
            (_, "context_length_exceeded" | "exceed_context_size_error") => Self::Context,
            (401 | 403, _) | (_, "invalid_api_key" | "authentication_error") => Self::Key,
            (404, _) | (_, "model_not_found") => Self::Missing,
            (400 | 413 | 422, _) if says(&CONTEXT) => Self::Context,
            (400, _) if says(&["credit balance is too low"]) => Self::Account,
            (400, _) if says(&["api key not valid", "api key expired", "invalid api key"]) => Self::Key,
            _ => Self::Request,
        }
    }
}
