//! What all probes together say.

use crate::domain::finding::Finding;
use crate::domain::misreading::Misreading;
use crate::domain::probe::{Giveaway, ProbeEnd, ProbeKind, ProbeRun, ProbeVerdict};

use super::case::{Case, of_kind};
use super::dropped::{self, Dropped};
use super::meaning;
use super::outcome::{self, Outcome};
use super::permuted::{self, Permuted};
use super::words::words;

/// The verdict with what was not told beside it.
#[derive(Debug, Clone, PartialEq)]
pub struct Judgement {
    pub verdict: ProbeVerdict,
    /// The largest relative difference of a run with other threads and hash seed.
    pub unchanged_within: Option<f64>,
    /// What speaks against the meaning of the result.
    pub misreadings: Vec<Misreading>,
    pub notes: Vec<String>,
}

/// A difference that other threads may make, relative.
const STABLE: f64 = 1e-6;

/// The focal result that appeared although the data were gone.
pub fn appears_without(runs: &[ProbeRun]) -> Option<&Finding> {
    of_kind(runs, ProbeKind::Without)
        .filter(|run| run.ran())
        .filter_map(|run| run.focal.as_ref())
        .find(|finding| {
            finding.estimate.is_some()
                || finding.statistic.is_some()
                || finding.p_value.is_some()
                || finding.interval.is_some()
        })
}

/// Judges the sub-runs that there are.
pub fn judge(case: &Case, runs: &[ProbeRun]) -> Judgement {
    let mut notes = Vec::new();
    let unchanged_within = unchanged(case, runs, &mut notes);
    let mut verdict = verdict(case, runs, &mut notes);
    let told = matches!(verdict, ProbeVerdict::FromData | ProbeVerdict::Undecided { .. });
    let misreadings = if told {
        meaning::misreadings(case, runs)
    } else {
        Vec::new()
    };
    if let Some(first) = misreadings.first().filter(|first| first.decides) {
        let detail = first.detail.clone();
        verdict = ProbeVerdict::Misread { detail };
    }
    Judgement {
        verdict,
        unchanged_within,
        misreadings,
        notes,
    }
}

fn verdict(case: &Case, runs: &[ProbeRun], notes: &mut Vec<String>) -> ProbeVerdict {
    let not_from_data = |by, detail| ProbeVerdict::NotFromData { by, detail };
    if let Some(literal) = &case.literal {
        let detail = format!("the focal number stands in the code: {literal}");
        return not_from_data(Giveaway::Literal, detail);
    }
    if let Some(found) = appears_without(runs) {
        let detail = format!(
            "without the data the focal result is there all the same ({})",
            words(found)
        );
        return not_from_data(Giveaway::Without, detail);
    }
    let permuted = permuted::judge(case, runs, 0);
    if let Permuted::Stays(detail) = permuted {
        return not_from_data(Giveaway::Permuted, detail);
    }
    if let Outcome::NotFromData(detail) = outcome::judge(case, runs) {
        return not_from_data(Giveaway::Outcome, detail);
    }
    let dropped = dropped::judge(case, runs);
    match dropped {
        Dropped::Stays(detail) => return not_from_data(Giveaway::Dropped, detail),
        Dropped::Jumps(detail) => return ProbeVerdict::Unstable { detail },
        Dropped::Moves | Dropped::NotTold(_) => {}
    }
    let without = of_kind(runs, ProbeKind::Without).next();
    match without {
        None => notes.push("It was not run without the data.".to_owned()),
        Some(run) if !run.ran() => {}
        Some(_) => notes.push("Without the data the code ends well, and gives no focal result.".to_owned()),
    }
    let (mut untold, mut told) = (Vec::new(), false);
    match permuted {
        Permuted::Scatters => told = true,
        Permuted::Void(why) => notes.push(format!("Permuting tells nothing: {why}.")),
        Permuted::NotTold(why) => untold.push(why_not(ProbeKind::Permuted, runs, why)),
        Permuted::Stays(_) => {}
    }
    match dropped {
        Dropped::Moves => told = true,
        Dropped::NotTold(why) => untold.push(why_not(ProbeKind::Dropped, runs, why)),
        Dropped::Stays(_) | Dropped::Jumps(_) => {}
    }
    let unwritable = of_kind(runs, ProbeKind::Dropped)
        .chain(of_kind(runs, ProbeKind::Permuted))
        .any(|run| matches!(run.ended, ProbeEnd::NotMade { .. }));
    // Where nothing could be changed, the run without the data decides alone.
    if told || (unwritable && without.is_some()) {
        notes.extend(untold.iter().map(|why| format!("Not told: {why}.")));
        return ProbeVerdict::FromData;
    }
    let why = if untold.is_empty() {
        "no probe was made".to_owned()
    } else {
        untold.join("; ")
    };
    ProbeVerdict::Undecided { why }
}

/// Why a kind told nothing: its own failures before anything else.
fn why_not(kind: ProbeKind, runs: &[ProbeRun], otherwise: String) -> String {
    let made = of_kind(runs, kind).count();
    let not_made = of_kind(runs, kind).find_map(|run| match &run.ended {
        ProbeEnd::NotMade { why } => Some(why.clone()),
        _ => None,
    });
    if let Some(why) = not_made {
        return format!("the data could not be changed ({kind}): {why}");
    }
    let failed = of_kind(runs, kind)
        .filter(|run| matches!(run.ended, ProbeEnd::Failed { .. }))
        .count();
    if failed > 0 && failed == made {
        return format!("the code fails on changed data ({kind}, {failed} of {made})");
    }
    otherwise
}

/// Compares the run that had nothing but other threads and another hash seed.
fn unchanged(case: &Case, runs: &[ProbeRun], notes: &mut Vec<String>) -> Option<f64> {
    let run = of_kind(runs, ProbeKind::Unchanged).next()?;
    let Some(focal) = run.focal.as_ref().filter(|_| run.ran()) else {
        notes.push("Run again unchanged, the code did not give the focal result.".to_owned());
        return None;
    };
    let relative = |one: Option<f64>, other: Option<f64>| match (one, other) {
        (Some(one), Some(other)) if one != other => (one - other).abs() / one.abs().max(other.abs()),
        _ => 0.0,
    };
    let largest = [
        relative(case.focal.estimate, focal.estimate),
        relative(case.focal.standard_error, focal.standard_error),
        relative(
            case.focal.p_value.map(|p| p.value),
            focal.p_value.map(|p| p.value),
        ),
    ]
    .into_iter()
    .fold(0.0, f64::max);
    if largest > STABLE {
        notes.push(format!(
            "Not stable: run again with other threads and another hash seed, the focal result differs by {:.2} % ({}).",
            100.0 * largest,
            words(focal)
        ));
    }
    Some(largest)
}
