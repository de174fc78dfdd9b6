//! Alignment of two runs' findings: by name, by role, by value.
//!
//! Nothing is paired greedily. A pair is made where each side has the other as
//! its only candidate; whatever has several stays unpaired, and says so.

use std::collections::HashMap;

use serde::{Deserialize, Serialize};

use super::names::key;
use super::printed::Reported;

/// The basis of a pair.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum PairBasis {
    /// Both names come to one key, and no other finding's does.
    Name,
    /// Both are what their runs' verdicts were applied to.
    Role,
    /// Neither name occurs on the other side, and no other numbers fit.
    Value,
}

/// The reason for which a finding has no partner.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum UnpairedCause {
    /// Nothing on the other side has its name or its numbers.
    NoCounterpart,
    /// Several findings share its name.
    SharedName,
    /// Several findings could be it by their numbers.
    SharedNumbers,
}

/// A pair of positions in the two lists.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pairing {
    pub first: usize,
    pub second: usize,
    pub by: PairBasis,
}

/// Pairs in the order of the first list, and what is left of each list.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Alignment {
    pub pairs: Vec<Pairing>,
    pub alone: [Vec<(usize, UnpairedCause)>; 2],
}

/// A number given to fewer digits pairs nothing by itself.
const SHARP: f64 = 0.005;
/// A number given to fewer digits pairs nothing even beside an equal standard error.
const BLUNT: f64 = 0.05;
/// The most neighbours of a number that are looked at.
const LOOKED_AT: usize = 1000;

struct Side<'a> {
    findings: &'a [Reported],
    keys: Vec<String>,
    partner: Vec<Option<(usize, PairBasis)>>,
}

impl<'a> Side<'a> {
    fn new(findings: &'a [Reported]) -> Self {
        Self {
            keys: findings.iter().map(|one| key(&one.finding.name)).collect(),
            partner: vec![None; findings.len()],
            findings,
        }
    }

    /// How many findings without a partner have each text.
    fn by_text(&self, text: impl Fn(usize) -> String) -> HashMap<String, Vec<usize>> {
        let mut found: HashMap<String, Vec<usize>> = HashMap::new();
        for at in (0..self.findings.len()).filter(|at| self.partner[*at].is_none()) {
            found.entry(text(at)).or_default().push(at);
        }
        found
    }
}

/// Aligns the findings of two runs; `focal` are the positions of those that
/// the verdicts were applied to.
pub fn align(first: &[Reported], second: &[Reported], focal: [Option<usize>; 2]) -> Alignment {
    let (mut one, mut two) = (Side::new(first), Side::new(second));
    pair_names(&mut one, &mut two, |side, at| {
        side.findings[at].finding.name.trim().to_owned()
    });
    pair_names(&mut one, &mut two, |side, at| side.keys[at].clone());
    let shared = Shared {
        first: one.by_text(|at| one.keys[at].clone()),
        second: two.by_text(|at| two.keys[at].clone()),
    };
    if let [Some(a), Some(b)] = focal
        && one.partner.get(a) == Some(&None)
        && two.partner.get(b) == Some(&None)
        && shared.allows(&one.keys[a], &two.keys[b])
    {
        join(&mut one, &mut two, a, b, PairBasis::Role);
    }
    let (from_first, from_second) = (
        candidates(&one, &two, |a, b| shared.allows(&one.keys[a], &two.keys[b])),
        candidates(&two, &one, |b, a| shared.allows(&one.keys[a], &two.keys[b])),
    );
    for (a, found) in &from_first {
        if let [b] = found.as_slice()
            && from_second.get(b).is_some_and(|back| back.as_slice() == [*a])
        {
            join(&mut one, &mut two, *a, *b, PairBasis::Value);
        }
    }
    let pairs = (0..first.len()).filter_map(|at| {
        let (second, by) = one.partner[at]?;
        Some(Pairing {
            first: at,
            second,
            by,
        })
    });
    Alignment {
        pairs: pairs.collect(),
        alone: [
            alone(&one, &shared.second, &from_first),
            alone(&two, &shared.first, &from_second),
        ],
    }
}

