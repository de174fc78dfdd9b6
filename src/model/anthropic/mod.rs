//! Anthropic's Messages interface.
//!
//! It differs from chat completions in what a message is: roles alternate,
//! results of tools are part of the user's turn, and an answer is a list of
//! blocks. Long prompts are marked for the provider's cache.

pub mod answer;
pub mod assembly;
pub mod dialect;
pub mod request;
