//! The judgement of all probes together.

use std::borrow::Cow;

use crate::domain::execution::Ending;
use crate::domain::finding::Finding;
use crate::domain::misreading::Misreading;
use crate::domain::probe::{Giveaway, NotMadeCause, ProbeEnd, ProbeKind, ProbeRun, ProbeVerdict};
use crate::domain::refit::Refit;
use crate::domain::workspace_path::WorkspacePath;

use super::case::{Case, is_equal, runs_of_kind};
use super::dropped::{self, Dropped};
use super::further;
use super::joint_moves::Spread;
use super::meaning;
use super::missing_data::appears_without;
use super::outcome::{self, PermutedOutcome};
use super::permuted::{self, Permuted};
use super::unchanged;
use super::words::words;
use crate::verdict::judged::capital;

/// Runs of a kind from which they can say that nothing moves the result.
const FEWEST: usize = 2;

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

/// Judges the sub-runs that there are.
pub fn judge(case: &Case, runs: &[ProbeRun]) -> Judgement {
    let mut notes: Vec<String> = match &case.planned.refit {
        // What speaks against the result is a misreading.
        Some(Refit::Differs { .. }) | None => Vec::new(),
        Some(refit) => vec![refit.sentence()],
    };
    if case.is_settled() && runs.is_empty() {
        return Judgement {
            verdict: ProbeVerdict::FromData,
            unchanged_within: None,
            misreadings: Vec::new(),
            notes,
        };
    }
    let unchanged = unchanged::judge(case, runs);
    notes.extend(unchanged.note);
    let mut verdict = verdict(case, runs, unchanged.unstable, &mut notes);
    let told = matches!(verdict, ProbeVerdict::FromData | ProbeVerdict::Undecided { .. });
    let mut misreadings = match told {
        true => meaning::misreadings(case, runs),
        false => Vec::new(),
    };
    if told && !misreadings.iter().any(|one| one.decides) {
        // What decides stands first.
        misreadings.splice(0..0, meaning::cut_short(case, runs));
    }
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

fn verdict(case: &Case, all: &[ProbeRun], unstable: Option<String>, notes: &mut Vec<String>) -> ProbeVerdict {
    let runs: &[ProbeRun] = &telling(case, all);
    let unwritten = unwritten(all);
    let not_from_data = |by, detail| ProbeVerdict::NotFromData { by, detail };
    let permuted = permuted::judge(case, runs, 0);
    let dropped = dropped::judge(case, runs);
    if let Some(literal) = &case.literal {
        let detail = format!("the code contains the focal number itself: {literal}");
        // Code may hold a number against the one that it computes.
        if permuted != Permuted::Scatters || dropped != Dropped::Moves {
            return not_from_data(Giveaway::Literal, detail);
        }
        notes.push(format!(
            "{}, and the result still follows the data.",
            capital(&detail)
        ));
    }
    if let Some(found) = appears_without(runs) {
        let detail = format!(
            "even without the data the code gives the focal result ({})",
            words(found)
        );
        return not_from_data(Giveaway::Without, detail);
    }
    if let Permuted::Stays(detail) = permuted {
        return not_from_data(Giveaway::Permuted, detail);
    }
    if let PermutedOutcome::NotFromData(detail) = outcome::judge(case, runs) {
        return not_from_data(Giveaway::Outcome, detail);
    }
    match dropped {
        Dropped::Stays(detail) => return not_from_data(Giveaway::Dropped, detail),
        Dropped::Jumps(detail) => return ProbeVerdict::Unstable { detail },
        Dropped::Moves | Dropped::NotTold(_) => {}
    }
    // A further result may be that of a file that stayed as it was.
    let by_rows = |found: &ProbeVerdict| {
        matches!(
            found,
            ProbeVerdict::Unstable { .. }
                | ProbeVerdict::NotFromData {
                    by: Giveaway::Dropped,
                    ..
                }
        )
    };
    if let Some(found) = further::judge(case, runs).filter(|found| unwritten.is_empty() || !by_rows(found)) {
        return found;
    }
    if let Some(detail) = unstable {
        return ProbeVerdict::Unstable { detail };
    }
    match dropped::spread(case, runs) {
        Some(Spread::Undone(detail)) if unwritten.is_empty() => return ProbeVerdict::Unstable { detail },
        // Moves are held against a share that is not gone from all files.
        Some(Spread::Undone(detail) | Spread::Note(detail)) => notes.push(format!("{}.", capital(&detail))),
        None => {}
    }
    let without = runs_of_kind(runs, ProbeKind::Without).next();
    match without {
        None => notes.push("It was not run without the data.".to_owned()),
        Some(run) if !run.ran() => {}
        Some(_) => notes
            .push("Without the data the code ends without an error and gives no focal result.".to_owned()),
    }
    let (mut untold, mut told) = (Vec::new(), false);
    match permuted {
        Permuted::Scatters => told = true,
        Permuted::Void(why) => notes.push(format!("Permuting a column shows nothing: {why}.")),
        Permuted::NotTold(why) => untold.push(why_not(ProbeKind::Permuted, runs, why)),
        Permuted::Stays(_) => {}
    }
    match dropped {
        Dropped::Moves => told = true,
        Dropped::NotTold(why) => untold.push(why_not(ProbeKind::Dropped, runs, why)),
        Dropped::Stays(_) | Dropped::Jumps(_) => {}
    }
    if told && !unwritten.is_empty() {
        notes.push(format!(
            "Rows were dropped from some of the opened files only, because no library here writes {}.",
            listed(&unwritten)
        ));
    }
    let mut changed = all
        .iter()
        .filter(|run| run.trial.kind.changes_content())
        .peekable();
    let unwritable = changed.peek().is_some() && !changed.any(ProbeRun::was_made);
    // Where nothing could be changed, the run without the data decides alone.
    if told || (unwritable && without.is_some()) {
        notes.extend(
            untold
                .iter()
                .map(|why| format!("The reruns do not show it: {why}.")),
        );
        return ProbeVerdict::FromData;
    }
    if let Some(detail) = nothing_follows(case, runs) {
        untold.insert(0, detail);
    }
    let why = if untold.is_empty() {
        "no probe was made".to_owned()
    } else {
        untold.join("; ")
    };
    ProbeVerdict::Undecided { why }
}

/// The files that stayed as they were when rows were dropped.
fn unwritten(runs: &[ProbeRun]) -> Vec<&WorkspacePath> {
    let mut files: Vec<&WorkspacePath> = runs_of_kind(runs, ProbeKind::Dropped)
        .flat_map(|run| &run.unwritten)
        .collect();
    files.sort();
    files.dedup();
    files
}

fn listed(files: &[&WorkspacePath]) -> String {
    let names: Vec<String> = files.iter().map(ToString::to_string).collect();
    names.join(", ")
}

/// The runs as they tell something. Where a file that may hold rows stayed as it was, the
/// result may be that of this file, so that fewer rows of the others tell nothing unless
/// it moves with them: neither that it stays or jumps, nor that the code fails.
fn telling<'a>(case: &Case, runs: &'a [ProbeRun]) -> Cow<'a, [ProbeRun]> {
    let files = unwritten(runs);
    if files.is_empty() || dropped::judge(case, runs) == Dropped::Moves {
        return Cow::Borrowed(runs);
    }
    let why = format!(
        "nothing here writes {}, and the rows of the other files alone do not tell",
        listed(&files)
    );
    let told = runs.iter().map(|run| match run.unwritten.is_empty() {
        true => run.clone(),
        false => ProbeRun {
            ended: ProbeEnd::NotMade {
                why: why.clone(),
                cause: Some(NotMadeCause::Other),
            },
            focal: None,
            further: Vec::new(),
            ..run.clone()
        },
    });
    Cow::Owned(told.collect())
}

