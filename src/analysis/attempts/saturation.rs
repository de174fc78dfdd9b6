//! Saturation: the distance of the best agents of a benchmark from one another.

use serde::Serialize;

/// The place of the agent that the best one is held against.
const PLACE: usize = 5;
/// The normal quantile that is taken for a two-sided 95 %.
const Z: f64 = 1.96;

/// The distance of the best agent from the fifth.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Saturation {
    /// Tasks.
    pub tasks: u64,
    pub best: f64,
    pub fifth: f64,
    /// The difference below which the two are not told apart: 1.96 standard errors, with the root
    /// of the number of tasks in its place, since tasks of one benchmark are alike.
    pub limit: f64,
    pub saturated: bool,
    /// exp(−difference / standard error): 1 where nothing parts them.
    pub index: f64,
}

/// The saturation by the accuracies of agents at so many tasks; `None` of fewer than five agents or
/// no task. A standard error of 0 counts as 1.
pub fn saturation(accuracies: &[f64], tasks: u64) -> Option<Saturation> {
    let mut sorted = accuracies.to_vec();
    sorted.sort_by(|one, other| other.total_cmp(one));
    let (best, fifth) = (*sorted.first()?, *sorted.get(PLACE - 1)?);
    if tasks == 0 {
        return None;
    }
    let effective = (tasks as f64).sqrt();
    let variance = |share: f64| share * (1.0 - share) / effective;
    let error = match (variance(best) + variance(fifth)).sqrt() {
        0.0 => 1.0,
        error => error,
    };
    let difference = best - fifth;
    Some(Saturation {
        tasks,
        best,
        fifth,
        limit: Z * error,
        saturated: difference <= Z * error,
        index: (-difference / error).exp(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Table 12 of the analysis of CORE-Bench v1.1.
    #[test]
    fn published_figures_are_found() {
        let mainline = saturation(&[0.5, 38.0 / 39.0, 1.0, 1.0, 1.0, 1.0], 39).unwrap();
        assert!((mainline.limit - 0.123_970_145).abs() < 5e-10, "{mainline:?}");
        assert_eq!(format!("{:.4}", mainline.index), "0.6667");
        let other = saturation(&[1.0, 1.0, 1.0, 1.0, 17.0 / 19.0], 19).unwrap();
        assert!((other.limit - 0.288_106_813).abs() < 5e-10, "{other:?}");
        assert_eq!(format!("{:.4}", other.index), "0.4887");
        assert!(mainline.saturated && other.saturated);
    }

    #[test]
    fn equal_agents_are_saturated_and_few_are_nothing() {
        let equal = saturation(&[1.0; 5], 10).unwrap();
        assert_eq!((equal.limit, equal.index, equal.saturated), (1.96, 1.0, true));
        assert!(!saturation(&[0.9, 0.5, 0.5, 0.4, 0.1], 100).unwrap().saturated);
        assert_eq!(saturation(&[1.0; 4], 10), None);
        assert_eq!(saturation(&[1.0; 5], 0), None);
    }
}
