//! Addresses: URLs, DOIs, records in repositories, and parts of records.
//!
//! Nothing is looked up here but the numbers of a host, by [`resolver`].

pub mod address;
pub mod identity;
mod pattern;
pub mod private;
pub mod record;
mod repositories;
pub mod resolver;
pub mod sites;
mod suffix_list;
mod table;
