//! One execution in a container of its own, and what is left of it after a crash.

mod base;
mod calls;
mod ending;
pub mod execute;
mod group;
mod life;
mod output;
pub mod owned;
pub mod passing;
mod place;
pub mod remove;
mod shape;
mod strays;
pub mod sweep;
mod user;
