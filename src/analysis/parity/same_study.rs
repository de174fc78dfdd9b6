//! The check that two runs are of one study.

use crate::run::event::RunStarted;

/// Two runs of different studies.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "the runs are of two studies, `{first}` and `{second}`: neither their inputs nor their claims are the same; \
     compare two runs of one study"
)]
pub struct TwoStudies {
    pub first: String,
    pub second: String,
}

/// Checks that two runs have the same inputs, or at least test the same claim.
///
/// A study whose data were corrected in between is still one study; that its
/// data differ is then found by [`super::data::given_otherwise`].
///
/// # Errors
/// Two runs of different studies and claims.
pub fn check(first: &RunStarted, second: &RunStarted) -> Result<(), TwoStudies> {
    let words = |text: &str| text.split_whitespace().map(ToOwned::to_owned).collect::<Vec<_>>();
    let claim = |run: &RunStarted| words(&run.claim.statement);
    if first.study_digest == second.study_digest || claim(first) == claim(second) {
        return Ok(());
    }
    Err(TwoStudies {
        first: first.study.clone(),
        second: second.study.clone(),
    })
}
