//! Averages of what one judge's gradings come to, over runs of one setting and model.

use std::collections::BTreeMap;

use crate::grading::discovery::graded_folder::GradedFolder;
use crate::scoring::aggregate::summary::{Summary, mean};

/// The stages of an average; the execution's two halves are its own and count as one too.
pub const STAGES: [&str; 6] = [
    "extract",
    "design",
    "execute_design",
    "execute_execute",
    "execute",
    "interpret",
];

/// A mean over some gradings.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct StageMean {
    pub mean: Option<f64>,
    pub n: usize,
}

/// The means of a group that the released arithmetic gives.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ReleasedMeans {
    /// Over the gradings that the corrected arithmetic scores.
    pub same: StageMean,
    /// Over all that it scores itself.
    pub all: StageMean,
}

/// One stage of a group.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct StageAverage {
    pub mean: StageMean,
    /// Where the gradings were corrected.
    pub released: Option<ReleasedMeans>,
}

/// The gradings over which one average is taken.
#[derive(Debug)]
pub struct GradingGroup<'a> {
    pub name: &'a str,
    pub members: Vec<&'a GradedFolder>,
}

impl StageMean {
    fn from_scores(scores: impl Iterator<Item = f64>) -> Self {
        let scores: Vec<f64> = scores.collect();
        Self {
            mean: mean(&scores),
            n: scores.len(),
        }
    }
}

impl StageAverage {
    /// Gradings that the released arithmetic scores and the corrected one refuses.
    pub fn refused(&self) -> usize {
        self.released.map_or(0, |means| means.all.n - means.same.n)
    }
}

impl GradingGroup<'_> {
    /// The average of one of [`STAGES`].
    pub fn stage(&self, name: &str) -> StageAverage {
        let members = &self.members;
        let scored = |one: &&&GradedFolder| one.summary.score(name).is_some();
        let released =
            |one: &&GradedFolder| one.as_released.as_ref().and_then(|all: &Summary| all.score(name));
        let is_corrected = members.iter().any(|one| one.as_released.is_some());
        StageAverage {
            mean: StageMean::from_scores(members.iter().filter_map(|one| one.summary.score(name))),
            released: is_corrected.then(|| ReleasedMeans {
                same: StageMean::from_scores(members.iter().filter(scored).filter_map(released)),
                all: StageMean::from_scores(members.iter().filter_map(released)),
            }),
        }
    }
}

/// The groups by name.
pub fn groups(graded: &[GradedFolder]) -> Vec<GradingGroup<'_>> {
    let mut groups: BTreeMap<&str, Vec<&GradedFolder>> = BTreeMap::new();
    for one in graded {
        groups.entry(&one.group).or_default().push(one);
    }
    let groups = groups.into_iter();
    groups
        .map(|(name, members)| GradingGroup { name, members })
        .collect()
}
