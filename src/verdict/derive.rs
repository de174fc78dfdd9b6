//! Quantities that a finding does not give and that follow from those it gives.

use super::derived::{Derived, derived};
use super::derived_error::{error_of_interval, error_of_p, error_of_statistic};
use super::derived_test::{
    correlation, interval_of_error, p_of_statistic, statistic_of_estimate, statistic_of_ratio,
};
use crate::domain::finding::Finding;
use crate::domain::statistic::{DegreesOfFreedom, StatisticKind};
use crate::statistics::precision::usable_df;

type Step = fn(&mut Finding) -> Option<Derived>;

/// Fills what follows from a finding's own figures, and lists it. What is given
/// is never replaced, and nothing follows from an unsigned statistic but its p.
pub fn derive(finding: &Finding) -> (Finding, Vec<Derived>) {
    const STEPS: [Step; 8] = [
        n_of_groups,
        error_of_statistic,
        error_of_interval,
        error_of_p,
        statistic_of_estimate,
        statistic_of_ratio,
        p_of_statistic,
        interval_of_error,
    ];
    let mut filled = finding.clone();
    share_degrees(&mut filled);
    let mut derived: Vec<Derived> = Vec::new();
    for step in STEPS {
        derived.extend(step(&mut filled));
    }
    derived.extend(correlation(&filled));
    (filled, derived)
}

/// The degrees of freedom of the test and of its t are the same.
fn share_degrees(finding: &mut Finding) {
    let Some(statistic) = finding
        .statistic
        .as_mut()
        .filter(|one| one.kind == StatisticKind::T)
    else {
        return;
    };
    match (finding.df, statistic.df.last()) {
        (None, Some(df)) => finding.df = Some(df),
        (Some(df), None) => statistic.df = DegreesOfFreedom(vec![df]),
        _ => {}
    }
    finding.df = finding.df.filter(|df| usable_df(*df));
}

