//! From declared packages to an image: resolved, written as a Dockerfile, built in layers.

pub mod base;
pub mod build;
mod compiling;
mod facts;
mod image_names;
mod layers;
mod log;
mod operator_settings;
pub mod owned;
pub mod packages;
pub mod plan;
mod probe;
mod redaction;
pub mod scripts;
mod steps;
mod stopped;
mod verdict;
