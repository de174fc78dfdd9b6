//! Requests, a scripted provider on loopback, and models that do what they are told.

pub mod dialects;
pub mod faulty;
pub mod requests;
pub mod server;
