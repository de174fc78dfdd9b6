//! Chat models: one trait, its providers, and the layers around them.

pub mod access;
pub mod anthropic;
pub mod attempt;
pub mod call_ids;
pub mod capabilities;
pub mod chat;
pub mod conformance;
pub mod efforts;
pub mod encoded;
pub mod exchange;
pub mod http;
pub mod key;
pub mod keyring;
pub mod layers;
pub mod name;
pub mod openai;
pub mod progress;
pub mod recording;
pub mod refusal;
pub mod refused;
pub mod response_schema;
pub mod responses;
pub mod served;
pub mod sse;
pub mod text_file;
pub mod tokens;
