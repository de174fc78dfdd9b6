//! Landmarks, in what is looked at by each mode.

use crate::notebook::history::step::{NotebookStep, StepBy};
use crate::scoring::released::notebook::landmarks::flattened;
use crate::scoring::released::notebook::pattern::PythonPattern;

use super::metric::{MetricScore, Unscored};

/// The share of landmarks that some observation holds; by `own_alone` only cells of the agent are
/// looked at, and landmarks that were reached before its turn are left out.
pub(super) fn landmarks(patterns: &[String], steps: &[NotebookStep], own_alone: bool) -> MetricScore {
    if patterns.is_empty() {
        return MetricScore::Unscored(Unscored::NoLandmarks);
    }
    let is_cell = |step: &&NotebookStep| {
        !own_alone
            || matches!(
                step.action.as_deref(),
                Some("execute" | "continue_wait" | "interrupt")
            )
    };
    let (before, own): (Vec<&NotebookStep>, Vec<&NotebookStep>) = steps
        .iter()
        .partition(|step| own_alone && step.by == StepBy::Task);
    let flat = |steps: Vec<&NotebookStep>| -> Vec<String> {
        steps
            .into_iter()
            .map(|step| flattened(&step.observation))
            .collect()
    };
    let before = flat(before);
    let own = flat(own.into_iter().filter(is_cell).collect());
    let (mut hits, mut of) = (0_usize, 0_usize);
    for (place, pattern) in patterns.iter().enumerate() {
        let untold = |why: String| {
            MetricScore::Unscored(Unscored::LandmarkUntold(format!("landmark {}: {why}", place + 1)))
        };
        let pattern = match PythonPattern::new(pattern) {
            Ok(pattern) => pattern,
            Err(fault) => return untold(fault.to_string()),
        };
        let is_in = |texts: &[String]| {
            for text in texts {
                if pattern.is_found(text)? {
                    return Ok(true);
                }
            }
            Ok::<_, crate::scoring::released::notebook::pattern::GaveUp>(false)
        };
        match is_in(&before) {
            Ok(true) => continue,
            Ok(false) => of += 1,
            Err(gave_up) => return untold(gave_up.to_string()),
        }
        match is_in(&own) {
            Ok(found) => hits += usize::from(found),
            Err(gave_up) => return untold(gave_up.to_string()),
        }
    }
    match of {
        0 => MetricScore::Unscored(Unscored::LandmarksReachedBefore),
        of => MetricScore::Scored(hits as f64 / of as f64),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn step(by: StepBy, action: &str, observation: &str) -> NotebookStep {
        NotebookStep {
            by,
            action: Some(action.to_owned()),
            content: None,
            observation: observation.to_owned(),
            seconds: None,
            outcome: None,
            exit_code: None,
            file: None,
        }
    }

    #[test]
    fn own_cells_alone_count_where_that_is_asked_for() {
        let steps = [
            step(StepBy::Task, "execute", "cloned"),
            step(StepBy::Agent, "edit", "epoch"),
            step(StepBy::Agent, "execute", "loss"),
        ];
        let score = |patterns: &[&str], own_alone: bool| {
            let patterns: Vec<String> = patterns.iter().map(|one| (*one).to_owned()).collect();
            landmarks(&patterns, &steps, own_alone)
        };
        assert_eq!(
            score(&["cloned", "epoch", "loss"], false),
            MetricScore::Scored(1.0)
        );
        assert_eq!(
            score(&["cloned", "epoch", "loss"], true),
            MetricScore::Scored(0.5)
        );
        assert_eq!(
            score(&["cloned"], true),
            MetricScore::Unscored(Unscored::LandmarksReachedBefore)
        );
        assert_eq!(score(&[], true), MetricScore::Unscored(Unscored::NoLandmarks));
        let MetricScore::Unscored(reason) = score(&["loss", "("], false) else {
            panic!()
        };
        assert!(
            reason.words().starts_with("landmark 2: Python refuses it"),
            "{}",
            reason.words()
        );
    }
}
