//! Chat completions, as OpenAI and everything compatible with it speak them.
//!
//! The calls go through `async-openai` with types of our own: requests are
//! written straight from the conversation, and answers are read leniently. The
//! transport below it is ours as well: it holds the time budget and the size
//! cap, keeps status and body of an error, and never retries.

pub mod answer;
pub mod assembly;
pub mod client;
pub mod endpoint;
mod messages;
pub mod request;
pub mod settings;
pub mod transport;
