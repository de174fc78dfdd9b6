//! Both estimates in one sentence, on one scale.

use crate::domain::finding::{Direction, Finding, Interval};
use crate::domain::format;
use crate::domain::scale::{RatioKind, Scale};
use crate::grading::criteria::common_pair::{CommonPair, PowerLine, correlation, in_words};
use crate::grading::criteria::shared_axis::{Z95, raw};
use crate::verdict::common_scale::CommonEffect;
use crate::verdict::one_scale::OneScale;

/// The scale on which the sentence gives both estimates.
#[derive(Debug, Clone, Copy)]
pub enum SentenceScale<'a> {
    /// Their own unit, or the ratio that both are of.
    Own,
    /// Correlations, because the units differ.
    Common(&'a CommonPair),
    /// None: the units differ, and no correlation is known.
    Apart,
}

/// Original and replication with their intervals and n, the direction, the replication's p and
/// the power. `on_one` has ratios logged; `recorded` is the replication as it was recorded.
pub fn both_estimates(
    on_one: &OneScale,
    recorded: &Finding,
    scale: SentenceScale<'_>,
    power: Option<&PowerLine>,
) -> Option<String> {
    let (original, replication) = (on_one.original.as_ref()?, on_one.replication.as_ref()?);
    let [first, second] = match scale {
        SentenceScale::Common(pair) => [&pair.original, &pair.replication].map(as_correlation),
        SentenceScale::Own if is_of_ratios(on_one) => [ratio(original)?, ratio(replication)?],
        SentenceScale::Own | SentenceScale::Apart => [own(original)?, own(replication)?],
    };
    let with_n = |text: String, finding: &Finding| match finding.n {
        Some(n) => format!("{text}, n {}", format::count(n)),
        None => format!("{text}, n not known"),
    };
    let mut parts = vec![
        format!("Original {}", with_n(first, original)),
        format!("replication {}", with_n(second, recorded)),
    ];
    let signs = [original, replication].map(|finding| finding.estimate.and_then(Direction::from_value));
    let mut last = match signs {
        [Some(one), Some(other)] if one == other => "same direction".to_owned(),
        [Some(_), Some(_)] => "opposite direction".to_owned(),
        _ => "direction not known".to_owned(),
    };
    if let Some(p) = recorded.p_value {
        last.push_str(&format!(", {}", format::p_value(p)));
    }
    parts.push(last);
    parts.extend(power.map(|line| format!("power for the original's effect {}", in_words(line.power))));
    if let SentenceScale::Apart = scale {
        parts.push("the units differ, so the sizes are not compared".to_owned());
    }
    Some(format!("{}.", parts.join("; ")))
}

/// Whether both are ratios, each given as itself or as its logarithm.
pub fn is_of_ratios(on_one: &OneScale) -> bool {
    let is_log = |one: &Option<Finding>| one.as_ref().and_then(|one| one.scale) == Some(Scale::LogRatio);
    on_one.apart.is_none() && (on_one.is_logged || (is_log(&on_one.original) && is_log(&on_one.replication)))
}

fn as_correlation(effect: &CommonEffect) -> String {
    let half = Z95 * effect.standard_error;
    format!(
        "r = {} [{}, {}]",
        correlation(effect.r),
        correlation((effect.z - half).tanh()),
        correlation((effect.z + half).tanh())
    )
}

/// A logged ratio as the ratio, as papers print it.
fn ratio(logged: &Finding) -> Option<String> {
    let kind = logged.ratio.or_else(|| RatioKind::from_words(&logged.name));
    let name = match kind {
        Some(RatioKind::Odds) => "OR",
        Some(RatioKind::Risk) => "RR",
        Some(RatioKind::Hazard) => "HR",
        Some(RatioKind::Rate) => "IRR",
        None => "ratio",
    };
    let shown = with_interval(logged, f64::exp)?;
    Some(format!("{name} {shown}"))
}

fn own(finding: &Finding) -> Option<String> {
    with_interval(finding, |value| value)
}

fn with_interval(finding: &Finding, shown: fn(f64) -> f64) -> Option<String> {
    let estimate = format::estimate(shown(finding.estimate?));
    Some(match raw(finding) {
        Some(place) => {
            let interval = Interval {
                lower: shown(place.lower),
                upper: shown(place.upper),
                level: 0.95,
            };
            format!("{estimate} {}", format::interval(&interval))
        }
        None => estimate,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::finding::{PValue, Relation};

    fn line(power: f64) -> PowerLine {
        PowerLine {
            power,
            alpha: 0.05,
            two_sided: true,
            sentence: String::new(),
        }
    }

    #[test]
    fn ratios_are_given_as_ratios_though_they_are_compared_as_logarithms() {
        let original = Finding {
            estimate: Some(0.45),
            interval: Some(Interval {
                lower: 0.28,
                upper: 0.70,
                level: 0.95,
            }),
            n: Some(812),
            scale: Some(Scale::Ratio),
            ratio: Some(RatioKind::Odds),
            ..Finding::default()
        };
        let replication = Finding {
            estimate: Some(0.47_f64.ln()),
            standard_error: Some(0.1248),
            p_value: Some(PValue {
                relation: Relation::Less,
                value: 0.001,
            }),
            n: Some(733),
            scale: Some(Scale::LogRatio),
            ratio: Some(RatioKind::Odds),
            ..Finding::default()
        };
        let both = |original: &Finding| {
            let on_one = OneScale::new(Some(original), Some(&replication), None);
            both_estimates(&on_one, &replication, SentenceScale::Own, Some(&line(0.999))).unwrap()
        };
        // Published as a logarithm, it is the same ratio.
        let logged = Finding {
            estimate: Some(0.45_f64.ln()),
            interval: Some(Interval {
                lower: 0.28_f64.ln(),
                upper: 0.70_f64.ln(),
                level: 0.95,
            }),
            scale: Some(Scale::LogRatio),
            ..original.clone()
        };
        assert_eq!(both(&logged), both(&original));
        assert_eq!(
            both(&original),
            "Original OR 0.450 [0.280, 0.700], n 812; replication OR 0.470 [0.368, 0.600], n 733; same direction, \
             p < .001; power for the original's effect above .99."
        );
    }

    #[test]
    fn other_units_are_given_as_correlations_or_not_compared() {
        let finding = |estimate: f64, error: f64, df: f64, n| Finding {
            name: "income".into(),
            estimate: Some(estimate),
            standard_error: Some(error),
            df: Some(df),
            n,
            ..Finding::default()
        };
        let (original, replication) = (
            finding(0.599, 0.12, 42.0, Some(45)),
            finding(-0.001_361, 0.000_224, 99.0, None),
        );
        let on_one = OneScale::new(Some(&original), Some(&replication), None);
        let pair = CommonPair::from_findings(&original, &replication).unwrap();
        assert_eq!(
            both_estimates(&on_one, &replication, SentenceScale::Common(&pair), None).unwrap(),
            "Original r = .61 [.38, .77], n 45; replication r = −.52 [−.65, −.36], n not known; opposite direction."
        );
        let apart = both_estimates(&on_one, &replication, SentenceScale::Apart, None).unwrap();
        assert!(
            apart.starts_with("Original 0.599 [")
                && apart.ends_with("the units differ, so the sizes are not compared."),
            "{apart}"
        );
    }
}