/// Whether several runs with the predictor and several with the outcome permuted, and all
/// other runs on changed data, gave every figure of the result as it was, in a clause; a
/// bare estimate may stand in steps.
fn nothing_follows(case: &Case, runs: &[ProbeRun]) -> Option<String> {
    let focal = &case.focal;
    let figures = |finding: &Finding| {
        [
            finding.estimate,
            finding.standard_error,
            finding.statistic.as_ref().map(|statistic| statistic.value),
            finding.p_value.map(|p| p.value),
        ]
    };
    let several = figures(focal)[1..].iter().any(Option::is_some);
    let is_same = |(one, other): (Option<f64>, Option<f64>)| match (one, other) {
        (Some(one), Some(other)) => is_equal(one, other),
        _ => one == other,
    };
    let same = |run: &ProbeRun| {
        let finding = run.focal.as_ref().filter(|_| run.ran());
        finding.is_some_and(|finding| figures(focal).into_iter().zip(figures(finding)).all(is_same))
    };
    let mut made = runs
        .iter()
        .filter(|run| run.trial.kind.changes_content() && run.was_made());
    let count = |kind| case.told(runs, kind).count();
    let (permuted, outcome) = (count(ProbeKind::Permuted), count(ProbeKind::Outcome));
    if !several || permuted < FEWEST || outcome < FEWEST || !made.all(same) {
        return None;
    }
    Some(format!(
        "with `{}` permuted in {permuted} runs and `{}` in {outcome} every figure of the focal result stays exactly as \
         it was",
        case.column.name()?,
        case.planned.outcome.as_ref()?.name
    ))
}

/// Why a kind told nothing: its own failures before anything else.
fn why_not(kind: ProbeKind, runs: &[ProbeRun], otherwise: String) -> String {
    let made = runs_of_kind(runs, kind).count();
    let not_made = runs_of_kind(runs, kind).find_map(|run| match &run.ended {
        ProbeEnd::NotMade { why, .. } => Some(why.clone()),
        _ => None,
    });
    if let Some(why) = not_made {
        return format!("the data could not be changed ({kind}): {why}");
    }
    let failed = runs_of_kind(runs, kind)
        .filter(|run| matches!(run.ended, ProbeEnd::Failed { .. }))
        .count();
    let late = runs_of_kind(runs, kind)
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
