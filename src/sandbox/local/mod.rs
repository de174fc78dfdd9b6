//! The sandbox of a machine without containers: Linux namespaces where they are
//! allowed, Landlock and seccomp where they are not, and never nothing.
//!
//! Three processes take part. The engine starts its own binary again as the
//! *outer* helper, which makes the namespaces, watches the control socket and
//! ends the tree when the socket closes, so that a killed engine leaves nothing
//! behind. The outer helper starts the *inner* one, which confines itself for
//! good and then runs the command. All of them are single-threaded, which is
//! what lets them unshare and set credentials without unsafe code; only the outer one of a
//! build starts threads, after it has left the host's network, that lead to the engine's proxy.

mod beneath_trial;
mod bind_mounts;
mod build;
mod build_network;
mod bytecode;
mod cgroup;
mod empty_environment;
mod entry_imports;
mod execute;
pub mod helper;
mod install;
mod installed;
mod interpreter;
pub mod languages;
mod operator_pip;
mod output;
mod policy;
mod python_fetch;
mod python_releases;
mod r_versions;
pub mod sandbox;
mod scratch;
pub mod settings;
pub mod shared;
mod step;
pub mod stopped;
mod supervise;
mod tree;
mod uv;
mod uv_fetch;
mod uv_install;
mod uv_settings;
