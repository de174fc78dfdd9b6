//! The sum of the one-sided p-values of two studies.
//!
//! Source: Held, Pawel and Micheloud (2024), Royal Society Open Science 11,
//! 240149; the distribution of the sum is Edgington's (1972).

/// The combined p-value of two independent one-sided p-values by their sum.
pub fn p_value(original: f64, replication: f64) -> f64 {
    let sum = original + replication;
    if sum <= 1.0 {
        sum * sum / 2.0
    } else {
        1.0 - (2.0 - sum).powi(2) / 2.0
    }
}

/// The largest sum that keeps the error of two trials at `one_sided` each:
/// `√2 × one_sided`, 0.035 for 0.025.
pub fn limit(one_sided: f64) -> f64 {
    std::f64::consts::SQRT_2 * one_sided
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_limit_keeps_the_error_of_two_trials() {
        let close = |found: f64, expected: f64| (found - expected).abs() < 1e-15;
        assert!(close(p_value(0.0, limit(0.025)), 0.025 * 0.025));
        assert!(close(p_value(0.01, 0.02), 0.00045));
        assert!(close(p_value(0.5, 0.5), 0.5));
        assert!(close(p_value(0.9, 1.0), 1.0 - 0.005));
        assert!((limit(0.025) - 0.035).abs() < 4e-4);
    }
}
