//! Kubernetes as the engine of a bench: an indexed Job for each shape, an index for each cell.

#[cfg(feature = "kubernetes")]
pub mod cluster;
#[cfg(any(test, feature = "kubernetes"))]
pub mod index_states;
pub mod job;
pub mod place;

/// The way out where this program has no client of a cluster.
#[cfg(not(feature = "kubernetes"))]
pub const NOT_BUILT: &str =
    "this program was built without Kubernetes: build it with `--features kubernetes`";
