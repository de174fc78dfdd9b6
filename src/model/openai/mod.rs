//! Chat completions, as OpenAI and everything compatible with it speak them.
//!
//! Requests are written straight from the conversation, and answers are read
//! leniently.

pub mod answer;
pub mod assembly;
pub mod dialect;
pub mod endpoint;
pub mod messages;
pub mod quirks;
pub mod request;
