//! Tests of the forest plot.

use super::*;
use crate::grading::criteria::scale::ScaleRelation;
use crate::grading::criteria::shared_axis::Z95;
use crate::report::evidence::Evidence;
use crate::report::text::nothing_stored;

fn finding(estimate: f64, error: f64) -> Finding {
    Finding {
        estimate: Some(estimate),
        standard_error: Some(error),
        ..Finding::default()
    }
}

fn forest(original: Finding, replication: Finding, scale: ScaleRelation) -> Forest {
    let evidence = Evidence {
        original: Some(original),
        replication: Some(replication),
        scale,
        ..Evidence::default()
    };
    let view = View::build(&[], &nothing_stored, &evidence);
    Forest::from_view(&view).unwrap()
}

#[test]
fn different_units_are_compared_in_standard_errors() {
    let plot = forest(
        finding(0.599, 0.120),
        finding(0.001_361, 0.000_224),
        ScaleRelation::Unknown,
    );
    assert!(plot.axis.contains("÷ its standard error"));
    assert!(plot.why.contains("different units") && plot.band.is_none());
    let scale = |z: f64| {
        let unit = (plot.rows[1].point.unwrap() - plot.zero) / (0.001_361 / 0.000_224);
        plot.zero + z * unit
    };
    assert!((plot.rows[0].point.unwrap() - scale(0.599 / 0.120)).abs() < 0.2);
    let line = plot.rows[0].line.unwrap();
    assert!((line.width - (scale(2.0 * Z95) - plot.zero)).abs() < 0.3);
}

#[test]
fn different_units_are_drawn_as_correlations_where_both_are_known() {
    let with = |estimate, error, df| Finding {
        df: Some(df),
        ..finding(estimate, error)
    };
    let plot = forest(
        with(0.599, 0.120, 42.0),
        with(0.001_361, 0.000_224, 99.0),
        ScaleRelation::Unknown,
    );
    assert_eq!(plot.axis, "Fisher's z of the correlation, with 95% interval");
    assert!(
        plot.why.contains("drawn as correlations") && plot.why.contains("t(42) = 4.992"),
        "{}",
        plot.why
    );
    assert!(plot.rows[0].detail.starts_with("r = .61") && plot.rows[1].detail.starts_with("r = .52"));
    let figures: Vec<&str> = plot.rows.iter().map(|row| row.estimate.as_str()).collect();
    assert_eq!(figures, ["0.709 [0.40, 1.02]", "0.578 [0.380, 0.776]"]);
    assert!(
        plot.rows[1].detail.contains("as reported 0.00136"),
        "{}",
        plot.rows[1].detail
    );
    // R: z = atanh(t / sqrt(t^2 + df)) and its 95 % interval by 1 / sqrt(df - 1).
    let per_unit = (plot.rows[0].point.unwrap() - plot.zero) / 0.709_253;
    assert!((plot.rows[1].point.unwrap() - plot.zero - 0.577_936 * per_unit).abs() < 0.3);
    let line = plot.rows[1].line.unwrap();
    assert!((line.width - 2.0 * Z95 / 98_f64.sqrt() * per_unit).abs() < 0.3);
    assert!(plot.band.is_some() && plot.criterion.is_none());
}

#[test]
fn the_same_units_share_an_axis_with_the_prediction_interval() {
    let plot = forest(finding(0.25, 0.08), finding(0.10, 0.04), ScaleRelation::Same);
    let per_unit = (plot.rows[0].point.unwrap() - plot.zero) / 0.25;
    let band = plot.band.unwrap();
    assert!((band.x - (plot.zero + 0.075 * per_unit)).abs() < 0.3);
    assert!((band.width - 0.35 * per_unit).abs() < 0.5);
}

#[test]
fn labels_of_small_numbers_stay_apart() {
    let plot = forest(
        finding(0.002_1, 0.000_7),
        finding(0.001_36, 0.000_224),
        ScaleRelation::Same,
    );
    assert!(plot.ticks.len() >= 3);
    assert!(plot.ticks.windows(2).all(|pair| pair[0].clears(&pair[1])));
}

#[test]
fn no_number_is_too_strange_to_draw_or_leave_out() {
    for value in [f64::NAN, f64::INFINITY, 0.0, -1e308, 1e-320] {
        for error in [f64::NAN, 0.0, -1.0, 1e308, 1e-320] {
            let evidence = Evidence {
                original: Some(finding(value, error)),
                replication: Some(finding(1.0, 0.5)),
                ..Evidence::default()
            };
            let view = View::build(&[], &nothing_stored, &evidence);
            if let Some(plot) = Forest::from_view(&view) {
                let drawn = plot
                    .rows
                    .iter()
                    .flat_map(|row| row.point.into_iter().chain(row.line.map(|line| line.width)));
                assert!(drawn.chain([plot.zero]).all(f64::is_finite), "{value} {error}");
            }
        }
    }
}

#[test]
fn what_is_not_preregistered_lies_outside_the_shaded_zone() {
    let evidence = Evidence {
        original: Some(finding(0.25, 0.08)),
        replication: Some(finding(0.10, 0.04)),
        findings: vec![Finding {
            name: "a further term whose name is far too long for one line of the figure".to_owned(),
            ..finding(0.3, 0.1)
        }],
        scale: ScaleRelation::Same,
        ..Evidence::default()
    };
    let plot = Forest::from_view(&View::build(&[], &nothing_stored, &evidence)).unwrap();
    assert!(plot.band.is_some());
    let zone = plot.zone_top..plot.zone_top + plot.zone_height;
    let inside: Vec<&str> = plot
        .rows
        .iter()
        .filter(|row| zone.contains(&row.y))
        .map(|row| row.kind)
        .collect();
    assert_eq!(inside, ["replication"]);
    let lines: Vec<&str> = plot.rows[2]
        .term_lines
        .iter()
        .map(|line| line.text.as_str())
        .collect();
    assert_eq!(lines.join(" "), plot.rows[2].term);
    let last = plot.rows[2].term_lines.last().unwrap();
    assert!(lines.len() == 3 && last.y + 5.0 < plot.bottom, "{plot:#?}");
}
