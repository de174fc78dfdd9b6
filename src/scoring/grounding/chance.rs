//! The chance that a number with a wrong last digit stands in a paper.

use std::collections::BTreeSet;

use super::figures::Figure;
use super::paper::Paper;

/// Numbers to each side that are tried.
const NEIGHBOURS: i32 = 25;

/// The share of the numbers next to this one, of as many decimals, that the
/// paper prints as well, on the given pages if any are: the chance that a wrong
/// last digit is found.
pub fn chance(asked: &Figure, paper: &Paper, pages: &BTreeSet<u32>) -> f64 {
    let step = 10f64.powi(-asked.decimals);
    let (mut tried, mut found) = (0u32, 0u32);
    for distance in 1..=NEIGHBOURS {
        for side in [-1.0, 1.0] {
            let other = asked.magnitude + side * f64::from(distance) * step;
            if other < step / 2.0 {
                continue;
            }
            tried += 1;
            let near = paper.between(other - step * 0.5001, other + step * 0.5001);
            let hit = near
                .iter()
                .filter(|printed| paper.is_on(printed, pages))
                .any(|printed| {
                    let exact = (printed.figure.magnitude - other).abs() <= 1e-9 * other.abs();
                    let rounded = asked.decimals > 0 && printed.figure.decimals > asked.decimals;
                    exact || rounded
                });
            found += u32::from(hit);
        }
    }
    f64::from(found) / f64::from(tried.max(1))
}
