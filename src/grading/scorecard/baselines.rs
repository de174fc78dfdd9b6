//! The baselines beside a score: a document that says nothing, and people among
//! themselves.

use crate::catalog::rubrics::definition::Rubric;
use crate::engine::error::EngineError;
use crate::grading::judge::grade::Grading;
use crate::grading::judge::mark::Mark;
use crate::grading::judge::question::JudgeLine;
use crate::grading::judge::sheet;
use crate::scoring::aggregate::grading::GradedStage;
use crate::scoring::aggregate::summary::mean;
use crate::study::gold::PostRegistration;

use crate::grading::scorecard::card::StageCard;
use crate::grading::scorecard::judged::{Marking, Repeats, marked};
use crate::grading::scorecard::wanted::BaselineRequest;

impl BaselineRequest<'_> {
    pub(super) fn stage(&self) -> GradedStage {
        match self {
            Self::Floor { stage, .. } => *stage,
            Self::Ceiling { .. } => GradedStage::Extract,
        }
    }

    /// The words in the place of a baseline that was not wanted.
    pub(super) fn not_asked_for(&self) -> String {
        let what = match self {
            Self::Floor { stage, .. } => format!("The floor of {stage}"),
            Self::Ceiling { .. } => "What the references reach among themselves".to_owned(),
        };
        format!("{what} was not asked for: score without `--no-baselines` to have it.")
    }

    /// Measures it, or says in the card why it could not be.
    ///
    /// # Errors
    /// A rubric that cannot be rendered.
    pub(super) async fn measure(
        &self,
        line: &mut JudgeLine<'_>,
        rubric: &Rubric,
        claim: &str,
        card: &mut StageCard,
    ) -> Result<(), EngineError> {
        match self {
            Self::Floor {
                stage,
                silent,
                name,
                text,
            } => {
                let marking = Marking {
                    stage: *stage,
                    rubric,
                    claim,
                    reference: name,
                    text,
                    repeats: Repeats::ONE,
                };
                let floor = marked(line, marking, silent).await?;
                card.set_floors(&[floor.figures().score]);
                card.notes.extend(
                    why_not(&floor).map(|why| format!("The floor of {stage} could not be measured: {why}")),
                );
            }
            Self::Ceiling { references } => ceiling(line, references, rubric, claim, card).await?,
        }
        Ok(())
    }
}

/// Each reference held against each other one, as a document would be.
async fn ceiling(
    line: &mut JudgeLine<'_>,
    references: &[&PostRegistration],
    rubric: &Rubric,
    claim: &str,
    card: &mut StageCard,
) -> Result<(), EngineError> {
    let mut scores: Vec<(&str, f64)> = Vec::new();
    for (out, document) in references.iter().enumerate() {
        for (_, other) in references.iter().enumerate().filter(|(at, _)| *at != out) {
            let sheet = sheet::extraction(&document.value, &other.value, rubric.highest());
            let marking = Marking {
                stage: GradedStage::Extract,
                rubric,
                claim,
                reference: &other.file,
                text: "",
                repeats: Repeats::ONE,
            };
            let grading = marked(line, marking, &sheet).await?;
            // A mean over some pairs would be another ceiling with each that fails.
            if let Some(why) = why_not(&grading) {
                card.notes.push(format!(
                    "What the references reach among themselves could not be measured: {why}"
                ));
                return Ok(());
            }
            scores.extend(grading.figures().score.map(|score| (other.file.as_str(), score)));
        }
    }
    let of = |keep: &dyn Fn(&str) -> bool| {
        let kept = scores.iter().filter(|(file, _)| keep(file));
        mean(&kept.map(|(_, score)| *score).collect::<Vec<_>>())
    };
    card.ceiling = of(&|_| true);
    for one in &mut card.against {
        one.ceiling = of(&|file| file == one.reference);
    }
    Ok(())
}

/// Why a grading is not whole: the first sentence, which names the cause.
fn why_not(grading: &Grading) -> Option<String> {
    let field = grading.fields.iter().find(|field| field.mark == Mark::Unscored)?;
    let why = &field.given.first()?.explanation;
    let end = why.find(". ").map_or(why.len(), |at| at + 1);
    why.get(..end).map(str::to_owned)
}
