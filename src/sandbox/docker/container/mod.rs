//! One execution in a container of its own, and what is left of it after a crash.

mod base;
mod calls;
pub mod confined;
mod ending;
pub mod ephemeral;
pub mod execute;
mod group;
mod orphans;
mod output;
pub mod owned;
mod place;
pub mod remove;
mod spec;
pub mod supervise;
pub mod sweep;
mod user;
