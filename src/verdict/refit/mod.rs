//! The planned model fitted again on the data, and what its estimate and error say of a
//! result that code recorded.
//!
//! Nothing here trusts the analysis: the model is read from the plan, the rows come from
//! the data file, and another program than the agent's does the fit.

pub mod answer;
mod candidate;
mod clause;
mod coefficient;
pub mod compare;
pub mod conditions;
pub mod equation;
mod equation_reader;
mod equation_search;
mod equation_tokens;
pub mod errors;
pub mod family;
pub mod planned;
pub mod quick;
mod recorded_figures;
pub mod request;
