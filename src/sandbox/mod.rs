//! Where code runs: the [`Sandbox`](contract::Sandbox) trait and its back ends.

pub mod contract;
pub mod diagnose;
pub mod docker;
mod failure;
pub mod inside;
pub mod local;
mod opened;
mod ownership;
mod requirements;
