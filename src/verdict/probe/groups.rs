//! Recorded figures of groups against those of the data file.

use crate::domain::bare_number::{decimals, significant_digits};
use crate::domain::finding::Group;
use crate::domain::misreading::{Facet, Misreading};

use super::case::Case;
use super::planned::FocalLevel;

/// Digits with which two means are the same by more than chance.
const DIGITS: usize = 3;

/// Whether a group has the mean of another one. A mean that is no group's of the file
/// may be one of fewer rows or an adjusted one, and says nothing.
pub fn judge(case: &Case) -> Option<Misreading> {
    let levels = &case.planned.levels;
    let swapped = case.focal.groups.iter().find_map(|group| {
        let own = levels.iter().find(|level| is_named(group, level))?;
        let mean = group
            .mean
            .filter(|mean| significant_digits(&mean.to_string()) >= DIGITS)?;
        let other = levels
            .iter()
            .find(|level| !is_named(group, level) && is_printed_as(mean, level.mean))?;
        (!is_printed_as(mean, own.mean)).then_some((group, mean, own, other))
    });
    let (group, mean, own, other) = swapped?;
    Some(Misreading {
        facet: Facet::Groups,
        detail: format!(
            "the group `{}` has the recorded mean {mean}, which in the data file is that of `{}`; its own is {}",
            group.name, other.name, own.mean
        ),
        decides: true,
    })
}

fn is_named(group: &Group, level: &FocalLevel) -> bool {
    group.name.trim().eq_ignore_ascii_case(level.name.trim())
}

/// Whether a number is another one as printed.
fn is_printed_as(printed: f64, number: f64) -> bool {
    let places = decimals(printed);
    let near = 0.5 * 10_f64.powi(-i32::try_from(places).unwrap_or(i32::MAX));
    (printed - number).abs() <= near.max(1e-9 * number.abs())
}
