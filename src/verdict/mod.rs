//! From numbers to a verdict: the focal number and where it was printed, whether
//! the numbers fit together, the published criteria, and what the registered
//! rule says.

pub mod additive;
pub mod bounds;
pub mod candidates;
pub mod claimed;
pub mod coherence;
pub mod common_scale;
pub mod condition;
pub mod contrary_evidence;
mod correlation_size;
pub mod criteria;
pub mod decide;
pub mod deciding_p;
pub mod departure;
pub mod derive;
pub mod derived;
mod derived_error;
mod derived_test;
pub mod deviation;
pub mod deviation_kind;
pub mod earlier;
pub mod figure;
pub mod focal;
pub mod imputation;
pub mod judged;
pub mod numerical_agreement;
pub mod omnibus_tests;
pub mod one_scale;
pub mod pattern;
pub mod plan_words;
pub mod planned_model;
pub mod printed;
pub mod printed_findings;
pub mod probe;
pub mod readings;
mod recorder_line;
pub mod refit;
pub mod term;
mod term_spelling;
pub mod trace;
pub mod unnamed_ratio;
pub mod variant;
pub mod variant_deviation;
pub mod whole;
