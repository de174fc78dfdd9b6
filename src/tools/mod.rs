//! What an agent can do: one file per tool, a registry, and the gate before acting.

pub mod contract;
pub mod workspace;
