//! The re-executed binary: it confines itself and then runs the command.
//!
//! The binary calls [`entry::main`] when its first argument is
//! [`tell::ARGUMENT`], before anything starts a thread.

pub mod entry;
mod fault;
mod inner;
mod landlock;
mod launch;
mod limits;
mod namespaces;
mod outer;
mod privileges;
pub mod relay;
mod root;
mod seccomp;
mod system;
pub mod tell;
