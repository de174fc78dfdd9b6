//! Tests of the strip plot.

use super::*;
use crate::domain::criterion::Criterion;
use crate::domain::finding::{Direction, Finding};
use crate::engine::variants::Variants;
use crate::report::evidence::Evidence;
use crate::report::html::page;
use crate::report::markdown;
use crate::report::text::nothing_stored;
use crate::verdict::variant::{VariantEnd, VariantResult, VariantSummary, ruled};

fn finding(estimate: f64) -> Finding {
    Finding {
        name: "income".into(),
        estimate: Some(estimate),
        standard_error: Some(0.000_2),
        n: Some(102),
        ..Finding::default()
    }
}

fn view(variants: &[(&str, Option<f64>)]) -> View {
    let criterion = Criterion::significance("income", Direction::Positive, 0.05, true);
    let rule = |one: &Finding| ruled(&criterion, [std::slice::from_ref(one), &[], &[]]);
    let results: Vec<VariantResult> = variants
        .iter()
        .map(|(name, estimate)| VariantResult {
            name: (*name).into(),
            changes: format!("changes of {name}"),
            ended: if estimate.is_some() {
                VariantEnd::Ran
            } else {
                VariantEnd::Failed
            },
            why: estimate
                .is_none()
                .then(|| "`work/x.R` ended with exit status 1".into()),
            outcome: estimate.map(|estimate| rule(&finding(estimate)).outcome),
            finding: estimate.map(finding),
        })
        .collect();
    let summary = VariantSummary::new(&criterion, &rule(&finding(0.001_36)), &results, &[]);
    let evidence = Evidence {
        variants: Some(Variants {
            results,
            summary: Some(summary),
        }),
        ..Evidence::default()
    };
    View::build(&[], &nothing_stored, &evidence)
}

#[test]
fn one_dot_a_variant_stands_beside_the_main_result() {
    let view = view(&[
        ("with women", Some(0.001_31)),
        ("no farmers", Some(0.001_32)),
        ("linear", Some(0.000_4)),
        ("broken", None),
    ]);
    let strip = Strip::from_view(&view).unwrap();
    assert_eq!((strip.dots.len(), strip.left_out), (3, 1));
    let per_unit = (strip.main.x - strip.null) / 0.001_36;
    for (dot, value) in strip.dots.iter().zip([0.001_31, 0.001_32, 0.000_4]) {
        assert!((dot.x - strip.null - value * per_unit).abs() < 0.2, "{dot:?}");
    }
    // The first two would cover each other.
    assert!(strip.dots[0].y - strip.dots[1].y >= 12.0);
    assert_eq!(strip.dots[2].y, strip.dots[0].y);
    insta::assert_json_snapshot!("strip", strip);
}

#[test]
fn nothing_is_drawn_where_nothing_has_a_place() {
    assert_eq!(Strip::from_view(&view(&[("a", None)])), None);
    assert_eq!(Strip::from_view(&view(&[])), None);
    for value in [f64::NAN, f64::INFINITY, -1e308] {
        let drawn = Strip::from_view(&view(&[("a", Some(value)), ("b", Some(1e308)), ("c", Some(0.0))]));
        let places = drawn.iter().flat_map(|strip| strip.dots.iter().map(|dot| dot.x));
        assert!(places.into_iter().all(f64::is_finite), "{value}");
    }
}

#[test]
fn hostile_names_are_text_in_every_report() {
    let view = view(&[
        ("</title><script>alert(1)</script>|`x`", Some(0.001)),
        ("\u{202e}evil", None),
    ]);
    let html = page::render(&view).unwrap();
    assert!(!html.contains("<script>"), "a name became markup");
    assert!(html.contains("&lt;&#x2f;title&gt;") || html.contains("&lt;/title&gt;"));
    assert!(html.contains("<svg class=\"strip\""));
    assert!(!html.contains('\u{202e}'));
    let text = markdown::render(&view).unwrap();
    let row = text.lines().find(|line| line.contains("alert(1)")).unwrap();
    assert!(!text.contains('\u{202e}'));
    assert_eq!(row.matches(" | ").count(), 3, "{row}");
}

#[test]
fn a_report_says_that_variants_do_not_decide() {
    let view = view(&[("a", Some(0.002)), ("b", Some(0.001))]);
    let text = markdown::render(&view).unwrap();
    assert!(text.contains("2 variants were registered before any result was seen."));
    assert!(text.contains("Of 2 with a comparable number, 1 (50 %) is at least as extreme"));
    assert!(text.contains("The variants do not decide."));
    let json: serde_json::Value = serde_json::from_str(&crate::report::json::render(&view).unwrap()).unwrap();
    let first = &json["variants"][0];
    assert_eq!(
        (&first["name"], &first["ended"], &first["outcome"]),
        (&"a".into(), &"ran".into(), &"met".into())
    );
    assert_eq!(first["finding"]["estimate"], 0.002);
}
