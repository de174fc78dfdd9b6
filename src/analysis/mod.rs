//! Statistics over findings and runs.

pub mod capsule;
pub mod consistency;
pub mod differences;
pub mod parity;
pub mod statistics_table;
