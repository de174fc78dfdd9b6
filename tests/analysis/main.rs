//! Statistics against independent implementations.

#[path = "../oracles/mod.rs"]
mod oracles;

mod criteria;
