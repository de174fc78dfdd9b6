//! The scores of one run.

use serde::{Deserialize, Serialize};

use crate::domain::digest::Digest;
use crate::domain::finding::Finding;
use crate::domain::sampling::Sampling;
use crate::domain::usage::{MicroDollars, Usage, is_zero};
use crate::domain::verdict::Outcome;
use crate::grading::criteria::scale::ScaleRelation;
use crate::grading::criteria::table::Criteria;
use crate::grading::judge::grade::{Figures, Grading};
use crate::grading::judge::mark::Mark;
use crate::grading::score_line::{Headline, ScoreLine};
use crate::scoring::aggregate::grading::GradedStage;
use crate::scoring::aggregate::summary::{Summary, mean};
use crate::scoring::agreement::measures::Agreement;
use crate::scoring::outcome::Label;

/// The format's name and version.
pub const FORMAT: &str = "reprise-scores/1";

/// The name of what code decides, among the judges.
pub const CODE: &str = "code";

/// Everything that is known of how well a run did.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Scorecard {
    pub format: String,
    pub run: String,
    pub study: String,
    pub title: String,
    pub model: String,
    /// `python`, `native` or `data-only`.
    pub setting: String,
    /// The scores that code decides, without any judge.
    pub headlines: Vec<Headline>,
    pub scores: Vec<ScoreLine>,
    pub outcome: OutcomeCard,
    pub judges: Vec<JudgeCard>,
    /// Agreement between each two judges, over the fields that both judged.
    pub between: Vec<Between>,
    pub original: Option<Finding>,
    pub replication: Option<Finding>,
    pub scale: ScaleRelation,
    pub criteria: Option<Criteria>,
    pub warnings: Vec<String>,
    #[serde(default)]
    pub circumstances: RunConditions,
}

/// Under which conditions a run was made, and what its verdict can be held against.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct RunConditions {
    /// Why the run has no verdict that could be right or wrong, with the way
    /// out; `None` where it has ended, well or by the agent's own failure.
    pub unfinished: Option<String>,
    /// Why there is no label, as part of a sentence; `None` with one.
    pub no_label: Option<String>,
    /// The sandbox that was asked for.
    pub sandbox: String,
    /// How the model draws its answers, where that was asked for.
    pub drawing: String,
}

/// The verdict beside the label.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct OutcomeCard {
    /// `None`: the run has no verdict, or none that counts.
    pub verdict: Option<Outcome>,
    pub reason: Option<String>,
    /// The agent's own conclusion, as an outcome.
    pub agent: Option<Outcome>,
    /// `None`: the study has no label.
    pub label: Option<Label>,
    /// True if verdict and label agree; an undecided verdict is wrong. `None` without a
    /// label, and of a run that has not ended.
    pub right: Option<bool>,
}

/// The marks of one judge for a run; the judge `code` is the checkpoints alone.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct JudgeCard {
    pub judge: String,
    /// The folder of its files, below the run's.
    pub folder: String,
    pub stages: Vec<StageCard>,
    /// The released aggregation of its files, quirks included.
    pub compat: Summary,
    /// The same without the quirks.
    pub corrected: Summary,
    pub cost: Cost,
    /// The settings that the judge was told besides its questions.
    #[serde(default)]
    pub sampling: Sampling,
    /// Digest over the stages' answers that were graded.
    #[serde(default)]
    pub graded: Option<Digest>,
}

/// The calls of a judge, and their cost.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Cost {
    /// Calls that were answered.
    pub calls: u64,
    /// Calls that failed.
    #[serde(default)]
    pub failed: u64,
    /// Why the first of them failed.
    #[serde(default)]
    pub fault: Option<String>,
    /// Calls that were not made, since they could have gone beyond a cap.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub refused: u64,
    pub usage: Usage,
    pub money: Option<MicroDollars>,
}

