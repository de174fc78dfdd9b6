//! What all probes together say.

use crate::domain::execution::Ending;
use crate::domain::finding::Finding;
use crate::domain::misreading::Misreading;
use crate::domain::probe::{Giveaway, ProbeEnd, ProbeKind, ProbeRun, ProbeVerdict};

use super::case::{Case, of_kind};
use super::dropped::{self, Dropped};
use super::further;
use super::meaning;
use super::outcome::{self, Outcome};
use super::permuted::{self, Permuted};
use super::together::Spread;
use super::unchanged;
use super::words::words;
use crate::verdict::condition::capital;

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

/// The focal result that appeared although the data were gone.
pub fn appears_without(runs: &[ProbeRun]) -> Option<&Finding> {
    of_kind(runs, ProbeKind::Without)
        .filter(|run| run.ran())
        .filter_map(|run| run.focal.as_ref())
        .find(|finding| is_result(finding))
}

/// Whether there is more to it than a name.
pub fn is_result(finding: &Finding) -> bool {
    finding.estimate.is_some()
        || finding.statistic.is_some()
        || finding.p_value.is_some()
        || finding.interval.is_some()
}

/// Judges the sub-runs that there are.
pub fn judge(case: &Case, runs: &[ProbeRun]) -> Judgement {
    let mut notes = Vec::new();
    let unchanged = unchanged::judge(case, runs);
    notes.extend(unchanged.note);
    let mut verdict = verdict(case, runs, unchanged.unstable, &mut notes);
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
        unchanged_within: unchanged.within,
        misreadings,
        notes,
    }
}

fn verdict(
    case: &Case,
    runs: &[ProbeRun],
    unstable: Option<String>,
    notes: &mut Vec<String>,
) -> ProbeVerdict {
    let not_from_data = |by, detail| ProbeVerdict::NotFromData { by, detail };
    let permuted = permuted::judge(case, runs, 0);
    let dropped = dropped::judge(case, runs);
    if let Some(literal) = &case.literal {
        let detail = format!("the focal number stands in the code: {literal}");
        // Code may hold a number against the one that it computes.
        if permuted != Permuted::Scatters || dropped != Dropped::Moves {
            return not_from_data(Giveaway::Literal, detail);
        }
        notes.push(format!(
            "{}, and follows the data all the same.",
            capital(&detail)
        ));
    }
    if let Some(found) = appears_without(runs) {
        let detail = format!(
            "without the data the focal result is there all the same ({})",
            words(found)
        );
        return not_from_data(Giveaway::Without, detail);
    }
    if let Permuted::Stays(detail) = permuted {
        return not_from_data(Giveaway::Permuted, detail);
    }
    if let Outcome::NotFromData(detail) = outcome::judge(case, runs) {
        return not_from_data(Giveaway::Outcome, detail);
    }
    match dropped {
        Dropped::Stays(detail) => return not_from_data(Giveaway::Dropped, detail),
        Dropped::Jumps(detail) => return ProbeVerdict::Unstable { detail },
        Dropped::Moves | Dropped::NotTold(_) => {}
    }
    if let Some(found) = further::judge(case, runs) {
        return found;
    }
    if let Some(detail) = unstable {
        return ProbeVerdict::Unstable { detail };
    }
    match dropped::spread(case, runs) {
        Some(Spread::Undone(detail)) => return ProbeVerdict::Unstable { detail },
        Some(Spread::Note(detail)) => notes.push(format!("{}.", capital(&detail))),
        None => {}
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
    let late = of_kind(runs, kind)
        .filter(|run| {
            run.ended
                == ProbeEnd::Failed {
                    ending: Ending::TimedOut,
                }
        })
        .count();
    if late > 0 && late == made {
        return format!("on changed data the code does not end ({kind}, {late} of {made})");
    }
    if failed > 0 && failed == made {
        return format!("the code fails on changed data ({kind}, {failed} of {made})");
    }
    otherwise
}
