//! Agents of others in the cache: fetched once, by version and digest, and shown to sandboxes read-only.

pub mod add;
pub mod archives;
mod bytecode;
pub mod error;
mod fill;
pub mod installed;
mod wheel;
