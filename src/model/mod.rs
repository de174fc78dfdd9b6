//! Chat models: one trait, its providers, and the layers around them.

pub mod attempt;
pub mod chat;
pub mod key;
pub mod name;
pub mod recording;
