//! The schedule of probes: the sub-runs that are to be made next.

use crate::domain::misreading::Facet;
use crate::domain::probe::{ProbeEnd, ProbeKind, ProbeRun, Trial};

use super::case::{Case, FocalColumn, runs_of_kind};
use super::dropped::{self, Dropped};
use super::further;
use super::missing_data::appears_without;
use super::permuted::{self, Permuted};
use super::{aligned, joint_moves, meaning, outcome, scatter, unchanged};

/// How many more permutations, and how many more losses of rows, are made where
/// those that there are do not decide.
const MORE: [u32; 2] = [4, 2];

/// Permutations by which the spread of results is told.
const SPREAD: u32 = 12;

/// The sub-runs that are still wanted, the most telling first; none where all is told.
///
/// What is wanted follows from whole rounds alone, so that a run that was stopped in
/// the middle of one goes on as if it had not been.
pub fn next(case: &Case, runs: &[ProbeRun]) -> Vec<Trial> {
    if case.is_settled() || appears_without(runs).is_some() {
        return Vec::new();
    }
    let mut known: Vec<ProbeRun> = Vec::new();
    loop {
        let wanted = round(case, &known);
        let (made, missing): (Vec<Trial>, Vec<Trial>) = wanted
            .into_iter()
            .partition(|trial| runs.iter().any(|run| run.trial == *trial));
        if !missing.is_empty() || made.is_empty() {
            return missing;
        }
        known.extend(runs.iter().filter(|run| made.contains(&run.trial)).cloned());
    }
}

/// The next round after these.
fn round(case: &Case, runs: &[ProbeRun]) -> Vec<Trial> {
    // What decides by itself needs nothing beside it, once every kind was made.
    let begun = [ProbeKind::Dropped, ProbeKind::Outcome]
        .into_iter()
        .all(|kind| count(runs, kind) > 0 || kind == ProbeKind::Outcome && case.planned.outcome.is_none());
    if begun
        && meaning::misreadings(case, runs)
            .first()
            .is_some_and(|first| first.decides && !matches!(first.facet, Facet::Groups | Facet::Recomputed))
    {
        return Vec::new();
    }
    let want = |kind, up_to: u32| {
        let made = count(runs, kind);
        (made + 1..=up_to).map(move |repetition| Trial { kind, repetition })
    };
    let mut wanted: Vec<Trial> = want(ProbeKind::Without, 1).collect();
    // What the code does on its own data is known before it is seen on others.
    wanted.extend(want(ProbeKind::Unchanged, repetitions(case, runs)));
    let kinds = [
        (ProbeKind::Dropped, losses(case, runs)),
        (ProbeKind::Permuted, permutations(case, runs)),
        (ProbeKind::Outcome, outcomes(case, runs)),
        (ProbeKind::Aligned, alignments(case, runs)),
    ];
    let changed = kinds.into_iter().flat_map(|(kind, up_to)| want(kind, up_to));
    let mut changed: Vec<Trial> = changed.collect();
    // In turns, so that every kind is there where the time is up.
    changed.sort_by_key(|trial| trial.repetition);
    wanted.extend(changed);
    wanted
}

/// Runs with nothing changed: more than one where the first differs, and one as the run
/// itself was where the first does not end well.
fn repetitions(case: &Case, runs: &[ProbeRun]) -> u32 {
    let made = runs_of_kind(runs, ProbeKind::Unchanged).next().is_some();
    if unchanged::differs(case, runs) {
        unchanged::MOST
    } else if made && case.told(runs, ProbeKind::Unchanged).next().is_none() {
        unchanged::AS_IT_WAS
    } else {
        1
    }
}

fn count(runs: &[ProbeRun], kind: ProbeKind) -> u32 {
    runs_of_kind(runs, kind).count().try_into().unwrap_or(u32::MAX)
}

