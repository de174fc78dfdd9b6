//! Parity of two runs of one study, such as a study's own script and its translation.
//!
//! The same sign and the same verdict do not show it: the ReplicatorBench paper
//! (figure 6) has a translation that read another file of a similar name. So
//! findings are paired, their numbers and N compared, and the data files that
//! stand behind the numbers are taken from the record of what was opened.

pub mod align;
pub mod comparison;
pub mod data;
pub mod names;
pub mod pair;
pub mod parting;
pub mod printed;
pub mod reason;
pub mod same_study;
pub mod used;
