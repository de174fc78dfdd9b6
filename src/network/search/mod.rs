//! Search engines: one file for the dialect of each, and one transport that
//! bounds, repeats and keeps keys out of what is told.

pub mod anthropic;
pub mod brave;
pub mod contract;
pub mod endpoint;
pub mod engine;
pub mod fault;
pub mod name;
pub mod openai;
pub mod searxng;
pub mod tavily;
