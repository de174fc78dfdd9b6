//! Sandboxes that code runs in: the [`Sandbox`](contract::Sandbox) trait and its back ends.

pub mod admission;
pub mod aliases;
pub mod beneath;
pub mod contract;
pub mod descriptors;
mod disk;
pub mod docker;
pub mod egress;
mod failure;
mod held_files;
pub mod in_use;
pub mod inside;
pub mod local;
mod opened;
mod ownership;
pub mod processor_share;
pub mod removal;
pub mod requirements;
pub mod session;
pub mod socket_folder;
mod supported;
mod uv_release;
