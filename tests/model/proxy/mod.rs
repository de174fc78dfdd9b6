//! The proxy between a program and a provider, both on loopback.

mod admission;
mod client;
mod engine;
mod faults;
mod forwards;
mod resends;
mod rig;
mod spending;
