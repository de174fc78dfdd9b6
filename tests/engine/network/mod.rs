//! The live web against scripted servers on loopback, which the operator's
//! setting opens.

mod checks;
mod downloads;
mod engines;
mod journeys;
mod pages;
mod server;
