//! Pure decisions: whether an execution, a file change or a network call is
//! allowed, asked for or forbidden, and whether a limit has been reached.
//!
//! [`fixed`] holds the rules that nobody can lift; an [`approver::Approver`]
//! decides the rest. What is decided on is a [`subject::Subject`], and a
//! decision is good for that subject's digest ([`approval_digest`]) and no other.

pub mod approval_digest;
pub mod approver;
pub mod cap;
pub mod decision;
pub mod density;
pub mod diagnose;
pub mod estimate;
pub mod file;
pub mod fixed;
pub mod glob;
pub mod limits;
pub mod scope;
pub mod stata_log;
pub mod subject;
pub mod waiting;