/// One stage by one judge.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct StageCard {
    pub stage: GradedStage,
    /// The marks that may be given, such as `0 or 3`; scores by other marks are
    /// another figure. Empty in files that do not say.
    #[serde(default)]
    pub scale: String,
    /// Why nothing was graded, where nothing was.
    pub unscored: Option<String>,
    /// One a reference; the released files hold the first.
    pub against: Vec<Against>,
    /// The highest score over the references, and which it is.
    pub best: Option<(String, f64)>,
    /// Mean of the scores over the references.
    pub mean: Option<f64>,
    /// The score of a document that says `not stated` everywhere; the mean over the references.
    pub floor: Option<f64>,
    /// The score that people reach among themselves, each reference held against the others;
    /// the mean over all such pairs.
    pub ceiling: Option<f64>,
    pub notes: Vec<String>,
}

/// A grading with what it comes to.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Against {
    pub reference: String,
    pub figures: Figures,
    /// The score against this reference of the document that states nothing.
    #[serde(default)]
    pub floor: Option<f64>,
    /// The mean score of the other references against this one.
    #[serde(default)]
    pub ceiling: Option<f64>,
    pub grading: Grading,
}

/// Two judges of one run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Between {
    pub first: String,
    pub second: String,
    pub stage: GradedStage,
    pub agreement: Agreement,
}

impl JudgeCard {
    /// True if it was asked and none of its calls was answered.
    pub fn is_silent(&self) -> bool {
        self.cost.calls == 0 && self.cost.failed > 0
    }
}

impl StageCard {
    /// A stage that could not be graded.
    pub fn unscored(stage: GradedStage, why: impl Into<String>) -> Self {
        Self {
            stage,
            scale: String::new(),
            unscored: Some(why.into()),
            against: Vec::new(),
            best: None,
            mean: None,
            floor: None,
            ceiling: None,
            notes: Vec::new(),
        }
    }

    /// A stage graded against one reference or several.
    pub fn graded(stage: GradedStage, gradings: Vec<Grading>) -> Self {
        let against: Vec<Against> = gradings
            .into_iter()
            .map(|grading| Against {
                reference: grading.reference.clone(),
                figures: grading.figures(),
                floor: None,
                ceiling: None,
                grading,
            })
            .collect();
        let scored = || {
            against
                .iter()
                .filter_map(|one| Some((one.reference.clone(), one.figures.score?)))
        };
        let best = scored().reduce(|best, next| if next.1 > best.1 { next } else { best });
        let scores: Vec<f64> = scored().map(|(_, score)| score).collect();
        Self {
            stage,
            scale: String::new(),
            unscored: None,
            best,
            mean: mean(&scores),
            floor: None,
            ceiling: None,
            notes: halves(&against).into_iter().collect(),
            against,
        }
    }

    /// With the floor against each reference, in their order.
    pub fn set_floors(&mut self, floors: &[Option<f64>]) {
        for (one, floor) in self.against.iter_mut().zip(floors) {
            one.floor = *floor;
        }
        self.floor = mean(&floors.iter().copied().flatten().collect::<Vec<_>>());
    }

    /// The stage's name where scores stand beside one another: with its
    /// marks, where its rubric has several scales.
    pub fn label(&self) -> String {
        match self.stage {
            GradedStage::Design if !self.scale.is_empty() => format!("{}, marks {}", self.stage, self.scale),
            _ => self.stage.to_string(),
        }
    }

    /// The figures against the first reference.
    pub fn figures(&self) -> Option<&Figures> {
        self.against.first().map(|one| &one.figures)
    }
}

/// A note about fields between two marks.
fn halves(against: &[Against]) -> Option<String> {
    let fields = against.iter().flat_map(|one| &one.grading.fields);
    let count = fields.filter(|field| matches!(field.mark, Mark::Half(_))).count();
    let (are, they) = if count == 1 {
        ("field lies", "it counts")
    } else {
        ("fields lie", "they count")
    };
    (count > 0).then(|| {
        format!(
            "{count} {are} half-way between two marks, since the gradings of a field were even in number: {they} so in \
             the score, and not in the agreement between judges. An odd `--repeats` has a middle one."
        )
    })
}
