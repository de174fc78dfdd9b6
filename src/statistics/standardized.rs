//! Standardized mean differences.

/// One group's mean, standard deviation and number.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct GroupMoments {
    pub mean: f64,
    pub sd: f64,
    pub n: f64,
}

/// Cohen's d from means and standard deviations, with the pooled deviation.
pub fn d_from_groups(first: GroupMoments, second: GroupMoments) -> f64 {
    let sum = |group: GroupMoments| (group.n - 1.0) * group.sd * group.sd;
    let variance = (sum(first) + sum(second)) / (first.n + second.n - 2.0);
    (first.mean - second.mean) / variance.sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(found: f64, expected: f64) {
        assert!((found - expected).abs() < 1e-8, "{found} for {expected}");
    }

    #[test]
    fn as_r_has_it() {
        let group = |mean, sd, n| GroupMoments { mean, sd, n };
        let (first, second) = (group(10.2, 2.5, 24.0), group(8.9, 2.1, 27.0));
        let d = d_from_groups(first, second);
        // R: t.test of the same summary, equal variances: t = d / sqrt(1/24 + 1/27)
        close(2.017_851_254_626_561 * (1.0_f64 / 24.0 + 1.0 / 27.0).sqrt(), d);
    }
}
