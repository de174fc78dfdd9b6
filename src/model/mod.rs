//! Chat models: one trait, its providers, and the layers around them.

pub mod chat;
