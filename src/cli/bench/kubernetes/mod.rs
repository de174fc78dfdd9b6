//! Kubernetes as the engine of a bench: an indexed Job for each shape, an index for each cell.

#[cfg(feature = "kubernetes")]
pub mod cluster;
#[cfg(not(feature = "kubernetes"))]
#[path = "no_cluster.rs"]
pub mod cluster;
#[cfg(any(test, feature = "kubernetes"))]
pub mod index_states;
pub mod job;
pub mod place;
