//! The repository itself: its rows and folders, its style, its licences, its generated schemas.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stdout)]

mod layering;
mod licences;
mod schemas;
mod style;
