//! OpenAI.

use crate::model::openai::quirks::{PLAIN, Quirks};
use crate::model::openai_interfaces;
use crate::model::providers::provider::Provider;

pub const QUIRKS: Quirks = Quirks {
    output_limit: "max_completion_tokens",
    prompt_cache_key: true,
    ..PLAIN
};

pub static OPENAI: Provider = Provider {
    prefix: "openai",
    base: Some("https://api.openai.com/v1"),
    base_variable: Some("OPENAI_BASE_URL"),
    base_path: None,
    version_variables: &[],
    key_variable: "OPENAI_API_KEY",
    needs_key: true,
    max_temperature: None,
    connect: |connection| openai_interfaces::with_bearer(connection, QUIRKS),
};
