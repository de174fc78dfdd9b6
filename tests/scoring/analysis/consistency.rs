use proptest::prelude::*;
use reprise::analysis::consistency::check_paper;
use reprise::documents::document::Document;
use reprise::documents::kind::Kind;
use reprise::statistics::distributions::{
    chi_squared_upper, f_upper, normal_two_sided, t_quantile, t_two_sided,
};
use reprise::verdict::coherence::check::check;
use reprise::verdict::coherence::number_range::NumberRange;
use reprise::verdict::coherence::parse::passages;
use reprise::verdict::coherence::recompute::p_range;
use reprise::verdict::coherence::reported::{ReportedStatistic, Rounded};
use serde_json::{Value, json};

use crate::oracles;

fn whole(number: f64) -> Rounded {
    Rounded {
        value: number,
        decimals: 0,
    }
}

/// Twelve decimals stand for the number itself.
fn exact(number: f64) -> Rounded {
    Rounded {
        value: number,
        decimals: 12,
    }
}

#[test]
fn recomputed_p_values_equal_scipys() {
    let mut cases: Vec<(ReportedStatistic, f64, Value)> = Vec::new();
    for value in [0.01, 0.49, 1.2, 2.2, 4.93, 9.0] {
        for one in [1.0, 2.0, 28.0, 1865.0, 90_000.0] {
            cases.push((
                ReportedStatistic::T { df: whole(one) },
                value,
                json!(["t", value, one, 0]),
            ));
            cases.push((
                ReportedStatistic::ChiSquared { df: whole(one) },
                value * one,
                json!(["chi2", value * one, one, 0]),
            ));
            if value < 1.0 {
                cases.push((
                    ReportedStatistic::R { df: whole(one) },
                    value,
                    json!(["r", value, one, 0]),
                ));
            }
            let statistic = ReportedStatistic::F {
                numerator: whole(one.min(40.0)),
                denominator: whole(57.0),
            };
            cases.push((statistic, value, json!(["f", value, one.min(40.0), 57])));
        }
        cases.push((ReportedStatistic::Z, value, json!(["z", value, 0, 0])));
    }
    let asked: Vec<&Value> = cases.iter().map(|(_, _, case)| case).collect();
    let Some(answer) = oracles::ask("consistency.py", &json!(asked)) else {
        return;
    };
    for ((statistic, value, _), expected) in cases.iter().zip(answer.as_array().unwrap()) {
        let expected = expected.as_f64().unwrap();
        let NumberRange { low, high } = p_range(*statistic, exact(*value)).unwrap();
        let near = |p: f64| (p - expected).abs() <= 1e-6 * expected + 1e-12;
        assert!(
            near(low) && near(high),
            "{statistic:?} {value}: {low} {high}, scipy {expected}"
        );
    }
}

/// The flags of one sentence.
fn flags(text: &str) -> Vec<String> {
    let mut paper = Document::new(Kind::Text);
    paper.text = text.to_owned();
    check_paper(&paper)
        .flags
        .into_iter()
        .map(|flag| flag.detail)
        .collect()
}

/// Sentences with known answers: the manual of statcheck (`t(28) = 2.20, p = .03`
/// and .036), and Duncan's regression as bundled.
#[test]
fn known_passages() {
    for fits in [
        "t(37) = -4.93, p < .001",
        "t(28) = 2.20, p = .036",
        "t(28) = 2.20, p = .018, one-tailed",
        "F(1, 57) = 4.47, p < .05",
        "χ2(2, N = 170) = 14.14, p < .01",
        "r(55) = .49, p < .001",
        "b = 0.599, SE = 0.120, t(42) = 5.00, p < .001",
        "b = 0.599, 95% CI [0.357, 0.840], p < .001",
    ] {
        assert_eq!(flags(fits), [] as [String; 0], "{fits}");
    }
    for wrong in [
        "t(28) = 2.20, p = .03",
        "F(1, 57) = 2.47, p < .05",
        "r(55) = .19, p < .001",
        "b = 0.599, SE = 0.220, t(42) = 5.00, p < .001",
        "b = 0.599, 95% CI [0.657, 0.840], p < .001",
        "b = 0.20, 95% CI [-0.10, 0.50], p < .001",
        "b = 0.20, SE = 0.50, p < .001",
    ] {
        assert_eq!(flags(wrong).len(), 1, "{wrong}");
    }
}

fn printed(p: f64, decimals: usize) -> String {
    if p < 0.001 {
        "p < .001".to_owned()
    } else {
        format!("p = {p:.decimals$}")
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    /// What was computed and then rounded is never flagged.
    #[test]
    fn rounding_is_never_flagged(
        value in 0.005_f64..8.0, one in 1_u32..40, two in 2_u32..3_000,
        digits in 1_usize..4, of_p in 2_usize..4, kind in 0_usize..5,
    ) {
        let (df, many) = (f64::from(one), f64::from(two));
        let (name, p) = match kind {
            0 => (format!("t({two})"), t_two_sided(value, many)),
            1 => (format!("F({one}, {two})"), f_upper(value, df, many)),
            2 => (format!("χ2({one})"), chi_squared_upper(value, df)),
            3 => (format!("r({two})"), t_two_sided(value / 9.0 * (many / (1.0 - (value / 9.0).powi(2))).sqrt(), many)),
            _ => ("z".to_owned(), normal_two_sided(value)),
        };
        let value = if kind == 3 { value / 9.0 } else { value };
        let text = format!("It was so, {name} = {value:.digits$}, {}.", printed(p, of_p));
        let found = passages(&text);
        prop_assert_eq!(found.len(), 1, "{}", text);
        prop_assert!(check(&found[0]).is_empty(), "{}: {:?}", text, check(&found[0]));
    }

    /// Nor is an estimate with its error, interval and p-value.
    #[test]
    fn rounded_estimates_are_never_flagged(
        estimate in -50.0_f64..50.0, ratio in 0.05_f64..9.0, df in 5_u32..2_000, digits in 1_usize..4,
    ) {
        let (error, df) = (estimate.abs() / ratio, f64::from(df));
        let half = t_quantile(0.975, df) * error;
        let p = printed(t_two_sided(ratio, df), 3);
        for text in [
            format!("b = {estimate:.digits$}, SE = {error:.digits$}, {p}."),
            format!("b = {estimate:.digits$}, 95% CI [{:.digits$}, {:.digits$}], {p}.", estimate - half, estimate + half),
            format!("b = {estimate:.digits$}, SE = {error:.digits$}, 95% CI [{:.digits$}, {:.digits$}].", estimate - half, estimate + half),
            format!("b = {estimate:.digits$}, SE = {error:.digits$}, t({df}) = {:.2}, {p}.", estimate.signum() * ratio),
        ] {
            for passage in passages(&text) {
                prop_assert!(check(&passage).is_empty(), "{}: {:?}", text, check(&passage));
            }
        }
    }
}

#[test]
fn a_correlation_beyond_one_is_told() {
    for (text, is_told) in [
        ("as expected, r(50) = 1.31, p < .001.", true),
        ("as expected, r(50) = -1.02, p < .001.", true),
        ("as expected, r(50) = 1.00, p < .001.", false),
    ] {
        let found: Vec<_> = passages(text)
            .iter()
            .flat_map(check)
            .filter(|misfit| misfit.detail.contains("between -1 and 1") && misfit.decides)
            .collect();
        assert_eq!(found.len(), usize::from(is_told), "{text}: {found:?}");
    }
}
