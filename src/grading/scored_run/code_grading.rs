//! The grading of a run by code alone, as the card of a judge.

use crate::domain::sampling::Sampling;
use crate::engine::error::EngineError;
use crate::grading::scorecard::card::{CODE, Cost, JudgeCard, Scorecard};
use crate::grading::scorecard::judged::{Judging, Subject, by_code};
use crate::grading::scorecard::{earlier_scores, files};
use crate::scoring::aggregate::origin::Origin;

/// The checkpoints that code decides, with their files.
///
/// # Errors
/// A run that cannot be read, or a file that cannot be written.
pub async fn grade(
    subject: &Subject<'_>,
    judging: &Judging<'_>,
    card: &Scorecard,
) -> Result<JudgeCard, EngineError> {
    let stages = by_code(subject, judging).await?;
    let own = files::make_folder(&subject.run.folder, &files::folder_name(CODE))?;
    let origin = Origin::new(&card.run, &card.study, CODE);
    let (compat, corrected) = files::write_gradings(&own, &stages, origin)?;
    Ok(JudgeCard {
        judge: CODE.to_owned(),
        folder: files::folder_name(CODE),
        stages,
        compat,
        corrected,
        cost: Cost::default(),
        sampling: Sampling::default(),
        graded: Some(earlier_scores::state_of(subject.run)),
    })
}
