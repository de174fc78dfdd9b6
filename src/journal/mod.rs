//! The append-only log of a run: line format, writer, reader, lock; claims of cells across machines.
//!
//! One JSON object a line. Each line carries the check sum of the line before
//! it and its own, so that damage and missing lines are found, and a torn last
//! line is told apart from damage.

pub mod claim;
pub mod disk;
pub mod dying;
pub mod holder;
pub mod lease;
pub mod line;
pub mod lock;
pub mod log;
pub mod read;
pub mod signature;
