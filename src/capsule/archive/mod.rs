//! Archives of capsules: unpacked within limits, into one folder that nothing leads out of.
//!
//! An entry's name that climbs and a device refuse the archive. Whatever else cannot be kept (a
//! link that leads out, a pipe, an entry behind one that stands in its way) is left out and named.

mod entry_path;
pub mod error;
mod header;
pub mod left_out;
pub mod limits;
mod links;
mod meter;
mod partial_folder;
pub mod progress;
pub mod source;
#[cfg(test)]
mod tests;
mod tree;
pub mod tree_digest;
pub mod unpack;
