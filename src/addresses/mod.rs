//! Addresses: URLs, DOIs, records in repositories, and parts of records.
//!
//! Nothing is looked up here.

pub mod address;
mod dataverses;
pub mod identity;
pub mod record;
mod repositories;
pub mod sites;
