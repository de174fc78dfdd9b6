//! The result of fitting the planned model again.

use serde::{Deserialize, Serialize};

/// A recorded result compared with the planned model, fitted again on the data.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "outcome", rename_all = "snake_case")]
pub enum Refit {
    /// Estimate and error are the recorded ones.
    Agrees {
        #[serde(flatten)]
        fit: RefitNumbers,
        /// Whether the standard error agrees too, of a coefficient whose sign cannot be another.
        is_whole: bool,
        /// What is different all the same, such as the units; a sentence.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        note: Option<String>,
    },
    /// They are others.
    Differs {
        #[serde(flatten)]
        fit: RefitNumbers,
        /// One sentence with both numbers, without its full stop.
        detail: String,
        /// Whether the verdict could be another one for it.
        decides: bool,
    },
    /// Nothing was fitted again.
    NotMade {
        /// The reason, without its full stop.
        why: String,
    },
}

/// The focal coefficient of a model that was fitted again.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RefitNumbers {
    /// The family of the model.
    pub model: String,
    /// The kind of standard errors and its member, such as `robust (HC1)`.
    pub errors: String,
    pub estimate: f64,
    pub standard_error: f64,
    /// Rows that were used.
    pub n: u64,
}

impl Refit {
    /// The sentence for a report.
    pub fn sentence(&self) -> String {
        match self {
            Self::Agrees { fit, note, .. } => {
                let note = note.iter().map(|note| format!(" {note}"));
                format!(
                    "The planned model, fitted again on {} rows of the data by another program ({}, {} errors), gives the \
                     recorded result.{}",
                    fit.n,
                    fit.model,
                    fit.errors,
                    note.collect::<String>()
                )
            }
            Self::Differs { detail, .. } => format!("{detail}."),
            Self::NotMade { why } => format!("The planned model was not fitted again: {why}."),
        }
    }
}
