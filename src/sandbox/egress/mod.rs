//! The way out of a sandbox: a proxy of the engine's, for a few hosts.

pub mod allowed;
pub mod dated_page;
pub mod index_client;
pub mod index_gate;
pub mod proxy;
pub mod traffic;
pub mod upstream;
