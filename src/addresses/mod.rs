//! What an address is: a URL, a DOI, a record in a repository, or a part of one.
//!
//! Nothing is looked up here.

pub mod address;
mod dataverses;
pub mod identity;
pub mod record;
mod repositories;
pub mod sites;
