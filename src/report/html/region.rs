//! The part of a forest plot's axis on which the registered rule decides.

use crate::domain::criterion::Criterion;
use crate::domain::finding::Direction;
use crate::domain::format;
use crate::domain::rule::Rule;
use crate::domain::scale::Scale;
use crate::report::view::View;
use crate::statistics::distributions::normal_quantile;
use crate::statistics::precision::usable_error;
use crate::verdict::bounds::additive_bound;

use super::logged::OnAxis;

/// The side of the axis, in standard errors, on which significance and direction
/// is met.
pub fn significant(view: &View) -> Option<(f64, f64)> {
    let criterion = view
        .verdict
        .criterion
        .as_ref()
        .filter(|one| one.rule.is_default())?;
    let tail = if criterion.two_sided {
        criterion.alpha / 2.0
    } else {
        criterion.alpha
    };
    if !(tail > 0.0 && tail < 0.5) {
        return None;
    }
    let critical = -normal_quantile(tail);
    Some(match criterion.direction.sign()? {
        Direction::Positive => (critical, f64::INFINITY),
        Direction::Negative => (f64::NEG_INFINITY, -critical),
    })
}

/// The smallest effect of interest where equivalence decides.
#[derive(Debug, Clone, Copy)]
pub struct Trivial<'a> {
    criterion: &'a Criterion,
    /// As the plan gives it.
    sesoi: f64,
    /// In the unit of the axis.
    pub bound: f64,
}

/// The region within the smallest effect of interest, where equivalence decides.
pub fn trivial<'a>(view: &'a View, on_axis: &OnAxis) -> Option<Trivial<'a>> {
    let criterion = view.verdict.criterion.as_ref()?;
    let sesoi = criterion.parameters.sesoi.filter(|sesoi| usable_error(*sesoi))?;
    let used = match on_axis.is_logged {
        true => Scale::Ratio,
        false => Scale::Difference,
    };
    (criterion.rule == Rule::Equivalence).then(|| Trivial {
        criterion,
        sesoi,
        bound: additive_bound(sesoi, criterion.scale, used),
    })
}

