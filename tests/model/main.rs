//! The models and the layers around them, seen from outside.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod answer_cache;
mod anthropic;
mod concurrency;
mod cost;
mod faults;
mod many;
mod openai;
mod oracle;
mod providers;
mod proxy;
mod recorded;
mod responses;
mod retry;
mod sampling;
mod secrets;
mod splits;
mod stack;
mod streaming;
mod support;
mod thoughts;
