//! Two findings in different units, on the common scale.

use serde::{Deserialize, Serialize};

use crate::domain::criterion::Criterion;
use crate::domain::finding::Finding;
use crate::statistics::power::{self, TestLevel};
use crate::statistics::precision::FindingPrecision as _;
use crate::study::reference::Sesoi;
use crate::verdict::common_scale::{CommonEffect, NoCommonScale};
use crate::verdict::criteria::study::StudyPair;
use crate::verdict::derive::derive;

use crate::domain::format;
use crate::grading::criteria::scale::ScaleRelation;
use crate::grading::criteria::shared_axis::{NO_INTERVAL, apart};

/// Original and replication as Fisher's z of a correlation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CommonPair {
    pub original: CommonEffect,
    pub replication: CommonEffect,
}

/// The power of the replication for the original's effect.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PowerLine {
    /// Between 0 and 1.
    pub power: f64,
    pub alpha: f64,
    pub two_sided: bool,
    /// The power with the effect and the level that it is of.
    pub sentence: String,
}

impl CommonPair {
    /// Both effects on the common scale.
    ///
    /// # Errors
    /// The first effect without a place on it.
    pub fn from_findings(original: &Finding, replication: &Finding) -> Result<Self, NoCommonScale> {
        Ok(Self {
            original: CommonEffect::from_finding(original)?,
            replication: CommonEffect::from_finding(replication)?,
        })
    }

    /// The pair as criteria take it; a smallest effect of interest in the unit r
    /// goes along.
    pub fn pair(&self, replication: &Finding, alpha: f64, sesoi: Option<&Sesoi>) -> Option<StudyPair> {
        let (original, replication) = (
            self.original.finding(&Finding::default()),
            self.replication.finding(replication),
        );
        let (pair, _) = StudyPair::from_findings(&original, &replication).ok()?;
        Some(StudyPair {
            alpha,
            sesoi: sesoi.and_then(Sesoi::fisher),
            ..pair
        })
    }

    /// How to read numbers on this scale, and why both are on it.
    pub fn note(&self, units: &ScaleRelation) -> String {
        let one = |effect: &CommonEffect| {
            format!(
                "r = {} (z {}, SE {}; from {})",
                correlation(effect.r),
                format::estimate(effect.z),
                format::estimate(effect.standard_error),
                effect.from
            )
        };
        format!(
            "{}, so both are compared as correlations. Effects and intervals named here are Fisher's z of these: the \
             original has {}, the replication {}.",
            apart(units).unwrap_or_else(|| NO_INTERVAL.to_owned()),
            one(&self.original),
            one(&self.replication)
        )
    }
}

/// A correlation without its leading zero, as papers print it.
pub fn correlation(r: f64) -> String {
    let text = format!("{r:.2}");
    text.strip_prefix("0.")
        .map(|digits| format!(".{digits}"))
        .or_else(|| text.strip_prefix("-0.").map(|digits| format!("−.{digits}")))
        .unwrap_or(text)
}

/// The power of the replication for the original's effect at the criterion's
/// level: of a correlation where both have one, else in their shared unit.
pub fn power(
    original: &Finding,
    replication: &Finding,
    common: Option<&CommonPair>,
    shared: bool,
    criterion: Option<&Criterion>,
) -> Option<PowerLine> {
    let level = criterion.map_or(TestLevel::CONVENTIONAL, |criterion| TestLevel {
        alpha: criterion.alpha,
        two_sided: criterion.two_sided,
    });
    let (power, effect) = match common {
        Some(pair) => {
            let power = if level.two_sided {
                power::correlation_test(pair.original.r, pair.replication.pairs, level.alpha)
            } else {
                power::z_test(pair.original.z.abs() / pair.replication.standard_error, level)
            };
            (power, format!("r = {}", correlation(pair.original.r)))
        }
        None if shared => {
            let (estimate, (error, _)) = (original.estimate?, replication.precision()?);
            let power = power::replication(estimate, error, replication.df, level);
            (power, format::estimate(estimate))
        }
        None => return None,
    };
    let sides = if level.two_sided { "two-sided" } else { "one-sided" };
    power.is_finite().then(|| PowerLine {
        power,
        alpha: level.alpha,
        two_sided: level.two_sided,
        sentence: format!(
            "The replication's power for the original's effect, {effect}, is {} at alpha {}, {sides}.",
            in_words(power),
            format::number(level.alpha)
        ),
    })
}

/// A power as papers print it.
pub fn in_words(power: f64) -> String {
    if power > 0.995 {
        "above .99".to_owned()
    } else {
        correlation(power)
    }
}

/// The quantities of a study that follow from others, with their formulas.
pub fn derivations(study: &str, finding: &Finding) -> Option<String> {
    const SHOWN: [&str; 5] = ["n", "SE", "t", "z", "p"];
    let (_, derived) = derive(finding);
    let formulas: Vec<String> = derived
        .into_iter()
        .filter(|one| SHOWN.contains(&one.quantity.as_str()))
        .map(|one| one.formula)
        .collect();
    (!formulas.is_empty()).then(|| {
        format!(
            "Derived for the {study} from what it prints: {}.",
            formulas.join("; ")
        )
    })
}

#[cfg(test)]
mod tests {
    use crate::domain::finding::Direction;
    use crate::grading::criteria::common_pair::*;

    fn finding(estimate: f64, error: f64, df: f64) -> Finding {
        Finding {
            estimate: Some(estimate),
            standard_error: Some(error),
            df: Some(df),
            ..Finding::default()
        }
    }

    #[test]
    fn power_is_that_of_a_correlation() {
        let (original, replication) = (finding(0.3, 0.12, 60.0), finding(0.001, 0.0004, 48.0));
        let pair = CommonPair::from_findings(&original, &replication).unwrap();
        let line = power(&original, &replication, Some(&pair), false, None).unwrap();
        // pwr 1.3: pwr.r.test(n = 50, r = 2.5 / sqrt(2.5^2 + 60))
        assert!((line.power - 0.592_818_792_560_431).abs() < 1e-8, "{line:?}");
        assert_eq!(
            line.sentence,
            "The replication's power for the original's effect, r = .31, is .59 at alpha 0.05, two-sided."
        );
        let one_sided = Criterion::significance("x", Direction::Positive, 0.05, false);
        let more = power(&original, &replication, Some(&pair), false, Some(&one_sided)).unwrap();
        assert!(
            more.power > line.power && more.sentence.ends_with("one-sided."),
            "{more:?}"
        );
        assert_eq!(power(&original, &replication, None, false, None), None);
    }

    #[test]
    fn in_one_unit_power_needs_no_common_scale() {
        let original = Finding {
            estimate: Some(-0.28),
            ..Finding::default()
        };
        let replication = Finding {
            estimate: Some(0.1),
            standard_error: Some(0.1),
            ..Finding::default()
        };
        let line = power(&original, &replication, None, true, None).unwrap();
        // R: pnorm(2.8 - qnorm(.975)) + pnorm(-2.8 - qnorm(.975))
        assert!((line.power - 0.799_556_871_435_651_6).abs() < 1e-8, "{line:?}");
    }

    #[test]
    fn what_follows_is_shown_with_its_formula() {
        let shown = derivations("original", &finding(0.599, 0.12, 42.0)).unwrap();
        assert!(
            shown.starts_with(
                "Derived for the original from what it prints: t = b / SE = 0.599 / 0.12 = 4.992; p of t(42)"
            ),
            "{shown}"
        );
        assert_eq!(derivations("original", &Finding::default()), None);
        assert_eq!([correlation(-0.31), correlation(1.0)], ["−.31", "1.00"]);
    }
}