impl Trivial<'_> {
    /// The band's meaning.
    pub fn caption(&self) -> String {
        let Self {
            criterion,
            sesoi,
            bound,
        } = *self;
        let unit = criterion.parameters.unit.trim();
        let space = if unit.is_empty() { "" } else { " " };
        let level = format::number(100.0 * (1.0 - 2.0 * criterion.alpha));
        let decides = match criterion.direction.sign() {
            None => format!(
                "The criterion is met where the replication's {level}% interval lies within it and not met where \
                 that lies outside; otherwise it is left open."
            ),
            Some(sign) => format!(
                "The criterion is met where the replication's {level}% interval lies beyond it on the {sign} side \
                 and not met where that lies within; otherwise it is left open."
            ),
        };
        let width = if bound == sesoi {
            format!("±{}{space}{unit}", format::number(sesoi))
        } else {
            let ends = [sesoi.recip(), sesoi];
            let (lower, upper) = (ends[0].min(ends[1]), ends[0].max(ends[1]));
            format!(
                "a ratio from {} to {}",
                format::number(lower),
                format::number(upper)
            )
        };
        format!(
            "The shaded band of the replication's row is the smallest effect of interest, {width}. {decides}"
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::claimed_effect::ClaimedEffect;
    use crate::domain::finding::Finding;
    use crate::domain::finding::Interval;
    use crate::domain::scale::Scale as Measure;
    use crate::grading::criteria::scale::ScaleRelation;
    use crate::report::evidence::Evidence;
    use crate::report::html::forest::Forest;
    use crate::report::text::nothing_stored;

    fn finding(estimate: f64, error: f64) -> Finding {
        Finding {
            estimate: Some(estimate),
            standard_error: Some(error),
            ..Finding::default()
        }
    }

    #[test]
    fn the_smallest_effect_of_interest_is_a_band_where_it_decides() {
        let mut criterion = Criterion {
            rule: Rule::Equivalence,
            ..Criterion::significance("x", ClaimedEffect::NoEffect, 0.05, true)
        };
        criterion.parameters.sesoi = Some(0.3);
        criterion.parameters.unit = "r".to_owned();
        let drawn = |criterion: Criterion, original: Option<Finding>, scale: ScaleRelation| {
            let evidence = Evidence {
                original,
                replication: Some(finding(0.10, 0.04)),
                scale,
                ..Evidence::default()
            };
            let mut view = View::build(&[], &nothing_stored, &evidence);
            view.verdict.criterion = Some(criterion);
            Forest::from_view(&view).unwrap()
        };
        let plot = drawn(criterion.clone(), Some(finding(0.02, 0.08)), ScaleRelation::Same);
        let per_unit = (plot.rows[1].point.unwrap() - plot.zero) / 0.10;
        let trivial = plot.trivial.unwrap();
        assert!((trivial.stretch.x - (plot.zero - 0.3 * per_unit)).abs() < 0.5);
        assert!((trivial.stretch.width - 0.6 * per_unit).abs() < 0.5);
        assert!(trivial.stretch.x > plot.left && plot.band.is_none());
        assert!(
            trivial
                .caption
                .contains("±0.3 r. The criterion is met where the replication's 90% interval lies within"),
            "{}",
            trivial.caption
        );
        assert!(
            drawn(criterion.clone(), None, ScaleRelation::Unknown)
                .trivial
                .is_some()
        );
        criterion.direction = ClaimedEffect::Negative;
        let caption = drawn(criterion.clone(), None, ScaleRelation::Unknown)
            .trivial
            .unwrap()
            .caption;
        assert!(caption.contains("beyond it on the negative side"), "{caption}");
        let different = ScaleRelation::Different { why: "r, d".into() };
        let apart = drawn(criterion.clone(), Some(finding(0.02, 0.08)), different);
        assert_eq!((apart.trivial, apart.criterion), (None, None));
        criterion.rule = Rule::PredictionInterval;
        assert_eq!(drawn(criterion, None, ScaleRelation::Unknown).trivial, None);
    }

    #[test]
    fn ratios_stand_at_their_logarithms_and_so_does_the_band() {
        let ratio = |estimate: f64, lower: f64, upper: f64, scale| Finding {
            estimate: Some(estimate),
            interval: Some(Interval {
                lower,
                upper,
                level: 0.95,
            }),
            scale,
            ..Finding::default()
        };
        let mut criterion = Criterion {
            rule: Rule::Equivalence,
            ..Criterion::significance("x", ClaimedEffect::NoEffect, 0.05, true)
        };
        criterion.parameters.sesoi = Some(1.25);
        for planned in [None, Some(Measure::Ratio)] {
            let recorded = planned.is_none().then_some(Measure::Ratio);
            let evidence = Evidence {
                original: Some(ratio(0.55, 0.40, 0.756, None)),
                replication: Some(ratio(0.47, 0.364, 0.607, recorded)),
                ..Evidence::default()
            };
            let mut view = View::build(&[], &nothing_stored, &evidence);
            view.verdict.criterion = Some(Criterion {
                scale: planned,
                ..criterion.clone()
            });
            let plot = Forest::from_view(&view).unwrap();
            assert!(
                plot.axis.starts_with("ratio, on a logarithmic scale"),
                "{}",
                plot.axis
            );
            let [first, second] = [plot.rows[0].point.unwrap(), plot.rows[1].point.unwrap()];
            assert!(second < first && first < plot.zero, "{plot:#?}");
            let per_unit = (second - plot.zero) / 0.47_f64.ln();
            let trivial = plot.trivial.unwrap();
            assert!((trivial.stretch.width - 2.0 * 1.25_f64.ln() * per_unit).abs() < 0.5);
            assert!(
                trivial.caption.contains("a ratio from 0.8 to 1.25"),
                "{}",
                trivial.caption
            );
            assert!(
                plot.rows[1].estimate.starts_with("0.47"),
                "{}",
                plot.rows[1].estimate
            );
        }
    }
}
