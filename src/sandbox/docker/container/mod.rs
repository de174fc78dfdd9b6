//! One execution in a container of its own, and what is left of it after a crash.

mod base;
mod ending;
pub mod ephemeral;
pub mod execute;
pub mod hardening;
mod memory_cgroup;
mod mounts;
mod orphans;
mod output;
mod overlay_volume;
pub mod owned;
pub mod remove;
mod seccomp;
mod spec;
pub mod supervise;
pub mod sweep;
pub mod taken_up;
mod user;
