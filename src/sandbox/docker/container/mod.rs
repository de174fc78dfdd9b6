//! One execution in a container of its own, and what is left of it after a crash.

mod base;
mod calls;
mod ending;
pub mod execute;
mod life;
mod output;
pub mod owned;
mod place;
pub mod remove;
mod shape;
pub mod sweep;
mod user;
