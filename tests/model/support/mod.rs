//! Requests, and models that do what a test tells them.

pub mod requests;
