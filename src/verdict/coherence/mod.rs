//! Coherence of reported statistics, within the rounding of what is printed.
//!
//! As statcheck does (Nuijten et al. 2016, Behavior Research Methods 48), p is
//! recomputed from a statistic and its degrees of freedom; intervals, standard
//! errors and p-values are compared with one another; and means of whole
//! answers are put to the GRIM test (Brown and Heathers 2017, Social
//! Psychological and Personality Science 8). Every printed number stands for
//! the range that rounds to it, and only what no value of these ranges can
//! explain is flagged.

pub mod check;
pub mod grim;
pub mod interval;
pub mod number_range;
pub mod parse;
pub mod recompute;
pub mod reported;
pub mod row;
