//! Scores against released data and independent implementations.

#[path = "../oracles/mod.rs"]
mod oracles;
mod shared;

mod fields;
