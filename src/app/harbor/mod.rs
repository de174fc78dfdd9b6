//! Capsules as task folders of Harbor, for other harnesses: the agent's image without answers, and a verifier of its
//! own that holds them.

mod dockerfile;
pub mod error;
pub mod export;
mod task_toml;
