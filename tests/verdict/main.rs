//! The verdict on numbers of every kind, and on numbers that do not fit.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod earlier;
mod incoherent;
mod kinds;
mod planned;
mod plans;
mod support;
