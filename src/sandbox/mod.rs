//! Where code runs: the [`Sandbox`](contract::Sandbox) trait and its back ends.

pub mod contract;
pub mod diagnose;
pub mod local;
