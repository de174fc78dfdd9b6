//! The judgement of all reruns on the meaning of a result that comes from the data.

use crate::domain::finding::Finding;
use crate::domain::misreading::{Facet, Misreading};
use crate::domain::probe::{ProbeKind, ProbeRun};
use crate::domain::refit::Refit;

use super::case::{Case, FocalColumn, runs_of_kind};
use super::outcome::{self, PermutedOutcome};
use super::permuted::{self, Permuted};
use super::scatter::{self, Passing, Scatter};
use super::{aligned, groups};

/// Everything that speaks against what the result is said to be, what decides first.
pub fn misreadings(case: &Case, runs: &[ProbeRun]) -> Vec<Misreading> {
    let mut found: Vec<Misreading> = refit(case).into_iter().collect();
    found.extend(parts(case, runs));
    if let Some(scatter) = scatter(case, runs) {
        found.extend(scatter_misreadings(case, &scatter));
    }
    if let PermutedOutcome::Misread(misreading) = outcome::judge(case, runs) {
        found.push(misreading);
    }
    found.extend(aligned::judge(case, runs));
    found.extend(groups::judge(case));
    found.sort_by_key(|misreading| !misreading.decides);
    found
}

/// What the planned model says against the result, fitted again.
fn refit(case: &Case) -> Option<Misreading> {
    match case.planned.refit.as_ref()? {
        Refit::Differs { detail, decides, .. } => Some(Misreading {
            facet: Facet::Recomputed,
            detail: detail.clone(),
            decides: *decides,
        }),
        Refit::Agrees { .. } | Refit::NotMade { .. } => None,
    }
}

/// The scatter of the permuted results, where the column is surely the focal one.
pub fn scatter(case: &Case, runs: &[ProbeRun]) -> Option<Scatter> {
    if !matches!(case.column, FocalColumn::Named(_)) {
        return None;
    }
    let judged = permuted::judge(case, runs, 0);
    // A result near its null scatters about it as well.
    let scatters = match judged {
        Permuted::Scatters => true,
        Permuted::NotTold(_) => permuted::lies_near(case),
        Permuted::Stays(_) | Permuted::Void(_) => false,
    };
    let told: Vec<&Finding> = permuted::told(case, runs, 0)
        .map(|(_, finding)| finding)
        .collect();
    Scatter::measure(case, &told).filter(|_| scatters)
}

/// Whether a wider error would carry the result from one side of the test to the other.
pub fn wide_matters(case: &Case) -> bool {
    let pair = scatter::result_distance(case).zip(scatter::critical(case));
    // No honest error is four times too small by chance.
    !case.planned.clustered
        && pair.is_some_and(|(z, critical)| z.abs() > critical && z.abs() < 4.0 * critical)
}

fn scatter_misreadings(case: &Case, scatter: &Scatter) -> Vec<Misreading> {
    let column = case.column.name().unwrap_or_default();
    // Errors over few clusters are too small where the rows of each are mixed.
    let clustered = case.planned.clustered;
    let mut found = Vec::new();
    if let Some(Passing { passed, tested }) = scatter.too_significant() {
        found.push(Misreading {
            facet: Facet::Significance,
            detail: format!(
                "with `{column}` permuted no association is left to find, and still {passed} of {tested} results pass the test"
            ),
            decides: !clustered,
        });
    }
    if let Some(centre) = scatter.off_centre() {
        let side = if centre.mean > 0.0 { "above" } else { "below" };
        found.push(Misreading {
            facet: Facet::Centre,
            detail: format!(
                "with `{column}` permuted, the result is on average {:.1} standard errors {side} no effect ({} runs, SD {:.1}) and should be close to it",
                centre.mean.abs(),
                centre.count,
                centre.width
            ),
            decides: true,
        });
    }
    if let Some(width) = scatter.too_wide() {
        let passes = scatter::result_distance(case).zip(scatter::critical(case));
        let decides = !clustered
            && passes.is_some_and(|(z, critical)| z.abs() > critical && z.abs() / width.at_most < critical);
        let then = if clustered {
            ", or the clusters that the plan names are few"
        } else if decides {
            "; with so wide an error it might not pass the test"
        } else {
            ""
        };
        found.push(Misreading {
            facet: Facet::Spread,
            detail: format!(
                "with `{column}` permuted, the results scatter {:.1} times as widely as their standard errors predict ({} runs), so the reported error is too small{then}",
                width.width, width.count
            ),
            decides,
        });
    }
    found
}

/// Columns of an interaction that it does not follow.
fn parts(case: &Case, runs: &[ProbeRun]) -> Vec<Misreading> {
    let of_part = |(at, part): (usize, &String)| match permuted::judge(case, runs, at + 1) {
        Permuted::Stays(detail) => Some(Misreading {
            facet: Facet::Part,
            detail: format!("the focal term also contains `{part}`, but {detail}"),
            decides: true,
        }),
        _ => None,
    };
    case.planned
        .parts
        .iter()
        .enumerate()
        .filter_map(of_part)
        .collect()
}

/// The finding that the permutations that there are must not pass for enough: they look as those of dishonest code
/// do, and fewer were made than tell it. `None` where they look well, or as many were made as ever are.
pub fn cut_short(case: &Case, runs: &[ProbeRun]) -> Option<Misreading> {
    let made = case.told(runs, ProbeKind::Permuted).count();
    // Those that failed were made as well.
    let is_whole = runs_of_kind(runs, ProbeKind::Permuted).count() >= permuted::MOST as usize;
    let scatter = scatter(case, runs).filter(|_| !is_whole && !case.planned.clustered)?;
    scatter.looks_suspicious(wide_matters(case)).then(|| Misreading {
        facet: Facet::Spread,
        detail: format!(
            "with `{}` permuted, the {made} results for which there was time are too far off or too wide for an honest result, and more runs are needed: `reprise replay probe RUN --probe-time SECONDS` makes them",
            case.column.name().unwrap_or_default()
        ),
        decides: true,
    })
}

/// Whether more permutations are worth their time for what they say of the meaning.
pub fn wants_permutations(case: &Case, runs: &[ProbeRun]) -> bool {
    let open_part = (1..=case.planned.parts.len()).any(|part| {
        matches!(permuted::judge(case, runs, part), Permuted::NotTold(_)) && !permuted::lies_near(case)
    });
    let made = case.told(runs, ProbeKind::Permuted).count();
    open_part
        || scatter(case, runs)
            .is_some_and(|scatter| made < scatter::FIRST || scatter.looks_odd(wide_matters(case)))
}
