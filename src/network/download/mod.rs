//! Large files from an address that the user named: in pieces, over several attempts, whole at the
//! end or not there.

pub mod address;
pub mod bounds;
pub mod digest_list;
pub mod downloader;
pub mod error;
pub mod partial_file;
mod range;
