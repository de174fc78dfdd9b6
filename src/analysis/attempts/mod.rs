//! Attempts of agents at tasks, as other harnesses keep them too: accuracy, reliability over repeats,
//! calibration, discrimination and saturation, as the analysis of CORE-Bench v1.1 defines them.

pub mod attempt;
pub mod calibration;
pub mod repricing;
pub mod saturation;
pub mod summary;
