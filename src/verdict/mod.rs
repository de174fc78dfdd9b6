//! From numbers to a verdict: the focal number and where it was printed, whether
//! the numbers fit together, the published criteria, and what the registered
//! rule says.

pub mod coherence;
pub mod criteria;
pub mod focal;
pub mod trace;
