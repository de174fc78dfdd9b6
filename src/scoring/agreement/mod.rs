//! Agreement of two raters of the same items on an ordinal scale.
//!
//! Everything is computed from one table of counts, so that resampling whole
//! papers costs a sum of small tables.

pub mod bootstrap;
pub mod chance;
pub mod compared;
pub mod field_path;
pub mod gradings;
pub mod measures;
pub mod nominal;
pub mod rank;
pub mod sheet;
pub mod table;
