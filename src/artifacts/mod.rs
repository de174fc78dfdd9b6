//! Content-addressed values, on disk and in memory.
//!
//! A blob is named by the digest of its bytes. Small texts stay inline in the
//! journal ([`Content`](crate::domain::content::Content)); everything else is a blob in a [`store::Store`].

pub mod content;
pub mod disk;
pub mod store;
