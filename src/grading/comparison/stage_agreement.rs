//! Agreement of two raters, stage by stage.

use std::collections::BTreeMap;

use crate::grading::discovery::parallel_map::parallel_map;
use crate::scoring::aggregate::grading::GradedStage;
use crate::scoring::agreement::compared::{Compared, Resampling};
use crate::scoring::agreement::table::Rating;

/// Compares the marks of each stage; `highest` is the best mark of files that are no
/// stage's. Stages and marks that could not be compared are named in `problems`.
pub fn compare(
    stages: BTreeMap<String, Vec<Rating>>,
    highest: Option<u8>,
    resampling: Resampling,
    problems: &mut Vec<String>,
) -> Vec<Compared> {
    let stages: Vec<_> = stages.into_iter().collect();
    let outcomes = parallel_map(&stages, |(stage, ratings)| {
        let categories = categories(stage, ratings, highest);
        (
            categories,
            Compared::measure(stage, ratings, categories, resampling),
        )
    });
    let mut compared = Vec::new();
    for ((stage, _), (categories, outcome)) in stages.iter().zip(outcomes) {
        match outcome {
            Ok((one, off)) => {
                compared.push(one);
                if off > 0 {
                    let way_out = match GradedStage::all().any(|known| known.name() == stage) {
                        true => "",
                        false => "; `--highest` sets another end of the scale",
                    };
                    problems.push(format!(
                        "{stage}: {off} items have a mark above {} and are left out{way_out}.",
                        categories - 1
                    ));
                }
            }
            Err(problem) => problems.push(format!("{stage}: {problem}")),
        }
    }
    compared
}

/// 0 and 1 of checkpoints, 0 to 3 of fields; of other files 0 to what the
/// command line says, or the one of these that their marks fit.
fn categories(stage: &str, ratings: &[Rating], highest: Option<u8>) -> usize {
    let graded = GradedStage::all().find(|one| one.name() == stage);
    match graded {
        Some(GradedStage::Execute) => 2,
        Some(_) => 4,
        None => {
            let marks = ratings.iter().flat_map(|one| [one.judge, one.human]).flatten();
            let fitting = if marks.max() <= Some(1) { 1 } else { 3 };
            usize::from(highest.unwrap_or(fitting)) + 1
        }
    }
}
