//! Baselines that are still to be graded.

use crate::grading::judge::sheet::Sheet;
use crate::scoring::aggregate::grading::GradedStage;
use crate::study::gold::PostRegistration;

/// A baseline that only the judge can measure.
pub(super) enum BaselineRequest<'a> {
    /// The score of a document that says `not stated` everywhere.
    Floor {
        stage: GradedStage,
        silent: Sheet,
        /// The reference's name and text.
        name: String,
        text: String,
    },
    /// The score of each reference extraction against the others.
    Ceiling { references: Vec<&'a PostRegistration> },
}
