//! Time that people take with an agent and without one.

pub mod cluster_robust;
pub mod estimate;
pub mod session;
pub mod symmetric;
