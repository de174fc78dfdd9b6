//! Search engines: one trait, one file for each engine, and one transport that
//! bounds, repeats and keeps keys out of what is told.

pub mod anthropic;
pub mod brave;
pub mod contract;
pub mod endpoint;
pub mod name;
pub mod openai;
pub mod searxng;
pub mod tavily;
