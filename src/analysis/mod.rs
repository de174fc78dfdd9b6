//! Statistics over findings and runs.

pub mod attempts;
pub mod bench;
pub mod capsule;
pub mod consistency;
pub mod differences;
pub mod parity;
pub mod statistics_table;
pub mod uplift;
