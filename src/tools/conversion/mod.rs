//! Files that no reader here understands, converted by the sandbox's own pandas or R.
//!
//! The file is not trusted and the libraries read it in memory-unsafe code, so
//! that the conversion runs confined and without a network. What comes out is
//! not trusted either, and is read by the readers of `documents`.

pub mod convert;
pub mod needs;
mod tables;