/// Keys of the findings that names did not pair.
struct Shared {
    first: HashMap<String, Vec<usize>>,
    second: HashMap<String, Vec<usize>>,
}

impl Shared {
    /// Whether the names leave it open that two findings are one: the same
    /// name, or names that the other side does not have.
    fn allows(&self, first: &str, second: &str) -> bool {
        first == second || (!self.second.contains_key(first) && !self.first.contains_key(second))
    }
}

fn join(one: &mut Side<'_>, two: &mut Side<'_>, a: usize, b: usize, by: PairBasis) {
    one.partner[a] = Some((b, by));
    two.partner[b] = Some((a, by));
}

fn pair_names(one: &mut Side<'_>, two: &mut Side<'_>, text: fn(&Side<'_>, usize) -> String) {
    let there = two.by_text(|at| text(two, at));
    for (name, here) in one.by_text(|at| text(one, at)) {
        if let ([a], Some([b])) = (here.as_slice(), there.get(&name).map(Vec::as_slice)) {
            join(one, two, *a, *b, PairBasis::Name);
        }
    }
}

/// For each finding without a partner, at most two that could be it.
fn candidates(
    from: &Side<'_>,
    to: &Side<'_>,
    allowed: impl Fn(usize, usize) -> bool,
) -> HashMap<usize, Vec<usize>> {
    let open = |side: &Side<'_>| -> Vec<(f64, usize)> {
        let free = (0..side.findings.len()).filter(|at| side.partner[*at].is_none());
        free.filter_map(|at| {
            let estimate = side.findings[at].estimate.filter(|one| one.is_within(BLUNT))?;
            Some((estimate.value, at))
        })
        .collect()
    };
    let mut sorted = open(to);
    sorted.sort_by(|one, other| one.0.total_cmp(&other.0));
    let mut found = HashMap::new();
    for (value, at) in open(from) {
        // Both may be off by half a unit, which is at most this share of each.
        let reach = value.abs() * 2.2 * BLUNT;
        let start = sorted.partition_point(|(other, _)| *other < value - reach);
        let near = sorted[start..]
            .iter()
            .take_while(|(other, _)| *other <= value + reach);
        let mut fitting = Vec::new();
        for (looked_at, (_, other)) in near.enumerate() {
            if allowed(at, *other) && fits(&from.findings[at], &to.findings[*other]) {
                fitting.push(*other);
            }
            // Among so many neighbours a number tells nothing.
            if looked_at == LOOKED_AT {
                fitting.extend([*other, *other]);
            }
            if fitting.len() > 1 {
                break;
            }
        }
        if !fitting.is_empty() {
            found.insert(at, fitting);
        }
    }
    found
}

/// Whether the numbers are those of one finding: nothing that both give
/// differs, and what they give is sharp enough to tell.
fn fits(one: &Reported, other: &Reported) -> bool {
    let errors = one.errors_agree(other);
    let told_apart = [
        one.estimates_agree(other).map(|agree| !agree),
        errors.map(|agree| !agree),
        one.p_values_agree(other).map(|agree| !agree),
        one.same_n(other).map(|same| !same),
    ];
    let share = if errors == Some(true) { BLUNT } else { SHARP };
    let sharp = |side: &Reported| side.estimate.is_some_and(|estimate| estimate.is_within(share));
    !told_apart.contains(&Some(true)) && sharp(one) && sharp(other)
}

fn alone(
    side: &Side<'_>,
    names_there: &HashMap<String, Vec<usize>>,
    candidates: &HashMap<usize, Vec<usize>>,
) -> Vec<(usize, UnpairedCause)> {
    let left = (0..side.findings.len()).filter(|at| side.partner[*at].is_none());
    left.map(|at| {
        let why = if names_there.contains_key(&side.keys[at]) {
            UnpairedCause::SharedName
        } else if candidates.contains_key(&at) {
            UnpairedCause::SharedNumbers
        } else {
            UnpairedCause::NoCounterpart
        };
        (at, why)
    })
    .collect()
}

#[cfg(test)]
#[path = "align_tests.rs"]
mod tests;
