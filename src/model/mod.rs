//! Chat models: one trait, its providers, and the layers around them.

pub mod attempt;
pub mod capabilities;
pub mod chat;
pub mod http;
pub mod key;
pub mod layers;
pub mod name;
pub mod openai;
pub mod recording;
