//! Stated confidence against success.

use serde::Serialize;

/// The upper edges of the five bins but for the last, as numpy's `linspace` gives them: the third
/// is not 0.6.
const EDGES: [f64; 4] = [0.2, 0.4, 0.600_000_000_000_000_1, 0.8];

/// An attempt with how sure its agent was of it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct StatedConfidence {
    /// From 0 to 1.
    pub confidence: f64,
    pub success: bool,
}

/// Calibration and discrimination of some attempts.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Calibration {
    /// Attempts with a confidence.
    pub attempts: usize,
    pub mean_confidence: f64,
    /// 1 − the expected calibration error over five equal bins, a confidence on an edge belonging
    /// to the upper one.
    pub calibration: f64,
    /// The chance that a success had more confidence than a failure, ties counting one half
    /// (AUROC); `None` where all succeeded or none did.
    pub discrimination: Option<f64>,
}

/// The figures of some attempts; `None` of none.
pub fn calibration(stated: &[StatedConfidence]) -> Option<Calibration> {
    let count = stated.len() as f64;
    (!stated.is_empty()).then(|| Calibration {
        attempts: stated.len(),
        mean_confidence: stated.iter().map(|one| one.confidence).sum::<f64>() / count,
        calibration: 1.0 - error(stated),
        discrimination: discrimination(stated),
    })
}

/// The sum over bins of their share times the difference of their mean confidence and success.
fn error(stated: &[StatedConfidence]) -> f64 {
    let mut confidence = [0.0; 5];
    let mut successes = [0.0; 5];
    for one in stated {
        let bin = EDGES.iter().take_while(|edge| one.confidence >= **edge).count();
        confidence[bin] += one.confidence;
        successes[bin] += f64::from(u8::from(one.success));
    }
    let gaps = confidence
        .iter()
        .zip(successes)
        .map(|(sure, right)| (sure - right).abs());
    gaps.sum::<f64>() / stated.len() as f64
}

/// By the sum of ranks, equal confidences sharing the mean of theirs.
fn discrimination(stated: &[StatedConfidence]) -> Option<f64> {
    let mut sorted = stated.to_vec();
    sorted.sort_by(|one, other| one.confidence.total_cmp(&other.confidence));
    let positives = sorted.iter().filter(|one| one.success).count();
    let negatives = sorted.len() - positives;
    if positives == 0 || negatives == 0 {
        return None;
    }
    let mut ranks = 0.0;
    let mut from = 0;
    while from < sorted.len() {
        let alike = sorted[from..]
            .iter()
            .take_while(|one| one.confidence == sorted[from].confidence)
            .count();
        let middle = from as f64 + (alike as f64 + 1.0) / 2.0;
        let right = sorted[from..from + alike]
            .iter()
            .filter(|one| one.success)
            .count();
        ranks += middle * right as f64;
        from += alike;
    }
    let least = (positives * (positives + 1)) as f64 / 2.0;
    Some((ranks - least) / (positives * negatives) as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stated(pairs: &[(f64, bool)]) -> Vec<StatedConfidence> {
        let one = |(confidence, success): &(f64, bool)| StatedConfidence {
            confidence: *confidence,
            success: *success,
        };
        pairs.iter().map(one).collect()
    }

    /// Computed apart in Python, with numpy's `linspace` and `digitize`, and by counting pairs.
    #[test]
    fn figures_are_those_of_numpy() {
        let pairs = stated(&[
            (0.0, false),
            (0.2, true),
            (0.6, true),
            (0.6, false),
            (0.599, true),
            (0.61, false),
            (0.8, true),
            (1.0, true),
            (1.0, false),
            (0.35, false),
            (0.2, false),
            (0.95, true),
        ]);
        let found = calibration(&pairs).unwrap();
        assert!(
            (found.calibration - 0.849_083_333_333_333_4).abs() < 1e-12,
            "{found:?}"
        );
        assert!(
            (found.discrimination.unwrap() - 0.652_777_777_777_777_8).abs() < 1e-12,
            "{found:?}"
        );
        assert!((found.mean_confidence - 0.575_75).abs() < 1e-12, "{found:?}");
    }

    #[test]
    fn one_class_alone_has_no_discrimination() {
        assert_eq!(calibration(&[]), None);
        let found = calibration(&stated(&[(0.5, true), (0.5, true)])).unwrap();
        assert_eq!((found.calibration, found.discrimination), (0.5, None));
        assert_eq!(
            calibration(&stated(&[(0.5, true), (0.5, false)]))
                .unwrap()
                .discrimination,
            Some(0.5)
        );
    }
}
