//! The live web against scripted servers on loopback, which the operator's
//! setting opens.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod checks;
mod downloads;
mod engines;
mod journeys;
mod pages;
mod server;
