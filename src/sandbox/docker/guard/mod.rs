//! A process beside the engine that ends its containers when the engine cannot.
//!
//! A daemon runs a container on, whoever made it. The guard reads on a pipe which containers
//! run, and for how long they may; when the pipe closes, since the engine is gone, or when a
//! container's time has long passed, it kills them. The container itself stays, to be removed
//! by the sweep that gives back what was lent to it.

pub mod container_guard;
pub mod entry;
mod order;
