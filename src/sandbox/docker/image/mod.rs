//! From declared packages to an image: resolved, written as a Dockerfile, built in layers.

pub mod build;
pub mod owned;
pub mod plan;
