//! Ollama on one's own machine.

use crate::model::openai::quirks::PLAIN;
use crate::model::openai_interfaces;
use crate::model::providers::provider::Provider;

pub static OLLAMA: Provider = Provider {
    prefix: "ollama",
    base: Some("http://127.0.0.1:11434/v1"),
    base_variable: Some("OLLAMA_BASE_URL"),
    base_path: None,
    version_variables: &[],
    key_variable: "OLLAMA_API_KEY",
    needs_key: false,
    max_temperature: None,
    connect: |connection| openai_interfaces::with_bearer(connection, PLAIN),
};