fn n_of_groups(finding: &mut Finding) -> Option<Derived> {
    let sizes: Option<Vec<u64>> = finding.groups.iter().map(|group| group.n).collect();
    let sizes = sizes.filter(|sizes| finding.n.is_none() && sizes.len() > 1)?;
    let total = sizes.iter().sum();
    finding.n = Some(total);
    let sum: Vec<String> = sizes.iter().map(u64::to_string).collect();
    derived("n", total as f64, format!("n = {}", sum.join(" + ")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::finding::{Direction, Group, Interval, PValue, Relation};
    use crate::domain::scale::Scale;
    use crate::domain::statistic::Statistic;
    use crate::statistics::distributions::t_upper;

    fn statistic(kind: StatisticKind, value: f64, df: &[f64]) -> Option<Statistic> {
        Some(Statistic {
            kind,
            value,
            df: DegreesOfFreedom(df.to_vec()),
        })
    }

    fn value(derived: &[Derived], quantity: &str) -> Option<f64> {
        derived
            .iter()
            .find(|one| one.quantity == quantity)
            .map(|one| one.value)
    }

    fn close(found: Option<f64>, expected: f64) {
        assert!(
            (found.unwrap() - expected).abs() < 1e-9,
            "{found:?} for {expected}"
        );
    }

    #[test]
    fn all_of_a_t_test_follows_from_estimate_and_statistic() {
        let finding = Finding {
            estimate: Some(0.599),
            statistic: statistic(StatisticKind::T, 5.003, &[42.0]),
            ..Finding::default()
        };
        let (filled, derived) = derive(&finding);
        // R: 0.599 / 5.003; 2 * pt(-5.003, 42); 0.599 + c(-1, 1) * qt(.975, 42) * 0.599 / 5.003; 5.003 / sqrt(5.003^2 + 42)
        close(filled.standard_error, 0.119_728_163_102_138_7);
        close(value(&derived, "p"), 1.054_243_863_042_863e-5);
        close(
            filled.interval.map(|interval| interval.lower),
            0.357_378_784_731_511_4,
        );
        close(value(&derived, "r"), 0.611_076_896_131_905_7);
        assert_eq!((filled.df, filled.sides), (Some(42.0), Some(2)));
        let formula = &derived[0].formula;
        assert_eq!(formula, "SE = |b| / |t| = 0.599 / 5.003 = 0.1197");
    }

    #[test]
    fn a_statistic_follows_from_the_error_and_the_error_from_an_interval_or_a_p() {
        let base = Finding {
            estimate: Some(-4.1),
            df: Some(20.0),
            ..Finding::default()
        };
        let by_error = Finding {
            standard_error: Some(2.0),
            ..base.clone()
        };
        let (filled, derived) = derive(&by_error);
        close(value(&derived, "t"), -2.05);
        assert_eq!(filled.statistic.unwrap().to_string(), "t(20) = -2.05");
        let half = 2.0 * crate::statistics::distributions::t_quantile(0.975, 20.0);
        let by_interval = Finding {
            interval: Some(Interval {
                lower: -4.1 - half,
                upper: -4.1 + half,
                level: 0.95,
            }),
            ..base.clone()
        };
        close(derive(&by_interval).0.standard_error, 2.0);
        let with_p = |value, sides| Finding {
            p_value: Some(PValue {
                relation: Relation::Equal,
                value,
            }),
            sides,
            ..base.clone()
        };
        let p = t_upper(2.05, 20.0);
        close(derive(&with_p(2.0 * p, None)).0.standard_error, 2.0);
        close(derive(&with_p(p, Some(1))).0.standard_error, 2.0);
        let bound = Finding {
            p_value: Some(PValue {
                relation: Relation::Less,
                value: 0.05,
            }),
            ..base
        };
        assert_eq!(derive(&bound).0, bound);
    }

    #[test]
    fn a_ratio_is_tested_by_its_logarithm_and_gets_no_error_of_its_own() {
        let finding = Finding {
            estimate: Some(0.47),
            scale: Some(Scale::Ratio),
            interval: Some(Interval {
                lower: 0.3643,
                upper: 0.6064,
                level: 0.95,
            }),
            ..Finding::default()
        };
        let (filled, derived) = derive(&finding);
        // R: log(.47) * 2 * qnorm(.975) / (log(.6064) - log(.3643))
        close(value(&derived, "z"), -5.808_190_933_609_802);
        assert_eq!(filled.standard_error, None);
        assert!(filled.p_value.unwrap().value < 1e-8);
    }

    #[test]
    fn what_does_not_follow_stays_absent() {
        // A skewed interval is on another scale, and F with several degrees has no sign.
        let skewed = Finding {
            estimate: Some(0.47),
            interval: Some(Interval {
                lower: 0.36,
                upper: 0.90,
                level: 0.95,
            }),
            ..Finding::default()
        };
        assert_eq!(derive(&skewed).0.standard_error, None);
        let omnibus = Finding {
            estimate: Some(3.0),
            statistic: statistic(StatisticKind::F, 4.2, &[2.0, 87.0]),
            ..Finding::default()
        };
        let (filled, derived) = derive(&omnibus);
        assert_eq!((filled.standard_error, derived.len()), (None, 1));
        // R: pf(4.2, 2, 87, lower.tail = FALSE)
        close(value(&derived, "p"), 0.018_144_006_353_153_75);
        let one_sided = Finding {
            statistic: statistic(StatisticKind::T, -2.0, &[30.0]),
            sides: Some(1),
            ..Finding::default()
        };
        assert_eq!(derive(&one_sided).0.p_value, None);
        let told = Finding {
            alternative: Some(Direction::Positive),
            ..one_sided
        };
        assert!(derive(&told).0.p_value.unwrap().value > 0.97);
        assert_eq!(derive(&Finding::default()), (Finding::default(), vec![]));
    }

    #[test]
    fn the_root_of_f_and_the_sizes_of_groups_count() {
        let group = |n| Group {
            n: Some(n),
            ..Group::default()
        };
        let finding = Finding {
            estimate: Some(-1.2),
            statistic: statistic(StatisticKind::F, 9.0, &[1.0, 60.0]),
            groups: vec![group(30), group(32)],
            ..Finding::default()
        };
        let (filled, derived) = derive(&finding);
        close(filled.standard_error, 0.4);
        assert_eq!(
            (filled.n, derived[0].formula.as_str()),
            (Some(62), "n = 30 + 32 = 62")
        );
    }
}
