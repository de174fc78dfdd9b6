//! Statistics against independent implementations.

#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stdout, reason = "tests")]

#[path = "../oracles/mod.rs"]
mod oracles;

mod bounds;
mod consistency;
mod criteria;
mod decisions;
mod degrees;
mod flags;
mod no_effect;
mod primary;
mod registered;
