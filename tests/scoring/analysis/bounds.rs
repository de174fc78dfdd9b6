//! The bounds at which an interval ceases to exist.

use reprise::statistics::intervals::{correlation, mean, normal};

#[test]
fn too_few_values_or_none_that_are_numbers_have_no_interval() {
    assert!(mean(&[1.0, 2.0], 0.95).is_some());
    for values in [
        &[1.0][..],
        &[],
        &[1.0, f64::NAN],
        &[1.0, 2.0, f64::INFINITY],
        &[3.0, 3.0],
    ] {
        assert_eq!(mean(values, 0.95), None, "{values:?}");
    }
    assert!(correlation(-0.5, 5, 0.95).is_some());
    for (r, n) in [
        (0.5, 4),
        (0.5, 0),
        (1.0, 10),
        (-1.0, 10),
        (1.5, 10),
        (f64::NAN, 10),
    ] {
        assert_eq!(correlation(r, n, 0.95), None, "{r} of {n}");
    }
    for (estimate, error) in [
        (f64::NAN, 1.0),
        (f64::INFINITY, 1.0),
        (0.0, 0.0),
        (0.0, -1.0),
        (0.0, f64::INFINITY),
    ] {
        assert_eq!(normal(estimate, error, 0.95), None, "{estimate} with {error}");
    }
}