fn permutations(case: &Case, runs: &[ProbeRun]) -> u32 {
    if case.column.name().is_none() || cannot_be_made(runs, ProbeKind::Permuted) {
        return 0;
    }
    let made = count(runs, ProbeKind::Permuted);
    let told = case.told(runs, ProbeKind::Permuted).count();
    let columns = u32::try_from(case.planned.parts.len()).map_or(1, |parts| parts + 1);
    let least = (permuted::LEAST * columns).min(permuted::MOST);
    match permuted::judge(case, runs, 0) {
        _ if made < least => least,
        // The rows have to tell first.
        _ if told == 0 || waits_for_rows(case, runs) => made,
        // A result near its null is never told from a permuted one, and the rows have told.
        Permuted::NotTold(_) if permuted::lies_near(case) && dropped::judge(case, runs) == Dropped::Moves => {
            for_the_meaning(case, runs, made)
        }
        Permuted::NotTold(_) => (made + MORE[0]).min(permuted::MOST),
        Permuted::Scatters => {
            let spread = made < SPREAD && dropped::asks_permuted(case, runs);
            let wider = if spread { made + MORE[0] } else { made };
            wider.max(for_the_meaning(case, runs, made))
        }
        _ => made,
    }
}

/// More permutations where those that there are look odd.
fn for_the_meaning(case: &Case, runs: &[ProbeRun], made: u32) -> u32 {
    let first = scatter::FIRST as u32;
    if !meaning::wants_permutations(case, runs) {
        made
    } else if made < first {
        first
    } else {
        (made + MORE[0]).min(permuted::MOST)
    }
}

/// Permutations of the planned outcome: where those of the predictor say nothing
/// because their order has no part in the result, neither do these.
fn outcomes(case: &Case, runs: &[ProbeRun]) -> u32 {
    let named = matches!(case.column, FocalColumn::Named(_));
    if case.planned.outcome.is_none() || cannot_be_made(runs, ProbeKind::Outcome) {
        return 0;
    }
    let made = count(runs, ProbeKind::Outcome);
    let void = match permuted::judge(case, runs, 0) {
        Permuted::Stays(_) => true,
        Permuted::Void(_) => named,
        _ => false,
    };
    match outcome::judge(case, runs) {
        _ if void || made > 0 && case.told(runs, ProbeKind::Outcome).next().is_none() => made,
        _ if made < permuted::LEAST => permuted::LEAST,
        _ if outcome::is_open(case, runs) => (made + MORE[0]).min(permuted::MOST),
        _ => made,
    }
}

fn alignments(case: &Case, runs: &[ProbeRun]) -> u32 {
    if cannot_be_made(runs, ProbeKind::Aligned) {
        return 0;
    }
    aligned::wanted(case, runs)
}

/// Whether no permutation changed a number, so that more of them tell nothing
/// where code takes fewer rows.
fn waits_for_rows(case: &Case, runs: &[ProbeRun]) -> bool {
    let refuses = count(runs, ProbeKind::Dropped) >= dropped::LEAST
        && case.told(runs, ProbeKind::Dropped).next().is_none();
    !refuses
        && case
            .told(runs, ProbeKind::Permuted)
            .all(|(run, _)| case.is_same(run))
}

fn losses(case: &Case, runs: &[ProbeRun]) -> u32 {
    if cannot_be_made(runs, ProbeKind::Dropped) {
        return 0;
    }
    let made = count(runs, ProbeKind::Dropped);
    let told = case.told(runs, ProbeKind::Dropped).count();
    match dropped::judge(case, runs) {
        _ if made < dropped::LEAST => least_losses(case),
        Dropped::NotTold(_) if told > 0 => (made + MORE[1]).min(joint_moves::MOST),
        _ if told > 0 && further::waits(case, runs) => (made + MORE[1]).min(joint_moves::MOST),
        _ => made,
    }
}

/// What else decides is never permuted, and three losses tell a constant.
fn least_losses(case: &Case) -> u32 {
    if case.further.is_empty() && case.groups.is_empty() {
        dropped::LEAST
    } else {
        dropped::LEAST + 1
    }
}

/// Whether the data could not be changed in that way once: they never can.
fn cannot_be_made(runs: &[ProbeRun], kind: ProbeKind) -> bool {
    runs_of_kind(runs, kind).any(|run| matches!(run.ended, ProbeEnd::NotMade { .. }))
}
