//! Statistics over findings and runs.

pub mod consistency;
pub mod criteria;
pub mod differences;
pub mod intervals;
pub mod parity;
